"""Notes: distilled knowledge by owner, subject and slot, linked to the turns that it comes from.

``RelearntTurns`` are the turns that were read again because a recall lacked notes of them.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR
from typing import Any, Final, Protocol

from hmem.derived.chunks import Part, content_of, numbered_in_turn, turn_of
from hmem.language.analyst import Claim
from hmem.model.note import NOTE_KINDS, NoteKind
from hmem.model.scope import COMMON, ScopedName, scoped, spelled
from hmem.model.span import Span, to_stored

_BITS: Final = 5


@dataclass(frozen=True, slots=True)
class KeptNote:
    """Note by number: its turn's sequence number, then its place among the notes of the turn.

    ``event`` is the place of the statement that it was read from; ``start`` and ``end`` bound its validity in seconds
    since 1970, if known. ``owner`` is that of the turn.
    """

    number: int
    kind: NoteKind
    subject: str
    slot: str
    value: str
    text: str
    positive: bool = True
    event: int = 0
    start: int | None = None
    end: int | None = None
    made_by: str = "rules"
    owner: str = COMMON

    @property
    def about(self) -> ScopedName:
        """Its subject in the scope of its owner: only notes about the same one have to do with each other."""
        return scoped(self.owner, self.subject)

    @property
    def turn(self) -> int:
        """Sequence number of the turn that it was read from."""
        return turn_of_note(self.number)


def note_number(seq: int, ordinal: int) -> int:
    """Return the number of a note: its turn's sequence number and its place among the notes of the turn.

    Raises:
        NumberTooLarge: the place is not from 0 to ``MOST`` - 1.
    """
    return numbered_in_turn(seq, ordinal)


def turn_of_note(number: int) -> int:
    """Return the sequence number of the turn that a note was read from."""
    return turn_of(number)


def note_of(seq: int, ordinal: int, claim: Claim, made_by: str, owner: str) -> KeptNote:
    """Make a note of a claim of a turn and its owner."""
    start, end, _ = seconds_of(claim.valid)
    if claim.valid is not None and claim.valid.end.year == MAXYEAR:
        end = None
    return KeptNote(
        note_number(seq, ordinal), claim.kind, claim.subject, claim.slot, claim.value, claim.text, claim.positive,
        claim.statement, start, end, made_by, owner,
    )  # fmt: skip


def seconds_of(span: Span | None) -> tuple[int | None, int | None, int]:
    """Return start and end of a span in seconds since 1970, and its offset in minutes."""
    if span is None:
        return None, None, 0
    (start, offset), (end, _) = to_stored(span.start), to_stored(span.end)
    return start // 1_000_000, end // 1_000_000, offset


class NoteListener(Protocol):
    """Callback for a note that was kept or dropped."""

    def __call__(self, note: KeptNote, *, kept: bool) -> None: ...


class Notes(Part):
    """Notes of all turns, indexed by subject in the scope of their owner, and by slot.

    A chunk holds those of 32 turns. It is indexed at once, and its notes are made when they are looked at.
    """

    def __init__(self, name: str = "notes") -> None:
        super().__init__(name)
        self._of: dict[int, tuple[KeptNote, ...]] = {}
        # Contents of chunks whose notes were not made yet.
        self._unread: dict[int, Any] = {}
        self._about: dict[ScopedName, dict[str, dict[int, None]]] = {}
        self._numbers: dict[ScopedName, list[int]] = {}
        self._owners: dict[str, set[str]] = {}
        self._news: set[ScopedName] = set()
        self.watch: NoteListener | None = None

    def __len__(self) -> int:
        return sum(map(len, self._numbers.values()))

    def of(self, seq: int) -> tuple[KeptNote, ...]:
        """Return the notes of a turn, in their order."""
        if self._unread:
            self._read(seq >> _BITS)
        return self._of.get(seq, ())

    def _read(self, number: int) -> None:
        content = self._unread.pop(number, None)
        if content is not None:
            self._of.update(_told(content))

    def get(self, number: int) -> KeptNote | None:
        """Return a note by its number, or None."""
        return next((note for note in self.of(turn_of_note(number)) if note.number == number), None)

    def all(self) -> list[KeptNote]:
        """Return all notes, oldest first."""
        for number in list(self._unread):
            self._read(number)
        return [note for seq in sorted(self._of) for note in self._of[seq]]

    def subjects(self) -> list[ScopedName]:
        """Return the subjects that have notes, sorted by owner and name."""
        return sorted(subject for subject, slots in self._about.items() if slots)

    def named(self, name: str) -> list[ScopedName]:
        """Return the subjects of a name that have notes, in any scope, sorted by owner."""
        return [ScopedName(owner, spelled(name)) for owner in sorted(self._owners.get(spelled(name), ()))]

    def slots(self, subject: ScopedName) -> list[str]:
        """Return the slots of a subject that have notes, sorted."""
        return sorted(self._about.get(subject, {}))

    def latest(self, subject: ScopedName) -> int:
        """Return the number of the newest note about a subject, or -1."""
        return next(reversed(self._numbers.get(subject, ())), -1)

    def count(self, subject: ScopedName) -> int:
        """Count the notes about a subject."""
        return len(self._numbers.get(subject, ()))

    def recent(self, subject: ScopedName, most: int) -> list[KeptNote]:
        """Return the newest notes about a subject, at most ``most``, oldest first, in constant time per note."""
        newest = (self.get(number) for number in self._numbers.get(subject, ())[-most:])
        return [note for note in newest if note is not None]

    def take_news(self, owner: str) -> list[ScopedName]:
        """Return an owner's subjects of notes that were kept or loaded since the last call, sorted."""
        news = sorted(subject for subject in self._news if subject.owner == owner)
        self._news.difference_update(news)
        return news

    def renew_news(self) -> None:
        """Let the subjects of all notes be news again."""
        self._news.update(subject for subject, numbers in self._numbers.items() if numbers)

    def about(self, subject: ScopedName, slot: str | None = None) -> list[KeptNote]:
        """Return the notes about a subject, or about one slot of it, oldest first."""
        slots = self._about.get(subject, {})
        chosen: Iterable[dict[int, None]] = slots.values() if slot is None else [slots.get(slot, {})]
        found = (self.get(number) for number in sorted(number for numbers in chosen for number in numbers))
        return [note for note in found if note is not None]

    def put(self, seq: int, notes: Sequence[KeptNote]) -> None:
        """Replace a turn's notes; an empty sequence removes them."""
        self._drop(seq)
        self._keep(seq, tuple(notes))
        self.changed.add(seq >> _BITS)

    def _keep(self, seq: int, notes: tuple[KeptNote, ...]) -> None:
        if not notes:
            return
        self._of[seq] = notes
        for note in notes:
            self._enter(note.about, note.slot, note.number)
            if self.watch is not None:
                self.watch(note, kept=True)

    def _enter(self, about: ScopedName, slot: str, number: int) -> None:
        slots, numbers = self._place(about)
        slots.setdefault(slot, {})[number] = None
        insort(numbers, number)

    def _place(self, about: ScopedName) -> tuple[dict[str, dict[int, None]], list[int]]:
        """Return the slots of a subject with the numbers of their notes, and all its numbers; it has news now."""
        self._news.add(about)
        self._owners.setdefault(about.name, set()).add(about.owner)
        return self._about.setdefault(about, {}), self._numbers.setdefault(about, [])

    def _drop(self, seq: int) -> None:
        self._read(seq >> _BITS)
        for note in self._of.pop(seq, ()):
            about = note.about
            numbers = self._numbers[about]
            del numbers[bisect_left(numbers, note.number)]
            slots = self._about[about]
            del slots[note.slot][note.number]
            if not slots[note.slot]:
                del slots[note.slot]
            if not numbers:
                self._drop_subject(about)
            if self.watch is not None:
                self.watch(note, kept=False)

    def _drop_subject(self, subject: ScopedName) -> None:
        del self._numbers[subject], self._about[subject]
        self._owners[subject.name].discard(subject.owner)
        if not self._owners[subject.name]:
            del self._owners[subject.name]

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        places: dict[tuple[str, str], tuple[dict[str, dict[int, None]], list[int]]] = {}
        for number, stored in chunks:
            content = self._unread[number] = content_of(stored)
            _, words, rows, *_ = content
            owned = _owners(content)
            for seq, *notes in rows:
                owner = owned.get(seq, COMMON)
                # Numbers ascend, so each comes last.
                for note, row in enumerate(notes, note_number(seq, 0)):
                    subject, slot = words[row[1]], words[row[2]]
                    place = places.get((owner, subject))
                    if place is None:
                        place = places[owner, subject] = self._place(scoped(owner, subject))
                    place[0].setdefault(slot, {})[note] = None
                    place[1].append(note)

    def load(self, number: int, content: Any | None) -> None:
        told = {} if content is None else _told(content)
        for seq in range(number << _BITS, (number + 1) << _BITS):
            # Unchanged notes stay, so that listeners keep what they derived from them.
            if self.of(seq) != told.get(seq, ()):
                self._drop(seq)
                self._keep(seq, told.get(seq, ()))

    def dump(self, number: int) -> Any | None:
        self._read(number)
        made: dict[str, int] = {}
        words: dict[str, int] = {}
        seqs = [seq for seq in range(number << _BITS, (number + 1) << _BITS) if seq in self._of]
        rows: list[Any] = [[seq, *(_row(note, made, words) for note in self._of[seq])] for seq in seqs]
        owned: dict[str, list[int]] = {}
        for seq in seqs:
            if (owner := self._of[seq][0].owner) != COMMON:
                owned.setdefault(owner, []).append(seq)
        owners = [[[owner, *own] for owner, own in owned.items()]] if owned else []
        return [list(made), list(words), rows, *owners] if rows else None


