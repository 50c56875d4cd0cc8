"""Flat recall: every turn alone, in three sizes of context, by words and by meaning.

The lexical scores of the turn, its window and its block are BM25 over the best allowed score, so that they lie in [0,
1) for every question and corpus; the semantic scores are cosines. A long turn counts mostly alone, a short one with its
window. All terms are added with fixed weights (docs/decisions/0006).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.corpus.index.scales import Scores
from hmem.corpus.index.tail import BLOCK, TURN, WINDOW
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.combine import TermRows
from hmem.retrieval.scoring.terms import log_length, window_share
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import Rows, Scored, Values

NAME: Final = "flat"

# Keys are dense if the greatest is at most this many times their count.
_SPREAD: Final = 8


@dataclass(frozen=True, slots=True)
class FlatOptions:
    """Options of flat recall.

    All turns are scored if at most ``exhaustive`` may be found. If there are more, each source lists ``list_depth``
    turns with their scores, and the best ``candidates`` of each list are scored in full. ``neighbours`` adds the turns
    before and after them; ``leaning`` weights a turn's window by the turn's length.
    """

    weights: Mapping[str, float] = field(default_factory=dict[str, float])
    exhaustive: int = 2_000
    list_depth: int = 250
    candidates: int = 100
    neighbours: bool = False
    leaning: bool = True


def flat(sources: Sources, query: Query, options: FlatOptions) -> Scored:
    """Return all candidates for a question, best first. Call it inside ``corpus.reading()``."""
    corpus, vector, allowed = sources.corpus, query.vector, query.allowed
    count = corpus.columns.alive_count if allowed is None else int((allowed & corpus.columns.alive).sum())
    everything = count <= options.exhaustive
    limit = options.exhaustive if everything else options.list_depth
    found = {scale: corpus.lexical(scale, query.terms, limit, allowed) for scale in (TURN, WINDOW, BLOCK)}
    near = corpus.nearest(vector, options.exhaustive if everything else options.candidates, allowed)
    rows = near
    if not everything:
        best = [_best(found[scale], options.candidates) for scale in (TURN, WINDOW)]
        rows = np.unique(np.concatenate([*best, near]))
        rows = _with_neighbours(corpus, rows, allowed) if options.neighbours else rows
    terms = _terms(corpus, query, rows, found, leaning=options.leaning)
    scores = terms.weighed(options.weights)
    order = np.argsort(-scores, kind="stable")
    sizes = {f"lexical.{scale}": len(scores.keys) for scale, scores in found.items()} | {"semantic": len(near)}
    return Scored(NAME, rows[order], scores[order], terms.take(order), options.weights, sizes)


def _with_neighbours(corpus: Corpus, rows: Rows, allowed: NDArray[np.bool_] | None) -> Rows:
    """Return these rows and those of the turns before and after."""
    around = np.unique(np.concatenate([rows, corpus.columns.previous[rows], corpus.columns.next[rows]]))
    around = around[around >= 0].astype(np.int64)
    return around if allowed is None else around[allowed[around]]


def _best(scores: Scores, number: int) -> Rows:
    """Return the keys of the best scores, in no particular order."""
    if len(scores.keys) <= number:
        return scores.keys
    return scores.keys[np.argpartition(-scores.values, number)[:number]]


def _terms(corpus: Corpus, query: Query, rows: Rows, found: Mapping[str, Scores], *, leaning: bool) -> TermRows:
    columns = corpus.columns
    words = columns.words[rows]
    share = window_share(words) if leaning else np.ones(len(rows), np.float32)
    rest = 2 - share
    by_turn, by_window = corpus.cosines(query.vector, rows)
    terms = {
        "lexical.turn": _values(found[TURN], rows) * rest,
        "lexical.window": _values(found[WINDOW], rows) * share,
        "lexical.session": _values(found[BLOCK], columns.block[rows]),
        "semantic.turn": by_turn * rest,
        "semantic.window": by_window * share,
        "speaker": _spoken_by(columns.speaker[rows], query.speakers),
        "log_length": log_length(words),
    }
    return TermRows.of({name: at for at, name in enumerate(terms)}, np.array([*terms.values()], np.float32))


def _spoken_by(speakers: NDArray[np.int32], wanted: Sequence[int]) -> Values:
    """Return 1 for each turn of a wanted speaker, else 0. A question names few, so a loop is faster than a set."""
    spoken = np.zeros(len(speakers), np.bool_)
    for speaker in wanted:
        spoken |= speakers == speaker
    return spoken.astype(np.float32)


def _values(scores: Scores, wanted: NDArray[np.integer[Any]]) -> Values:
    """Return a score for each row or block; one that a cut search left out gets half of the cut's upper bound."""
    if not len(scores.keys):
        return np.zeros(len(wanted), np.float32)
    floor, most = np.float32(scores.floor / 2), max(int(scores.keys[-1]), int(wanted.max(initial=0)))
    if most <= _SPREAD * len(wanted):
        # For dense keys, a table is several times as fast as a search.
        every = np.full(most + 1, floor, np.float32)
        every[scores.keys] = scores.values
        return every.take(wanted)
    at = np.minimum(np.searchsorted(scores.keys, wanted), len(scores.keys) - 1)
    return np.where(scores.keys[at] == wanted, scores.values[at], floor)
