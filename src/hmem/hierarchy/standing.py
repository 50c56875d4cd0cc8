"""How every turn stands: what the tiers are made from, a row for each turn that was formed (HMO)."""

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.corpus import Corpus
from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.tiers import TierColumns
from hmem.storage.base import Use

_AT_ONCE: Final = 8_192
# Of so few rows each is likened by itself, which is faster than speaker by speaker.
_FEW: Final = 16
_SECOND: Final = 1_000_000

Integers = NDArray[np.int64]
Values = NDArray[np.float32]


def standing(
    corpus: Corpus,
    arrangement: Arrangement,
    seqs: Sequence[int] | None = None,
    *,
    personas: Mapping[int, Values] | None = None,
    recorded: Sequence[Use] | None = None,
) -> tuple[Integers, TierColumns]:
    """The rows of the formed turns, of all or of these, and their columns.

    A turn is likened to the persona of its own speaker: as it is now, or as ``personas`` has it, by the speaker's
    number. Its being written is its first use, each recording one more: ``recorded`` are those, where they are known.
    """
    columns, judgements = corpus.columns, arrangement.judgements
    wanted = judgements.seqs() if seqs is None else [seq for seq in seqs if seq in judgements]
    rows = columns.rows_of(wanted)
    importance = np.array([judgement.importance for judgement in map(judgements.of, wanted) if judgement], np.int8)
    importance, rows = importance[rows >= 0], rows[rows >= 0]
    said = columns.said[rows] // _SECOND
    uses, last = np.ones(len(rows), np.int64), said.copy()
    recorded = corpus.storage.uses(seqs=seqs) if recorded is None else recorded
    places = _places(columns.seq[rows], np.array([use.seq for use in recorded], np.int64))
    for place, use in zip(places.tolist(), recorded, strict=True):
        if place >= 0:
            uses[place] += use.uses
            last[place] = max(last[place], use.last // _SECOND)
    return rows, TierColumns(
        importance=importance,
        similarity=similarities(corpus, _vectors(arrangement) if personas is None else personas, rows),
        uses=uses,
        last_used=last,
        session=columns.session[rows],
        said=said,
    )


def _places(seqs: Integers, wanted: Integers) -> Integers:
    """Where sequence numbers stand among others, -1 for those that do not."""
    if not len(seqs):
        return np.full(len(wanted), -1, np.int64)
    order = np.argsort(seqs, kind="stable")
    found = order[np.minimum(np.searchsorted(seqs, wanted, sorter=order), len(seqs) - 1)]
    return np.where(seqs[found] == wanted, found, -1)


def _vectors(arrangement: Arrangement) -> dict[int, Values]:
    """The vector of each persona, by the speaker's number."""
    kept = {speaker: arrangement.personas.of(speaker) for speaker in arrangement.personas.speakers()}
    return {speaker: persona.vector for speaker, persona in kept.items() if persona is not None}


def similarities(corpus: Corpus, personas: Mapping[int, Values], rows: Integers) -> Values:
    """The cosine of each row with the persona of its speaker, 0 where there is none."""
    found = np.zeros(len(rows), np.float32)
    speakers = corpus.columns.speaker[rows]
    if 0 < len(rows) <= _FEW:
        nothing = np.zeros(corpus.embedder.dimension, np.float32)
        likened = np.stack([personas.get(speaker, nothing) for speaker in speakers.tolist()])
        return np.einsum("ij,ij->i", corpus.vectors_at(rows), likened)
    for speaker in np.unique(speakers).tolist():
        if speaker not in personas:
            continue
        places = np.flatnonzero(speakers == speaker)
        for start in range(0, len(places), _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            found[some] = corpus.vectors_at(rows[some]) @ personas[speaker]
    return found
