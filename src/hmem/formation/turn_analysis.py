"""Analysis of a turn: the new turn that formation works on, and all that the analyst read in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst import Claim, Coverage, Curation, Extraction, Labels, Lexicon, Passage, Statement
from hmem.model.event import Cut
from hmem.model.turn import Turn

# What judged a turn of which nothing can be formed.
VERBATIM: Final = "verbatim"

# Why nothing of such a turn was read.
UNREADABLE: Final = "error"


@dataclass(slots=True)
class TurnAnalysis:
    """Turn with its sequence number, its session's number and its unit vector; stages fill in the rest.

    ``topics`` are the vectors of its statements, as they are kept, and ``topic`` is their mean: trees are built from
    them. ``corrects`` is the id of the note that it corrects.
    """

    seq: int
    turn: Turn
    session: int
    vector: NDArray[np.float32]
    passage: Passage = field(default_factory=lambda: Passage(()))
    curation: Curation = field(default_factory=lambda: Curation(memorable=True))
    coverage: Coverage = field(default_factory=Coverage)
    cut: Cut | None = None
    statements: list[Statement] = field(default_factory=list[Statement])
    claims: list[Claim] = field(default_factory=list[Claim])
    extraction: Extraction = field(default_factory=Extraction)
    labels: list[Labels] = field(default_factory=list[Labels])
    topic: NDArray[np.float32] | None = None
    topics: Sequence[NDArray[np.float32]] = ()
    opens_session: bool = False
    corrects: str = ""


def without_echoes(turn: Turn, lexicon: Lexicon) -> Turn:
    """Return a turn as it is read: without its echoes, which are no new evidence."""
    if not turn.echoes:
        return turn
    return replace(turn, text=lexicon.remove_spans(turn.text, [(start, end) for start, end, _ in turn.echoes]))


def all_echo(turn: Turn) -> bool:
    """Tell if a turn consists of echoes only."""
    return bool(turn.echoes) and not turn.content.strip()


def verbatim(turn: Turn) -> Statement:
    """Return the whole content of a turn as one statement."""
    return Statement(f"{turn.speaker}: {turn.content}")
