"""Standing instructions for a request: found by what they apply to, not only by shared words.

"Write me a function" is no question to the memory, and what it needs of the memory is "always use type hints". A
request brings the standing instructions nearest to it among its best turns; an ordinary question does not.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

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


def with_instructions(sources: Sources, query: Query, ranking: ScoredTurns) -> tuple[ScoredTurns, tuple[int, ...]]:
    """Return candidates with the instructions that apply to a request among the best, and their rows.

    ``TERM`` is what brought an instruction up. Call it inside ``corpus.reading()``.
    """
    if sources.embedder_unavailable or not len(ranking.rows) or not sources.analyst.lexicon.requests(query.text):
        return ranking, ()
    rows = _applicable(sources, query)
    # One that is found by its words keeps its place.
    best = ranking.rows[: _TOP_TURNS + _INSTRUCTION_LIMIT].tolist()
    missing = [row for row in rows if row not in best]
    return (_raise_rows(ranking, missing) if missing else ranking), tuple(rows)


def _applicable(sources: Sources, query: Query) -> list[int]:
    """Return the rows of the turns whose instructions apply to a request, nearest first."""
    instructions = sources.cached(_instructions)
    visible = {note.number for note in present(sources, query, instructions.notes)}
    indices = [index for index, note in enumerate(instructions.notes) if note.number in visible]
    if not indices:
        return []
    similarities = instructions.vectors[indices] @ query.vector
    similarities = np.array(list(map(sources.corpus.embedder.calibration, similarities.tolist())))
    rows: list[int] = []
    nearest: list[int] = np.argsort(-similarities, kind="stable").tolist()
    for place in nearest:
        if similarities[place] < _MIN_SIMILARITY or len(rows) == _INSTRUCTION_LIMIT:
            break
        row = int(sources.corpus.columns.rows_of([instructions.notes[indices[place]].turn])[0])
        if row >= 0 and row not in rows and (query.allowed is None or bool(query.allowed[row])):
            rows.append(row)
    return rows


def _instructions(sources: Sources) -> _Instructions:
    notes = sources.derived.notes.in_slots(INSTRUCTIONS)
    return _Instructions(notes, sources.corpus.vectors_of([note.turn for note in notes]))


def _raise_rows(ranking: ScoredTurns, missing: Sequence[int]) -> ScoredTurns:
    """Return candidates with some turns behind the best ones; turns that were no candidates are added."""
    new_rows = np.array([row for row in missing if row not in set(ranking.rows.tolist())], np.int64)
    rows = np.concatenate([ranking.rows, new_rows])
    scores = np.concatenate([ranking.scores, np.zeros(len(new_rows), np.float32)])
    terms = {name: np.concatenate([each, np.zeros(len(new_rows), np.float32)]) for name, each in ranking.terms.items()}
    rank = min(_TOP_TURNS, len(ranking.scores)) - 1
    before = ranking.scores[rank]
    after = ranking.scores[rank + 1] if rank + 1 < len(ranking.scores) else before - np.float32(1.0)
    values = np.zeros(len(rows), np.float32)
    for step, row in enumerate(missing, 1):
        index = int(np.flatnonzero(rows == row)[0])
        values[index] = before - (before - after) * np.float32(step / (len(missing) + 1)) - scores[index]
    return replace(ranking, rows=rows, scores=scores, terms=terms).with_term(TERM, values).sorted()
