"""Confidence: the chance that the evidence supports the question, and the chance that an answer is right.

Both are logistic functions of a few signs. A question about one person whose best support is what another said about
themselves is not answered by the memory; so the subject of a statement weighs as much as its words. Coefficients:
benchmarks/train_reader.py.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final, get_args

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst.answer_reader import AnswerTarget, CandidateSentence, Reply, Sort, TargetKind

# Features of the chosen phrase that are signs too: what it is by its tree, whether it is of the sort asked for, and how
# far a time is told (not only the day of saying).
CHOSEN: Final = (
    "phrase", "fills", "ruled", "like", "like_clause", "repeated", "vague", "rare", "finite", "crosses", "sim", "sort",
    "dated",
)  # fmt: skip
_SORT_OF: Final[Mapping[TargetKind, Sort]] = {"person": "person", "place": "place", "activity": "activity"}

SIGNS: Final = (
    "bias", "own_best", "other_best", "lead", "cover", "around", "cosine", "own", "other", "speaks", "held", "held_by",
    "used_own", "used_cover", "used_speaks", "used_cosine", "sure", "ahead", "score", "nobody", "when", "phrase",
    "used_named", "match", "used_match", "soft", "around_soft", "lack", "used_soft", "used_around", "used_lack",
    "used_rank", "used_fit", *(f"chosen_{name}" for name in CHOSEN), *(f"kind_{kind}" for kind in get_args(TargetKind)),
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
        "soft": max(s.features.get("soft", 0.0) for s in statements),
        "around_soft": max(_with_surroundings(s) for s in statements),
        "lack": min(s.features.get("lack", 0.0) for s in statements),
        "used_soft": used.get("soft", 0.0),
        "used_around": _with_surroundings(reply.used[0]),
        "used_lack": used.get("lack", 0.0),
        "used_rank": used.get("rank", 0.0),
        "used_fit": max(used.get("fit", 0.0), -5.0) / 5,
        **{f"chosen_{name}": reply.chosen.get(name, 0.0) for name in CHOSEN if name != "sort"},
        "chosen_sort": reply.chosen.get(f"sort_{_SORT_OF[asked.kind]}", 0.0) if asked.kind in _SORT_OF else 0.0,
        **{f"kind_{kind}": float(asked.kind == kind) for kind in get_args(TargetKind)},
    }


def _with_surroundings(statement: CandidateSentence) -> float:
    return statement.features.get("soft", 0.0) + statement.features.get("soft_around", 0.0)


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
