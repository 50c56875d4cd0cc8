"""What formation works on: a new turn, and all that the analyst read in it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst import Claim, Curation, Extraction, Labels, Passage, Statement
from hmem.model.episode import Cut
from hmem.model.turn import Turn


@dataclass(slots=True)
class Material:
    """A turn with its sequence number, its session's number and its unit vector; the rest is filled in by stages.

    ``vectors`` are those of its statements, as they are kept.
    """

    seq: int
    turn: Turn
    session: int
    vector: NDArray[np.float32]
    passage: Passage = field(default_factory=lambda: Passage(()))
    curation: Curation = field(default_factory=lambda: Curation(memorable=True))
    cut: Cut | None = None
    statements: list[Statement] = field(default_factory=list[Statement])
    claims: list[Claim] = field(default_factory=list[Claim])
    extraction: Extraction = field(default_factory=Extraction)
    labels: list[Labels] = field(default_factory=list[Labels])
    vectors: Sequence[NDArray[np.float32]] = ()
    opens_session: bool = False
