"""Position-index routing: scoring, from the top layer down, only children of the best (H-MEM, arXiv 2507.22925).

An entry is a vector, its own position, and the positions of its children in the layer below. A position takes no part
in similarity; it says where to look next.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.rows import Values
from hmem.errors import InvalidQuery, UnknownName
from hmem.util.suggesting import suggest

Beam = Literal["whole", "per-parent"]
Positions = NDArray[np.int64]
Open = Callable[[Positions], NDArray[np.bool_]]
# Function that returns what entries of a layer gain besides their products with the vector.
Gain = Callable[[int, Positions], Values]

K: Final = 10
BEAMS: Final[tuple[Beam, ...]] = ("whole", "per-parent")


class Layers(Protocol):
    """Layers of entries, from the top one to that of the leaves."""

    @property
    def depth(self) -> int:
        """Number of layers."""
        ...

    def children(self, layer: int, parents: Sequence[int]) -> list[tuple[Positions, Values]]:
        """Return, for each parent, the positions of its children, which are in ``layer``, and their vectors.

        The parent of the whole of layer 0 is position 0.
        """
        ...


@dataclass(frozen=True, slots=True)
class Route:
    """Leaves that routing reached, best first.

    ``paths`` has a row for each leaf: the positions from the top layer down to the one above it. ``comparisons``
    counts the entries compared in each layer, ``operations`` the multiply-adds. ``exhaustive`` is true if nothing was
    left out on the way, so that the leaves are the best of all.
    """

    leaves: Positions
    similarities: Values
    paths: Positions
    comparisons: tuple[int, ...]
    operations: int
    exhaustive: bool


def route(
    layers: Layers, aim: Values, *, k: int = K, last: int = K, beam: Beam = "whole", may: Open | None = None,
    gain: Gain | None = None,
) -> Route:  # fmt: skip
    """Return the ``last`` best leaves below the ``k`` best entries of each layer, by product with a vector.

    With the beam ``whole``, k entries of a layer survive: (a + 3 * b * k) * d operations for a entries at the top, b
    children each, four layers and d dimensions (the paper's cost needs it). With ``per-parent``, k children of each
    survivor do: k, k^2, k^3. Of equals the first goes first. ``may`` tells which leaves may be found; ``gain`` is added
    to the products when the best are chosen.

    Raises:
        InvalidQuery: ``k`` or ``last`` is below 1.
        UnknownName: there is no such beam.
    """
    if k < 1 or last < 1:
        raise InvalidQuery(f"a beam keeps at least 1 entry, not k={k} and last={last} - raise them")
    if beam not in BEAMS:
        raise UnknownName(f"no beam is called {beam!r} - {suggest(beam, BEAMS)}")
    survivors, paths = np.zeros(1, np.int64), np.zeros((1, 0), np.int64)
    values, comparisons, exhaustive = np.zeros(0, np.float32), list[int](), True
    for layer in range(layers.depth):
        positions, values, sizes = _compared(layers.children(layer, survivors.tolist()), aim)
        comparisons.append(len(values))
        gains = values if gain is None or not len(positions) else values + gain(layer, positions)
        if layer == layers.depth - 1:
            best_indices = _best_of_open(positions, gains, last, may)
        else:
            best_indices = best(gains, k) if beam == "whole" else _best_of_each(gains, sizes, k)
            exhaustive = exhaustive and len(best_indices) == len(values)
        owners = np.searchsorted(np.cumsum(sizes), best_indices, side="right")
        survivors, values = positions[best_indices], values[best_indices]
        paths = np.column_stack([paths[owners], survivors])
    leaves = survivors if comparisons else survivors[:0]
    return Route(leaves, values, paths[: len(leaves), :-1], tuple(comparisons), sum(comparisons) * len(aim), exhaustive)


def _compared(blocks: Sequence[tuple[Positions, Values]], aim: Values) -> tuple[Positions, Values, Positions]:
    """Return the entries below some parents, their products with a vector, and their number by parent."""
    sizes = np.fromiter((len(positions) for positions, _ in blocks), np.int64, len(blocks))
    if not len(sizes):
        return sizes, np.zeros(0, np.float32), sizes
    return (
        np.concatenate([positions for positions, _ in blocks]),
        np.concatenate([rows.dot(aim) for _, rows in blocks]),
        sizes,
    )


def _best_of_open(positions: Positions, values: Values, number: int, may: Open | None) -> Positions:
    """Return the indices of the greatest values among the positions that may be found."""
    if may is None:
        return best(values, number)
    open_indices = np.flatnonzero(may(positions))
    return open_indices[best(values[open_indices], number)]


def best(values: Values, number: int) -> Positions:
    """Return the indices of the greatest values, greatest first; of equal values the first comes first."""
    if len(values) <= number:
        return np.argsort(-values, kind="stable")
    threshold = np.partition(values, len(values) - number)[len(values) - number]
    candidates = np.flatnonzero(values >= threshold)
    return candidates[np.argsort(-values[candidates], kind="stable")[:number]]


def _best_of_each(values: Values, sizes: Positions, number: int) -> Positions:
    """Return the indices of the greatest values of each run."""
    ends = np.cumsum(sizes)
    runs = zip((ends - sizes).tolist(), ends.tolist(), strict=True)
    return np.concatenate([np.zeros(0, np.int64), *(start + best(values[start:end], number) for start, end in runs)])
