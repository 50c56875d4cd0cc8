"""Reconciliation: compares new notes with the current ones about the same subject and slot (HiMem).

It runs as notes arrive, in the step of formation that keeps them, so that a note and its verdicts are stored together.
Nothing is rewritten: a verdict says how the newer note relates to the older one, and the slot timelines
(``derived/slot_timeline.py``) derive the current notes from notes, verdicts and decisions. So each revision can be
undone.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from hmem.derived.changes import REVISE, Pair
from hmem.derived.chunks import turn_of
from hmem.derived.notes import KeptNote, by_model
from hmem.derived.state import DerivedState
from hmem.language.analyst import Analyst, DatedClaim, Verdict
from hmem.language.containment import Fault, contained
from hmem.model.note import THREAD
from hmem.storage.base import LogEntry

_SECOND: Final = 1_000_000
# Makers whose verdicts are judged again when they are needed, so that none is kept of unrelated notes.
_UNKEPT: Final = ("rules", "verbatim")


class Reconciler:
    """Judge of new notes. Use it inside ``corpus.reading()``, with the derived state caught up."""

    def __init__(self, derived: DerivedState, analyst: Analyst) -> None:
        self._derived = derived
        self._analyst = analyst

    def keep(self, seq: int, notes: Sequence[KeptNote]) -> None:
        """Keep all the notes of a turn, judge the new ones against the current ones, and log revisions.

        Most pairs are independent; the rules' verdict on these is not kept. What a model read has its verdicts already.
        """
        fresh = notes[len(self._derived.notes.of_turn(seq)) :]
        reconciling = self._derived.note_states.options.reconcile
        if reconciling:
            self._arrived([note for note in fresh if not by_model(note.made_by)])
        self._derived.notes.replace(seq, notes)
        if reconciling:
            self._derived.journal += [entry for note in fresh for entry in self._revisions(note)]

    def _arrived(self, notes: Sequence[KeptNote]) -> None:
        note_states = self._derived.note_states
        pairs: list[Pair] = []
        claims: list[tuple[DatedClaim, DatedClaim]] = []
        for note in notes:
            claim, earlier = note_states.compared(note)
            pairs += [(number, note.number) for number, _ in earlier]
            claims += [(older, claim) for _, older in earlier]
        for (older, newer), verdict in zip(pairs, self._reconcile(claims), strict=True):
            if verdict.relation == "independent" and verdict.made_by.startswith(_UNKEPT):
                note_states.cache_verdict(older, newer, verdict)
            else:
                self._derived.revisions.replace(older, newer, verdict)

    def _revisions(self, note: KeptNote) -> Iterator[LogEntry]:
        """Yield the log entries of a new note: the notes that it replaced, or the one that replaces it."""
        if note.slot == THREAD and not by_model(note.made_by):
            # A thread replaces nothing, so its states can wait for the end of the step.
            return
        notes, note_states = self._derived.notes, self._derived.note_states
        state = note_states.state_of(note)
        if state.status == "merged" and note_states.rule(note.scoped_subject, note.slot) == "most-frequent":
            # A repeated note may now win by count.
            note = note_states.canonical(note)
            state = note_states.state_of(note)
        for predecessor in map(notes.get, state.predecessors):
            if predecessor is not None and note_states.state_of(predecessor).status == "superseded":
                yield self._revision(predecessor, note)
        winner = notes.get(state.successor) if state.successor is not None else None
        if winner is not None and state.status == "superseded":
            yield self._revision(note, winner)

    def _revision(self, loser: KeptNote, winner: KeptNote) -> LogEntry:
        derived, last = self._derived, max(loser.number, winner.number)
        verdict = derived.revisions.get(min(loser.number, winner.number), last)
        author = verdict.made_by if verdict is not None and verdict.made_by else self._analyst.made_by
        timestamp, reason = derived.time_of(turn_of(last)) * _SECOND, derived.note_states.state_of(loser).reason
        ids = derived.note_id(loser.number), derived.note_id(winner.number)
        # Forming the same turns again makes the same revisions; their key keeps them from being logged twice.
        key = f"{REVISE} {loser.number} {winner.number} {author}"
        return LogEntry(timestamp, author, REVISE, ids[0], reason or None, loser.text, winner.text, ids[1], key)

    def _reconcile(self, pairs: Sequence[tuple[DatedClaim, DatedClaim]]) -> list[Verdict]:
        """Return the analyst's verdicts; all independent if it fails, so that no note can block a turn."""
        if not pairs:
            return []
        verdicts = contained(lambda: self._analyst.reconcile(pairs))
        return [Verdict("independent", made_by=_UNKEPT[-1])] * len(pairs) if isinstance(verdicts, Fault) else verdicts
