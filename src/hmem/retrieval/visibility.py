"""Visibility of turns and notes, as seen from a point in time.

All turns may be recalled but those that were withdrawn or have expired. A question finds the notes that hold now, or
those that held at the time that it asks about. It finds a replaced note, instead of the one that replaced it, if it
asks for the past ("originally", "used to", "in January"). A turn that may not be found replaces no note.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.derived.events import KeptEvent
from hmem.derived.note_states import NoteStates, is_shown
from hmem.derived.notes import KeptNote
from hmem.derived.slot_timeline import NoteState
from hmem.language.analyst.lexicon import AskedTense, Lexicon
from hmem.model.ids import to_key
from hmem.model.note import THREAD
from hmem.model.span import Standpoint, to_stored
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources

_SECOND: Final = 1_000_000

Allowed = NDArray[np.bool_]
Integers = NDArray[np.int64]


def rows_visible(sources: Sources, standpoint: Standpoint) -> Allowed | None:
    """Return a boolean per row: it may be recalled. None: all rows may."""
    gone = [*sources.decisions.absent(standpoint.known), *_expired(sources)]
    if not gone and not standpoint:
        return None
    columns = sources.corpus.columns
    visible = columns.alive.copy()
    rows = columns.rows_of(np.array(gone, np.int64))
    visible[rows[rows >= 0]] = False
    if standpoint.known is not None:
        visible &= _known(sources, standpoint.known)
    if standpoint.valid is not None:
        visible &= sources.cached(_Valid(standpoint))
    return visible


def labels_shown(sources: Sources, user: str | None) -> bool:
    """Tell if nodes of trees may be named to a user: all turns are theirs, or everyone's are asked for."""
    return user is None or sources.derived.judgements.only(user)


def _expired(sources: Sources) -> list[int]:
    """Return the turns that have expired by now; the time at which a question is asked does not count."""
    now, corpus = to_stored(datetime.now(UTC))[0], sources.corpus
    if corpus.state.expires is None or corpus.state.expires > now:
        return []
    return [seq for _, seq in corpus.storage.expiring(now)]


def _known(sources: Sources, known: int) -> Allowed:
    """Return the rows said by a time (µs); a turn dated later counts from when it was stored."""
    storage, columns = sources.corpus.storage, sources.corpus.columns
    allowed = columns.said <= known
    if known >= _made("memory", storage.memory):
        later = np.flatnonzero(~allowed & columns.alive)
        kept = {each.seq: _made("turn", each.turn.id) for each in storage.turns(columns.seq[later].tolist())}
        allowed[later] = [kept.get(seq, known + 1) <= known for seq in columns.seq[later].tolist()]
    return allowed


def _made(kind: str, id: str) -> int:
    """Return the time at which an id was made, in µs since 1970; 0 if the id has none."""
    key = to_key(kind, id)
    return 0 if key is None else int.from_bytes(key[:6]) * 1_000


@dataclass(frozen=True, slots=True)
class _Valid:
    """Rows that tell of what was true at a time; cached by the sources."""

    standpoint: Standpoint

    def __call__(self, sources: Sources) -> Allowed:
        columns, at = sources.corpus.columns, self.standpoint.valid or 0
        allowed = columns.said <= at
        notes, events, note_states = sources.derived.notes, sources.derived.events, sources.derived.note_states
        for row in np.flatnonzero(columns.alive).tolist():
            seq, said = int(columns.seq[row]), int(columns.said[row])
            kept = [note_states.of(note_states.canonical(note)) for note in notes.of(seq) if note.slot != THREAD]
            if kept:
                allowed[row] = any(_covers(each.start, each.end, said, at) for each in kept)
            else:
                allowed[row] |= any(_begun(event, at) for event in events.of(seq))
        return allowed


def _covers(start: int | None, end: int | None, said: int, at: int) -> bool:
    """Tell if a note with bounds in seconds held at a time ``at`` (µs); without a start it holds from ``said`` (µs)."""
    since = said if start is None else start * _SECOND
    return since <= at and (end is None or at < end * _SECOND)


