"""Statements of the evidence, and their match with a question.

A statement matches by its words, its meaning, the person it is about, and the time that the question names.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst.answer_reader import AnswerReader, AnswerTarget, CandidateSentence, StatementLine
from hmem.language.analyst.word_classes import LETS
from hmem.language.dates import DateMention, find_dates
from hmem.language.embed.base import Embedder
from hmem.language.regex import regex
from hmem.model.evidence import Evidence
from hmem.model.span import Span
from hmem.model.turn import Turn


def statements_of(
    reader: AnswerReader, found: Sequence[Evidence], previous: Sequence[Turn | None], names: tuple[str, ...]
) -> list[CandidateSentence]:
    """Return all statements of the evidence, best evidence first; ``previous`` is the turn before each, if any."""
    made: list[CandidateSentence] = []
    for turn, (evidence, earlier) in enumerate(zip(found, previous, strict=True)):
        asked = reader.last_question(earlier.text, earlier.caption, names) if earlier is not None else None
        lines = reader.lines(evidence.text, evidence.caption, names)
        for place, line in enumerate(lines):
            before = asked if line.caption or place < 2 else None
            made.append(CandidateSentence(line, evidence, turn, place, before))
    return made


# Time after an event within which it is usually reported.
_REPORTED_WITHIN: Final = timedelta(days=9)
_YEAR: Final = regex(r"\b(?:19|20)\d\d\b")
_LONGEST: Final = timedelta(days=200)


@dataclass(frozen=True, slots=True)
class TimeFrame:
    """Time of what is asked about: ``spans``; ``months`` are those named without a year, 1 to 12."""

    spans: tuple[Span, ...]
    months: tuple[int, ...]

    def holds(self, statement: CandidateSentence) -> bool:
        """Tell if a statement names that time, or was said in it or soon after."""
        said = statement.evidence.when
        named = [mention.span for mention in _dates(statement.line.text, said)]
        if any(self._meets(span) for span in named):
            return True
        return not named and (self._within(said) or self._within(said - _REPORTED_WITHIN))

    def _meets(self, span: Span) -> bool:
        if any(span.start < other.end and other.start < span.end for other in self.spans):
            return span.length <= _LONGEST
        return bool(self.months) and span.length <= timedelta(days=32) and span.start.month in self.months

    def _within(self, moment: datetime) -> bool:
        return any(moment in span for span in self.spans) or moment.month in self.months


def frame_of(text: str, asked: datetime, spans: Sequence[Span]) -> TimeFrame | None:
    """Return the time that a question names; ``spans`` are those that its plan found."""
    mentions = [mention for mention in find_dates(text[:500], asked) if mention.kind == "point"]
    months = tuple(
        mention.span.start.month for mention in mentions if mention.granularity == "month" and not _dated(mention)
    )
    exact = [mention.span for mention in mentions if _dated(mention) or mention.granularity != "month"]
    found = tuple(spans) or tuple(exact)
    return TimeFrame(found if not months else tuple(exact), months) if found or months else None


def _dated(mention: DateMention) -> bool:
    return _YEAR.search(mention.text) is not None


@lru_cache(maxsize=8_192)
def _dates(text: str, said: datetime) -> tuple[DateMention, ...]:
    return tuple(mention for mention in find_dates(text, said) if mention.kind == "point")


_COUNTING: Final = ("count", "amount", "duration", "frequency")
# Number of statements whose meaning is compared, and limits of those that candidates are taken from.
_COMPARED: Final = 48
CHOSEN: Final = 12
_FROM_A_TURN: Final = 8
_AT_MOST: Final = 20
_FOR_A_LIST: Final = 36

_FIT: Final = {
    "cover": 2.0, "cover_before": 4.0, "score": 3.0, "cosine": 2.0, "cosine_before": 0.0, "own": 0.3, "other": -0.5,
    "asks": -0.5, "caption": -1.0, "fresh": 0.7, "stale": -0.7, "verb": 0.5, "fits": 1.0,
    "frame": 1.5, "soft": 2.0, "soft_around": 2.0,
}  # fmt: skip
_DATED: Final = 2.5
_NUMBERED: Final = 1.5


class Meanings:
    """Vectors of short texts, cached for the life of the process; at most ``most`` of them."""

    def __init__(self, embedder: Embedder, most: int = 20_000) -> None:
        self._embedder = embedder
        self._most = most
        self._kept: dict[str, NDArray[np.float32]] = {}

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the unit vectors of texts, a row each."""
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if len(self._kept) + len(new) > self._most:
            self._kept.clear()
            new = list(dict.fromkeys(texts))
        if new:
            self._kept.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._kept[text] for text in texts])