def _owners(content: Sequence[Any]) -> dict[int, str]:
    """Return the owners of a chunk's turns, of those that have one."""
    return {seq: owner for owner, *seqs in (content[3] if len(content) > 3 else ()) for seq in seqs}


def _told(content: Sequence[Any]) -> dict[int, tuple[KeptNote, ...]]:
    """Return the notes of a chunk by the sequence numbers of their turns."""
    made, words, rows, *_ = content
    owned = _owners(content)
    return {
        seq: tuple(_note(seq, i, row, made, words, owned.get(seq, COMMON)) for i, row in enumerate(notes))
        for seq, *notes in rows
    }


def _row(note: KeptNote, made: dict[str, int], words: dict[str, int]) -> list[Any]:
    def place(word: str) -> int:
        return words.setdefault(word, len(words))

    by = made.setdefault(note.made_by, len(made))
    row = [
        NOTE_KINDS.index(note.kind),
        place(note.subject),
        place(note.slot),
        note.value,
        note.text,
        int(note.positive),
    ]
    return [*row, note.event, by, note.start, note.end] if note.start or note.end else [*row, note.event, by]


def _note(seq: int, ordinal: int, row: list[Any], made: Sequence[str], words: Sequence[str], owner: str) -> KeptNote:
    kind: int
    subject: int
    slot: int
    by: int
    kind, subject, slot, value, text, positive, event, by = row[:8]
    start, end = row[8:] or (None, None)
    return KeptNote(
        note_number(seq, ordinal), NOTE_KINDS[kind], words[subject], words[slot], value, text, bool(positive), event,
        start, end, made[by], owner,
    )  # fmt: skip


_RELEARNT_BITS: Final = 12


class RelearntTurns(Part):
    """Set of turns by sequence number. A chunk holds those of 4,096 numbers."""

    def __init__(self, name: str = "learnt") -> None:
        super().__init__(name)
        self._seqs: set[int] = set()

    def __contains__(self, seq: int) -> bool:
        return seq in self._seqs

    def __len__(self) -> int:
        return len(self._seqs)

    def seqs(self) -> list[int]:
        """Return all of them, ascending."""
        return sorted(self._seqs)

    def put(self, seq: int) -> None:
        """Add a turn."""
        self._seqs.add(seq)
        self.changed.add(seq >> _RELEARNT_BITS)

    def take(self, seq: int) -> None:
        """Remove a turn."""
        if seq in self._seqs:
            self._seqs.discard(seq)
            self.changed.add(seq >> _RELEARNT_BITS)

    def load(self, number: int, content: Any | None) -> None:
        self._seqs = {seq for seq in self._seqs if seq >> _RELEARNT_BITS != number} | set(content or ())

    def dump(self, number: int) -> Any | None:
        return sorted(seq for seq in self._seqs if seq >> _RELEARNT_BITS == number) or None
