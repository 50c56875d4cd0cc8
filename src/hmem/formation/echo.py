"""Echoes: the parts of a new turn that repeat recently recalled text. They are no new evidence.

A sentence or clause is an echo if nearly all its runs of three words, and all its names, occur in one shown text. "I"
and "you" are resolved from each speaker's point of view. People who repeat their own words are no echo; an assistant
that does so is.

``RecentRecalls`` keeps the texts that recalls showed recently, in this process and in others that have the memory open.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple

from hmem.corpus.corpus import Corpus
from hmem.errors import StorageError
from hmem.language.analyst import Lexicon
from hmem.language.analyzer import stems
from hmem.language.pasted import pasted_contexts
from hmem.language.sentences import TextPiece
from hmem.model.evidence import Evidence
from hmem.model.turn import Turn

# Least share of an echo's runs of three words that occur in the shown text.
_SHARED_RUNS: Final = 0.8
_RUN: Final = 3
# Least number of content words of an echo; fewer suffice with other signs of an echo.
_WORDS: Final = 4
_WORDS_OF_AGENT: Final = 3
_WORDS_LED_IN: Final = 1
# Least number of words of any kind, and of characters of a turn's text.
_LEAST_WORDS: Final = 3
_SHORTEST: Final = 8

_AGENTS: Final = frozenset({"assistant", "agent", "ai", "bot", "system", "tool"})

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
# Person meant: the speaker of the shown text, its addressee, or somebody else.
_SPEAKER, _HEARER, _THIRD = "\x01", "\x02", "\x03"


# Start, end, and the id of the source.
Echo = tuple[int, int, str]


class Word(NamedTuple):
    """Word: its person (1, 2, 3, or 0 for none), its stem, and if it begins with a capital."""

    person: int
    stem: str
    proper: bool


@dataclass(frozen=True, slots=True)
class ShownText:
    """Text that a recall showed: a turn, or a text made from one, with the turn's id.

    A text made from several people's turns has no speaker. ``user`` is that of the turn.
    """

    id: str
    text: str
    speaker: str | None
    session: str
    at: datetime
    user: str | None = None

    def __hash__(self) -> int:
        # It is looked up for every new turn, and a string caches its hash.
        return hash(self.text)


@lru_cache(maxsize=1_024)
def _vocabulary(lexicon: Lexicon, source: ShownText) -> frozenset[str]:
    return frozenset(_stems(lexicon, source))


@lru_cache(maxsize=1_024)
def _stems(lexicon: Lexicon, source: ShownText) -> tuple[str, ...]:
    """Return the words of a shown text, with persons seen from its speaker."""
    persons = {1: _SPEAKER, 2: _HEARER, 3: _THIRD, 0: ""}
    names, words = _names(lexicon, source.speaker), words_of(lexicon, source.text)
    return tuple(_SPEAKER if word.stem in names else persons[word.person] or word.stem for word in words)


@lru_cache(maxsize=1_024)
def _runs(lexicon: Lexicon, source: ShownText) -> dict[tuple[str, ...], int]:
    """Return the first position of each run of three words."""
    stems = _stems(lexicon, source)
    return {stems[i : i + _RUN]: i for i in reversed(range(len(stems) - _RUN + 1))}


@lru_cache(maxsize=1_024)
def _names(lexicon: Lexicon, speaker: str | None) -> frozenset[str]:
    return frozenset(stem for word in words_of(lexicon, speaker or "") for stem in (word.stem,) if not word.person)


def words_of(lexicon: Lexicon, text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """Return the words of a stretch of text without fillers, contractions split."""
    words = lexicon.spoken_words(text, start, len(text) if end is None else end)
    return [Word(word.person, _stem(word.word), word.proper) for word in words]


@lru_cache(maxsize=16_384)
def _stem(word: str) -> str:
    return "".join(stems(word)) or word


class ShownTexts:
    """Texts that were shown last, at most ``capacity``."""

    def __init__(self, lexicon: Lexicon, capacity: int = 256) -> None:
        self._lexicon = lexicon
        self._capacity = capacity
        self._shown: dict[tuple[str, str], ShownText] = {}

    def __len__(self) -> int:
        return len(self._shown)

    def ids(self) -> frozenset[str]:
        """Return the ids of the turns that were shown."""
        return frozenset(text.id for text in self._shown.values())

    def add(self, texts: Iterable[ShownText]) -> None:
        """Add texts that were just shown."""
        for text in texts:
            self._shown.pop((text.id, text.text), None)
            self._shown[text.id, text.text] = text
        while len(self._shown) > self._capacity:
            del self._shown[next(iter(self._shown))]

    def drop(self, ids: Iterable[str]) -> None:
        """Drop turns that are no longer kept."""
        dropped = frozenset(ids)
        self._shown = {key: text for key, text in self._shown.items() if key[0] not in dropped}

    def mark_echoes(self, turn: Turn) -> Turn:
        """Mark the parts of a new turn's text that repeat shown texts or are a pasted context."""
        spans = echoes(self._lexicon, turn, [text for text in self._shown.values() if _counts(text, turn)])
        return replace(turn, echoes=spans) if spans else turn


