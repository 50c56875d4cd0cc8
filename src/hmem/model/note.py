"""Notes: distilled, revisable knowledge about a subject's slot (HiMem)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

from hmem.model.value import Value, faint, format_time, framed, grid, html

# Slot of sentences that are joined into threads, which have no value of their own.
THREAD: Final = "thread"

# Typed slots that hold one value at a time.
SINGLE_SLOTS: Final = frozenset({"home", "employer", "diet", "birthday"})

NoteKind = Literal["fact", "preference", "profile"]
NOTE_KINDS: Final[tuple[NoteKind, ...]] = get_args(NoteKind)
# The successor of a merged note says the same or more.
NoteStatus = Literal["current", "superseded", "merged", "retracted", "contested"]


@dataclass(frozen=True, slots=True, repr=False)
class EarlierSentence(Value):
    """An earlier sentence of a thread, when it was said, and the id of its turn."""

    text: str
    recorded: datetime
    source: str


@dataclass(frozen=True, slots=True, repr=False)
class Note(Value):
    """A value of ``subject`` and ``slot``, with its time of validity and its sources; or a thread of sentences.

    The ``slot`` of a thread is ``thread``, and it has no value: ``text`` is its newest sentence as it was said, and
    ``earlier`` has those before it, newest first.

    ``sources`` are the ids of turns, ``episodes`` those of their episodes. ``predecessors`` are the notes that it
    replaced; ``successor`` is the note that replaced it or says the same or more, ``why`` the reason.
    ``reinforcements`` counts how often it was said again, ``last_reinforced`` is the last time of that. ``user`` is the
    one to whom it belongs.
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
    made_by: str = "verbatim"
    episodes: tuple[str, ...] = ()
    successor: str | None = None
    why: str = ""
    reinforcements: int = 0
    last_reinforced: datetime | None = None
    user: str | None = None
    earlier: tuple[EarlierSentence, ...] = ()

    def _repr_html_(self) -> str:
        """Return the note for a notebook: what it says, how it stands, and where it is from."""
        value = html(f"{'' if self.positive else 'not '}{self.value}")
        until = "" if self.valid_to is None else f" until {format_time(self.valid_to)}"
        since = format_time(self.valid_from or self.recorded)
        stands = f"{self.kind}, {self.status}, since {since}{until}{f': {self.why}' if self.why else ''}"
        text = f"{html(self.text)}{faint(f'{html(stands)}<br><code>{html(self.id)}</code>')}"
        return framed(grid((), [[f"<b>{html(self.subject)}</b>", html(self.slot), value, text]]))


@dataclass(frozen=True, slots=True, repr=False)
class Conflict(Value):
    """Contradicting notes of one subject's slot, oldest first, until somebody decides; ``why`` is the reason."""

    subject: str
    slot: str
    notes: tuple[Note, ...]
    why: str = ""
