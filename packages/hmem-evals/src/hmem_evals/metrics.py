"""Metrics as pure functions.

``ranking`` has ids without repeats, best first; ``gold`` are the ids to find, at least one.
"""

import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Final

import numpy as np

RESAMPLES: Final = 10_000
_SEED: Final = 20_261_128
_ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b")


def recall(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return the fraction of the gold among the first ``k``, 0 to 1."""
    relevant = _relevant_ids(gold)
    return len(relevant.intersection(ranking[:k])) / len(relevant)


def recall_all(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return 1 if all of the gold is among the first ``k``, else 0."""
    return float(_relevant_ids(gold) <= set(ranking[:k]))


def recall_any(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return 1 if any of the gold is among the first ``k``, else 0."""
    return float(not _relevant_ids(gold).isdisjoint(ranking[:k]))


def reciprocal_rank(ranking: Sequence[str], gold: Collection[str]) -> float:
    """Return one over the rank, from 1, of the first gold id; 0 if none is ranked."""
    relevant = _relevant_ids(gold)
    return next((1.0 / rank for rank, item in enumerate(ranking, 1) if item in relevant), 0.0)


def ndcg(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return the normalised discounted cumulative gain at ``k``, 0 to 1: gains 0 or 1, discount log2(rank + 1)."""
    relevant = _relevant_ids(gold)
    gained = sum(_discounted(rank) for rank, item in enumerate(ranking[:k], 1) if item in relevant)
    return gained / sum(_discounted(rank) for rank in range(1, min(len(relevant), k) + 1))


def _discounted(rank: int) -> float:
    return 1.0 / math.log2(rank + 1)


def _relevant_ids(gold: Collection[str]) -> set[str]:
    if not gold:
        raise ValueError("a question without evidence has no rank")
    return set(gold)


def answer_tokens(text: str) -> list[str]:
    """Return the tokens of an answer for comparison: NFKC, lower case, no punctuation, no articles, split at blanks."""
    plain = unicodedata.normalize("NFKC", text).lower()
    letters = "".join(sign for sign in plain if not _is_punctuation(sign))
    return _ARTICLES.sub(" ", letters).split()


def _is_punctuation(sign: str) -> bool:
    return sign in string.punctuation or unicodedata.category(sign).startswith("P")


def token_f1(answer: str, gold: str) -> float:
    """Return the harmonic mean of precision and recall of an answer's tokens as multisets, 0 to 1."""
    predicted, reference = answer_tokens(answer), answer_tokens(gold)
    if not predicted or not reference:
        return float(predicted == reference)
    overlap = (Counter(predicted) & Counter(reference)).total()
    return 2 * overlap / (len(predicted) + len(reference))


def bleu1(answer: str, gold: str) -> float:
    """Return BLEU of single tokens, 0 to 1: clipped precision times the brevity penalty."""
    predicted, reference = answer_tokens(answer), answer_tokens(gold)
    if not predicted or not reference:
        return float(predicted == reference)
    overlap = (Counter(predicted) & Counter(reference)).total()
    return overlap / len(predicted) * min(1.0, math.exp(1 - len(reference) / len(predicted)))


def percentile(values: Iterable[float], percent: float) -> float | None:
    """Return the value at a percentile (0 to 100), linear between neighbours; None for no values."""
    sorted_values = sorted(values)
    if not sorted_values:
        return None
    position = (len(sorted_values) - 1) * percent / 100
    lower = math.floor(position)
    low, high = sorted_values[lower], sorted_values[min(lower + 1, len(sorted_values) - 1)]
    return low + (high - low) * (position - lower)


def mean(values: Iterable[float]) -> float | None:
    """Return the arithmetic mean; None for no values."""
    numbers = list(values)
    return math.fsum(numbers) / len(numbers) if numbers else None


def interval(differences: Sequence[float], *, resamples: int = RESAMPLES) -> tuple[float, float]:
    """Return the 95 % interval of the mean of paired differences, by a bootstrap over the pairs."""
    values = np.asarray(differences)
    samples = np.random.default_rng(_SEED).integers(len(values), size=(resamples, len(values)))
    low, high = np.percentile(values[samples].mean(axis=1), (2.5, 97.5))
    return float(low), float(high)
