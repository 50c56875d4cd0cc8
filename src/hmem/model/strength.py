"""Strength of a memory: importance, use, reinforcement and feedback."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

# A person's feedback on an answer.
Reaction = Literal["approve", "none", "reject"]


@dataclass(frozen=True, slots=True)
class Strength:
    """Importance (1 to 10), use, reinforcement and feedback of an item of any kind; ``of`` is its id."""

    of: str
    importance: float = 5.0
    uses: int = 0
    last_used: datetime | None = None
    reinforcements: int = 0
    last_reinforced: datetime | None = None
    feedback: float = 1.0