class ZeroMeanings(Meanings):
    """Zero vectors, for use while the embedder is unavailable."""

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return zeros, a row for each text."""
        return np.zeros((len(texts), self._embedder.dimension), np.float32)


class WeightedWord(NamedTuple):
    """Word of a question, its root, and its weight: rare words weigh more."""

    text: str
    root: str
    weight: float


def measure(
    statements: Sequence[CandidateSentence],
    asked: AnswerTarget,
    vector: NDArray[np.float32],
    meanings: Meanings,
    frame: TimeFrame | None = None,
    words: Sequence[WeightedWord] = (),
) -> list[CandidateSentence]:
    """Set the features and the score of each statement, and return the best ones, best first.

    ``words`` are the content words of the question.
    """
    if not statements:
        return []
    shares, wanted = _Shares(_rarity(statements, asked)), frozenset(asked.roots)
    top = max(statement.evidence.score for statement in statements)
    by_turn: dict[int, frozenset[str]] = {}
    for statement in statements:
        statement.hits = statement.line.roots & wanted
        by_turn[statement.turn] = by_turn.get(statement.turn, frozenset()) | statement.hits
        statement.features = _fit_features(statement, asked, shares, top, frame)
        statement.score = _fit(statement)
    ordered = sorted(statements, key=lambda statement: -statement.score)
    compared = ordered[:_COMPARED]
    for statement in compared:
        statement.features |= _other_features(statement, asked, shares.of(by_turn[statement.turn]))
    _align(compared, words, meanings)
    cosines = meanings.of([_with_speaker(statement) for statement in compared]) @ vector
    befores = [statement.before.text if statement.before else "" for statement in compared]
    earlier = meanings.of(befores) @ vector
    for statement, cosine, near in zip(compared, cosines.tolist(), earlier.tolist(), strict=True):
        statement.features["cosine"] = cosine
        statement.features["cosine_before"] = near
        statement.score = _fit(statement)
    best = sorted(compared, key=lambda statement: -statement.score)
    _relate(best)
    return best


# Cosines of words that have nothing in common, and of two that mean the same.
_UNLIKE, _ALIKE = 0.2, 0.65


def _align(statements: Sequence[CandidateSentence], wanted: Sequence[WeightedWord], meanings: Meanings) -> None:
    """Add how far the words of a question have a like in each statement, and in its turn and what it answers.

    ``soft`` is the share of the question's weight that the statement has, ``soft_around`` what its surroundings add,
    and ``lack`` the greatest weight of a word that has no like in either, relative to the mean.
    """
    lines, befores = [_words_of(s.line) for s in statements], [_words_of(s.before) for s in statements]
    told = list(dict.fromkeys(pair for line in (*lines, *befores) for pair in line))
    weights = np.array([word.weight for word in wanted], np.float32)
    if not wanted or not told:
        for statement in statements:
            statement.features |= {"soft": 0.0, "soft_around": 0.0, "lack": 0.0}
        return
    cosines = meanings.of([word for word, _ in told]) @ meanings.of([word.text for word in wanted]).T
    like = np.clip((cosines - _UNLIKE) / (_ALIKE - _UNLIKE), 0, 1)
    like[np.array([[word.root == root for word in wanted] for _, root in told])] = 1
    place = {pair: number for number, pair in enumerate(told)}
    own = np.stack([_best(like, [place[pair] for pair in line]) for line in lines])
    turns: dict[int, NDArray[np.float32]] = {}
    for number, statement in enumerate(statements):
        before = turns.get(statement.turn)
        turns[statement.turn] = own[number] if before is None else np.maximum(before, own[number])
    for number, (statement, line) in enumerate(zip(statements, befores, strict=True)):
        held = own[number]
        around = np.maximum(turns[statement.turn], _best(like, [place[pair] for pair in line]))
        total = float(weights.sum())
        statement.features["soft"] = float(held @ weights) / total
        statement.features["soft_around"] = float((around - held) @ weights) / total
        statement.features["lack"] = float(((1 - around) * weights).max() / weights.mean())


def _words_of(line: StatementLine | None) -> list[tuple[str, str]]:
    return [] if line is None else [(token.lower, token.root) for token in line.tokens if token.content]


def _best(like: NDArray[np.float32], rows: list[int]) -> NDArray[np.float32]:
    best: NDArray[np.float32] = like[rows].max(axis=0, initial=0)
    return best


def _relate(ordered: Sequence[CandidateSentence]) -> None:
    """Add to each statement its features relative to the best one, and to the best of its turn."""
    leaders: dict[int, CandidateSentence] = {}
    for statement in ordered:
        leaders.setdefault(statement.turn, statement)
    top = ordered[0]
    top.features["leads"] = 1.0
    for statement in ordered:
        leader = leaders[statement.turn]
        statement.features["fit"] = statement.score - top.score
        statement.features["turn_fit"] = leader.score - top.score
        statement.features["beside"] = float(leader is top)
        statement.features["behind_best"] = float(leader is not statement and statement.place == leader.place + 1)


def chosen(ordered: Sequence[CandidateSentence], *, many: bool = False) -> list[CandidateSentence]:
    """Return the statements that candidates come from: the best, and all of the two best turns.

    For a list (``many``): the best, and all about the people asked about.
    """
    if many:
        return [s for i, s in enumerate(ordered) if i < CHOSEN or s.features["own"]][:_FOR_A_LIST]
    turns = list(dict.fromkeys(statement.turn for statement in ordered))[:2]
    kept = [s for i, s in enumerate(ordered) if i < CHOSEN or (s.turn in turns and s.place < _FROM_A_TURN)]
    return kept[:_AT_MOST]


def _with_speaker(statement: CandidateSentence) -> str:
    return f"{statement.evidence.speaker}: {statement.line.text}"


def _fit(statement: CandidateSentence) -> float:
    features = statement.features
    return sum([weight * features.get(name, 0.0) for name, weight in _FIT.items()])


def _rarity(statements: Sequence[CandidateSentence], asked: AnswerTarget) -> dict[str, float]:
    """Return the weight of each root of the question by its rarity among these statements."""
    turns: dict[str, set[int]] = {}
    for statement in statements:
        for word_root in statement.line.roots.intersection(asked.roots):
            turns.setdefault(word_root, set()).add(statement.turn)
    number = 1 + max(statement.turn for statement in statements)
    return {word_root: math.log((number + 1) / (len(turns.get(word_root, ())) + 0.5)) for word_root in asked.roots}


class _Shares:
    """Share of the question's weight of a set of roots; each set is computed once."""

    def __init__(self, weights: dict[str, float]) -> None:
        self._weights = weights
        self._total = sum(weights.values()) or 1.0
        self._known: dict[frozenset[str], float] = {}

    def of(self, roots: frozenset[str]) -> float:
        """Return the share of these roots, summed in sorted order so that rounding is always the same."""
        share = self._known.get(roots)
        if share is None:
            share = self._known[roots] = sum(self._weights[word_root] for word_root in sorted(roots)) / self._total
        return share


