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


@dataclass(frozen=True, slots=True)
class PersonaVersion:
    """What a persona said from a time on, who made it so and why.

    ``notes`` are the ids of the notes that came with it, ``change`` that of the change in the log; None for the present
    one while the log does not have it yet. ``undone``: it was taken back. Of what was forgotten the text is empty.
    """

    speaker: str
    text: str
    traits: tuple[str, ...]
    at: datetime
    by: str
    why: str | None = None
    notes: tuple[str, ...] = ()
    change: str | None = None
    undone: bool = False