def _counts(source: ShownText, turn: Turn) -> bool:
    """Tell if a turn can echo a shown text: one that another speaker said before it, or an assistant itself.

    What is shown of one user is not there for another to repeat.
    """
    if source.at > turn.at or source.id == turn.id or source.user != turn.user:
        return False
    if source.speaker is None:
        return is_agent(turn)
    return source.speaker != turn.speaker or (is_agent(turn) and source.session != turn.session)


def is_agent(turn: Turn) -> bool:
    """Tell if a turn is not a person's."""
    return turn.role not in (None, "user") or turn.speaker == turn.agent or turn.speaker.lower() in _AGENTS


def echoes(lexicon: Lexicon, turn: Turn, sources: Sequence[ShownText]) -> tuple[Echo, ...]:
    """Return the echoes in a turn's text: start, end, and the id of the source, empty for a pasted context."""
    pasted = pasted_contexts(turn.text)
    spans = [(start, end, "") for start, end in pasted]
    if sources:
        sentences = [
            sentence
            for sentence in lexicon.split(turn.text)
            if not any(start < sentence.end and sentence.start < end for start, end in pasted)
        ]
        spans += _Listener(lexicon, turn, sources).in_sentences(sentences)
    return _merge_neighbours(turn.text, sorted(spans))


def may_echo(turn: Turn) -> bool:
    """Tell if a turn is long enough to repeat anything."""
    return len(turn.text) >= _SHORTEST and not turn.echoes


def _merge_neighbours(text: str, spans: Sequence[Echo]) -> tuple[Echo, ...]:
    """Join neighbouring echoes of one source."""
    merged: list[Echo] = []
    for start, end, source in spans:
        if merged and merged[-1][2] == source and not _WORD.search(text, merged[-1][1], start):
            merged[-1] = (merged[-1][0], end, source)
        else:
            merged.append((start, end, source))
    return tuple(merged)


