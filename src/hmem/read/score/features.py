"""What the learned ranker looks at: a row of numbers for each candidate turn, each with a plain meaning.

Lexical and semantic scores come from flat recall; the rest says how a candidate stands to the question (its time, its
kind of answer, who is asked about), to its neighbours (a turn that answers a question), and to the other candidates.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.model.plan import AnswerType
from hmem.model.span import Span

Values = NDArray[np.float32]

_DAY: Final = 86_400.0

# How fast nearness to the time asked for fades.
_NEAR_DAYS: Final = 14.0

_FITS: Final[Mapping[AnswerType, str]] = {
    "time": "has.time",
    "duration": "has.number",
    "frequency": "has.number",
    "count": "has.number",
    "person": "has.name",
    "place": "has.name",
    "organization": "has.name",
}


class Times(NamedTuple):
    """Agreement with the times asked for: said within, happened within, and how near it was said; 0 to 1 each."""

    said: Values
    happened: Values
    near: Values


def times(spans: Sequence[Span], said: NDArray[np.int64], happened: Sequence[Sequence[tuple[int, int]]]) -> Times:
    """How turns agree with the best of some spans: ``said`` in microseconds, ``happened`` in bounds in seconds."""
    seconds = said / 1e6
    within, near = np.zeros(len(said), np.float32), np.zeros(len(said), np.float32)
    took_place = np.zeros(len(said), np.float32)
    for span in spans:
        start, end = span.start.timestamp(), span.end.timestamp()
        away = np.maximum(np.maximum(start - seconds, seconds - end), 0.0) / _DAY
        within = np.maximum(within, ((seconds >= start) & (seconds < end)).astype(np.float32))
        near = np.maximum(near, np.exp(-away / _NEAR_DAYS).astype(np.float32))
        took_place = np.maximum(
            took_place, [any(first < end and last > start for first, last in bounds) for bounds in happened]
        ).astype(np.float32)
    return Times(within, took_place, near)


def fit(answer_type: AnswerType, has: Mapping[str, Values], count: int) -> Values:
    """1 where a turn holds what an answer of this type consists of, else 0."""
    needed = _FITS.get(answer_type)
    return has[needed] if needed is not None else np.zeros(count, np.float32)


def standing(values: Values) -> tuple[Values, Values]:
    """Each value less the greatest, and in standard deviations from the mean: what it is among the candidates.

    The candidates stand along the last axis.
    """
    if not values.size:
        return values, values
    greatest, mean = values.max(axis=-1, keepdims=True), values.mean(axis=-1, keepdims=True)
    spread = np.maximum(values.std(axis=-1, keepdims=True), np.float32(1e-6))
    return values - greatest, (values - mean) / spread


def best_event(vector: Values, events: Sequence[Values]) -> Values:
    """The greatest cosine of a turn's events with a unit vector, a value for each turn; -0.1 without events."""
    counts = np.array([len(rows) for rows in events])
    best = np.full(len(events), -0.1, np.float32)
    if counts.sum():
        cosines = np.concatenate([rows for rows in events if len(rows)]) @ vector
        np.maximum.at(best, np.repeat(np.arange(len(events)), counts), cosines)
    return best


def best_words(weights: Mapping[str, float], events: Sequence[Sequence[frozenset[str]]]) -> Values:
    """The greatest share of the question's weighted stems that stands in one event of a turn, 0 to 1."""
    total = max(sum(weights.values()), 1e-6)
    wanted = frozenset(weights)
    best = [0.0] * len(events)
    for place, each in enumerate(events):
        for said in each:
            if not wanted.isdisjoint(said):
                best[place] = max(best[place], sum([weights[stem] for stem in wanted & said]))
    return np.array(best, np.float32) / np.float32(total)
