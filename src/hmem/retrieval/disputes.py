"""Disputes: what others said later that contradicts a typed slot of a person's own words.

It is looked up when it is asked for, among the turns most like the one that gave the slot, and nothing is formed of it:
what others, tools, documents and assistants say of a person changes nothing of what the person said.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.derived.note_states import Authority, authority
from hmem.derived.notes import KeptNote
from hmem.language.analyst import Lexicon
from hmem.model.note import SINGLE_SLOTS
from hmem.model.turn import Turn

# Later turns of others that are read for one note.
_COMPARED: Final = 32


class Dispute(NamedTuple):
    """Sentence of a turn that gives another value, or denies the one of a note if it is not ``positive``."""

    turn: Turn
    sentence: str
    value: str
    positive: bool


def disputes(corpus: Corpus, lexicon: Lexicon, note: KeptNote, visible: NDArray[np.bool_] | None) -> list[Dispute]:
    """Return what disputes a note of a typed slot, oldest first, in the ``visible`` rows; in all for None."""
    columns = corpus.columns
    row = int(columns.rows_of([note.turn])[0])
    if row < 0:
        return []
    allowed = columns.alive & (columns.said > columns.said[row]) & (columns.speaker != columns.speaker[row])
    if visible is not None:
        allowed &= visible
    rows = corpus.nearest(corpus.vectors_at(np.array([row], np.int64))[0], _COMPARED, allowed)
    turns = sorted(corpus.turns(rows).values(), key=lambda turn: (turn.at, turn.id))
    return [dispute for turn in turns for dispute in _found(lexicon, note, turn)]


def _found(lexicon: Lexicon, note: KeptNote, turn: Turn) -> Iterator[Dispute]:
    if (turn.user or "") != note.owner or authority(turn, note.about) is Authority.OWN:
        return
    for piece in lexicon.split(turn.text):
        for told in lexicon.told_of(piece.text, note.subject):
            if told.slot == note.slot and _contradicts(note, told.value, positive=told.positive):
                yield Dispute(turn, piece.text, told.value, told.positive)
                break


def _contradicts(note: KeptNote, value: str, *, positive: bool) -> bool:
    """Tell if a value and one that is affirmed or denied cannot both hold."""
    shorter, longer = sorted((note.value.casefold(), value.casefold()), key=len)
    return (shorter not in longer and note.slot in SINGLE_SLOTS) if positive else shorter in longer
