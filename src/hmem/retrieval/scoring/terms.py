"""Terms of a score: lexical and semantic similarity, who speaks, and how long a turn is."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.corpus.index.lexical import BLOCK, TURN, WINDOW, Scores
from hmem.corpus.index.rows import Rows, Values
from hmem.retrieval.plan import Query
from hmem.retrieval.scoring.combine import TermRows

# Words of a turn up to which its window counts fully, and from which on it does not count.
_SHORT: Final = 60
_LONG: Final = 100
_LONG_ENOUGH: Final = 60


# Tables by the number of words, as a lookup is much faster than computing them; longer turns have the last value.
_SHARES: Final = np.clip((_LONG - np.arange(_LONG + 1)) / (_LONG - _SHORT), 0.0, 1.0).astype(np.float32)
_LOG_LENGTHS: Final = (np.log1p(np.arange(_LONG_ENOUGH + 1)) / np.log1p(_LONG_ENOUGH)).astype(np.float32)


def window_share(word_counts: NDArray[np.int32]) -> Values:
    """Return the share of a turn's neighbours in its window, from 1 for a short turn to 0 for a long one.

    A short turn means little without its neighbours; the neighbours of a long one only blur it, so it is its own
    window. So no length gains, however turn and window are weighed.
    """
    return _SHARES[np.minimum(word_counts, _LONG)]


def log_length(word_counts: NDArray[np.int32]) -> Values:
    """Return the weight of a turn by its length: 0 for none, 1 from 60 words on, growing as the logarithm."""
    return _LOG_LENGTHS[np.minimum(word_counts, _LONG_ENOUGH)]


# Weights of hybrid scores (words and meaning), chosen among a few settings on the development conversations;
# docs/decisions/0006 has the table.
HYBRID: Final[Mapping[str, float]] = {
    "lexical.turn": 2.0,
    "lexical.window": 1.6,
    "lexical.session": 1.1,
    "semantic.turn": 2.8,
    "semantic.window": 2.0,
    "speaker": 0.5,
    "log_length": 0.55,
}

# Keys are dense if the greatest is at most this many times their count.
_SPREAD: Final = 8

SCALES: Final = (TURN, WINDOW, BLOCK)


def similarity_terms(
    corpus: Corpus, query: Query, rows: Rows, lexical_scores: Mapping[str, Scores], *, leaning: bool = True
) -> TermRows:
    """Return the terms of hybrid similarity: words at three sizes of context, meaning at two, speaker and length.

    ``lexical_scores`` are by scale; with ``leaning`` a long turn is its own window.
    """
    columns = corpus.columns
    words = columns.words[rows]
    share = window_share(words) if leaning else np.ones(len(rows), np.float32)
    by_turn, by_window = corpus.cosines(query.vector, rows)
    turn_scores, window_scores = _values(lexical_scores[TURN], rows), _values(lexical_scores[WINDOW], rows)
    trust = np.float32(query.trust)
    terms = {
        "lexical.turn": turn_scores,
        "lexical.window": turn_scores + (window_scores - turn_scores) * share,
        "lexical.session": _values(lexical_scores[BLOCK], columns.block[rows]),
        "semantic.turn": by_turn * trust,
        "semantic.window": (by_turn + (by_window - by_turn) * share) * trust,
        "speaker": speaker_match(columns.speaker[rows], query.speakers, query.assistants),
        "log_length": log_length(words),
    }
    return TermRows.from_array({name: row for row, name in enumerate(terms)}, np.array([*terms.values()], np.float32))


def speaker_match(speakers: NDArray[np.int32], named_speakers: Sequence[int], repeating: Sequence[int] = ()) -> Values:
    """Return 1 for each turn of a wanted speaker, -1 for each of one who only repeats such a speaker, else 0.

    A question names few, so a loop is faster than a set.
    """
    values = np.zeros(len(speakers), np.float32)
    for speaker in named_speakers:
        values[speakers == speaker] = 1
    for speaker in repeating:
        values[speakers == speaker] = -1
    return values


def _values(scores: Scores, keys: NDArray[np.integer[Any]]) -> Values:
    """Return a score for each row or block, 0 for one that has none of the terms."""
    if not len(scores.keys):
        return np.zeros(len(keys), np.float32)
    greatest_key = max(int(scores.keys[-1]), int(keys.max(initial=0)))
    if greatest_key <= _SPREAD * len(keys):
        # For dense keys, a table is several times as fast as a search.
        table = np.zeros(greatest_key + 1, np.float32)
        table[scores.keys] = scores.values
        return table.take(keys)
    indices = np.minimum(np.searchsorted(scores.keys, keys), len(scores.keys) - 1)
    return np.where(scores.keys[indices] == keys, scores.values[indices], np.float32(0))
