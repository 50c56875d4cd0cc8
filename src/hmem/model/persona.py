"""The evolving description of the person served."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Persona:
    """One version of a persona: text, traits, and the vector that tiers are scored against.

    ``sources`` are the ids of the notes that it stands on.
    """

    id: str
    version: int
    text: str
    traits: tuple[str, ...]
    vector: tuple[float, ...]
    at: datetime
    sources: tuple[str, ...] = ()
    speaker: str = ""
    made_by: str = "rules"
