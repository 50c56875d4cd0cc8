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
    hidden_seqs = [*sources.decisions.absent(standpoint.known), *_expired(sources)]
    if not hidden_seqs and not standpoint:
        return None
    columns = sources.corpus.columns
    visible = columns.alive.copy()
    rows = columns.rows_of(np.array(hidden_seqs, np.int64))
    visible[rows[rows >= 0]] = False
    if standpoint.known is not None:
        visible &= _rows_recorded_until(sources, standpoint.known)
    if standpoint.valid is not None:
        visible &= sources.cached(_Valid(standpoint))
    return visible


def labels_shown(sources: Sources, user: str | None) -> bool:
    """Tell if nodes of trees may be named to a user: all turns are theirs, or everyone's are asked for."""
    return user is None or sources.derived.judgements.only(user)


def _expired(sources: Sources) -> list[int]:
    """Return the turns that have expired by now; the time at which a question is asked does not count."""
    current_time, corpus = to_stored(datetime.now(UTC))[0], sources.corpus
    if corpus.state.expires is None or corpus.state.expires > current_time:
        return []
    return [seq for _, seq in corpus.storage.expiring(current_time)]


def _rows_recorded_until(sources: Sources, recorded_until: int) -> Allowed:
    """Return the rows said by a time (µs); a turn dated later counts from when it was stored."""
    storage, columns = sources.corpus.storage, sources.corpus.columns
    allowed = columns.said <= recorded_until
    if recorded_until >= _creation_time("memory", storage.memory):
        later = np.flatnonzero(~allowed & columns.alive)
        stored_at_of_seq = {
            stored_turn.seq: _creation_time("turn", stored_turn.turn.id)
            for stored_turn in storage.turns(columns.seq[later].tolist())
        }
        allowed[later] = [
            stored_at_of_seq.get(seq, recorded_until + 1) <= recorded_until for seq in columns.seq[later].tolist()
        ]
    return allowed


def _creation_time(kind: str, id: str) -> int:
    """Return the time at which an id was made, in µs since 1970; 0 if the id has none."""
    key = to_key(kind, id)
    return 0 if key is None else int.from_bytes(key[:6]) * 1_000


@dataclass(frozen=True, slots=True)
class _Valid:
    """Rows that tell of what was true at a time; cached by the sources."""

    standpoint: Standpoint

    def __call__(self, sources: Sources) -> Allowed:
        columns, moment = sources.corpus.columns, self.standpoint.valid or 0
        allowed = columns.said <= moment
        notes, events, note_states = sources.derived.notes, sources.derived.events, sources.derived.note_states
        for row in np.flatnonzero(columns.alive).tolist():
            seq, said_time = int(columns.seq[row]), int(columns.said[row])
            states = [
                note_states.state_of(note_states.canonical(note)) for note in notes.of_turn(seq) if note.slot != THREAD
            ]
            if states:
                allowed[row] = any(_covers(state.start, state.end, said_time, moment) for state in states)
            else:
                allowed[row] |= any(_has_begun(event, moment) for event in events.of_turn(seq))
        return allowed


def _covers(start: int | None, end: int | None, said_time: int, moment: int) -> bool:
    """Tell if a note with bounds in seconds is valid at a ``moment`` (µs); without a start, from ``said_time`` (µs)."""
    since = said_time if start is None else start * _SECOND
    return since <= moment and (end is None or moment < end * _SECOND)


def _has_begun(event: KeptEvent, moment: int) -> bool:
    return event.start is not None and event.start * _SECOND <= moment


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
        return self.tense.before or self.tense.first or self.tense.history or self.end is not None


def time_of_question(lexicon: Lexicon, query: Query) -> AskedTime:
    """Return the time that a question asks about."""
    tense = lexicon.asked_tense(query.text)
    if query.standpoint.valid is not None:
        moment = query.standpoint.valid // _SECOND
        return AskedTime(AskedTense(present=tense.present), moment, moment + 1)
    past_spans = [span for span in query.part.spans if span.end <= query.asked]
    bounds = (
        (int(min(s.start for s in past_spans).timestamp()), int(max(s.end for s in past_spans).timestamp()))
        if past_spans
        else (None, None)
    )
    return AskedTime(tense, *bounds)


def note_states_of(sources: Sources, query: Query) -> NoteStates:
    """Return the states of notes as known at the query's standpoint."""
    recorded_until = query.standpoint.known
    return (
        sources.derived.note_states if recorded_until is None else sources.cached(_StatesRecordedUntil(recorded_until))
    )


@dataclass(frozen=True, slots=True)
class _StatesRecordedUntil:
    """States of notes as known at a time (µs); cached by the sources."""

    recorded_until: int

    def __call__(self, sources: Sources) -> NoteStates:
        columns, derived = sources.corpus.columns, sources.derived
        rows = rows_visible(sources, Standpoint(self.recorded_until))
        turns = set[int]() if rows is None else set(columns.seq[~rows].tolist())
        note_decisions = sources.decisions.active_changes(self.recorded_until).of_notes
        return derived.note_states.viewed_from(
            lambda: (turns, derived.absent_notes(self.recorded_until)), note_decisions
        )


def present(
    sources: Sources, query: Query, notes: Iterable[KeptNote], asked_time: AskedTime | None = None
) -> Iterator[KeptNote]:
    """Yield the notes that the question may find, each once; a merged note is replaced by its canonical one.

    ``asked_time`` is the time that the question asks about, where it is known already.
    """
    question_time, yielded_numbers = asked_time or time_of_question(sources.analyst.lexicon, query), set[int]()
    for note in notes:
        canonical = _canonical(sources, query, note)
        if canonical.number in yielded_numbers:
            continue
        if is_shown(canonical, note_states_of(sources, query).state_of(canonical)) and _may_be_found(
            sources, query, canonical, question_time
        ):
            yielded_numbers.add(canonical.number)
            yield canonical


def _canonical(sources: Sources, query: Query, note: KeptNote) -> KeptNote:
    canonical = note_states_of(sources, query).canonical(note)
    return canonical if is_allowed(sources, query, canonical.turn) else note


def is_allowed(sources: Sources, query: Query, seq: int) -> bool:
    """Tell if a question may find a turn."""
    row = int(sources.corpus.columns.rows_of([seq])[0])
    return row >= 0 and (query.allowed is None or bool(query.allowed[row]))


def _may_be_found(sources: Sources, query: Query, note: KeptNote, asked_time: AskedTime) -> bool:
    state = note_states_of(sources, query).state_of(note)
    if state.status == "retracted" or state.disputes:
        return False
    successor = None if state.successor is None else sources.derived.notes.get(state.successor)
    stands = state.stands or successor is None or not is_allowed(sources, query, successor.turn)
    if stands and not state.predecessors:
        return True
    tense = asked_time.tense
    if tense.history or (tense.first and not state.predecessors):
        return True
    if asked_time.end is not None:
        return _overlaps(state, asked_time)
    return not stands if tense.before or tense.first else stands


def _overlaps(state: NoteState, asked_time: AskedTime) -> bool:
    """Tell if a note held at some time within the bounds."""
    starts_before_end = state.start is None or asked_time.end is None or state.start < asked_time.end
    return starts_before_end and (state.end is None or asked_time.start is None or state.end > asked_time.start)
