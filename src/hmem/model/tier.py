"""The tiers: views over one store, nothing is copied or moved (HMO)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

TierName = Literal["cache", "buffer", "archive"]


@dataclass(frozen=True, slots=True)
class Record:
    """A turn as the tiers see it: its importance, its likeness to the persona, its uses, and S_m from them."""

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


@dataclass(frozen=True, slots=True)
class Tiers:
    """The records of the upper tiers, best first, the cached sessions, and how many turns each tier holds."""

    cache: tuple[Record, ...]
    buffer: tuple[Record, ...]
    sessions: tuple[str, ...]
    counts: dict[TierName, int]
