"""Merging two entities into one, and splitting a name from one, as people decide: entries of the log.

The next step of formation carries them out in the graph, and takes back those that were undone.
"""

from datetime import UTC, datetime

from hmem.corpus.corpus import Corpus
from hmem.derived.changes import MERGE, SPLIT
from hmem.derived.graph.entity_edits import BETWEEN
from hmem.derived.graph.entity_resolution import normal
from hmem.derived.state import DerivedState
from hmem.errors import InvalidQuery, UnknownId
from hmem.model.ids import number_of
from hmem.model.span import to_stored
from hmem.storage.base import LogEntry


def merge_entities(corpus: Corpus, derived: DerivedState, entity: str, other: str, why: str | None, by: str) -> int:
    """Log that two entities are one; return the entry's number.

    Raises:
        UnknownId, InvalidQuery: as for ``Changes.merge_entities``.
    """
    graph = derived.graph
    one, two = _entity(derived, entity), _entity(derived, other)
    if one == two:
        raise InvalidQuery(f"{entity!r} and {other!r} are one entity already - `hmem show graph` shows its names")
    if graph.owner(one) != graph.owner(two):
        raise InvalidQuery("entities of two users cannot be one - merge those of one user")
    names = BETWEEN.join((graph.name(two), *graph.aliases(two)))
    return _log(corpus, derived, MERGE, one, names, graph.name(one), why, by)


def split_entity(corpus: Corpus, derived: DerivedState, entity: str, name: str, why: str | None, by: str) -> int:
    """Log that one of an entity's names means another one; return the entry's number.

    Raises:
        UnknownId, InvalidQuery: as for ``Changes.split_entity``.
    """
    graph = derived.graph
    one = _entity(derived, entity)
    meant = next((alias for alias in graph.aliases(one) if normal(alias) == normal(name)), None)
    if meant is None:
        others = ", ".join(graph.aliases(one)) or "none"
        raise InvalidQuery(f"{name!r} is no other name of {graph.name(one)} - it has these: {others}")
    return _log(corpus, derived, SPLIT, one, graph.name(one), meant, why, by)


def _log(
    corpus: Corpus, derived: DerivedState, verb: str, entity: int, before: str, after: str, why: str | None, by: str
) -> int:
    at, graph = to_stored(datetime.now(UTC))[0], derived.graph
    made = LogEntry(at, by, verb, graph.name(entity), why, before, after, graph.owner(entity) or None)
    (number,) = corpus.storage.record([made])
    derived.decisions.catch_up()
    return number


def _entity(derived: DerivedState, given: str) -> int:
    """Return an entity by its id or by a name that it is known by."""
    found, graph = number_of("entity", given), derived.graph
    if found is not None and graph.value(found[1]) is not None:
        return found[1]
    meant = graph.meant(given)
    if not meant:
        raise UnknownId(f"this memory knows no entity {given!r} - `hmem show graph` shows those it knows")
    if len(meant) > 1:
        raise InvalidQuery(f"entities of several users are called {given!r} - give an id, as `hmem show graph` shows")
    return meant[0]
