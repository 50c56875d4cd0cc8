"""Metrics as pure functions.

``ranked`` are ids without repeats, best first; ``gold`` are the ids to find, at least one.
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


def recall(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return the fraction of the gold among the first ``k``, 0 to 1."""
    wanted = _wanted(gold)
    return len(wanted.intersection(ranked[:k])) / len(wanted)


def recall_all(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return 1 if all of the gold is among the first ``k``, else 0."""
    return float(_wanted(gold) <= set(ranked[:k]))


def recall_any(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return 1 if any of the gold is among the first ``k``, else 0."""
    return float(not _wanted(gold).isdisjoint(ranked[:k]))


def reciprocal_rank(ranked: Sequence[str], gold: Collection[str]) -> float:
    """Return one over the rank, from 1, of the first gold id; 0 if none is ranked."""
    wanted = _wanted(gold)
    return next((1.0 / rank for rank, item in enumerate(ranked, 1) if item in wanted), 0.0)


def ndcg(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Return the normalised discounted cumulative gain at ``k``, 0 to 1: gains 0 or 1, discount log2(rank + 1)."""
    wanted = _wanted(gold)
    gained = sum(_discounted(rank) for rank, item in enumerate(ranked[:k], 1) if item in wanted)
    return gained / sum(_discounted(rank) for rank in range(1, min(len(wanted), k) + 1))


def _discounted(rank: int) -> float:
    return 1.0 / math.log2(rank + 1)


def _wanted(gold: Collection[str]) -> set[str]:
    if not gold:
        raise ValueError("a question without evidence has no rank")
    return set(gold)


def answer_tokens(text: str) -> list[str]:
    """Return the tokens of an answer for comparison: NFKC, lower case, no punctuation, no articles, split at blanks."""
    plain = unicodedata.normalize("NFKC", text).lower()
    kept = "".join(sign for sign in plain if not _is_punctuation(sign))
    return _ARTICLES.sub(" ", kept).split()


def _is_punctuation(sign: str) -> bool:
    return sign in string.punctuation or unicodedata.category(sign).startswith("P")


def token_f1(answer: str, gold: str) -> float:
    """Return the harmonic mean of precision and recall of an answer's tokens as multisets, 0 to 1."""
    said, wanted = answer_tokens(answer), answer_tokens(gold)
    if not said or not wanted:
        return float(said == wanted)
    shared = (Counter(said) & Counter(wanted)).total()
    return 2 * shared / (len(said) + len(wanted))


def bleu1(answer: str, gold: str) -> float:
    """Return BLEU of single tokens, 0 to 1: clipped precision times the brevity penalty."""
    said, wanted = answer_tokens(answer), answer_tokens(gold)
    if not said or not wanted:
        return float(said == wanted)
    shared = (Counter(said) & Counter(wanted)).total()
    return shared / len(said) * min(1.0, math.exp(1 - len(wanted) / len(said)))


def percentile(values: Iterable[float], percent: float) -> float | None:
    """Return the value at a percentile (0 to 100), linear between neighbours; None for no values."""
    ordered = sorted(values)
    if not ordered:
        return None
    position = (len(ordered) - 1) * percent / 100
    below = math.floor(position)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    return low + (high - low) * (position - below)


def mean(values: Iterable[float]) -> float | None:
    """Return the arithmetic mean; None for no values."""
    kept = list(values)
    return math.fsum(kept) / len(kept) if kept else None


def interval(differences: Sequence[float], *, resamples: int = RESAMPLES) -> tuple[float, float]:
    """Return the 95 % interval of the mean of paired differences, by a bootstrap over the pairs."""
    values = np.asarray(differences)
    drawn = np.random.default_rng(_SEED).integers(len(values), size=(resamples, len(values)))
    low, high = np.percentile(values[drawn].mean(axis=1), (2.5, 97.5))
    return float(low), float(high)
