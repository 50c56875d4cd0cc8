"""Reconciliation: new notes are compared with those that stand about the same subject and slot (HiMem).

It runs as notes arrive, in the step of formation that keeps them, so that a note and the verdicts on it are stored
together. Nothing is rewritten: a verdict says what the newer note is to the older one, and what stands is told by the
ledgers (``hierarchy/ledger.py``) from notes, verdicts and decisions. So each revision can be taken back.
"""

from collections.abc import Sequence
from typing import Final

from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.notes import KeptNote
from hmem.language.analyst import SLIPS, Analyst, Stated, Verdict

_RULES: Final = "rules"


class Reconciler:
    """Judges new notes. Use it inside ``corpus.reading()``, with the arrangement caught up."""

    def __init__(self, arrangement: Arrangement, analyst: Analyst) -> None:
        self._arrangement = arrangement
        self._analyst = analyst

    def arrived(self, notes: Sequence[KeptNote]) -> None:
        """Judge the notes of a turn that are about to be kept, against those that stand.

        Pairs that have nothing to do with each other are the rule, and are not kept where rules say so: they say it
        again.
        """
        holdings = self._arrangement.holdings
        if not holdings.options.reconcile:
            return
        pairs: list[tuple[int, int]] = []
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

    def _judged(self, pairs: Sequence[tuple[Stated, Stated]]) -> list[Verdict]:
        """The analyst's verdicts; none at all where it slips, so that no note can keep a turn from being formed."""
        if not pairs:
            return []
        try:
            return self._analyst.reconcile(pairs)
        except SLIPS:
            return [Verdict("independent", made_by=_RULES)] * len(pairs)
