"""Notes: distilled knowledge by owner, subject and slot, linked to the turns that it comes from; and their index.

``NoteIndex`` has the subject and slot of each note, so that a memory is opened without reading the notes themselves.
``RelearntTurns`` are the turns that were read again because a recall lacked notes of them.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hmem.derived.chunks import EVENT_BITS, Part, content_of, encode, number_in_turn, turn_of
from hmem.language.analyst import Claim
from hmem.model.note import NOTE_KINDS, NoteKind
from hmem.model.scope import COMMON, ScopedName, scoped, spelled
from hmem.model.span import Span, to_stored

_BITS: Final = 5
# Chunks that are kept decoded, some 30 KB each; and turns whose notes are kept besides, some 500 bytes each.
_DECODED_CHUNKS: Final = 64
_KEPT_TURNS: Final = 8_192


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
    made_by: str = "verbatim"
    owner: str = COMMON

    @property
    def scoped_subject(self) -> ScopedName:
        """Its subject in the scope of its owner: only notes about the same one have to do with each other."""
        return scoped(self.owner, self.subject)

    @property
    def turn(self) -> int:
        """Sequence number of the turn that it was read from."""
        return turn_of(self.number)


# Beginnings of the names of makers that are no language model.
_NO_MODELS: Final = ("rules", "verbatim")


def by_model(producer: str) -> bool:
    """Tell if a language model made something."""
    return not producer.startswith(_NO_MODELS)


def note_of(seq: int, ordinal: int, claim: Claim, producer: str, owner: str) -> KeptNote:
    """Make a note of a claim of a turn and its owner."""
    start, end, _ = seconds_of(claim.valid)
    if claim.valid is not None and claim.valid.end.year == MAXYEAR:
        end = None
    return KeptNote(
        number_in_turn(seq, ordinal), claim.kind, claim.subject, claim.slot, claim.value, claim.text, claim.positive,
        claim.statement, start, end, producer, owner,
    )  # fmt: skip


def seconds_of(span: Span | None) -> tuple[int | None, int | None, int]:
    """Return start and end of a span in seconds since 1970, and its offset in minutes."""
    if span is None:
        return None, None, 0
    (start, offset), (end, _) = to_stored(span.start), to_stored(span.end)
    return start // 1_000_000, end // 1_000_000, offset


_INDEX_BITS: Final = EVENT_BITS + 8


_INDEX_ROOM: Final = 64


Numbers = NDArray[np.int64]


NoteKey = tuple[int, ScopedName, str]


class NoteIndex(Part):
    """Subject and slot of each note by number. A chunk holds those of 256 turns.

    After ``fill``, ``replace`` keeps it up to date, also for notes that are loaded; ``load`` does nothing.
    """

    def __init__(self, name: str = "note-index") -> None:
        super().__init__(name)
        self._subjects: list[ScopedName] = []
        self._slots: list[str] = []
        self._subject_ids: dict[ScopedName, int] = {}
        self._slot_ids: dict[str, int] = {}
        # Notes by number, with the places of their subject and slot in the lists; there is room behind the last.
        self._columns: list[NDArray[Any]] = [np.zeros(_INDEX_ROOM, kind) for kind in (np.int64, np.int32, np.int32)]
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def _numbers(self) -> Numbers:
        return self._columns[0][: self._length]

    @property
    def _subject_column(self) -> NDArray[np.int32]:
        return self._columns[1][: self._length]

    @property
    def _slot_column(self) -> NDArray[np.int32]:
        return self._columns[2][: self._length]

    def subjects(self, slot: str | None = None) -> list[ScopedName]:
        """Return the subjects that have notes, or notes in a slot, sorted by owner and name."""
        column = self._subject_column
        if slot is not None:
            column = column[self._slot_column == self._slot_ids.get(slot, -1)]
        return sorted(self._subjects[number] for number in np.flatnonzero(np.bincount(column)).tolist())

    def numbers_of(self, subject: ScopedName, slot: str | None = None) -> Numbers:
        """Return the notes about a subject, or about one slot of it, ascending."""
        subject_id = self._subject_ids.get(subject, -1)
        mask = self._subject_column == subject_id
        if slot is not None:
            mask &= self._slot_column == self._slot_ids.get(slot, -1)
        return self._numbers[mask]

    def all_numbers(self) -> Numbers:
        """Return all notes, ascending."""
        return self._numbers

    def slots(self, subject: ScopedName) -> list[str]:
        """Return the slots of a subject that have notes, sorted."""
        slot_ids = self._slot_column[self._subject_column == self._subject_ids.get(subject, -1)]
        return sorted(self._slots[number] for number in np.flatnonzero(np.bincount(slot_ids)).tolist())

    def in_slots(self, slots: Iterable[str]) -> Numbers:
        """Return the notes in some slots of any subject, ascending."""
        slot_ids = [self._slot_ids[slot] for slot in slots if slot in self._slot_ids]
        return self._numbers[np.isin(self._slot_column, slot_ids)]

    def rows(self, first: int, last: int) -> list[NoteKey]:
        """Return the notes from a number up to another, which is not among them, with subject and slot."""
        start, end = np.searchsorted(self._numbers, [first, last]).tolist()
        rows = zip(*(column[start:end].tolist() for column in self._columns), strict=True)
        return [(number, self._subjects[subject], self._slots[slot]) for number, subject, slot in rows]

    def replace(self, first: int, last: int, rows: Sequence[NoteKey]) -> None:
        """Put these in the place of all notes from a number up to another, which is not among them."""
        start, end = np.searchsorted(self._numbers, [first, last]).tolist()
        tail, length = self._length - end, start + len(rows) + self._length - end
        fresh = [[number, self._subject(subject), self._slot(slot)] for number, subject, slot in rows]
        if length > len(self._columns[0]):
            self._columns = [np.resize(column, max(length, 2 * len(column))) for column in self._columns]
        for i, column in enumerate(self._columns):
            column[start + len(rows) : length] = column[end : end + tail].copy()
            column[start : start + len(rows)] = [row[i] for row in fresh]
        self._length = length

    def _subject(self, subject: ScopedName) -> int:
        if subject not in self._subject_ids:
            self._subject_ids[subject] = len(self._subjects)
            self._subjects.append(subject)
        return self._subject_ids[subject]

    def _slot(self, slot: str) -> int:
        if slot not in self._slot_ids:
            self._slot_ids[slot] = len(self._slots)
            self._slots.append(slot)
        return self._slot_ids[slot]

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        tables: list[tuple[Any, Any, Any]] = []
        for number, content in chunks:
            names, slots, offsets, abouts, slot_column = content_of(content)
            subjects = [self._subject(ScopedName(*pair)) for pair in zip(names[::2], names[1::2], strict=True)]
            slot_ids = [self._slot(slot) for slot in slots]
            tables.append(
                (
                    np.array(offsets, np.int64) + (number << _INDEX_BITS),
                    np.array(subjects, np.int32)[abouts],
                    np.array(slot_ids, np.int32)[slot_column],
                )
            )
        if tables:
            self._columns = [np.concatenate(columns) for columns in zip(*tables, strict=True)]
            self._length = len(self._columns[0])

    def load(self, number: int, content: Any | None) -> None:  # noqa: ARG002 - the notes tell
        return

    def dump(self, number: int) -> Any | None:
        rows = self.rows(number << _INDEX_BITS, (number + 1) << _INDEX_BITS)
        subjects: dict[ScopedName, int] = {}
        slots: dict[str, int] = {}
        abouts = [subjects.setdefault(subject, len(subjects)) for _, subject, _ in rows]
        slot_column = [slots.setdefault(slot, len(slots)) for _, _, slot in rows]
        offsets = [note - (number << _INDEX_BITS) for note, _, _ in rows]
        return (
            [[word for name in subjects for word in name], list(slots), offsets, abouts, slot_column] if rows else None
        )

    def chunks_of(self, seqs: Iterable[int]) -> set[int]:
        """Return the chunks of the notes of some turns."""
        return {seq << EVENT_BITS >> _INDEX_BITS for seq in seqs}


class NoteListener(Protocol):
    """Callback for a note that was put or removed here; it hears nothing of notes that are loaded."""

    def __call__(self, note: KeptNote, *, is_kept: bool) -> None: ...


class Notes(Part):
    """Notes of all turns. A chunk holds those of 32 turns.

    ``index`` finds them by subject in the scope of their owner, and by slot. Few chunks are kept decoded: the others
    are read again when a note of theirs is looked at.
    """

    def __init__(self, name: str = "notes") -> None:
        super().__init__(name)
        self.index = NoteIndex()
        # Chunks as they are stored, and decoded, those looked at last at the end.
        self._stored: dict[int, bytes] = {}
        self._read: dict[int, _NoteChunk] = {}
        # Notes of turns that were looked at: those that are compared lie far apart in a large memory.
        self._of: dict[int, tuple[KeptNote, ...]] = {}
        # Decoded chunks that differ from what is stored here of them.
        self._altered: set[int] = set()
        # Whether the subjects of what was loaded are news.
        self._indexed = False
        self._news: set[ScopedName] = set()
        # Another object after each change.
        self.version = object()
        self.watch: NoteListener | None = None

    def __len__(self) -> int:
        return len(self._index)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Parts that they are stored in."""
        return self, self.index

    @property
    def _index(self) -> NoteIndex:
        """Index of the notes; when it is first looked at, the subjects of loaded notes become news."""
        if not self._indexed:
            self._indexed = True
            self._news.update(self.index.subjects())
        return self.index

    def of_turn(self, seq: int) -> tuple[KeptNote, ...]:
        """Return the notes of a turn, in their order."""
        if (notes := self._of.get(seq)) is None:
            notes = self._chunk(seq >> _BITS).of_turn(seq)
            if len(self._of) >= _KEPT_TURNS:
                del self._of[next(iter(self._of))]
            self._of[seq] = notes
        return notes

    def _chunks(self) -> list[int]:
        return sorted({*self._stored, *self._read})

    def _decoded(self, number: int) -> "_NoteChunk":
        """Return a chunk without keeping it decoded."""
        if (read := self._read.get(number)) is not None:
            return read
        content = self._stored.get(number)
        return _NoteChunk(None if content is None else content_of(content))

    def _chunk(self, number: int) -> "_NoteChunk":
        """Return a chunk, and keep it decoded."""
        read = self._read.pop(number, None)
        if read is None:
            if number not in self._stored:
                return _NoteChunk(None)
            read = self._decoded(number)
            if len(self._read) >= _DECODED_CHUNKS:
                self._put_away()
        self._read[number] = read
        return read

    def _put_away(self) -> None:
        """Drop the decoded chunk that was looked at longest ago; what changed in it and is not stored yet stays."""
        number = next((candidate for candidate in self._read if candidate not in self.changed), None)
        if number is None:
            return
        if number in self._altered:
            self._altered.discard(number)
            content = self.dump(number)
            if content is not None:
                self._stored[number] = encode(content)
        del self._read[number]

    def get(self, number: int) -> KeptNote | None:
        """Return a note by its number, or None."""
        return next((note for note in self.of_turn(turn_of(number)) if note.number == number), None)

    def all(self) -> list[KeptNote]:
        """Return all notes, oldest first."""
        return list(self.iterate())

    def iterate(self) -> Iterator[KeptNote]:
        """Yield all notes, oldest first, as they are asked for."""
        for number in self._chunks():
            yield from self._decoded(number).notes()

    def iterate_without(self, numbers: Container[int]) -> Iterator[KeptNote]:
        """Yield all notes but some, oldest first; chunks that have no others are not read."""
        for number in self._index.all_numbers().tolist():
            if number not in numbers and (note := self.get(number)) is not None:
                yield note

    def numbers_in(self, subject: ScopedName, slot: str) -> list[int]:
        """Return the numbers of the notes of a slot, ascending; no note is read for that."""
        return self._index.numbers_of(subject, slot).tolist()

    def newest_first(self) -> Iterator[KeptNote]:
        """Yield all notes, those of the newest turns first, as they are asked for."""
        for number in reversed(self._chunks()):
            yield from reversed(list(self._decoded(number).notes()))

    def subjects(self, slot: str | None = None) -> list[ScopedName]:
        """Return the subjects that have notes, or notes in a slot, sorted by owner and name."""
        return self._index.subjects(slot)

    def subjects_named(self, name: str) -> list[ScopedName]:
        """Return the subjects of a name that have notes, in any scope, sorted by owner."""
        return [subject for subject in self._index.subjects() if subject.name == spelled(name)]

    def slots(self, subject: ScopedName) -> list[str]:
        """Return the slots of a subject that have notes, sorted."""
        return self._index.slots(subject)

    def keys_of(self, seq: int) -> list[tuple[int, ScopedName, str]]:
        """Return the numbers of a turn's notes, with their subjects and slots."""
        return self._index.rows(number_in_turn(seq, 0), number_in_turn(seq + 1, 0))

    def latest(self, subject: ScopedName) -> int:
        """Return the number of the newest note about a subject, or -1."""
        numbers = self._index.numbers_of(subject)
        return int(numbers[-1]) if len(numbers) else -1

    def numbers(self, subject: ScopedName) -> list[int]:
        """Return the numbers of the notes about a subject, ascending; no note is read for that."""
        return self._index.numbers_of(subject).tolist()

    def count(self, subject: ScopedName) -> int:
        """Count the notes about a subject."""
        return len(self._index.numbers_of(subject))

    def recent(self, subject: ScopedName, limit: int) -> list[KeptNote]:
        """Return the newest notes about a subject, at most ``limit``, oldest first."""
        return self._notes(self._index.numbers_of(subject)[-limit:].tolist())

    def newest(self, subject: ScopedName, slot: str) -> Iterator[KeptNote]:
        """Yield the notes of a slot of a subject, newest first, as they are asked for."""
        numbers = self._index.numbers_of(subject, slot)[::-1].tolist()
        return (note for note in map(self.get, numbers) if note is not None)

    def in_slots(self, slots: Iterable[str]) -> list[KeptNote]:
        """Return the notes in some slots of any subject, oldest first."""
        return self._notes(self._index.in_slots(slots).tolist())

    def of_subject(self, subject: ScopedName, slot: str | None = None) -> list[KeptNote]:
        """Return the notes about a subject, or about one slot of it, oldest first."""
        return self._notes(self._index.numbers_of(subject, slot).tolist())

    def _notes(self, numbers: Iterable[int]) -> list[KeptNote]:
        return [note for note in map(self.get, numbers) if note is not None]

    def take_news(self, owner: str) -> list[ScopedName]:
        """Return an owner's subjects of notes that were kept or loaded since the last call, sorted."""
        self._index  # noqa: B018 - what was loaded is news
        news = sorted(subject for subject in self._news if subject.owner == owner)
        self._news.difference_update(news)
        return news

    def renew_news(self) -> None:
        """Let the subjects of all notes be news again."""
        self._indexed = False

    def replace(self, seq: int, notes: Sequence[KeptNote]) -> None:
        """Replace a turn's notes; an empty sequence removes them."""
        before, after = self.of_turn(seq), tuple(notes)
        if before == after:
            return
        self.version = object()
        self._of.pop(seq, None)
        number = seq >> _BITS
        self._index.replace(
            number_in_turn(seq, 0),
            number_in_turn(seq + 1, 0),
            [(note.number, note.scoped_subject, note.slot) for note in after],
        )
        self.index.changed |= self.index.chunks_of([seq])
        chunk = self._read[number] = self._chunk(number)
        chunk.replace(seq, after)
        self._alter(number)
        self.changed.add(number)
        self._news.update(note.scoped_subject for note in after)
        if self.watch is not None:
            for note in before:
                if note not in after:
                    self.watch(note, is_kept=False)
            for note in after:
                if note not in before:
                    self.watch(note, is_kept=True)

    def _alter(self, number: int) -> None:
        """Mark a decoded chunk as changed, and drop its stored form."""
        self._altered.add(number)
        self._stored.pop(number, None)

    def _enter(self, number: int, chunk: "_NoteChunk") -> None:
        """Put the notes of a chunk into the index."""
        notes = list(chunk.notes())
        first, last = number_in_turn(number << _BITS, 0), number_in_turn((number + 1) << _BITS, 0)
        self.index.replace(first, last, [(note.number, note.scoped_subject, note.slot) for note in notes])
        self._news.update(note.scoped_subject for note in notes)

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        self._stored = dict(chunks)
        self._indexed = False

    def load(self, number: int, content: Any | None) -> None:
        decoded = _NoteChunk(content)
        self._index  # noqa: B018 - it follows what is loaded
        self.version = object()
        self._enter(number, decoded)
        for seq in range(number << _BITS, (number + 1) << _BITS):
            self._of.pop(seq, None)
        self._stored.pop(number, None)
        self._read.pop(number, None)
        self._altered.discard(number)
        if content is not None:
            self._read[number] = decoded
            self._alter(number)

    def dump(self, number: int) -> Any | None:
        makers: dict[str, int] = {}
        words: dict[str, int] = {}
        seqs_by_owner: dict[str, list[int]] = {}
        rows: list[Any] = []
        for seq, notes in self._decoded(number).turns():
            rows.append([seq, *(_row(note, makers, words) for note in notes)])
            if (owner := notes[0].owner) != COMMON:
                seqs_by_owner.setdefault(owner, []).append(seq)
        owners = [[[owner, *seqs] for owner, seqs in seqs_by_owner.items()]] if seqs_by_owner else []
        return [list(makers), list(words), rows, *owners] if rows else None


