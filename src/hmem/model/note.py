"""A note: distilled, revisable knowledge about a subject's slot (HiMem)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

NoteKind = Literal["fact", "preference", "profile"]
NoteStatus = Literal["current", "superseded", "retracted"]


@dataclass(frozen=True, slots=True)
class Note:
    """What is held to be so about ``subject`` and ``slot``, from when to when, and on which sources.

    ``sources`` are the ids of turns, ``episodes`` those of the episodes that they lie in.
    """

    id: str
    kind: NoteKind
    subject: str
    slot: str
    value: str
    text: str
    sources: tuple[str, ...]
    recorded: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    status: NoteStatus = "current"
    positive: bool = True
    predecessors: tuple[str, ...] = ()
    made_by: str = "rules"
    episodes: tuple[str, ...] = ()
