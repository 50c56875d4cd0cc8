"""Confidence: the chance that the evidence supports the question, and the chance that an answer is right.

Both are logistic functions of a few signs. A question about one person whose best support is what another said about
themselves is not answered by the memory; so the subject of a statement weighs as much as its words. Coefficients:
benchmarks/train_reader.py.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst.answer_reader import AnswerTarget, CandidateSentence, Reply

SIGNS: Final = (
    "bias", "own_best", "other_best", "lead", "cover", "around", "cosine", "own", "other", "speaks", "held", "held_by",
    "used_own", "used_cover", "used_speaks", "used_cosine", "sure", "ahead", "score", "nobody", "when", "phrase",
    "used_named", "match", "used_match",
)  # fmt: skip


def signs(asked: AnswerTarget, statements: Sequence[CandidateSentence], reply: Reply) -> dict[str, float]:
    """Return the signs for and against a reply, by name; mostly from 0 to 1."""
    top, used = statements[0].features, reply.used[0].features
    own = max((_support(s) for s in statements if _by_asked(s, asked)), default=0.0)
    other = max((_support(s) for s in statements if not _by_asked(s, asked)), default=0.0)
    roots = frozenset(asked.roots)
    held = _share(roots, statements)
    held_by = _share(roots, [s for s in statements if _by_asked(s, asked)])
    sure, ahead, score = _chosen(reply.scores)
    return {
        "bias": 1.0,
        "own_best": own,
        "other_best": other if asked.people else 0.0,
        "lead": own - other if asked.people else 0.0,
        "cover": top["cover"],
        "around": top["cover"] + top["cover_before"],
        "cosine": top.get("cosine", 0.0),
        "own": top["own"],
        "other": top["other"],
        "speaks": float(_by_asked(statements[0], asked)),
        "held": held,
        "held_by": held_by,
        "used_own": used["own"],
        "used_cover": used["cover"] + used["cover_before"],
        "used_speaks": float(_by_asked(reply.used[0], asked)),
        "used_cosine": used.get("cosine", 0.0),
        "sure": sure,
        "ahead": ahead,
        "score": score,
        "nobody": float(not asked.people),
        "when": float(asked.kind == "when"),
        "phrase": float(reply.scores is not None),
        "match": max(s.tree.score for s in statements),
        "used_match": max(s.tree.score for s in reply.used),
        "used_named": max((s.features.get("named", 0.0) for s in reply.used), default=0.0),
    }


def _support(statement: CandidateSentence) -> float:
    features = statement.features
    return (features["cover"] + features["cover_before"] + features.get("cosine", 0.0)) / 2


def _by_asked(statement: CandidateSentence, asked: AnswerTarget) -> bool:
    """Tell if a statement is about somebody asked about; True if the question names nobody."""
    return not asked.people or (statement.features["own"] > 0 and statement.features["other"] == 0)


def _share(roots: frozenset[str], statements: Sequence[CandidateSentence]) -> float:
    """Return the share of the question's roots that stand in any of the statements, 0 to 1."""
    if not roots:
        return 1.0
    return sum(any(root in s.line.roots for s in statements) for root in sorted(roots)) / len(roots)


def _chosen(scores: NDArray[np.float32] | None) -> tuple[float, float, float]:
    """Return the best phrase's share among all, its lead over the tenth, and its score."""
    if scores is None or not len(scores):
        return 0.0, 0.0, 0.0
    ordered = np.sort(scores)[::-1]
    weights = np.exp(ordered - ordered[0])
    tenth = float(ordered[0] - ordered[min(9, len(ordered) - 1)])
    return float(1 / weights.sum()), min(tenth, 5.0) / 5, max(min(float(ordered[0]), 10.0), -10.0) / 10


def chance(coefficients: Mapping[str, float], values: Mapping[str, float]) -> float:
    """Return the logistic function of the weighted signs, 0 to 1."""
    total = sum(coefficients.get(name, 0.0) * value for name, value in values.items())
    return 1 / (1 + math.exp(-max(min(total, 30.0), -30.0)))