def _fit_features(
    statement: CandidateSentence, asked: AnswerTarget, shares: _Shares, top: float, frame: TimeFrame | None
) -> dict[str, float]:
    """Return the features that the fit consists of, but for those of meaning."""
    line, before = statement.line, statement.before
    cover = shares.of(statement.hits)
    joined = cover if before is None else shares.of(statement.hits | before.roots.intersection(asked.roots))
    fresh = _fresh(statement, asked)
    return {
        "cover": cover,
        "cover_before": joined - cover,
        "score": (statement.evidence.score - top) / max(abs(top), 1e-6),
        "own": float(_is_own(statement, asked)),
        "other": float(_is_others(statement, asked)),
        "asks": float(line.asks),
        "caption": float(line.caption),
        "fresh": min(fresh, 8) / 4,
        "stale": float(not fresh),
        "verb": float(asked.verb in line.roots),
        "fits": line.dated * (_DATED if asked.kind == "when" else _NUMBERED if asked.kind in _COUNTING else 0.0),
        "frame": float(frame is not None and frame.holds(statement)),
    }


def _other_features(statement: CandidateSentence, asked: AnswerTarget, cover_turn: float) -> dict[str, float]:
    """Return the other features that need no other statement."""
    line = statement.line
    return {
        "cover_turn": cover_turn - statement.features["cover"],
        "rank": 1 / (1 + statement.turn),
        "response": float(line.response),
        "greets": float(line.classes[0] == LETS),
        "named": float(bool(asked.people) and _named(statement, asked)),
        "reply": float(statement.before is not None),
        "second": float(line.second),
        "date": float(line.dated),
    }


def _fresh(statement: CandidateSentence, asked: AnswerTarget) -> int:
    """Return the number of content words that the question does not have."""
    return len([word_root for word_root in statement.line.content if word_root not in asked.every])


def _named(statement: CandidateSentence, asked: AnswerTarget) -> bool:
    words = statement.line.plain
    return any(part in words or part[:3] in words for name in asked.people for part in name.lower().split())


def _is_own(statement: CandidateSentence, asked: AnswerTarget) -> bool:
    """Tell if a statement is about one of the people asked about: said by them, to them or of them."""
    if not asked.people:
        return True
    if statement.evidence.speaker in asked.people:
        return statement.line.first or not statement.line.second
    return (statement.line.second and not statement.line.first) or _named(statement, asked)


def _is_others(statement: CandidateSentence, asked: AnswerTarget) -> bool:
    """Tell if a statement is what somebody else says about themselves."""
    return bool(asked.people) and statement.evidence.speaker not in asked.people and statement.line.first
