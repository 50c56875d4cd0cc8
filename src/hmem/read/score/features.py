"""What the learned ranker looks at: a row of numbers for each candidate turn, each with a plain meaning.

Lexical and semantic scores come from flat recall; the rest says how a candidate stands to the question (its time, its
kind of answer, who is asked about), to its neighbours (a turn that answers a question), and to the other candidates.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.model.plan import AnswerType
from hmem.model.span import Span
from hmem.read.lists import greatest

Values = NDArray[np.float32]

_DAY: Final = 86_400.0

# What stands for the cosine and the share of words of an event where there is none.
_LEAST: Final = np.array([[-0.1], [0.0]], np.float32)

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


def times(
    spans: Sequence[Span], said: NDArray[np.int64], happened: NDArray[np.int64], counts: NDArray[np.int64]
) -> Times:
    """How turns agree with the best of some spans: ``said`` in microseconds, ``happened`` in seconds.

    ``happened`` has a row of bounds for each dated event, one turn's after the other's; each turn has ``counts``.
    """
    seconds = said / 1e6
    within, near = np.zeros(len(said), np.float32), np.zeros(len(said), np.float32)
    took_place = np.zeros(len(said), np.float32)
    for span in spans:
        start, end = span.start.timestamp(), span.end.timestamp()
        away = np.maximum(np.maximum(start - seconds, seconds - end), 0.0) / _DAY
        within = np.maximum(within, ((seconds >= start) & (seconds < end)).astype(np.float32))
        near = np.maximum(near, np.exp(-away / _NEAR_DAYS).astype(np.float32))
        within_span = (happened[:, 0] < end) & (happened[:, 1] > start)
        took_place = np.maximum(took_place, greatest(within_span.astype(np.float32), counts, 0.0))
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
    count = np.float32(values.shape[-1])
    above = values - values.sum(axis=-1, keepdims=True) / count
    # The standard deviation by hand, since the distances from the mean are there already.
    spread = np.sqrt((above * above).sum(axis=-1, keepdims=True) / count)
    return values - values.max(axis=-1, keepdims=True), above / np.maximum(spread, np.float32(1e-6))


def best_events(cosines: Values, shares: NDArray[Any], counts: NDArray[np.int64]) -> tuple[Values, Values]:
    """The greatest cosine of a turn's events with the question, -0.1 without events, and the greatest share of the
    question's words that stands in one of them, 0 to 1.

    ``cosines`` and ``shares`` are those of all events, one turn's after the other's; ``counts`` is how many each turn
    has.
    """
    best = greatest(np.array([cosines, shares], np.float32), counts, _LEAST)
    return best[0], best[1]
