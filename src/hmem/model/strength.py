"""What makes a memory stay."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

# What a person says of an answer, or does not.
Reaction = Literal["approve", "none", "reject"]


@dataclass(frozen=True, slots=True)
class Strength:
    """Importance (1 to 10), use, reinforcement and feedback of any kind of memory."""

    of: str
    importance: float = 5.0
    uses: int = 0
    last_used: datetime | None = None
    reinforcements: int = 0
    last_reinforced: datetime | None = None
    feedback: float = 1.0
