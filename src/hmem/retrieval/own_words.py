"""Own words: what somebody asked about said of the matter keeps a place in a context, however much others say of it."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from hmem.corpus.index.rows import Rows
from hmem.derived.note_states import Authority, authority
from hmem.model.scope import owner_of, scoped
from hmem.retrieval.plan import Query
from hmem.retrieval.relevance import similarity
from hmem.retrieval.sources import Sources

# Share of the best turn's similarity to the question from which their own is on the matter. Not a difference: whoever
# repeats the question comes as near to it as can be, and 1/2 is within reach even then.
_NEAR: Final = 0.5
# They have a place without this if they are among the best of so many parts.
_AMONG: Final = 3
# Number of their best turns that are read.
_READ: Final = 8


def with_own_words(sources: Sources, query: Query, ranked: Rows, places: Sequence[int]) -> list[int]:
    """Return places in the ranking, first that of the nearest own words of who is asked about, if lines crowd it out.

    It comes first from wherever it ranks. Use it inside ``corpus.reading()``.
    """
    columns = sources.corpus.columns
    theirs = np.isin(columns.speaker[ranked], query.speakers)
    if not places or not theirs.any() or theirs[places[0]]:
        return [*places]
    own = np.flatnonzero(theirs)[:_READ]
    rows = np.append(ranked[own], ranked[places[0]])
    near = similarity(sources, sources.corpus.cosines(query.vector, rows, windows=False)[0])
    order = np.argsort(-near[:-1], kind="stable")
    near_enough = own[order[near[order] >= near[-1] * _NEAR]]
    turns = sources.corpus.turns(ranked[near_enough])
    for place in near_enough.tolist():
        turn = turns.get(int(ranked[place]))
        if turn is not None and authority(turn, scoped(owner_of(turn), turn.speaker)) is Authority.OWN:
            crowded = place not in places[: max(len(places) // _AMONG, 1)]
            return [place, *(each for each in places if each != place)] if crowded else [*places]
    return [*places]
