"""Tiers: views over one store; nothing is copied or moved (HMO)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from hmem.model.value import Value

TierName = Literal["cache", "buffer", "archive"]


@dataclass(frozen=True, slots=True, repr=False)
class Record(Value):
    """A turn in a tier: importance, similarity to the persona, uses, and the score S_m computed from them."""

    id: str
    tier: TierName
    text: str
    speaker: str
    when: datetime
    importance: int
    similarity: float
    uses: int
    score: float
    pivotal: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Tiers(Value):
    """Records of the upper tiers, best first, the cached sessions, and the number of turns in each tier."""

    cache: tuple[Record, ...]
    buffer: tuple[Record, ...]
    sessions: tuple[str, ...]
    counts: dict[TierName, int]