class _Listener:
    """Search for shown texts in one turn."""

    def __init__(self, lexicon: Lexicon, turn: Turn, sources: Sequence[ShownText]) -> None:
        self._lexicon = lexicon
        self._stops = _stops(lexicon)
        self._turn = turn
        self._agent = is_agent(turn)
        self._sources = sources

    def in_sentences(self, sentences: Sequence[TextPiece]) -> list[Echo]:
        """Return the echoes in sentences, with announcements and short remnants of the same source beside them."""
        echoes = [self.in_sentence(sentence.start, sentence.end) for sentence in sentences]
        for i, sentence in enumerate(sentences):
            after = echoes[i + 1][0] if i + 1 < len(sentences) and echoes[i + 1] else None
            before = echoes[i - 1][-1] if i and echoes[i - 1] else None
            if (
                not echoes[i]
                and after is not None
                and after[0] == sentences[i + 1].start
                and self._lexicon.announces(sentence.text)
            ):
                echoes[i] = [(sentence.start, after[0], after[2])]
            for neighbour in (after, before):
                if not echoes[i] and neighbour is not None and self._is_remnant(sentence, neighbour[2]):
                    echoes[i] = [(sentence.start, sentence.end, neighbour[2])]
        return [echo for spans in echoes for echo in spans]

    def _is_remnant(self, sentence: TextPiece, source: str) -> bool:
        """Tell if a sentence is too short to identify, and its words occur in the source of its neighbour."""
        start = sentence.start + self._lexicon.length_of_lead(sentence.text)
        words = words_of(self._lexicon, self._turn.text, start, sentence.end)
        vocabulary = {word for text in self._sources if text.id == source for word in _vocabulary(self._lexicon, text)}
        short = len(words) < _LEAST_WORDS or sum(map(self._matters, words)) < _LEAST_WORDS - 1
        return short and all(word.person or word.stem in vocabulary for word in words)

    def in_sentence(self, start: int, end: int) -> list[Echo]:
        """Return the echoes in a sentence: all of it, or some of its clauses, with what leads them in."""
        text = self._turn.text
        begin = start + self._lexicon.length_of_lead(text[start:end])
        source = self._source(begin, end, led_in=begin > start)
        if source is not None:
            return [(start, end, source)]
        spans: list[Echo] = []
        led_in = begin > start
        for first, last in self._lexicon.clauses(text, begin, end):
            source = self._source(first, last, led_in=led_in)
            if source is not None:
                spans.append((start if first == begin else first, last, source))
            led_in = led_in and source is not None
        return spans

    def _source(self, start: int, end: int, *, led_in: bool) -> str | None:
        """Return the id of the turn that a stretch repeats, the one shown last of several; else None."""
        words = words_of(self._lexicon, self._turn.text, start, end)
        content = {word.stem for word in words if self._matters(word)}
        in_quotes = self._turn.text[start:end].lstrip()[:1] in ('"', "\u201c", "\u00ab")
        threshold = _WORDS_LED_IN if led_in else _WORDS_OF_AGENT if self._agent or in_quotes else _WORDS
        if not content or len(words) < _LEAST_WORDS:
            return None
        for source in reversed(self._sources):
            if self._lacks(content, words, source):
                continue
            as_sentence = self._agent or led_in or in_quotes
            for view in self._views(words, source, verbatim=in_quotes or self._agent):
                if len(content) >= threshold and _stands_in(self._lexicon, view, source):
                    return source.id
                if (as_sentence or len(content) >= _WORDS) and _is_sentence(self._lexicon, view, source):
                    return source.id
            if len(content) >= _WORDS and _is_sentence(self._lexicon, _as_said(self._lexicon, words, source), source):
                return source.id
        return None

    def _lacks(self, content: set[str], words: Sequence[Word], source: ShownText) -> bool:
        """Tell if a stretch has something that was not shown: a name, a number, or a few words."""
        unknown = content - _vocabulary(self._lexicon, source) - _names(self._lexicon, source.speaker)
        if len(unknown) * 8 > len(content):
            return True
        return any(
            word.stem in unknown and (any(map(str.isdigit, word.stem)) or (word.proper and i > 0))
            for i, word in enumerate(words)
        )

    def _views(self, words: Sequence[Word], source: ShownText, *, verbatim: bool) -> Iterator[tuple[str, ...]]:
        """Yield the words twice, with persons as the new speaker means them, and as quoted."""
        yield _viewed(self._lexicon, words, source, {1: _HEARER, 2: _SPEAKER, 3: _SPEAKER})
        yield _viewed(self._lexicon, words, source, {1: _HEARER, 2: _SPEAKER, 3: _THIRD})
        if verbatim or source.speaker == self._turn.speaker:
            yield _as_said(self._lexicon, words, source)

    def _matters(self, word: Word) -> bool:
        return not word.person and word.stem not in self._stops


def _as_said(lexicon: Lexicon, words: Sequence[Word], source: ShownText) -> tuple[str, ...]:
    return _viewed(lexicon, words, source, {1: _SPEAKER, 2: _HEARER, 3: _THIRD})


def _viewed(lexicon: Lexicon, words: Sequence[Word], source: ShownText, persons: dict[int, str]) -> tuple[str, ...]:
    names = _names(lexicon, source.speaker)
    return tuple(_SPEAKER if word.stem in names else persons.get(word.person) or word.stem for word in words)


@lru_cache(maxsize=8)
def _stops(lexicon: Lexicon) -> frozenset[str]:
    """Return the stop words and their stems."""
    return frozenset("".join(stems(word)) for word in lexicon.stop_words) | lexicon.stop_words


