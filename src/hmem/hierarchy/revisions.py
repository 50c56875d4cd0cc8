"""The verdicts on pairs of notes: what the newer one is to the older, and who judged it.

Only what is no matter of course is kept: a pair without a verdict is judged by the rules when it is looked at.
"""

from typing import Any, Final

from hmem.hierarchy.part import EVENT_BITS, Part
from hmem.language.analyst import Relation, Verdict

_BITS: Final = 5
_RELATIONS: Final[tuple[Relation, ...]] = ("same", "extends", "contradicts", "independent")

Pair = tuple[int, int]


class Revisions(Part):
    """The verdicts by pair: the older note's number, then the newer one's. A chunk is those of 32 turns."""

    def __init__(self, name: str = "revisions") -> None:
        super().__init__(name)
        self._verdicts: dict[Pair, Verdict] = {}
        self._of_turn: dict[int, dict[Pair, None]] = {}
        self._revised: dict[int, int] = {}
        self._news: dict[Pair, None] = {}

    def __len__(self) -> int:
        return len(self._verdicts)

    @property
    def revised(self) -> int:
        """How many notes another one contradicts."""
        return len(self._revised)

    def of(self, older: int, newer: int) -> Verdict | None:
        """The verdict on a pair; None where none is kept."""
        return self._verdicts.get((older, newer))

    def pairs(self) -> list[Pair]:
        """The pairs that have a verdict, in the order of their numbers."""
        return sorted(self._verdicts)

    def put(self, older: int, newer: int, verdict: Verdict) -> None:
        """Keep a verdict."""
        self._keep((older, newer), verdict)
        self.changed.add(_chunk((older, newer)))

    def take(self, seq: int) -> None:
        """Drop the verdicts on the notes of a turn."""
        for pair in list(self._of_turn.get(seq, ())):
            self._drop(pair)
            self.changed.add(_chunk(pair))

    def take_news(self) -> list[Pair]:
        """The pairs whose verdict was kept, changed or dropped since this was last asked."""
        news, self._news = list(self._news), {}
        return news

    def _keep(self, pair: Pair, verdict: Verdict) -> None:
        if self._verdicts.get(pair) == verdict:
            return
        self._drop(pair)
        self._verdicts[pair] = verdict
        self._news[pair] = None
        for number in pair:
            self._of_turn.setdefault(number >> EVENT_BITS, {})[pair] = None
        if verdict.relation == "contradicts":
            self._revised[pair[0]] = self._revised.get(pair[0], 0) + 1

    def _drop(self, pair: Pair) -> None:
        verdict = self._verdicts.pop(pair, None)
        if verdict is None:
            return
        self._news[pair] = None
        for number in pair:
            self._of_turn.get(number >> EVENT_BITS, {}).pop(pair, None)
        if verdict.relation == "contradicts":
            self._revised[pair[0]] -= 1
            if not self._revised[pair[0]]:
                del self._revised[pair[0]]

    def load(self, number: int, content: Any | None) -> None:
        words: list[str]
        rows: list[list[int]]
        words, rows = content or ([], [])
        told: dict[Pair, Verdict] = {
            (older, newer): Verdict(_RELATIONS[relation], words[why], words[by])
            for older, newer, relation, why, by in rows
        }
        for pair in self._in_chunk(number):
            if pair not in told:
                self._drop(pair)
        for pair, verdict in told.items():
            self._keep(pair, verdict)

    def dump(self, number: int) -> Any | None:
        words: dict[str, int] = {}

        def place(word: str) -> int:
            return words.setdefault(word, len(words))

        rows = [
            [*pair, _RELATIONS.index(verdict.relation), place(verdict.why), place(verdict.made_by)]
            for pair in self._in_chunk(number)
            for verdict in [self._verdicts[pair]]
        ]
        return [list(words), rows] if rows else None

    def _in_chunk(self, number: int) -> list[Pair]:
        turns = range(number << _BITS, (number + 1) << _BITS)
        return sorted({pair for seq in turns for pair in self._of_turn.get(seq, ()) if _chunk(pair) == number})


def _chunk(pair: Pair) -> int:
    return max(pair) >> EVENT_BITS + _BITS