def _begun(event: KeptEvent, at: int) -> bool:
    return event.start is not None and event.start * _SECOND <= at


class AskedTime(NamedTuple):
    """Time that a question asks about, by its words (``AskedTense``) and by the times that it names.

    ``start`` and ``end``, in seconds since 1970, bound a past time.
    """

    tense: AskedTense
    start: int | None = None
    end: int | None = None

    @property
    def past(self) -> bool:
        """Tell if replaced notes may be found."""
        return self.tense.before or self.tense.first or self.tense.all or self.end is not None


def asked_about(lexicon: Lexicon, query: Query) -> AskedTime:
    """Return the time that a question asks about."""
    tense = lexicon.asked_tense(query.text)
    if query.standpoint.valid is not None:
        moment = query.standpoint.valid // _SECOND
        return AskedTime(AskedTense(now=tense.now), moment, moment + 1)
    over = [span for span in query.part.spans if span.end <= query.asked]
    bounds = (
        (int(min(s.start for s in over).timestamp()), int(max(s.end for s in over).timestamp()))
        if over
        else (None, None)
    )
    return AskedTime(tense, *bounds)


def note_states_of(sources: Sources, query: Query) -> NoteStates:
    """Return the states of notes as known at the query's standpoint."""
    known = query.standpoint.known
    return sources.derived.note_states if known is None else sources.cached(_Known(known))


@dataclass(frozen=True, slots=True)
class _Known:
    """States of notes as known at a time (µs); cached by the sources."""

    known: int

    def __call__(self, sources: Sources) -> NoteStates:
        columns, kept = sources.corpus.columns, sources.derived
        rows = rows_visible(sources, Standpoint(self.known))
        turns = set[int]() if rows is None else set(columns.seq[~rows].tolist())
        decided = sources.decisions.active_changes(self.known).of_notes
        return kept.note_states.viewed_from(lambda: (turns, kept.absent_notes(self.known)), decided)


def present(
    sources: Sources, query: Query, notes: Iterable[KeptNote], about: AskedTime | None = None
) -> Iterator[KeptNote]:
    """Yield the notes that the question may find, each once; a merged note is replaced by its canonical one.

    ``about`` is the time that the question asks about, where it is known already.
    """
    asked, seen = about or asked_about(sources.analyst.lexicon, query), set[int]()
    for note in notes:
        found = _canonical(sources, query, note)
        if found.number in seen:
            continue
        if is_shown(found, note_states_of(sources, query).of(found)) and _may_be_found(sources, query, found, asked):
            seen.add(found.number)
            yield found


def _canonical(sources: Sources, query: Query, note: KeptNote) -> KeptNote:
    canonical = note_states_of(sources, query).canonical(note)
    return canonical if _allowed(sources, query, canonical.turn) else note


def _allowed(sources: Sources, query: Query, seq: int) -> bool:
    row = int(sources.corpus.columns.rows_of([seq])[0])
    return row >= 0 and (query.allowed is None or bool(query.allowed[row]))


def _may_be_found(sources: Sources, query: Query, note: KeptNote, asked: AskedTime) -> bool:
    holding = note_states_of(sources, query).of(note)
    if holding.status == "retracted" or holding.disputes:
        return False
    successor = None if holding.successor is None else sources.derived.notes.get(holding.successor)
    stands = holding.stands or successor is None or not _allowed(sources, query, successor.turn)
    if stands and not holding.predecessors:
        return True
    tense = asked.tense
    if tense.all or (tense.first and not holding.predecessors):
        return True
    if asked.end is not None:
        return _within(holding, asked)
    return not stands if tense.before or tense.first else stands


def _within(holding: NoteState, asked: AskedTime) -> bool:
    """Tell if a note held at some time within the bounds."""
    starts_before_end = holding.start is None or asked.end is None or holding.start < asked.end
    return starts_before_end and (holding.end is None or asked.start is None or holding.end > asked.start)
