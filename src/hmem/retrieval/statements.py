"""Statements of a model as further wordings of the turns that it read.

A model names who "she" is, and what an answer answers. So a turn is as similar to a question as the nearest of its own
words and of the statements that were read in it.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.index.rows import Rows, Values
from hmem.derived.events import KeptEvent
from hmem.derived.notes import by_model
from hmem.language.analyzer import stems
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.storage.model_queue import READINGS

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
        readings = [(position, read) for position, read in enumerate(self._readings_of(rows)) if read is not None]
        if not readings:
            return
        positions = np.array([position for position, _ in readings], np.int64)
        owners = np.repeat(np.arange(len(readings)), [len(read.vectors) for _, read in readings])
        cosines = np.concatenate([read.vectors for _, read in readings]).astype(np.float32) @ query.vector
        nearest = np.full(len(readings), -1.0, np.float32)
        np.maximum.at(nearest, owners, cosines * np.float32(query.trust))
        terms["semantic.turn"] = _raised(terms["semantic.turn"], positions, nearest)
        if query.terms and "lexical.turn" in terms:
            rarities = np.array(self._sources.rarities(query.terms), np.float32)
            is_in_turn = self._sources.corpus.contains_terms(query.terms, rows[positions]) > 0
            is_in_reading = np.array([[term in read.words for _, read in readings] for term in query.terms], np.bool_)
            share = rarities @ (is_in_reading & ~is_in_turn) / max(rarities.sum(), np.float32(1e-6))
            lexical = terms["lexical.turn"].copy()
            lexical[positions] += np.float32(_WORD) * share
            terms["lexical.turn"] = lexical

    def _readings_of(self, rows: Rows) -> list[_Read | None]:
        """Return the statements of each turn; None for one that no model read, or found nothing in."""
        derived, cache = self._sources.derived, self._known
        seqs: list[int] = self._sources.corpus.columns.seq[rows].tolist()
        events = {seq: derived.events.of_turn(seq) for seq in seqs}
        if len(cache) > _CACHED:
            cache.clear()
        for seq, turn_events in events.items():
            if (
                turn_events
                and by_model(turn_events[0].made_by)
                and (seq not in cache or cache[seq].events is not turn_events)
            ):
                vectors = derived.vectors_of_events([event.number for event in turn_events]).astype(np.float16)
                cache[seq] = _Read(
                    turn_events, vectors, frozenset(stem for event in turn_events for stem in stems(event.text))
                )
        return [cache[seq] if events[seq] and by_model(events[seq][0].made_by) else None for seq in seqs]


def _raised(values: Values, positions: NDArray[np.int64], minimums: Values) -> Values:
    raised = values.copy()
    raised[positions] = np.maximum(raised[positions], minimums)
    return raised


def model_statements(sources: Sources) -> ModelStatements | None:
    """Return the statements of a memory that a model read; None if none did."""
    if READINGS not in sources.corpus.state.settings:
        return None
    return sources.lasting(ModelStatements)