class _NoteChunk:
    """Notes of a chunk's turns, made of what is stored when they are asked for."""

    def __init__(self, content: Sequence[Any] | None) -> None:
        self._made, self._words, rows, *owners = content or ([], [], [])
        # Owners of turns, of those that have one; the rows of turns, and the notes of those that were asked for.
        self._owners: dict[int, str] = {seq: owner for owner, *seqs in (owners[0] if owners else ()) for seq in seqs}
        self._rows: dict[int, list[list[Any]]] = {seq: notes for seq, *notes in rows}
        self._notes: dict[int, tuple[KeptNote, ...]] = {}

    def of_turn(self, seq: int) -> tuple[KeptNote, ...]:
        """Return the notes of a turn, in their order."""
        if (rows := self._rows.get(seq)) is not None:
            owner = self._owners.get(seq, COMMON)
            self._notes[seq] = tuple(_note(seq, i, row, self._made, self._words, owner) for i, row in enumerate(rows))
            del self._rows[seq]
        return self._notes.get(seq, ())

    def turns(self) -> Iterator[tuple[int, tuple[KeptNote, ...]]]:
        """Yield the turns that have notes, and these, oldest first."""
        for seq in sorted({*self._rows, *self._notes}):
            yield seq, self.of_turn(seq)

    def notes(self) -> Iterator[KeptNote]:
        """Yield all notes, oldest first."""
        for _, notes in self.turns():
            yield from notes

    def replace(self, seq: int, notes: tuple[KeptNote, ...]) -> None:
        """Replace a turn's notes; none of them removes it."""
        self._rows.pop(seq, None)
        self._notes.pop(seq, None)
        if notes:
            self._notes[seq] = notes


def _row(note: KeptNote, makers: dict[str, int], words: dict[str, int]) -> list[Any]:
    def index_of(word: str) -> int:
        return words.setdefault(word, len(words))

    maker = makers.setdefault(note.made_by, len(makers))
    row = [
        NOTE_KINDS.index(note.kind),
        index_of(note.subject),
        index_of(note.slot),
        note.value,
        note.text,
        int(note.positive),
    ]
    return [*row, note.event, maker, note.start, note.end] if note.start or note.end else [*row, note.event, maker]


def _note(seq: int, ordinal: int, row: list[Any], makers: Sequence[str], words: Sequence[str], owner: str) -> KeptNote:
    kind: int
    subject: int
    slot: int
    maker: int
    kind, subject, slot, value, text, positive, event, maker = row[:8]
    start, end = row[8:] or (None, None)
    return KeptNote(
        number_in_turn(seq, ordinal), NOTE_KINDS[kind], words[subject], words[slot], value, text, bool(positive), event,
        start, end, makers[maker], owner,
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

    def add(self, seq: int) -> None:
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
