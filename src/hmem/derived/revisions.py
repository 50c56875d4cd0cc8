"""Verdicts on pairs of notes: how the newer note relates to the older one, and who judged it.

Only verdicts that the rules would not give by themselves are kept: a pair without one is judged when it is needed.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from hmem.derived.chunks import EVENT_BITS, Part, content_of
from hmem.language.analyst import Relation, Verdict

_BITS: Final = 5
_RELATIONS: Final[tuple[Relation, ...]] = ("same", "extends", "contradicts", "independent", "disputes")

Pair = tuple[int, int]


class Revisions(Part):
    """Verdicts by pair: the older note's number, then the newer one's.

    A chunk holds those of 32 turns, and is read when one of them is asked for.
    """

    def __init__(self, name: str = "revisions") -> None:
        super().__init__(name)
        self._verdicts: dict[Pair, Verdict] = {}
        self._of_turn: dict[int, dict[Pair, None]] = {}
        self._unread: dict[int, bytes] = {}
        self._news: dict[Pair, None] = {}

    def __len__(self) -> int:
        self._read_all()
        return len(self._verdicts)

    @property
    def revised(self) -> int:
        """Number of notes that another one contradicts."""
        self._read_all()
        return len({older for (older, _), verdict in self._verdicts.items() if verdict.relation == "contradicts"})

    def of(self, older: int, newer: int) -> Verdict | None:
        """Return the verdict on a pair; None if none is kept."""
        self._read(_chunk((older, newer)))
        return self._verdicts.get((older, newer))

    def named(self, newer: int) -> tuple[int, ...]:
        """Return the older notes that have a verdict with a note."""
        self._read(_chunk((newer, newer)))
        return tuple(sorted(older for older, other in self._of_turn.get(newer >> EVENT_BITS, ()) if other == newer))

    def newer(self, seq: int) -> set[int]:
        """Return the turns whose notes have a verdict with notes of an earlier turn."""
        self._read_all()
        turns = {newer >> EVENT_BITS for _, newer in self._of_turn.get(seq, ())}
        return turns - {seq}

    def pairs(self) -> list[Pair]:
        """Return the pairs that have a verdict, sorted by number."""
        self._read_all()
        return sorted(self._verdicts)

    def put(self, older: int, newer: int, verdict: Verdict) -> None:
        """Keep a verdict."""
        if self.of(older, newer) != verdict:
            self._keep((older, newer), verdict)
            self._news[older, newer] = None
        self.changed.add(_chunk((older, newer)))

    def take(self, seq: int) -> None:
        """Drop the verdicts on the notes of a turn."""
        self._read_all()
        for pair in list(self._of_turn.get(seq, ())):
            self._drop(pair)
            self._news[pair] = None
            self.changed.add(_chunk(pair))

    def take_news(self) -> list[Pair]:
        """Return the pairs whose verdict was kept, changed or dropped here since the last call."""
        news, self._news = list(self._news), {}
        return news

    def _read_all(self) -> None:
        for number in list(self._unread):
            self._read(number)

    def _read(self, number: int) -> None:
        if (stored := self._unread.pop(number, None)) is not None:
            for pair, verdict in _verdicts(content_of(stored)):
                self._keep(pair, verdict)

    def _keep(self, pair: Pair, verdict: Verdict) -> None:
        self._verdicts[pair] = verdict
        for number in pair:
            self._of_turn.setdefault(number >> EVENT_BITS, {})[pair] = None

    def _drop(self, pair: Pair) -> None:
        if self._verdicts.pop(pair, None) is not None:
            for number in pair:
                self._of_turn.get(number >> EVENT_BITS, {}).pop(pair, None)

    def fill(self, chunks: Iterable[tuple[int, bytes]]) -> None:
        self._unread = dict(chunks)

    def load(self, number: int, content: Any | None) -> None:
        self._unread.pop(number, None)
        for pair in self._in_chunk(number):
            self._drop(pair)
        for pair, verdict in _verdicts(content):
            self._keep(pair, verdict)

    def dump(self, number: int) -> Any | None:
        self._read(number)
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


def _verdicts(content: Any | None) -> Iterator[tuple[Pair, Verdict]]:
    words: list[str]
    rows: list[list[int]]
    words, rows = content or ([], [])
    for older, newer, relation, why, by in rows:
        yield (older, newer), Verdict(_RELATIONS[relation], words[why], words[by])


def _chunk(pair: Pair) -> int:
    return max(pair) >> EVENT_BITS + _BITS
