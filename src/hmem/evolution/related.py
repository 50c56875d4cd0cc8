"""Notes that a model is shown with the turns that it reads, since these may revise them (HiMem, reconsolidation)."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

import numpy as np

from hmem.corpus.corpus import Corpus
from hmem.derived.notes import KeptNote
from hmem.derived.state import DerivedState
from hmem.language.analyst.base import KnownNote
from hmem.model.span import from_stored

# Most notes that are shown, and turns that are looked at for each turn and for each entity.
MOST_NOTES: Final = 20
_NEIGHBOURS: Final = 8
_MENTIONS: Final = 4
# Constant of reciprocal rank fusion.
_RANK: Final = 60


def related(corpus: Corpus, derived: DerivedState, seqs: Sequence[int]) -> tuple[KnownNote, ...]:
    """Return the notes nearest to turns by their vectors and by shared entities, oldest first.

    They are of the same owner and of earlier turns, stand, and were not withdrawn. Call it inside ``corpus.reading()``.
    """
    owner, first = derived.judgements.owner(seqs[0]), seqs[0]
    scores: dict[int, float] = {}
    for ranking in (*_by_vector(corpus, seqs), *_by_entity(derived, seqs)):
        for rank, seq in enumerate(ranking):
            if seq < first and seq in derived.judgements and derived.judgements.owner(seq) == owner:
                scores[seq] = scores.get(seq, 0.0) + 1 / (_RANK + rank)
    notes_by_text: dict[tuple[int, str], KeptNote] = {}
    absent, turns = derived.absent_notes(), derived.decisions.absent()
    for seq in sorted(scores, key=lambda seq: (-scores[seq], seq)):
        if len(notes_by_text) >= MOST_NOTES:
            break
        notes = () if seq in turns else derived.notes.of(seq)
        current_notes = (note for note in notes if note.number not in absent and derived.note_states.of(note).stands)
        # Claims of one sentence have one text.
        notes_by_text |= {(seq, note.text): note for note in current_notes}
    best = sorted(islice(notes_by_text.values(), MOST_NOTES), key=lambda note: (derived.said(note.turn), note.number))
    ids = {row.seq: row.turn.id for row in corpus.storage.turns(sorted({note.turn for note in best}))}
    days = {seq: from_stored(derived.said(seq) * 1_000_000, 0).date() for seq in ids}
    return tuple(KnownNote(ids[note.turn], note.turn, days[note.turn], note.text) for note in best if note.turn in ids)


def _by_vector(corpus: Corpus, seqs: Sequence[int]) -> Iterator[list[int]]:
    """Yield the earlier turns nearest to each turn, the nearest first."""
    columns = corpus.columns
    earlier = columns.alive & (columns.seq < seqs[0])
    for vector in corpus.vectors_of(seqs):
        if vector.any():
            rows = corpus.nearest(vector, _NEIGHBOURS, earlier)
            cosines, _ = corpus.cosines(vector, rows, windows=False)
            yield columns.seq[rows[np.argsort(-cosines, kind="stable")]].tolist()


def _by_entity(derived: DerivedState, seqs: Sequence[int]) -> Iterator[list[int]]:
    """Yield the last turns before these that name an entity of theirs, the latest first."""
    for entity in sorted({entity for seq in seqs for entity in derived.graph.entities_of(seq)}):
        yield [seq for seq in reversed(derived.graph.mentions(entity)) if seq < seqs[0]][:_MENTIONS]
