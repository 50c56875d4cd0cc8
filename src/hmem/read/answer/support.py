"""How well each statement fits the question: its words, its meaning, and whom it is about."""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.language.embed.base import Embedder
from hmem.read.answer.asking import Asked
from hmem.read.answer.classes import LETS
from hmem.read.answer.frames import Frame
from hmem.read.answer.statements import Statement

# Statements whose meaning is compared, and those that candidates are taken from.
_COUNTING: Final = ("count", "amount", "duration", "frequency")
_COMPARED: Final = 48
CHOSEN: Final = 12
_FROM_A_TURN: Final = 8
_AT_MOST: Final = 20
_FOR_A_LIST: Final = 36

_FIT: Final = {
    "cover": 2.0, "cover_before": 4.0, "score": 3.0, "cosine": 2.0, "cosine_before": 0.0, "own": 0.3, "other": -0.5,
    "asks": -0.5, "caption": -1.0, "fresh": 0.7, "stale": -0.7, "verb": 0.5, "fits": 1.0,
    "frame": 1.5,
}  # fmt: skip
_DATED: Final = 2.5
_NUMBERED: Final = 1.5


class Meanings:
    """Vectors of short texts, kept for as long as the process lives; at most ``most`` of them."""

    def __init__(self, embedder: Embedder, most: int = 20_000) -> None:
        self._embedder = embedder
        self._most = most
        self._kept: dict[str, NDArray[np.float32]] = {}

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The unit vectors of texts, a row each."""
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if len(self._kept) + len(new) > self._most:
            self._kept.clear()
            new = list(dict.fromkeys(texts))
        if new:
            self._kept.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._kept[text] for text in texts])


class Unheard(Meanings):
    """No meanings at all: every text has a vector of zeros."""

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Zeros, a row for each text."""
        return np.zeros((len(texts), self._embedder.dimension), np.float32)


def measure(
    statements: Sequence[Statement],
    asked: Asked,
    vector: NDArray[np.float32],
    meanings: Meanings,
    frame: Frame | None = None,
) -> list[Statement]:
    """Give each statement its features and its score; the best first."""
    if not statements:
        return []
    shares, wanted = _Shares(_rarity(statements, asked)), frozenset(asked.roots)
    top = max(statement.evidence.score for statement in statements)
    by_turn: dict[int, frozenset[str]] = {}
    for statement in statements:
        statement.hits = statement.line.roots & wanted
        by_turn[statement.turn] = by_turn.get(statement.turn, frozenset()) | statement.hits
        statement.features = _fitting(statement, asked, shares, top, frame)
        statement.score = _fit(statement)
    ordered = sorted(statements, key=lambda statement: -statement.score)
    compared = ordered[:_COMPARED]
    for statement in compared:
        statement.features |= _others(statement, asked, shares.of(by_turn[statement.turn]))
    cosines = meanings.of([_told(statement) for statement in compared]) @ vector
    befores = [statement.before.text if statement.before else "" for statement in compared]
    earlier = meanings.of(befores) @ vector
    for statement, cosine, near in zip(compared, cosines.tolist(), earlier.tolist(), strict=True):
        statement.features["cosine"] = cosine
        statement.features["cosine_before"] = near
        statement.score = _fit(statement)
    best = sorted(compared, key=lambda statement: -statement.score)
    _relate(best)
    return best


def _relate(ordered: Sequence[Statement]) -> None:
    """Tell each statement how it stands to the best, and to the best of its turn."""
    leaders: dict[int, Statement] = {}
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


def chosen(ordered: Sequence[Statement], *, many: bool = False) -> list[Statement]:
    """The statements that candidates are taken from: the best, and all of the two best turns; for a list, ``many``."""
    if many:
        return [s for i, s in enumerate(ordered) if i < CHOSEN or s.features["own"]][:_FOR_A_LIST]
    turns = list(dict.fromkeys(statement.turn for statement in ordered))[:2]
    kept = [s for i, s in enumerate(ordered) if i < CHOSEN or (s.turn in turns and s.place < _FROM_A_TURN)]
    return kept[:_AT_MOST]


def _told(statement: Statement) -> str:
    return f"{statement.evidence.speaker}: {statement.line.text}"


def _fit(statement: Statement) -> float:
    features = statement.features
    return sum([weight * features.get(name, 0.0) for name, weight in _FIT.items()])


def _rarity(statements: Sequence[Statement], asked: Asked) -> dict[str, float]:
    """How much each root of the question says among these statements."""
    turns: dict[str, set[int]] = {}
    for statement in statements:
        for root in statement.line.roots.intersection(asked.roots):
            turns.setdefault(root, set()).add(statement.turn)
    number = 1 + max(statement.turn for statement in statements)
    return {root: math.log((number + 1) / (len(turns.get(root, ())) + 0.5)) for root in asked.roots}


class _Shares:
    """What part of the question's weight some of its roots have, each set of roots weighed once."""

    def __init__(self, weights: dict[str, float]) -> None:
        self._weights = weights
        self._total = sum(weights.values()) or 1.0
        self._known: dict[frozenset[str], float] = {}

    def of(self, roots: frozenset[str]) -> float:
        """The share of these roots, summed in one order so that it is always the same."""
        share = self._known.get(roots)
        if share is None:
            share = self._known[roots] = sum(self._weights[root] for root in sorted(roots)) / self._total
        return share


def _fitting(statement: Statement, asked: Asked, shares: _Shares, top: float, frame: Frame | None) -> dict[str, float]:
    """The features that a fit consists of, but for those of meaning."""
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


def _others(statement: Statement, asked: Asked, cover_turn: float) -> dict[str, float]:
    """The other features that need no other statement."""
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


def _fresh(statement: Statement, asked: Asked) -> int:
    """How many words of a statement say something that the question does not."""
    return len([root for root in statement.line.content if root not in asked.every])


def _named(statement: Statement, asked: Asked) -> bool:
    words = statement.line.plain
    return any(part in words or part[:3] in words for name in asked.people for part in name.lower().split())


def _is_own(statement: Statement, asked: Asked) -> bool:
    """Whether a statement is about one of the people asked about: by themselves, or to or of them."""
    if not asked.people:
        return True
    if statement.evidence.speaker in asked.people:
        return statement.line.first or not statement.line.second
    return (statement.line.second and not statement.line.first) or _named(statement, asked)


def _is_others(statement: Statement, asked: Asked) -> bool:
    """Whether a statement is what somebody else says about themselves."""
    return bool(asked.people) and statement.evidence.speaker not in asked.people and statement.line.first
