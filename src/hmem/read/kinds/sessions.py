"""Search for sessions: in which sittings a question's answer was talked about.

A session is as good as its best turn, and as its nearest turns together: several that are near the question's meaning
say that the talk was about it, where one may be so by chance. Both are counted in standard deviations over the
sessions, so that they weigh the same whatever strategy scored the turns.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.model.evidence import Evidence, Term, Why
from hmem.read.plan import Query
from hmem.read.sources import Sources
from hmem.read.strategy.base import Scored, Values

SESSION: Final = "session"

# So many of the nearest turns are looked at, and of each session so many count.
_NEAR: Final = 4_000
_TOGETHER: Final = 3
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
    cosines = sources.corpus.cosines(query.vector, rows, windows=False)[0]
    numbers, places = np.unique(columns.session[rows], return_inverse=True)
    found = np.full(len(rows), scored.scores.min(initial=np.float32(0.0)), np.float32)
    found[np.searchsorted(rows, scored.rows)] = scored.scores
    terms = {
        "best": _spread(_top_mean(found, places, len(numbers), 1)),
        "near": _spread(_top_mean(cosines, places, len(numbers), _TOGETHER)),
    }
    total = sum(terms.values(), np.zeros(len(numbers), np.float32))
    order = np.argsort(-total, kind="stable")[:k]
    made = (
        _evidence(sources, rows[places == place][np.argsort(-found[places == place], kind="stable")], why)
        for place, why in ((int(place), {name: float(each[place]) for name, each in terms.items()}) for place in order)
    )
    return [item for item in made if item is not None]


def _top_mean(values: Values, groups: NDArray[np.int64], count: int, most: int) -> Values:
    """The mean of the ``most`` greatest values of each group; a group with fewer has its mean."""
    order = np.lexsort((-values, groups))
    first = np.searchsorted(groups[order], np.arange(count))
    place = np.arange(len(values)) - first[groups[order]]
    kept = order[place < most]
    sums = np.bincount(groups[kept], values[kept], count)
    return (sums / np.bincount(groups[kept], minlength=count)).astype(np.float32)


def _spread(values: Values) -> Values:
    """Values in standard deviations from their mean."""
    return (values - values.mean()) / max(float(values.std()), 1e-6)


def _evidence(sources: Sources, rows: NDArray[np.int64], values: dict[str, float]) -> Evidence | None:
    """A session by its turns, best first: the text and the time of the best one, which stands for all."""
    turns = sources.turns.of(rows[:_SOURCES])
    named = [turns[row] for row in rows[:_SOURCES].tolist() if row in turns]
    if not named:
        return None
    terms = {name: Term(value, 1.0) for name, value in values.items()}
    return Evidence(
        id=named[0].session, kind=SESSION, text=named[0].text, when=named[0].at, score=sum(values.values()),
        why=Why((SESSION,), terms), session=named[0].session, speaker=named[0].speaker, caption=named[0].caption,
        sources=tuple(turn.id for turn in named),
    )  # fmt: skip
