"""How every turn stands: what the tiers are made from, a row for each turn that was formed (HMO)."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus import Corpus
from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.tiers import TierColumns

_AT_ONCE: Final = 8_192

Integers = NDArray[np.int64]


def standing(corpus: Corpus, arrangement: Arrangement) -> tuple[Integers, TierColumns]:
    """The rows of the formed turns, and their columns. A turn is likened to the persona of its own speaker."""
    columns, judgements = corpus.columns, arrangement.judgements
    seqs = judgements.seqs()
    rows = corpus.columns.rows_of(seqs)
    kept = rows >= 0
    importance = np.array([judgement.importance for judgement in map(judgements.of, seqs) if judgement], np.int8)
    rows, importance = rows[kept], importance[kept]
    said = columns.said[rows] // 1_000_000
    return rows, TierColumns(
        importance=importance,
        similarity=_similarities(corpus, arrangement, rows),
        uses=np.ones(len(rows), np.int64),
        last_used=said,
        session=columns.session[rows],
        said=said,
    )


def _similarities(corpus: Corpus, arrangement: Arrangement, rows: Integers) -> NDArray[np.float32]:
    found = np.zeros(len(rows), np.float32)
    speakers = corpus.columns.speaker[rows]
    for speaker in arrangement.personas.speakers():
        persona = arrangement.personas.of(speaker)
        places = np.flatnonzero(speakers == speaker)
        for start in range(0, len(places) if persona is not None else 0, _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            vectors = corpus.vectors_of(corpus.columns.seq[rows[some]].tolist())
            found[some] = vectors @ persona.vector if persona is not None else 0
    return found
