"""Benchmark of position-index routing against FAISS's flat search: operations, time and recall at any size.

The hierarchy is random, not learned: four layers of uneven sizes. A record is the weighted sum of a direction shared
by all, one each for its domain, category and trace, and a private one. The weights give the mean cosines within a
trace, a category, a domain and beyond that the events of one LoCoMo conversation have in the layers that formation
makes (``benchmarks/routing.py``). Directions have a falling spectrum, like those of texts, so that cosines scatter
more than on a uniform sphere and clusters overlap. A query is a record with noise. Inner entries are the mean
directions of their leaves.

Two things are easier here than with real data: the layers are exactly the generated clusters, and the conversation is
one of the better separated ones (over five of them the means are 0.46, 0.36, 0.23 and 0.19).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from time import process_time
from typing import Any, Final

import faiss
import numpy as np
from numpy.typing import NDArray

from hmem.errors import InvalidQuery
from hmem.papers.position_index import Beam, Positions, Values, route
from hmem_evals.bench.apart import Progress, measure_here, measure_in_subprocess

KS: Final = (1, 2, 5, 10, 20, 50, 100)
RECALL_AT: Final = 10
TARGET_RECALL: Final = 0.9

_LAYERS: Final = 4
_BLOCK: Final = 20_000


@dataclass(frozen=True, slots=True)
class Drawing:
    """Parameters of the random hierarchy.

    The default cosines are those of conv-26, 502 events. The mean cosine of a question with its ten nearest events is
    0.63 in two conversations, and 0.58 in a random hierarchy of 50,000 records.

    ``within`` are the mean cosines of two records that share a trace, a category, a domain, or no group.
    ``decay``: the deviation of component i of a direction is proportional to (i + 1) ** -decay. ``closeness``: the
    cosine of a query with its record. ``unevenness``: the deviation of the logarithm of a group's size.
    """

    within: tuple[float, float, float, float] = (0.58, 0.41, 0.29, 0.26)
    decay: float = 0.4
    closeness: float = 0.8
    unevenness: float = 0.5
    seed: int = 1


DEFAULT_DRAWING: Final = Drawing()


class PositionIndex:
    """Layers in contiguous arrays: a matrix of vectors each, and the first child of each entry.

    ``firsts[l]`` has, for each entry of layer l - 1 and once more for the end, the position of its first child in
    layer l; ``firsts[0]`` is (0, size of the top layer).
    """

    def __init__(self, vectors: Sequence[Values], firsts: Sequence[Positions]) -> None:
        self.vectors = tuple(vectors)
        self.firsts = tuple(firsts)

    @classmethod
    def from_leaves(cls, leaves: Values, firsts: Sequence[Positions]) -> "PositionIndex":
        """Return the layers above leaves, a unit row each; an entry is the mean direction of the leaves below it.

        No entry may be without children.
        """
        vectors: list[Values] = [leaves]
        # Sums, so that each leaf counts alike, at any depth.
        sums = leaves
        for starts in reversed(firsts[1:]):
            sums = np.add.reduceat(sums, starts[:-1], axis=0)
            vectors.append(unit(sums))
        return cls(vectors[::-1], firsts)

    @property
    def depth(self) -> int:
        """Number of layers."""
        return len(self.vectors)

    def children(self, layer: int, parents: Sequence[int]) -> list[tuple[Positions, Values]]:
        """Return the positions of the children of each parent, which are in ``layer``, and views of their vectors."""
        rows, first = self.vectors[layer], self.firsts[layer]
        bounds = [(first.item(parent), first.item(parent + 1)) for parent in parents]
        return [(np.arange(start, end), rows[start:end]) for start, end in bounds]


def unit(rows: NDArray[np.floating[Any]]) -> Values:
    """Return the rows scaled to length 1; rows of zeros stay."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return (rows / np.maximum(lengths, np.float32(1e-12))[:, None]).astype(np.float32, copy=False)