def _stands_in(lexicon: Lexicon, view: Sequence[str], source: ShownText) -> bool:
    """Tell if nearly all runs of three words occur in a shown text, with as many negations there."""
    runs = _runs(lexicon, source)
    view_runs = [tuple(view[i : i + _RUN]) for i in range(len(view) - _RUN + 1)]
    matches = [(i, runs[run]) for i, run in enumerate(view_runs) if run in runs]
    if not view_runs or len(matches) < _SHARED_RUNS * len(view_runs):
        return False
    # Extend the shown stretch by the words before the first run and after the last one.
    (before, first), (last, end) = matches[0], matches[-1]
    stretch = _stems(lexicon, source)[
        max(min(first, end) - before - 1, 0) : max(first, end) + len(view_runs) - last + _RUN
    ]
    return _negations(lexicon, view) == _negations(lexicon, stretch)


def _is_sentence(lexicon: Lexicon, view: Sequence[str], source: ShownText) -> bool:
    """Tell if the words occur in a shown text exactly, in sequence."""
    stems, count = _stems(lexicon, source), len(view)
    return any(stems[i : i + count] == tuple(view) for i in range(len(stems) - count + 1))


def _negations(lexicon: Lexicon, stems: Sequence[str]) -> int:
    denying = lexicon.negations
    return sum(word in denying for word in stems)


# Number of texts that are remembered.
USES_SHOWN = 256


class RecentRecalls:
    """Texts that recalls of one memory showed. Thread-safe, as the corpus is.

    Of this process, it has everything that was shown; of others, the turns whose use they recorded.
    """

    def __init__(self, corpus: Corpus, lexicon: Lexicon) -> None:
        self._corpus = corpus
        self._lexicon = lexicon
        self.clear()

    def clear(self) -> None:
        """Drop all that was shown; what others recorded is taken up again."""
        self._shown_texts = ShownTexts(self._lexicon, USES_SHOWN)
        self._step = -1

    def show(self, evidence: Iterable[Evidence]) -> None:
        """Remember what a recall shows. Call it inside ``corpus.reading()``."""
        items = [item for item in evidence if item.sources and item.text]
        seqs = self._corpus.turn_cache.locate([item.sources[-1] for item in items])
        turns = self._corpus.turn_cache.get(sorted({*seqs.values()}))
        users = {source: turns[seq].user for source, seq in seqs.items() if seq in turns}
        self._shown_texts.add(
            ShownText(item.sources[-1], item.text, item.speaker, item.session, item.when, users.get(item.sources[-1]))
            for item in items
        )

    def drop(self, ids: Iterable[str]) -> None:
        """Drop turns that are no longer kept."""
        with self._corpus.reading():
            self._shown_texts.drop(ids)

    def mark_echoes(self, turns: Sequence[Turn]) -> list[Turn]:
        """Mark the parts of new turns' texts that repeat what was shown."""
        if not any(may_echo(turn) for turn in turns):
            return list(turns)
        with self._corpus.reading():
            self._catch_up()
            marked_turns = [self._shown_texts.mark_echoes(turn) for turn in turns]
            sources = {source for turn in marked_turns for _, _, source in turn.echoes if source}
            if missing := sources - self._corpus.turn_cache.locate([*sources]).keys():
                self._shown_texts.drop(missing)
                marked_turns = [self._shown_texts.mark_echoes(turn) for turn in turns]
        return marked_turns

    def _catch_up(self) -> None:
        """Take up what other processes showed. A storage error is ignored: the turn is kept in any case."""
        news, used = self._corpus.news, self._corpus.state.used
        if used <= self._step:
            return
        try:
            uses = news.uses(self._step) if self._step >= 0 else self._corpus.storage.uses(latest=USES_SHOWN)
            ids = self._shown_texts.ids()
            turns = self._corpus.turn_cache.get(
                sorted(use.seq for use in sorted(uses, key=lambda use: use.step)[-USES_SHOWN:])
            )
            self._step = max(used, *(use.step for use in uses), 0)
            news.used(self._step)
        except StorageError:
            return
        fresh = [turn for turn in turns.values() if turn.id not in ids]
        self._shown_texts.add(
            ShownText(turn.id, turn.text, turn.speaker, turn.session, turn.at, turn.user) for turn in fresh if turn.text
        )
