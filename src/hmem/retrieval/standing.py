"""Standing instructions for a request: found by what they apply to, not only by shared words.

"Write me a function" is no question to the memory, and what it needs of the memory is "always use type hints". A
request brings the standing instructions nearest to it among its best turns; an ordinary question does not.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.derived.notes import KeptNote
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import ScoredTurns, Values
from hmem.retrieval.visibility import present

# Term of an instruction that was brought.
TERM: Final = "standing"

# At most so many instructions are brought, behind so many of the best turns.
_INSTRUCTION_LIMIT: Final = 2
_TOP_TURNS: Final = 3
# Slots of notes that say how to do what somebody requests.
INSTRUCTIONS: Final = ("instruction", "diet", "allergy")
# Similarity to the request, on the common scale, from which an instruction applies.
_MIN_SIMILARITY: Final = 0.1


class _Instructions(NamedTuple):
    """Notes of standing instructions, with the vector of the turn of each."""

    notes: list[KeptNote]
    vectors: Values


def with_instructions(sources: Sources, query: Query, scored: ScoredTurns) -> tuple[ScoredTurns, tuple[int, ...]]:
    """Return candidates with the instructions that apply to a request among the best, and their rows.

    ``TERM`` is what brought an instruction up. Call it inside ``corpus.reading()``.
    """
    if sources.embedder_unavailable or not len(scored.rows) or not sources.analyst.lexicon.requests(query.text):
        return scored, ()
    rows = _applicable(sources, query)
    # One that is found by its words keeps its place.
    best = scored.rows[: _TOP_TURNS + _INSTRUCTION_LIMIT].tolist()
    missing = [row for row in rows if row not in best]
    return (_raise_rows(scored, missing) if missing else scored), tuple(rows)


def _applicable(sources: Sources, query: Query) -> list[int]:
    """Return the rows of the turns whose instructions apply to a request, nearest first."""
    instructions = sources.cached(_instructions)
    visible = {note.number for note in present(sources, query, instructions.notes)}
    places = [place for place, note in enumerate(instructions.notes) if note.number in visible]
    if not places:
        return []
    similarities = instructions.vectors[places] @ query.vector
    similarities = np.array(list(map(sources.corpus.embedder.calibration, similarities.tolist())))
    rows: list[int] = []
    nearest: list[int] = np.argsort(-similarities, kind="stable").tolist()
    for place in nearest:
        if similarities[place] < _MIN_SIMILARITY or len(rows) == _INSTRUCTION_LIMIT:
            break
        row = int(sources.corpus.columns.rows_of([instructions.notes[places[place]].turn])[0])
        if row >= 0 and row not in rows and (query.allowed is None or bool(query.allowed[row])):
            rows.append(row)
    return rows


def _instructions(sources: Sources) -> _Instructions:
    notes = sources.derived.notes.in_slots(INSTRUCTIONS)
    return _Instructions(notes, sources.corpus.vectors_of([note.turn for note in notes]))


def _raise_rows(scored: ScoredTurns, missing: Sequence[int]) -> ScoredTurns:
    """Return candidates with some turns behind the best ones; turns that were no candidates are added."""
    new_rows = np.array([row for row in missing if row not in set(scored.rows.tolist())], np.int64)
    rows = np.concatenate([scored.rows, new_rows])
    scores = np.concatenate([scored.scores, np.zeros(len(new_rows), np.float32)])
    terms = {name: np.concatenate([each, np.zeros(len(new_rows), np.float32)]) for name, each in scored.terms.items()}
    rank = min(_TOP_TURNS, len(scored.scores)) - 1
    before = scored.scores[rank]
    after = scored.scores[rank + 1] if rank + 1 < len(scored.scores) else before - np.float32(1.0)
    values = np.zeros(len(rows), np.float32)
    for step, row in enumerate(missing, 1):
        index = int(np.flatnonzero(rows == row)[0])
        values[index] = before - (before - after) * np.float32(step / (len(missing) + 1)) - scores[index]
    return _sort(replace(scored, rows=rows, scores=scores + values, terms=terms), values)


def _sort(scored: ScoredTurns, values: NDArray[np.float32]) -> ScoredTurns:
    order = np.argsort(-scored.scores, kind="stable")
    terms = {name: each[order] for name, each in {**scored.terms, TERM: values}.items()}
    weights = {**scored.weights, TERM: 1.0}
    return replace(scored, rows=scored.rows[order], scores=scored.scores[order], terms=terms, weights=weights)
