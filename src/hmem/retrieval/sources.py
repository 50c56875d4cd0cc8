"""Sources of a recall: the corpus, the derived state, and a cache of the facts that ranking uses."""

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.corpus.index.analyzer import stems
from hmem.derived.active_changes import Decisions
from hmem.derived.episodes import Episodes
from hmem.derived.events import KeptEvent
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.language.analyst import Analyst, Lexicon
from hmem.storage.base import Formed

_FIRST: Final = 256

Integers = NDArray[np.int64]
Values = NDArray[np.float32]


class RowLists:
    """Append-only lists of rows, numbered from 0, end to end in one growing array, so that many are taken at once.

    ``rows`` has one row, of any shape, for each entry of each list.
    """

    def __init__(self, kind: Any, shape: tuple[int, ...] = ()) -> None:
        self._rows: NDArray[Any] = np.zeros((_FIRST, *shape), kind)
        self._ends: Integers = np.zeros(_FIRST, np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> NDArray[Any]:
        """Entries of all lists."""
        return self._rows[: self._ends[self._count]]

    def add(self, entries: NDArray[Any], lengths: Integers) -> None:
        """Append lists of these lengths, whose entries follow one another."""
        start, count = int(self._ends[self._count]), self._count + len(lengths)
        self._rows = _grown(self._rows, start + len(entries))
        self._ends = _grown(self._ends, count + 1)
        self._rows[start : start + len(entries)] = entries
        self._ends[self._count + 1 : count + 1] = start + np.cumsum(lengths)
        self._count = count

    def places(self, numbers: Integers) -> tuple[Integers, Integers]:
        """Return the places in ``rows`` of the entries of some lists, list by list, and the lists' lengths."""
        firsts = self._ends[numbers]
        lengths = self._ends[numbers + 1] - firsts
        before = np.cumsum(lengths)
        return np.repeat(firsts - before + lengths, lengths) + np.arange(before[-1] if len(before) else 0), lengths

    def of(self, numbers: Integers) -> tuple[NDArray[Any], Integers]:
        """Return the entries of some lists, one list after the other, and the lists' lengths."""
        places, lengths = self.places(numbers)
        return self._rows.take(places, axis=0), lengths


class Slots:
    """Mapping from small, dense integer keys to numbers; -1 for a key without a number."""

    def __init__(self) -> None:
        self._numbers: Integers = np.full(_FIRST, -1, np.int64)

    def __len__(self) -> int:
        return int(np.count_nonzero(self._numbers >= 0))

    def of(self, keys: Integers) -> Integers:
        """Return the numbers of some keys; no key is below 0."""
        try:
            return self._numbers.take(keys)
        except IndexError:
            known = keys < len(self._numbers)
            return np.where(known, self._numbers[np.where(known, keys, 0)], -1)

    def put(self, keys: Integers, numbers: Integers) -> None:
        """Set the numbers of keys."""
        length = int(keys.max(initial=-1)) + 1
        if length > len(self._numbers):
            more = max(length, 2 * len(self._numbers)) - len(self._numbers)
            self._numbers = np.append(self._numbers, np.full(more, -1, np.int64))
        self._numbers[keys] = numbers

    def drop(self, key: int) -> None:
        """Remove the number of a key."""
        if key < len(self._numbers):
            self._numbers[key] = -1

    def clear(self) -> None:
        """Remove all numbers."""
        self._numbers[:] = -1


class Postings:
    """Inverted index: for each word, the numbers of the lists that contain it, counted from 0."""

    def __init__(self) -> None:
        self._holding: dict[str, array[int]] = {}
        self._count = 0
        self.size = 0

    def __len__(self) -> int:
        return self._count

    def add(self, words: Iterable[str]) -> None:
        """Append a list of words."""
        distinct, holding, count = set(words), self._holding, self._count
        for word in distinct:
            if (lists := holding.get(word)) is None:
                lists = holding[word] = array("i")
            lists.append(count)
        self.size += len(distinct)
        self._count += 1

    def clear(self) -> None:
        """Remove all lists."""
        self._holding.clear()
        self._count = self.size = 0

    def having(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return a boolean for each word (rows) and list (columns): the list has the word."""
        held = np.zeros((len(words), self._count), np.bool_)
        held.reshape(-1)[self._holding_any([{word: 1.0} for word in words])[0]] = True
        return held

    def strongest(self, weights: Sequence[Mapping[str, float]]) -> Values:
        """Return for each mapping (rows) and list (columns) the weight of the list's word that comes last in it, or 0.

        All words are written at once: of several values for one place, the last one stays.
        """
        best = np.zeros((len(weights), self._count), np.float32)
        places, values = self._holding_any(weights)
        best.reshape(-1)[places] = values
        return best

    def weighed(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        """Return for each list the sum of the weights of its words."""
        places, values = self._holding_any([weights])
        return np.bincount(places, values, self._count).astype(np.float64, copy=False)

    def _holding_any(self, weights: Sequence[Mapping[str, float]]) -> tuple[Integers, NDArray[np.float64]]:
        """Return the lists with each word of some mappings, word by word, and the weight of the word for each of them.

        Those of the second mapping are numbered on from the last list of the first, and so on.
        """
        known = [
            (lists, len(lists), weight, row * self._count)
            for row, each in enumerate(weights)
            for word, weight in each.items()
            if (lists := self._holding.get(word)) is not None
        ]
        if not known:
            return np.zeros(0, np.int64), np.zeros(0, np.float64)
        lists, lengths, of_words, firsts = zip(*known, strict=True)
        places = np.frombuffer(b"".join(lists), np.intc) + np.repeat(np.array(firsts, np.int64), lengths)
        return places, np.repeat(np.array(of_words, np.float64), lengths)


def _grown(rows: NDArray[Any], length: int) -> NDArray[Any]:
    """Return an array with room for ``length`` rows; it doubles when it grows."""
    if length <= len(rows):
        return rows
    more = max(length, 2 * len(rows)) - len(rows)
    return np.concatenate([rows, np.zeros((more, *rows.shape[1:]), rows.dtype)])


def greatest(values: NDArray[Any], lengths: Integers, least: Any) -> NDArray[Any]:
    """Return the greatest value of each list, at least ``least``; the lists lie end to end along the last axis.

    With several rows of values, ``least`` is a column.
    """
    best = np.empty((*values.shape[:-1], len(lengths)), values.dtype)
    best[:] = least
    if values.size:
        some = np.flatnonzero(lengths)
        firsts = (np.cumsum(lengths) - lengths)[some]
        best[..., some] = np.maximum(np.maximum.reduceat(values, firsts, axis=-1), least, dtype=values.dtype)
    return best


# Number of turns whose facts are cached; with two events each they take some 60 MB.
_FACTS_KEPT: Final = 20_000

# Limits per turn: characters that are searched for numbers and names, and events that are read.
_CHARACTERS: Final = 4_000
_EVENTS: Final = 16

# Number of cached stems, about what that many short turns have.
_STEMS: Final = 400_000


# Features of a turn, in the order of the columns: it has a dated event, a number, a name, a question; it is memorable;
# its importance (0 to 1); its number of events.
HELD: Final[Sequence[str]] = (
    "has.time",
    "has.number",
    "has.name",
    "has.question",
    "memorable",
    "importance",
    "events",
)


class TurnContent(NamedTuple):
    """Facts of some turns, as columns.

    ``held`` has a row for each turn and a column for each name of ``HELD``. ``events`` counts the events of each turn,
    which lie end to end in ``vectors``, their unit vectors, and in ``places``, by which ``TurnFacts.weighed``
    names them.
    ``happened`` gives the times of the events whose time is known, their bounds in seconds since 1970, a row each, and
    how many of them each turn has; few questions ask for it.
    """

    held: Values
    events: Integers
    vectors: Values
    places: Integers
    happened: Callable[[], tuple[Integers, Integers]]


class _Columns:
    """Facts of turns by slot, append-only; slot 0 stands for a deleted turn."""

    def __init__(self, dimension: int) -> None:
        self.held = RowLists(np.float32, (len(HELD),))
        self.events = RowLists(np.float32, (dimension,))
        self.words = Postings()
        self.times = RowLists(np.int64, (2,))
        self.add(np.zeros((1, len(HELD)), np.float32), [()], np.zeros((0, dimension), np.float32), [])

    def __len__(self) -> int:
        return len(self.held)

    def add(
        self, held: Values, times: Sequence[Sequence[tuple[int, int]]], vectors: Values, said: Sequence[Sequence[str]]
    ) -> None:
        """Append the facts of more turns; ``vectors`` and ``said`` (stems) belong to their events, turn by turn."""
        ones = np.ones(len(held), np.int64)
        self.held.add(held, ones)
        self.events.add(vectors, held[:, -1].astype(np.int64))
        for each in said:
            self.words.add(each)
        bounds = np.array([bound for each in times for bound in each], np.int64).reshape(-1, 2)
        self.times.add(bounds, _lengths(times))

    def of(self, slots: Integers) -> TurnContent:
        places, events = self.events.places(slots)
        vectors = self.events.rows.take(places, axis=0)
        return TurnContent(self.held.rows[slots], events, vectors, places, partial(self.times.of, slots))


_NONE_ASKED: Final = (), 0, np.zeros((0, 0), np.bool_)


class TurnFacts:
    """Cache of the facts of turns by sequence number, each read once, since a formed turn does not change."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._slots = Slots()
        self._columns: _Columns | None = None
        # Turns that were not formed yet when read; they are read again once formed.
        self._unformed: set[int] = set()
        # 1 for a turn that asks something, else 0.
        self._asking = Slots()
        # Postings of the turns' stems, and each turn's list number.
        self._worded = Slots()
        self._words = Postings()
        self._words.add(())
        # The stems asked for last, the number of lists then, and which of these has which stem.
        self._having: tuple[Sequence[str], int, NDArray[np.bool_]] = _NONE_ASKED

    def __len__(self) -> int:
        """Return the number of turns whose facts are cached."""
        return len(self._slots)

    def of(self, corpus: Corpus, derived: DerivedState, seqs: Integers) -> TurnContent:
        """Return the facts of turns by sequence number, in this order; those of a deleted turn are empty."""
        altered = derived.judgements.altered
        if self._unformed:
            unformed = self._unformed.intersection(seqs.tolist())
            altered.update(seq for seq in unformed if derived.judgements.of(seq) is not None)
        while altered:
            seq = altered.pop()
            self._unformed.discard(seq)
            self._slots.drop(seq)
        columns, slots = self._columns, self._slots.of(seqs)
        if columns is not None and slots.min(initial=0) >= 0:
            return columns.of(slots)
        missing = _distinct(seqs[slots < 0])
        if columns is None or len(columns) + len(missing) > _FACTS_KEPT or self._words.size > _STEMS:
            columns, missing = self._cleared(corpus), _distinct(seqs)
        self._read(columns, corpus, derived, missing)
        self._unformed.update(seq for seq in missing if derived.judgements.of(seq) is None)
        return columns.of(np.maximum(self._slots.of(seqs), 0))

    def unread(self, own: Integers, asking: Integers, worded: Integers) -> list[int]:
        """Return the turns of which something is not cached: all facts, whether they ask something, or their stems."""
        looked_up = (self._slots, own), (self._asking, asking), (self._worded, worded)
        unknown = [seqs[slots.of(seqs) < 0] for slots, seqs in looked_up]
        return _distinct(np.concatenate(unknown))

    def _cleared(self, corpus: Corpus) -> _Columns:
        """Clear the cache, and return new columns."""
        self._slots.clear()
        self._unformed.clear()
        self._asking.clear()
        self._worded.clear()
        self._words.clear()
        self._words.add(())
        self._having = _NONE_ASKED
        self._columns = _Columns(corpus.embedder.dimension)
        return self._columns

    def _read(self, columns: _Columns, corpus: Corpus, derived: DerivedState, seqs: Sequence[int]) -> None:
        texts = {seq: turn.content[:_CHARACTERS] for seq, turn in corpus.kept.of(seqs).items()}
        events = {seq: derived.events.of(seq)[:_EVENTS] for seq in seqs if seq in texts}
        if not events:
            return
        vectors = derived.vectors_of_events([event.number for own in events.values() for event in own])
        times = [[(event.start, event.end) for event in own if event.start and event.end] for own in events.values()]
        said = [stems(event.text) for own in events.values() for event in own]
        held = [
            _held(self._lexicon, derived, seq, texts[seq], own, dated)
            for (seq, own), dated in zip(events.items(), times, strict=True)
        ]
        found = np.array(list(events), np.int64)
        self._slots.put(found, np.arange(len(columns), len(columns) + len(found)))
        self._asking.put(found, np.array(["?" in texts[seq] for seq in events], np.int64))
        columns.add(np.array(held, np.float32), times, vectors, said)

    def weighed(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        """Return for each event the sum of the weights of its stems; ``TurnContent.places`` are indices into it."""
        return self._columns.words.weighed(weights) if self._columns is not None else np.zeros(0, np.float64)

    def asking(self, corpus: Corpus, seqs: Integers) -> NDArray[np.bool_]:
        """Return a boolean per sequence number: the turn asks something; False for a deleted one."""
        known = self._asking.of(seqs)
        if known.min(initial=0) < 0:
            found = corpus.kept.of(_distinct(seqs[known < 0]))
            asked = np.array(["?" in turn.content[:_CHARACTERS] for turn in found.values()], np.int64)
            self._asking.put(np.array(list(found), np.int64), asked)
            known = self._asking.of(seqs)
        return known > 0

    def having(self, corpus: Corpus, seqs: Integers, terms: Sequence[str]) -> NDArray[np.bool_]:
        """Return a boolean for each stem (rows) and turn (columns): the turn has the stem.

        A deleted turn has none.
        """
        slots = self._slots_of_words(corpus, seqs)
        words, count, held = self._having
        # One recall asks several times, of the same words.
        if words is not terms or count != len(self._words):
            held = self._words.having(terms)
            self._having = terms, len(self._words), held
        return held.take(slots, axis=1)

    def strongest(self, corpus: Corpus, seqs: Integers, weights: Sequence[Mapping[str, float]]) -> Values:
        """Return for each mapping (rows) and turn (columns) the weight of the turn's stem that comes last in it."""
        slots = self._slots_of_words(corpus, seqs)
        return self._words.strongest(weights).take(slots, axis=1)

    def _slots_of_words(self, corpus: Corpus, seqs: Integers) -> Integers:
        """Return the place of each turn in the postings of stems; read those that are not cached."""
        slots = self._worded.of(seqs)
        if slots.min(initial=0) < 0:
            self._read_words(corpus, _distinct(seqs[slots < 0]))
            slots = np.maximum(self._worded.of(seqs), 0)
        return slots

    def _read_words(self, corpus: Corpus, seqs: Sequence[int]) -> None:
        found = corpus.kept.of(seqs)
        first = len(self._words)
        self._worded.put(np.array(list(found), np.int64), np.arange(first, first + len(found)))
        for turn in found.values():
            self._words.add(stems(turn.content[:_CHARACTERS]))


def _distinct(seqs: Integers) -> list[int]:
    """Return the sequence numbers without repeats, in this order."""
    return list(dict.fromkeys(seqs.tolist()))


def _held(
    lexicon: Lexicon,
    derived: DerivedState,
    seq: int,
    text: str,
    events: Sequence[KeptEvent],
    dated: Sequence[tuple[int, int]],
) -> tuple[float, ...]:
    """Return the features of a turn, in the order of ``HELD``."""
    judgement = derived.judgements.of(seq)
    return (
        bool(dated),
        lexicon.has_number(text),
        lexicon.has_name(text),
        "?" in text,
        judgement is None or judgement.memorable,
        judgement.importance / 10 if judgement is not None else 0.0,
        len(events),
    )


def _lengths(lists: Sequence[Sequence[object]]) -> Integers:
    return np.array([len(each) for each in lists], np.int64)


_Made = TypeVar("_Made")


class Sources:
    """Corpus, derived state and analyst of a recall. Use it inside ``corpus.reading()``.

    The derived state is caught up on first use, so that a recipe that does not need it loads nothing. With
    ``embedder_unavailable``, only words are compared in this recall.
    """

    # Number of recalls that began in this process, of all memories.
    begun: ClassVar[int] = 0

    def __init__(self, corpus: Corpus, derived: DerivedState, text_writer: TextWriter, analyst: Analyst) -> None:
        self.corpus = corpus
        self.text_writer = text_writer
        self.analyst = analyst
        self.facts = TurnFacts(analyst.lexicon)
        self._derived = derived
        self.recalls = 0
        # Number of best turns that this recall may show.
        self.shown = 0
        self.embedder_unavailable = False
        self._caught_up = False
        self._kept: dict[Any, Any] = {}
        self._kept_at: tuple[int, Formed, int] | None = None
        self._rarities: dict[tuple[str, ...], list[float]] = {}

    def begin(self, shown: int = 0) -> None:
        """Begin a recall of so many turns, which sees all changes made before."""
        self.recalls += 1
        Sources.begun += 1
        self.shown = shown
        self.embedder_unavailable = False
        self._caught_up = False
        self._rarities = {}
        self.decisions.catch_up()

    @property
    def decisions(self) -> Decisions:
        """Changes decided on the memory's contents, as of the beginning of the recall."""
        return self._derived.decisions

    @property
    def derived(self) -> DerivedState:
        """Derived state made by any process, as of its first use in the recall."""
        if not self._caught_up:
            self._derived.take_up()
            self._caught_up = True
        return self._derived

    def rarities(self, terms: tuple[str, ...]) -> list[float]:
        """Return the idf of each stem among the turns, looked up once in a recall."""
        if terms not in self._rarities:
            self._rarities[terms] = self.corpus.rarities(terms)
        return self._rarities[terms]

    @property
    def episodes(self) -> Episodes:
        """Current episodes."""
        return self.cached(_episodes)

    def cached(self, make: Callable[["Sources"], _Made]) -> _Made:
        """Return the result of ``make``, cached until the turns, their derived state or the decisions change."""
        now = (self.corpus.watermark, self.derived.at, self.decisions.last)
        if now != self._kept_at:
            self._kept.clear()
            self._kept_at = now
        if make not in self._kept:
            self._kept[make] = make(self)
        return self._kept[make]


def _episodes(sources: Sources) -> Episodes:
    return Episodes(sources.corpus, sources.derived.judgements)