def run(
    records: int,
    *,
    dimension: int = 256,
    queries: int = 100,
    k: int | None = None,
    beam: Beam = "whole",
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return ``records, ops{routed, flat}, ops_ratio, time_ms{…}, time_ratio, recall{"10"}, by_k[…]`` and the setup.

    Both answer the same queries in one process, one at a time, on one thread. Times are processor times, independent
    of the machine's load, and include the work in Python. Times and operations (multiply-adds) are means over the
    queries; ratios are flat over routed. ``recall`` is the share of the exact ten best among the ten routed ones.
    ``by_k`` has the same figures for each beam of ``KS``; those before it are for ``k``, by default the smallest beam
    with a recall of at least 0.9, or else the largest. ``separation`` has the measured cosines. The run needs 8 bytes
    of memory for each component.

    Raises:
        InvalidQuery: fewer than 100 records, 8 dimensions, 1 query or a beam of 1.
        HmemError: the process that measures failed.
    """
    if records < 100 or dimension < 8 or queries < 1 or (k is not None and k < 1):
        raise InvalidQuery("routing needs at least 100 records, 8 dimensions, 1 query and k=1 - raise them")
    arguments = {"records": records, "dimension": dimension, "queries": queries, "k": k, "beam": beam}
    return measure_in_subprocess("hmem_evals.bench.routing", arguments, "routing", progress)


def measure(
    records: int,
    dimension: int,
    queries: int,
    k: int | None = None,
    beam: Beam = "whole",
    drawing: Drawing = DEFAULT_DRAWING,
    shape: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Measure in this process; see ``run``. ``shape``: domains, categories in each, traces in each."""
    shape = shape or shape_of(records)
    firsts = draw_layers(records, shape, drawing)
    leaves = draw_leaves(firsts, dimension, drawing, progress)
    separation = separations(firsts, leaves, drawing.seed)
    query_vectors = draw_queries(leaves, queries, drawing)
    flat: Any = faiss.IndexFlatL2(dimension)
    flat.add(leaves)
    # Both searches read the records of FAISS, to hold them once.
    leaves = faiss.rev_swig_ptr(flat.get_xb(), records * dimension).reshape(records, dimension)
    index = PositionIndex.from_leaves(leaves, firsts)
    exact, flat_ms = _flat(flat, query_vectors)
    by_k = [_of_k(index, query_vectors, exact, flat_ms, beam_size, beam) for beam_size in sorted({*KS, k or KS[0]})]
    selected = next((row for row in by_k if (row["recall"] >= TARGET_RECALL if k is None else row["k"] == k)), by_k[-1])
    return {
        "records": records,
        "ops": {"routed": selected["ops"], "flat": records * dimension},
        "ops_ratio": selected["ops_ratio"],
        "time_ms": {"routed": selected["time_ms"], "flat": flat_ms},
        "time_ratio": selected["time_ratio"],
        "recall": {str(RECALL_AT): selected["recall"]},
        "k": selected["k"],
        "beam": beam,
        "by_k": by_k,
        "dimension": dimension,
        "queries": queries,
        "layers": [len(vectors) for vectors in index.vectors],
        "separation": separation,
        "drawing": asdict(drawing),
        "threads": 1,
    }


def _flat(flat: Any, query_vectors: Values) -> tuple[Positions, float]:
    """Return the exact ten best of each query, of shape (queries, 10), and the milliseconds per query."""
    flat.search(query_vectors[:1], RECALL_AT)
    start = process_time()
    positions = [flat.search(query[None], RECALL_AT)[1][0] for query in query_vectors]
    return np.stack(positions), _milliseconds(start, len(query_vectors))


def _of_k(
    index: PositionIndex, query_vectors: Values, exact: Positions, flat_ms: float, k: int, beam: Beam
) -> dict[str, float]:
    """Return recall, operations and time of routing with a beam of k."""
    route(index, query_vectors[0], k=k, last=RECALL_AT, beam=beam)
    start = process_time()
    routes = [route(index, query, k=k, last=RECALL_AT, beam=beam) for query in query_vectors]
    time_ms = _milliseconds(start, len(query_vectors))
    hits = [np.isin(best, result.leaves).mean() for best, result in zip(exact, routes, strict=True)]
    operations = sum(result.operations for result in routes) / len(routes)
    return {
        "k": k,
        "recall": round(float(np.mean(hits)), 4),
        "ops": round(operations),
        "ops_ratio": round(index.vectors[-1].size / operations, 2),
        "time_ms": time_ms,
        "time_ratio": round(flat_ms / time_ms, 2),
    }


def _milliseconds(start: float, queries: int) -> float:
    # A coarse clock may not have ticked.
    return round(max((process_time() - start) * 1_000 / queries, 0.0001), 4)


# Random data.


def shape_of(records: int) -> tuple[int, int, int]:
    """Return the numbers of domains, of categories in each and of traces in each, all equal.

    They are below the even fan-out: routing compares all records of a trace, so fewer and larger traces cost least.
    """
    fan = max(2, round(records ** (1 / _LAYERS) * 5 / 8))
    return fan, fan, fan


def draw_layers(records: int, shape: Sequence[int], drawing: Drawing) -> list[Positions]:
    """Return the offsets of each entry's children, layer by layer, for ``PositionIndex``; every entry has a child."""
    random = np.random.default_rng([drawing.seed, records])
    totals = [int(np.prod(shape[: depth + 1])) for depth in range(len(shape))] + [records]
    if totals[-2] > records:
        raise InvalidQuery(f"{records:,} records do not fill {totals[-2]:,} traces - give a smaller shape")
    firsts = [np.array([0, totals[0]])]
    for parent_count, total in pairwise(totals):
        shares = np.exp(random.normal(0, drawing.unevenness, parent_count))
        sizes = 1 + random.multinomial(total - parent_count, shares / shares.sum())
        firsts.append(np.concatenate([[0], np.cumsum(sizes)]))
    return firsts


def draw_leaves(firsts: Sequence[Positions], dimension: int, drawing: Drawing, progress: Progress | None) -> Values:
    """Return the unit vectors of all records, of shape (records, dimension), in the order of their traces."""
    random = np.random.default_rng([drawing.seed, 1])
    trace, category, domain, unrelated = drawing.within
    shares = [domain - unrelated, category - domain, trace - category]
    centres = np.float32(np.sqrt(unrelated)) * _directions(random, 1, dimension, drawing)
    for starts, share in zip(firsts[:-1], shares, strict=True):
        noise = _directions(random, int(starts[-1]), dimension, drawing)
        centres = np.repeat(centres, np.diff(starts), axis=0) + np.float32(np.sqrt(share)) * noise
    owners = np.repeat(np.arange(len(centres)), np.diff(firsts[-1]))
    leaves = np.empty((len(owners), dimension), np.float32)
    for block in _blocks(len(owners)):
        noise = _directions(random, len(owners[block]), dimension, drawing)
        leaves[block] = unit(centres[owners[block]] + np.float32(np.sqrt(1 - trace)) * noise)
        if progress is not None:
            progress(min(block.stop, len(owners)), len(owners))
    return leaves


def draw_queries(leaves: Values, count: int, drawing: Drawing) -> Values:
    """Return unit vectors, each with the cosine ``closeness`` to a record."""
    random = np.random.default_rng([drawing.seed, 2])
    targets = leaves[random.integers(0, len(leaves), count)]
    noise = _directions(random, count, leaves.shape[1], drawing)
    noise -= np.einsum("ij,ij->i", noise, targets)[:, None] * targets
    return unit(np.float32(drawing.closeness) * targets + np.float32(np.sqrt(1 - drawing.closeness**2)) * unit(noise))


def _directions(random: np.random.Generator, count: int, dimension: int, drawing: Drawing) -> Values:
    spectrum = np.arange(1, dimension + 1, dtype=np.float32) ** np.float32(-drawing.decay)
    return unit(random.standard_normal((count, dimension), np.float32) * spectrum)


def _blocks(length: int) -> Iterator[slice]:
    for start in range(0, length, _BLOCK):
        yield slice(start, start + _BLOCK)


def separations(firsts: Sequence[Positions], leaves: Values, seed: int, pairs: int = 20_000) -> Mapping[str, Any]:
    """Return mean and deviation of the cosine of random pairs of records, by the lowest layer that they share."""
    random = np.random.default_rng([seed, 3])
    figures: dict[str, Any] = {}
    source = random.integers(0, len(leaves), pairs)
    # Offsets of each group's records: first of the traces, then of the layers above.
    first: Positions = np.arange(len(leaves) + 1)
    for name, layer in zip(("trace", "category", "domain", "none"), reversed(firsts), strict=True):
        first = first[layer]
        group = np.searchsorted(first, source, side="right") - 1
        partner = (first[group] + random.random(pairs) * (first[group + 1] - first[group])).astype(np.int64)
        cosines = np.einsum("ij,ij->i", leaves[source], leaves[partner])[source != partner]
        figures[name] = {"mean": round(float(cosines.mean()), 3), "deviation": round(float(cosines.std()), 3)}
    return figures


if __name__ == "__main__":
    measure_here(measure)
