"""Statements of a model as further wordings of the turns that it read.

A model names who "she" is, and what an answer answers. So a turn is as similar to a question as the nearest of its own
words and of the statements that were read in it.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.derived.events import KeptEvent
from hmem.derived.notes import by_model
from hmem.language.analyzer import stems
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.storage.model_queue import READINGS

Rows = NDArray[np.int64]
Values = NDArray[np.float32]

# Weight of a word that only a statement has, of that of one that was said.
_WORD: Final = 0.35
# Number of turns whose statements are cached.
_CACHED: Final = 20_000


class _Read(NamedTuple):
    """Statements of a turn, as they were kept, with their vectors and the stems of their words."""

    events: tuple[KeptEvent, ...]
    vectors: NDArray[np.float16]
    words: frozenset[str]


class ModelStatements:
    """Statements that a model read in the turns of a memory. Use it inside ``corpus.reading()``."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._known: dict[int, _Read] = {}

    def add(self, query: Query, rows: Rows, terms: dict[str, Values]) -> None:
        """Raise the terms of turns, in place, to those of their statements.

        ``semantic.turn`` becomes the greater of the turn's cosine and its statements', and ``lexical.turn`` grows by
        the share of the question's words, weighed by rarity, that the statements have and the turn has not.
        """
        found = [(place, read) for place, read in enumerate(self._of(rows)) if read is not None]
        if not found:
            return
        places = np.array([place for place, _ in found], np.int64)
        owners = np.repeat(np.arange(len(found)), [len(read.vectors) for _, read in found])
        cosines = np.concatenate([read.vectors for _, read in found]).astype(np.float32) @ query.vector
        nearest = np.full(len(found), -1.0, np.float32)
        np.maximum.at(nearest, owners, cosines * np.float32(query.trust))
        terms["semantic.turn"] = _raised(terms["semantic.turn"], places, nearest)
        if query.terms and "lexical.turn" in terms:
            rarities = np.array(self._sources.rarities(query.terms), np.float32)
            said = self._sources.corpus.having(query.terms, rows[places]) > 0
            read_in = np.array([[term in read.words for _, read in found] for term in query.terms], np.bool_)
            share = rarities @ (read_in & ~said) / max(rarities.sum(), np.float32(1e-6))
            more = terms["lexical.turn"].copy()
            more[places] += np.float32(_WORD) * share
            terms["lexical.turn"] = more

    def _of(self, rows: Rows) -> list[_Read | None]:
        """Return the statements of each turn; None for one that no model read, or found nothing in."""
        derived, known = self._sources.derived, self._known
        seqs: list[int] = self._sources.corpus.columns.seq[rows].tolist()
        events = {seq: derived.events.of(seq) for seq in seqs}
        if len(known) > _CACHED:
            known.clear()
        for seq, made in events.items():
            if made and by_model(made[0].made_by) and (seq not in known or known[seq].events is not made):
                vectors = derived.vectors_of_events([event.number for event in made]).astype(np.float16)
                known[seq] = _Read(made, vectors, frozenset(stem for event in made for stem in stems(event.text)))
        return [known[seq] if events[seq] and by_model(events[seq][0].made_by) else None for seq in seqs]


def _raised(values: Values, places: NDArray[np.int64], least: Values) -> Values:
    raised = values.copy()
    raised[places] = np.maximum(raised[places], least)
    return raised


def model_statements(sources: Sources) -> ModelStatements | None:
    """Return the statements of a memory that a model read; None if none did."""
    if READINGS not in sources.corpus.state.settings:
        return None
    return sources.lasting(ModelStatements)
