"""Tiers: views over one store; nothing is copied or moved (HMO)."""

from dataclasses import dataclass
from datetime import datetime
from math import log
from typing import Literal

from hmem.model.value import Value

TierName = Literal["cache", "buffer", "archive"]
Scoring = Literal["hybrid", "importance", "similarity"]


@dataclass(frozen=True, slots=True)
class TierOptions:
    """Constants of HMO: S, K, H, alpha, beta, Lambda and tau.

    ``decay`` is Lambda, per day. The paper does not give it: at log(2) / 365 a record that was used once keeps 1/e of
    its score after a year, as in H-Mem's robustness term. ``scoring`` by importance or by similarity alone are the
    paper's ablations. ``drift`` is the distance between unit vectors from which a persona counts as changed.
    """

    sessions: int = 5
    pivotal: int = 50
    buffer: int = 200
    alpha: float = 1.0
    beta: float = 1.0
    decay: float = log(2) / 365
    drift: float = 0.10
    scoring: Scoring = "hybrid"


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
