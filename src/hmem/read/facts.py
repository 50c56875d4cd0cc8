"""What ranking asks of a turn besides its scores: kept by sequence number, since a formed turn does not change."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus import Corpus
from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.events import KeptEvent
from hmem.index.analyze import stems
from hmem.read.lists import Integers, Lists, Postings, Slots

# Turns; with two events each they take some 60 MB.
_REMEMBERED: Final = 20_000

# Of a longer turn only the beginning is read for numbers and names, and only the first events.
_CHARACTERS: Final = 4_000
_EVENTS: Final = 16

# Stems of turns, each turn's apart: as many as that number of short turns has.
_STEMS: Final = 400_000

_NUMBER: Final = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|once|twice|couple|few|several)\b",
    re.IGNORECASE,
)
# A capitalised word inside of a sentence, or words in quotation marks.
_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?!')|[\"\u201c][A-Z]")

Values = NDArray[np.float32]

# What a turn holds, in the order of the columns: whether it tells of a time, holds a number, a name, a question, is
# memorable; how much it matters (0 to 1); how many events were read from it.
HELD: Final[Sequence[str]] = (
    "has.time",
    "has.number",
    "has.name",
    "has.question",
    "memorable",
    "importance",
    "events",
)


class Told(NamedTuple):
    """The facts of some turns, as columns.

    ``held`` has a row for each turn and a column for each name of ``HELD``. ``events`` counts the events of each turn,
    which lie end to end in ``vectors``, their unit vectors, and in ``places``, by which ``Facts.weighed`` names them.
    ``happened`` gives the times of the events whose time is known, their bounds in seconds since 1970, a row each, and
    how many of them each turn has; few questions ask for it.
    """

    held: Values
    events: Integers
    vectors: Values
    places: Integers
    happened: Callable[[], tuple[Integers, Integers]]


class _Columns:
    """The facts of turns by slot, as they are added; the slot 0 is of a turn that is gone."""

    def __init__(self, dimension: int) -> None:
        self.held = Lists(np.float32, (len(HELD),))
        self.events = Lists(np.float32, (dimension,))
        self.words = Postings()
        self.times = Lists(np.int64, (2,))
        self.add(np.zeros((1, len(HELD)), np.float32), [()], np.zeros((0, dimension), np.float32), [])

    def __len__(self) -> int:
        return len(self.held)

    def add(
        self, held: Values, times: Sequence[Sequence[tuple[int, int]]], vectors: Values, said: Sequence[Sequence[str]]
    ) -> None:
        """The facts of more turns; their events one turn after the other, by vector and by stems."""
        ones = np.ones(len(held), np.int64)
        self.held.add(held, ones)
        self.events.add(vectors, held[:, -1].astype(np.int64))
        for each in said:
            self.words.add(each)
        bounds = np.array([bound for each in times for bound in each], np.int64).reshape(-1, 2)
        self.times.add(bounds, _lengths(times))

    def of(self, slots: Integers) -> Told:
        places, events = self.events.places(slots)
        vectors = self.events.rows.take(places, axis=0)
        return Told(self.held.rows[slots], events, vectors, places, partial(self.times.of, slots))


class Facts:
    """The facts of turns, each read once."""

    def __init__(self) -> None:
        self._slots = Slots()
        self._columns: _Columns | None = None
        # What is not formed yet will have more to tell once it is.
        self._unformed: set[int] = set()
        # 1 for a turn that asks something, else 0.
        self._asking = Slots()
        # The stems of turns, by a slot of their own.
        self._worded = Slots()
        self._words = Postings()
        self._words.add(())

    def __len__(self) -> int:
        """How many turns' facts are remembered."""
        return len(self._slots)

    def of(self, corpus: Corpus, arrangement: Arrangement, seqs: Integers) -> Told:
        """The facts of turns by sequence number, in this order; of one that is gone, as of an empty one."""
        altered = arrangement.judgements.altered
        if self._unformed:
            unformed = self._unformed.intersection(seqs.tolist())
            altered.update(seq for seq in unformed if arrangement.judgements.of(seq) is not None)
        while altered:
            seq = altered.pop()
            self._unformed.discard(seq)
            self._slots.drop(seq)
        columns, slots = self._columns, self._slots.of(seqs)
        if columns is not None and slots.min(initial=0) >= 0:
            return columns.of(slots)
        missing = _distinct(seqs[slots < 0])
        if columns is None or len(columns) + len(missing) > _REMEMBERED or self._words.size > _STEMS:
            columns, missing = self._anew(corpus), _distinct(seqs)
        self._read(columns, corpus, arrangement, missing)
        self._unformed.update(seq for seq in missing if arrangement.judgements.of(seq) is None)
        return columns.of(np.maximum(self._slots.of(seqs), 0))

    def _anew(self, corpus: Corpus) -> _Columns:
        """Let go of everything."""
        self._slots.clear()
        self._unformed.clear()
        self._asking.clear()
        self._worded.clear()
        self._words.clear()
        self._words.add(())
        self._columns = _Columns(corpus.embedder.dimension)
        return self._columns

    def _read(self, columns: _Columns, corpus: Corpus, arrangement: Arrangement, seqs: Sequence[int]) -> None:
        texts = {stored.seq: stored.turn.content[:_CHARACTERS] for stored in corpus.storage.turns(seqs)}
        events = {seq: arrangement.events.of(seq)[:_EVENTS] for seq in seqs if seq in texts}
        if not events:
            return
        vectors = arrangement.vectors_of_events([event.number for own in events.values() for event in own])
        times = [[(event.start, event.end) for event in own if event.start and event.end] for own in events.values()]
        said = [stems(event.text) for own in events.values() for event in own]
        held = [
            _held(arrangement, seq, texts[seq], own, dated)
            for (seq, own), dated in zip(events.items(), times, strict=True)
        ]
        told = np.array(list(events), np.int64)
        self._slots.put(told, np.arange(len(columns), len(columns) + len(told)))
        self._asking.put(told, np.array(["?" in texts[seq] for seq in events], np.int64))
        columns.add(np.array(held, np.float32), times, vectors, said)

    def weighed(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        """The sum of the weights of the stems that each event has, by the places that ``Told`` gives."""
        return self._columns.words.weighed(weights) if self._columns is not None else np.zeros(0, np.float64)

    def asking(self, corpus: Corpus, seqs: Integers) -> NDArray[np.bool_]:
        """Whether turns ask something, by sequence number; False for one that is gone."""
        known = self._asking.of(seqs)
        if known.min(initial=0) < 0:
            found = corpus.storage.turns(_distinct(seqs[known < 0]))
            asked = np.array(["?" in stored.turn.content[:_CHARACTERS] for stored in found], np.int64)
            self._asking.put(np.array([stored.seq for stored in found], np.int64), asked)
            known = self._asking.of(seqs)
        return known > 0

    def having(self, corpus: Corpus, seqs: Integers, terms: Sequence[str]) -> NDArray[np.bool_]:
        """Which turns have some stems: a row for each stem, a column for each turn by sequence number.

        One that is gone has none.
        """
        slots = self._worded.of(seqs)
        if slots.min(initial=0) < 0:
            self._read_words(corpus, _distinct(seqs[slots < 0]))
            slots = np.maximum(self._worded.of(seqs), 0)
        return self._words.having(terms).take(slots, axis=1)

    def _read_words(self, corpus: Corpus, seqs: Sequence[int]) -> None:
        found = corpus.storage.turns(seqs)
        first = len(self._words)
        self._worded.put(np.array([stored.seq for stored in found], np.int64), np.arange(first, first + len(found)))
        for stored in found:
            self._words.add(stems(stored.turn.content[:_CHARACTERS]))


def _distinct(seqs: Integers) -> list[int]:
    """Each once, in this order."""
    return list(dict.fromkeys(seqs.tolist()))


def _held(
    arrangement: Arrangement, seq: int, text: str, events: Sequence[KeptEvent], dated: Sequence[tuple[int, int]]
) -> tuple[float, ...]:
    """What a turn holds, in the order of ``HELD``."""
    judgement = arrangement.judgements.of(seq)
    return (
        bool(dated),
        _NUMBER.search(text) is not None,
        _NAME.search(text) is not None,
        "?" in text,
        judgement is None or judgement.memorable,
        judgement.importance / 10 if judgement is not None else 0.0,
        len(events),
    )


def _lengths(lists: Sequence[Sequence[object]]) -> Integers:
    return np.array([len(each) for each in lists], np.int64)
