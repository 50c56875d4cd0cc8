"""Relevance: the chance, 0 to 1, that a piece of evidence tells what a question asks.

It is the chance that the memory tells of the question at all, times the chance that this turn does if so. Each is a
logistic function of a few signs, on the common scale of similarity, so that it means the same with every embedder and
strategy; a score only orders the evidence of one question. ``relevance.json`` holds the coefficients, those of
questions and those of statements, which ``benchmarks/floor.py`` fits to talks of our own.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.rows import Rows, Values
from hmem.errors import InvalidQuery
from hmem.language.embed.base import Calibration
from hmem.model.evidence import Evidence
from hmem.retrieval.plan import Query, is_keywords
from hmem.retrieval.sources import Sources

FILE: Final = "relevance.json"
# Signs that the memory tells of the question, and signs that a turn does.
MEMORY_SIGNS: Final = ("bias", "best", "above", "second", "cover", "covered", "known", "named", "turns")
TURN_SIGNS: Final = ("bias", "near", "lead", "fall", "beside", "cover", "rank")
# Signs of shared words. A statement seldom shares any with what it follows from, so that these tell nothing of it.
WORD_SIGNS: Final = frozenset({"cover", "covered", "known"})

# A context that reaches its floor ends at this part of it: what is found late is still evidence at times. One that only
# reaches a quarter of it has so many of the best turns: with answers in other words than the questions they are there.
_TAIL: Final = 1 / 250
_IN_DOUBT: Final = 1 / 4
_DOUBTFUL_TURNS: Final = 16
# Number of best turns by which it is judged if the memory tells of the question.
BEST_TURNS: Final = 10
# Number of turns with which the question is compared to know how near any turn is to it.
_COMPARED: Final = 64
# A memory of few turns, each of which may be the one asked for, says little of how near any turn is: so many more are
# assumed, as near as unrelated texts are in the middle.
_ASSUMED: Final = 8
_UNRELATED: Final = 0.1
# The best of many turns is near to any question; the figures hold for memories of so many turns, and are kept beyond.
_TURNS: Final = (8, 1_000)
# The fall of a score from the best one, in units of that to the tenth, counts up to so many.
_FALL: Final = 3.0
# Number of best turns among which the question's words are looked for.
_MAX_TURNS: Final = 60
# What is asked for often stands beside one of so many best turns.
_BEST: Final = 3
# Digits of a relevance that are told.
_DIGITS: Final = 4


def check_min_score(min_score: float | None) -> None:
    """Check a least relevance.

    Raises:
        InvalidQuery: it is no number from 0 to 1.
    """
    number = isinstance(min_score, int | float) and not isinstance(min_score, bool)
    if min_score is not None and not (number and 0 <= min_score <= 1):
        raise InvalidQuery(f"min_score cannot be {min_score!r} - give a number from 0 to 1")


class Relevance:
    """Relevance of evidence to one question. Use it inside ``corpus.reading()``."""

    def __init__(
        self,
        sources: Sources,
        query: Query,
        ranked: Rows,
        scores: Values,
        silent: Sequence[int] = (),
        others: "Sequence[Relevance]" = (),
    ) -> None:
        """Take the rows of the ranked turns with their scores, best first, and of those that tell nothing.

        A turn counts by its greatest relevance: to the question, or to one of the ``others``, such as its parts.
        """
        self._others = others
        self._sources = sources
        self._query = query
        self._silent = silent
        self._ranked = ranked
        # Relevance of the best ranked turns, as far as it was asked for.
        self._found: Values | None = None
        if silent:
            tells = ~np.isin(ranked, silent)
            ranked, scores = ranked[tells], scores[tells]
        self._telling = ranked
        self._signs = Signs(sources, query, ranked, scores)
        # Without an embedder that reads the question, or without a word, there is nothing to judge by.
        readable = not sources.embedder_unavailable and sources.corpus.embedder.reads(query.text)
        self.known = readable and len(self._ranked) > 0 and bool(query.terms)
        self._coefficients = _coefficients()["statement" if query.statement else "question"]
        self._keywords = self.known and is_keywords(query.text, sources.analyst.lexicon)
        self._told = (
            _chance(self._coefficients["told"], self._signs.memory_signs) if self.known and len(ranked) else 0.0
        )

    @property
    def thresholds(self) -> tuple[float, float]:
        """Relevance cut: what the best evidence has to reach, and what each piece has to, 0 to 1."""
        return self._coefficients["cut"]["best"], self._coefficients["cut"]["each"]

    @property
    def similarity_margin(self) -> float:
        """Difference in similarity to the question between the best turn and turns in general."""
        return self._signs.similarity_margin if self.known else 0.0

    def estimate(self, rows: Rows, ranks: Rows) -> Values:
        """Return the relevance of turns by row, with their ranks from 0."""
        values: Values = self._told * _chance(self._coefficients["turn"], self._signs.turn_signs(rows, ranks))
        if self._keywords:
            # Whoever looks for a word wants the turns that have it, whatever the word means.
            values = np.where(
                self._signs.contains_terms(rows).all(axis=0), np.maximum(values, self.thresholds[0]), values
            )
        for relevance in self._others:
            if relevance.known:
                values = np.maximum(values, relevance.estimate(rows, relevance.ranks(rows)))
        return np.where(np.isin(rows, self._silent), np.float32(0.0), values) if self._silent else values

    def ranks(self, rows: Rows) -> Rows:
        """Return the ranks of turns, from 0, among those that tell something; one behind the last if it has none."""
        rank_of_row = {row: rank for rank, row in enumerate(self._telling.tolist())}
        return np.array([rank_of_row.get(row, len(rank_of_row)) for row in rows.tolist()], np.int64)

    def of_best(self, count: int) -> Values:
        """Return the relevance of the best ``count`` ranked turns, which rank among those that tell something."""
        if self._found is None or len(self._found) < min(count, len(self._ranked)):
            rows, silent = self._ranked[:count], self._silent
            ranks = np.maximum(np.cumsum(~np.isin(rows, silent)) - 1, 0) if silent else np.arange(len(rows))
            self._found = self.estimate(rows, ranks)
        return self._found[:count]

    def rounded(self, count: int) -> Sequence[float | None]:
        """Return the relevance of the best ``count`` ranked turns, as their evidence shows it."""
        if not self.known:
            return [None] * min(count, len(self._ranked))
        return [round(value, _DIGITS) for value in self.of_best(count).tolist()]

    def ranks_above(self, count: int, floor: float, always: Sequence[int] = ()) -> list[int]:
        """Return the places of the best ``count`` ranked turns without those far below a floor.

        The floor is for questions, and as much lower for statements as their cut. If the best turn only reaches a
        quarter of it, few turns stay; if not even that, only the rows ``always``, which stay in any case.
        """
        rows = self._ranked[:count]
        if not self.known or not floor:
            return list(range(len(rows)))
        floor *= self.thresholds[0] / _coefficients()["question"]["cut"]["best"]
        values, stays = self.of_best(count), np.isin(rows, always)
        best = values.max(initial=0.0)
        if best >= floor:
            stays |= values >= floor * _TAIL
        elif best >= floor * _IN_DOUBT:
            stays[:_DOUBTFUL_TURNS] = True
        return np.flatnonzero(stays).tolist()

    def add_to(self, evidence: Sequence[Evidence]) -> list[Evidence]:
        """Return evidence with its relevance, where it has none yet: that of the best source."""
        ids = list(
            dict.fromkeys(source_id for item in evidence if item.relevance is None for source_id in item.sources)
        )
        if not self.known or not ids:
            return list(evidence)
        rows = self._sources.corpus.rows_of_ids(ids)
        values = np.where(rows >= 0, self.estimate(np.maximum(rows, 0), self.ranks(rows)), np.float32(0.0))
        by_id = dict(zip(ids, values.tolist(), strict=True))
        return [
            replace(item, relevance=round(max(by_id[source_id] for source_id in item.sources), _DIGITS))
            if item.relevance is None and item.sources
            else item
            for item in evidence
        ]


class Signs:
    """Signs of relevance for one question, from its best turns."""

    def __init__(self, sources: Sources, query: Query, ranked: Rows, scores: Values) -> None:
        """Take the ranked turns by row with their scores, best first."""
        self._sources = sources
        self._ranked = ranked[:_MAX_TURNS]
        best = ranked[:BEST_TURNS]
        # How far the score at each rank falls behind the best, and at last that of what is not ranked.
        drop = float(scores[0] - scores[min(len(scores), BEST_TURNS) - 1]) if len(scores) else 0.0
        fallen = np.clip((scores - scores[:1]) / max(drop, 1e-6), -_FALL, 0.0)
        self._falls = np.append(fallen, -_FALL).astype(np.float32)
        self._query = query
        corpus = sources.corpus
        self._weights = np.array(sources.rarities(query.terms), np.float32)
        self._weights /= max(float(self._weights.sum()), 1e-6)
        self._best = best
        # Rows that the question may find; what it may not tells nothing of it: turns of other users, for one.
        columns, allowed = corpus.columns, query.allowed
        self._found = columns.alive if allowed is None else columns.alive & allowed
        self._count = columns.alive_count if allowed is None else int(np.count_nonzero(self._found))
        spread = _spread(self._count)
        sample = spread if self._count == len(columns) else np.flatnonzero(self._found)[spread]
        similarities = self._similarities(np.concatenate([best, sample]))
        nearest = np.sort(similarities[: len(best)])[::-1]
        self._nearest = float(nearest[0]) if len(best) else -1.0
        self._second = float(nearest[1]) if len(best) > 1 else self._nearest
        sample_similarities = similarities[len(best) :]
        self._around = (float(sample_similarities.sum()) + _ASSUMED * _UNRELATED) / (
            len(sample_similarities) + _ASSUMED
        )

    @property
    def similarity_margin(self) -> float:
        """Difference in similarity between the best turn and turns in general."""
        return self._nearest - self._around

    @property
    def memory_signs(self) -> Mapping[str, float]:
        """Signs that the memory tells of the question, by name."""
        columns, best, lexicon = self._sources.corpus.columns, self._best, self._sources.analyst.lexicon
        window_rows = np.concatenate([best, columns.previous[best], columns.next[best]])
        has_term = self.contains_terms(np.maximum(window_rows, 0))
        return {
            "bias": 1.0,
            "best": self._nearest,
            "above": self.similarity_margin,
            "second": self._second,
            "cover": float((self._weights @ has_term[:, : len(best)]).max(initial=0.0)),
            "covered": float(self._weights @ (has_term & (window_rows >= 0) & self._found[window_rows]).any(axis=1)),
            # A word that nobody said is often what the question is about.
            "known": float(self._weights @ self.contains_terms(self._ranked).any(axis=1)),
            # "Write me a letter" asks about nobody.
            "named": float(bool(self._query.speakers) and not lexicon.requests(self._query.text)),
            "turns": log(min(max(self._count, _TURNS[0]), _TURNS[1])),
        }

    def turn_signs(self, rows: Rows, ranks: Rows) -> Mapping[str, Values | float]:
        """Return the signs that turns tell what the question asks, by name."""
        similarities = self._similarities(rows)
        return {
            "bias": 1.0,
            "near": similarities,
            "lead": similarities - np.float32(self._nearest),
            "fall": self._falls[np.minimum(ranks, len(self._falls) - 1)],
            "beside": self._adjacency(rows),
            # The share of the question's words, by rarity.
            "cover": self._weights @ self.contains_terms(rows),
            "rank": np.log1p(ranks).astype(np.float32),
        }

    def _adjacency(self, rows: Rows) -> Values:
        """Return 1 for each turn that is one or two turns from one of the best, else 0."""
        columns, adjacent_rows = self._sources.corpus.columns, set[int]()
        for neighbour in (columns.previous, columns.next):
            neighbours = neighbour[self._best[:_BEST]]
            neighbours = neighbours[neighbours >= 0]
            adjacent_rows.update(neighbours.tolist(), neighbour[neighbours].tolist())
        return np.array([row >= 0 and row in adjacent_rows for row in rows.tolist()], np.float32)

    def _similarities(self, rows: Rows) -> Values:
        """Return the similarity of turns to the question, on the common scale."""
        return similarity(self._sources, self._sources.corpus.vectors_at(rows) @ self._query.vector)

    def contains_terms(self, rows: Rows) -> NDArray[np.bool_]:
        """Return a boolean for each of the question's words (rows) and turn."""
        return self._sources.corpus.contains_terms(self._query.terms, rows)


