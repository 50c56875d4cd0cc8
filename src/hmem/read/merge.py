"""Several passes of one recall as one, each turn once, with the best score that a pass gave it; kinds side by side."""

from collections.abc import Sequence
from itertools import chain, zip_longest

import numpy as np

from hmem.model.evidence import Evidence
from hmem.read.strategy.base import Piece, Scored, Values


def merge(passes: Sequence[Scored]) -> Scored:
    """The turns of all passes, best first; scores of one strategy are comparable, those of several are taken so.

    Weights become part of the terms' values, since passes of several strategies have their own.
    """
    if len(passes) == 1:
        return passes[0]
    rows = np.concatenate([each.rows for each in passes])
    scores = np.concatenate([each.scores for each in passes])
    order = np.argsort(-scores, kind="stable")
    _, first = np.unique(rows[order], return_index=True)
    kept = order[np.sort(first)]
    names = dict.fromkeys(name for each in passes for name in each.terms)
    terms = {name: np.concatenate([_contributions(each, name) for each in passes])[kept] for name in names}
    sizes = {name: size for each in passes for name, size in each.sizes.items()}
    story = {name: told for each in passes for name, told in each.story.items()}
    return Scored(
        "+".join(dict.fromkeys(each.name for each in passes)),
        rows[kept], scores[kept], terms, dict.fromkeys(names, 1.0), sizes, _pieces(passes), story,
    )  # fmt: skip


def _contributions(scored: Scored, name: str) -> Values:
    """What a term adds to each score of a pass."""
    if name not in scored.terms:
        return np.zeros(len(scored.rows), np.float32)
    return scored.terms[name] * np.float32(scored.weights.get(name, 0.0))


def _pieces(passes: Sequence[Scored]) -> tuple[Piece, ...]:
    best: dict[tuple[str, int, str], Piece] = {}
    for piece in sorted(chain.from_iterable(each.pieces for each in passes), key=lambda piece: -piece.score):
        best.setdefault((piece.kind, piece.number, piece.tree), piece)
    return tuple(best.values())


def in_turn(turns: Sequence[Evidence], others: Sequence[Evidence]) -> list[Evidence]:
    """Turns and other kinds by rank, one of each in turn: their scores are not on one scale."""
    pairs = zip_longest(turns, others)
    return [item for pair in pairs for item in pair if item is not None]


def distinct(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Evidence, best first, without events and notes whose turn stands before them, and without repeats."""
    kept: list[Evidence] = []
    ids: set[str] = set()
    for item in evidence:
        repeats = item.kind in ("event", "note") and bool(item.sources) and item.sources[-1] in ids
        if item.id not in ids and not repeats:
            kept.append(item)
        ids.add(item.id)
    return kept
