"""Reconciliation: new notes are compared with those that stand about the same subject and slot (HiMem).

It runs as notes arrive, in the step of formation that keeps them, so that a note and the verdicts on it are stored
together. Nothing is rewritten: a verdict says what the newer note is to the older one, and what stands is told by the
ledgers (``hierarchy/ledger.py``) from notes, verdicts and decisions. So each revision can be taken back.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.decisions import REVISE
from hmem.hierarchy.notes import KeptNote, turn_of_note
from hmem.hierarchy.revisions import Pair
from hmem.language.analyst import SLIPS, Analyst, Stated, Verdict
from hmem.storage.base import Entry

_SECOND: Final = 1_000_000
_RULES: Final = "rules"


class Reconciler:
    """Judges new notes. Use it inside ``corpus.reading()``, with the arrangement caught up."""

    def __init__(self, arrangement: Arrangement, analyst: Analyst) -> None:
        self._arrangement = arrangement
        self._analyst = analyst

    def keep(self, seq: int, notes: Sequence[KeptNote]) -> None:
        """Keep all the notes of a turn, those that are new judged against those that stand; and tell of revisions.

        Pairs that have nothing to do with each other are the rule, and what rules say of them is not kept.
        """
        fresh = notes[len(self._arrangement.notes.of(seq)) :]
        reconciling = self._arrangement.holdings.options.reconcile
        if reconciling:
            self._arrived(fresh)
        self._arrangement.notes.put(seq, notes)
        if reconciling:
            self._arrangement.journal += [entry for note in fresh for entry in self._revisions(note)]

    def _arrived(self, notes: Sequence[KeptNote]) -> None:
        holdings = self._arrangement.holdings
        pairs: list[Pair] = []
        claims: list[tuple[Stated, Stated]] = []
        for note in notes:
            stated, others = holdings.compared(note)
            pairs += [(number, note.number) for number, _ in others]
            claims += [(older, stated) for _, older in others]
        for (older, newer), verdict in zip(pairs, self._judged(claims), strict=True):
            if verdict.relation == "independent" and verdict.made_by.startswith(_RULES):
                holdings.hear(older, newer, verdict)
            else:
                self._arrangement.revisions.put(older, newer, verdict)

    def _revisions(self, note: KeptNote) -> Iterator[Entry]:
        """What the log tells of a new note: whose place it took, or which one stands in its place."""
        kept, holdings = self._arrangement.notes, self._arrangement.holdings
        holding = holdings.of(note)
        if holding.status == "merged" and holdings.rule(note.subject, note.slot) == "most-frequent":
            # What is said once more may outdo another.
            note = holdings.told_by(note)
            holding = holdings.of(note)
        for other in map(kept.get, holding.predecessors):
            if other is not None and holdings.of(other).status == "superseded":
                yield self._revision(other, note)
        winner = kept.get(holding.successor) if holding.successor is not None else None
        if winner is not None and holding.status == "superseded":
            yield self._revision(note, winner)

    def _revision(self, loser: KeptNote, winner: KeptNote) -> Entry:
        arrangement, last = self._arrangement, max(loser.number, winner.number)
        verdict = arrangement.revisions.of(min(loser.number, winner.number), last)
        by = verdict.made_by if verdict is not None and verdict.made_by else self._analyst.made_by
        at, why = arrangement.said(turn_of_note(last)) * _SECOND, arrangement.holdings.of(loser).why
        ids = arrangement.note_id(loser.number), arrangement.note_id(winner.number)
        # Forming the same turns again comes to the same revisions: their key keeps them from being told twice.
        key = f"{REVISE} {loser.number} {winner.number} {by}"
        return Entry(at, by, REVISE, ids[0], why or None, loser.text, winner.text, ids[1], key)

    def _judged(self, pairs: Sequence[tuple[Stated, Stated]]) -> list[Verdict]:
        """The analyst's verdicts; none at all where it slips, so that no note can keep a turn from being formed."""
        if not pairs:
            return []
        try:
            return self._analyst.reconcile(pairs)
        except SLIPS:
            return [Verdict("independent", made_by=_RULES)] * len(pairs)
