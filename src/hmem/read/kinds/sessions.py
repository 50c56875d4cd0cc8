"""Search for sessions: in which sittings a question's answer was talked about.

A session is as good as its best turn. That several of its turns are near the question counts nothing: counted as much
as the best turn, it cost 2.2 points of recall_all@5 on LoCoMo's development part (`hmem eval locomo`).
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.model.evidence import Evidence, Term, Why
from hmem.read.plan import Query
from hmem.read.sources import Sources
from hmem.read.strategy.base import Scored, Values

SESSION: Final = "session"

# So many of the nearest turns are looked at besides those that the strategies found.
_NEAR: Final = 4_000
# So many of its turns are named as a session's sources.
_SOURCES: Final = 16


def find_sessions(sources: Sources, query: Query, scored: Scored, k: int) -> list[Evidence]:
    """The ``k`` best sessions for a question, best first, told by their best turns. Call it inside ``reading()``.

    ``scored`` are the turns that the strategies found, best first.
    """
    columns = sources.corpus.columns
    near = sources.corpus.nearest(query.vector, _NEAR, query.allowed)
    rows = np.union1d(near, scored.rows)
    if not len(rows):
        return []
    numbers, places = np.unique(columns.session[rows], return_inverse=True)
    found = np.full(len(rows), scored.scores.min(initial=np.float32(0.0)), np.float32)
    found[np.searchsorted(rows, scored.rows)] = scored.scores
    best = np.full(len(numbers), -np.inf, np.float32)
    np.maximum.at(best, places, found)
    order = np.argsort(-best, kind="stable")[:k]
    made = (_evidence(sources, *_sorted(rows[places == place], found[places == place])) for place in order)
    return [item for item in made if item is not None]


def _sorted(rows: NDArray[np.int64], scores: Values) -> tuple[NDArray[np.int64], float]:
    """The turns of a session, best first, and the score of the best."""
    order = np.argsort(-scores, kind="stable")
    return rows[order], float(scores[order[0]])


def _evidence(sources: Sources, rows: NDArray[np.int64], score: float) -> Evidence | None:
    """A session by its turns, best first: the text and the time of the best one, which stands for all."""
    turns = sources.turns.of(rows[:_SOURCES])
    named = [turns[row] for row in rows[:_SOURCES].tolist() if row in turns]
    if not named:
        return None
    return Evidence(
        id=named[0].session, kind=SESSION, text=named[0].text, when=named[0].at, score=score,
        why=Why((SESSION,), {"best": Term(score, 1.0)}), session=named[0].session,
        speaker=named[0].speaker, caption=named[0].caption, sources=tuple(turn.id for turn in named),
    )  # fmt: skip
