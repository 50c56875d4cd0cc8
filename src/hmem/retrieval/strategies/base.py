"""Candidates that strategies return."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Values = NDArray[np.float32]

PieceKind = Literal["event", "note", "summary", "episode", "profile"]


@dataclass(frozen=True, slots=True)
class FoundPiece:
    """Candidate other than a turn.

    ``number`` is that of an event or a note, a summary's node, an episode's first turn, or a profile's entity; ``tree``
    is the summary's. ``turns`` are the sequence numbers of its source turns.
    """

    kind: PieceKind
    number: int
    score: float
    turns: tuple[int, ...] = ()
    tree: str = ""


@dataclass(frozen=True, slots=True)
class Scored:
    """Candidates: turns by row, best first, with their scores and the terms of the scores.

    ``sizes`` has the number of candidates of each source; ``pieces`` are other things found, best first; ``story`` is
    what the strategy did, for the trace: plain values by name. ``deeper``: it was told to leave a level out.
    """

    name: str
    rows: Rows
    scores: Values
    terms: Mapping[str, Values]
    weights: Mapping[str, float]
    sizes: Mapping[str, int]
    pieces: tuple[FoundPiece, ...] = ()
    story: Mapping[str, Any] = field(default_factory=dict[str, Any])
    deeper: bool = False
