"""What a strategy takes and yields."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources

Rows = NDArray[np.int64]
Values = NDArray[np.float32]

PieceKind = Literal["event", "note", "summary", "episode", "profile"]


@dataclass(frozen=True, slots=True)
class FoundPiece:
    """A candidate other than a turn.

    ``number`` is that of an event or a note, a summary's node, an episode's first turn, a profile's entity; ``tree``
    is the summary's. ``turns`` are the sequence numbers of the turns that it stands on.
    """

    kind: PieceKind
    number: int
    score: float
    turns: tuple[int, ...] = ()
    tree: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """Candidates: turns by row, best first, with their scores and the terms that the scores are made of.

    ``sizes`` tells how many candidates each source gave; ``pieces`` are what else was found, best first; ``story`` is
    what the strategy did, for the trace: plain values by name.
    """

    name: str
    rows: Rows
    scores: Values
    terms: Mapping[str, Values]
    weights: Mapping[str, float]
    sizes: Mapping[str, int]
    pieces: tuple[FoundPiece, ...] = ()
    story: Mapping[str, Any] = field(default_factory=dict[str, Any])


_Options_contra = TypeVar("_Options_contra", contravariant=True)


class Strategy(Protocol[_Options_contra]):
    """A way to find candidates: a function of what is kept, the question, and its own options."""

    def __call__(self, sources: Sources, query: Query, options: _Options_contra, /) -> Scored: ...
