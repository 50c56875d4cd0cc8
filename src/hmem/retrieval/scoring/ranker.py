"""Learned ranker: a weighted sum of few features, with weights for questions and weights for statements.

A question is answered by turns that share its rare words and its meaning. A statement, as a host's prompt hook sends
it, should bring up what it follows from, which seldom shares a word with it, so its weights are others. ``ranker.json``
holds both; ``benchmarks/train_ranker.py`` makes the file from talks of our own.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.marks import NAME, NUMBER
from hmem.corpus.index.rows import Values
from hmem.model.plan import AnswerType
from hmem.model.span import Span
from hmem.retrieval.scoring.combine import TermRows

FILE: Final = "ranker.json"
_DAY: Final = 86_400.0

# Days from the time asked for over which nearness falls by 1/e.
_NEAR_DAYS: Final = 14.0

# Marks of turns that hold what an answer of a type consists of.
_MARKS_OF_ANSWERS: Final[Mapping[AnswerType, int]] = {
    "time": NUMBER,
    "duration": NUMBER,
    "frequency": NUMBER,
    "count": NUMBER,
    "person": NAME,
    "place": NAME,
    "organization": NAME,
}


def nearness(spans: Sequence[Span], said_times: NDArray[np.int64]) -> Values:
    """Return how near to the best of some spans turns were said, 0 to 1; ``said_times`` are in microseconds since 1970.

    1 is within a span; it falls by 1/e with each ``_NEAR_DAYS`` days from it.
    """
    seconds, values = said_times / 1e6, np.zeros(len(said_times), np.float32)
    for span in spans:
        start, end = span.start.timestamp(), span.end.timestamp()
        away = np.where(seconds < start, start - seconds, np.maximum(seconds - end, 0.0)) / _DAY
        values = np.maximum(values, np.exp(-away / _NEAR_DAYS).astype(np.float32))
    return values


def answer_type(expected_type: AnswerType, marks: NDArray[np.uint8]) -> Values:
    """Return 1 where a turn holds what an answer of this type consists of, else 0."""
    return ((marks & _MARKS_OF_ANSWERS.get(expected_type, 0)) > 0).astype(np.float32)


class WeightedScores(NamedTuple):
    """Scores of candidates, and the terms of each, which sum to its score."""

    scores: Values
    terms: TermRows


class Ranker:
    """Weights of features by name, for questions and for statements.

    ``learned_from`` are the ids of the benchmark questions that the weights were learned from.
    """

    def __init__(
        self,
        question: Mapping[str, float],
        statement: Mapping[str, float],
        learned_from: Collection[str] = (),
    ) -> None:
        self.question = dict(question)
        self.statement = dict(statement)
        self.learned_from = frozenset(learned_from)

    def rank(self, features: Mapping[str, Values], *, statement: bool = False) -> WeightedScores:
        """Return the scores of candidates from their features by name."""
        return weighted(features, self.statement if statement else self.question)


def weighted(features: Mapping[str, Values], weights: Mapping[str, float]) -> WeightedScores:
    """Return the weighted sum of features, with its terms."""
    terms = np.array([features[name] * np.float32(weight) for name, weight in weights.items()], np.float32)
    terms = terms.reshape(len(weights), -1)
    return WeightedScores(
        terms.sum(axis=0), TermRows.from_array({name: row for row, name in enumerate(weights)}, terms)
    )


@lru_cache(maxsize=1)
def ranker() -> Ranker:
    """Return the ranker that ships with the package, loaded once."""
    return read(json.loads((files("hmem.retrieval.scoring") / FILE).read_text("utf-8")))


def read(contents: Mapping[str, Any]) -> Ranker:
    """Return a ranker from the contents of its file."""
    return Ranker(contents["question"], contents["statement"], contents.get("learned_from", ()))
