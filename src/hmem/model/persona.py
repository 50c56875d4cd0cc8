"""Personas: evolving descriptions of the people in a memory."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Persona:
    """One version of a persona: text, traits, and the vector that tiers are scored against.

    ``sources`` are the ids of its notes. ``user`` is the one to whom it belongs.
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
    user: str | None = None


@dataclass(frozen=True, slots=True)
class PersonaVersion:
    """Text of a persona from a time on, with its author and reason.

    ``notes`` are the ids of the notes that came with it, ``change`` that of the change in the log: None for the present
    version while the log does not have it yet. ``undone`` is True if it was taken back.
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