def similarity(sources: Sources, cosines: Values) -> Values:
    """Return cosines of the memory's embedder on the common scale of similarity."""
    return np.interp(cosines, *_scales(sources.corpus.embedder.calibration)).astype(np.float32)


@lru_cache(maxsize=4)
def _scales(calibration: Calibration) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the points of a map between cosines and similarities, as raw cosines and as similarities."""
    points = np.array([(-1.0, -1.0), *calibration.points, (1.0, 1.0)])
    return points[:, 0].copy(), points[:, 1].copy()


@lru_cache(maxsize=64)
def _spread(count: int) -> Rows:
    """Return places spread evenly over so many."""
    return np.linspace(0, count - 1, min(count, _COMPARED)).astype(np.int64)


def _chance(coefficients: Mapping[str, float], signs: Mapping[str, Any]) -> Any:
    """Return the logistic function of the weighted signs; one without a coefficient counts nothing."""
    return 1 / (1 + np.exp(-sum(weight * signs[name] for name, weight in coefficients.items())))


@lru_cache(maxsize=1)
def _coefficients() -> Mapping[str, Mapping[str, Mapping[str, float]]]:
    """Return the coefficients and the cuts that ship with the package, for questions and for statements."""
    return json.loads((files("hmem.retrieval") / FILE).read_text("utf-8"))
