"""A note: distilled, revisable knowledge about a subject's slot (HiMem)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

NoteKind = Literal["fact", "preference", "profile"]
NOTE_KINDS: Final[tuple[NoteKind, ...]] = get_args(NoteKind)
# A merged note is told by its successor, which says the same or more.
NoteStatus = Literal["current", "superseded", "merged", "retracted", "contested"]


@dataclass(frozen=True, slots=True)
class Note:
    """What is held to be so about ``subject`` and ``slot``, from when to when, and on which sources.

    ``sources`` are the ids of turns, ``episodes`` those of the episodes that they lie in. ``predecessors`` are the
    notes whose place it took, ``successor`` the one that took its place or says the same or more, ``why`` the reason.
    ``reinforcements`` counts how often it was said again, ``last_reinforced`` is when that was last.
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
    successor: str | None = None
    why: str = ""
    reinforcements: int = 0
    last_reinforced: datetime | None = None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Notes of one subject's slot that contradict each other, oldest first, until somebody decides; ``why`` they do."""

    subject: str
    slot: str
    notes: tuple[Note, ...]
    why: str = ""
