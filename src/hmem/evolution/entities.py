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


def merge_entities(
    corpus: Corpus, derived: DerivedState, entity: str, duplicate: str, reason: str | None, author: str
) -> int:
    """Log that two entities are one; return the entry's number.

    Raises:
        UnknownId, InvalidQuery: as for ``Changes.merge_entities``.
    """
    graph = derived.graph
    survivor, absorbed = _entity(derived, entity), _entity(derived, duplicate)
    if survivor == absorbed:
        raise InvalidQuery(f"{entity!r} and {duplicate!r} are one entity already - `hmem show graph` shows its names")
    if graph.owner(survivor) != graph.owner(absorbed):
        raise InvalidQuery("entities of two users cannot be one - merge those of one user")
    names = BETWEEN.join((graph.name(absorbed), *graph.aliases(absorbed)))
    return _log(corpus, derived, MERGE, survivor, names, graph.name(survivor), reason, author)


def split_entity(corpus: Corpus, derived: DerivedState, entity: str, name: str, reason: str | None, author: str) -> int:
    """Log that one of an entity's names means another one; return the entry's number.

    Raises:
        UnknownId, InvalidQuery: as for ``Changes.split_entity``.
    """
    graph = derived.graph
    number = _entity(derived, entity)
    match = next((alias for alias in graph.aliases(number) if normal(alias) == normal(name)), None)
    if match is None:
        alias_list = ", ".join(graph.aliases(number)) or "none"
        raise InvalidQuery(f"{name!r} is no other name of {graph.name(number)} - it has these: {alias_list}")
    return _log(corpus, derived, SPLIT, number, graph.name(number), match, reason, author)


def _log(
    corpus: Corpus,
    derived: DerivedState,
    verb: str,
    entity: int,
    before: str,
    after: str,
    reason: str | None,
    author: str,
) -> int:
    timestamp, graph = to_stored(datetime.now(UTC))[0], derived.graph
    entry = LogEntry(timestamp, author, verb, graph.name(entity), reason, before, after, graph.owner(entity) or None)
    (number,) = corpus.storage.record([entry])
    derived.decisions.catch_up()
    return number


def _entity(derived: DerivedState, entity: str) -> int:
    """Return an entity by its id or by a name that it is known by."""
    numbers, graph = number_of("entity", entity), derived.graph
    if numbers is not None and graph.value(numbers[1]) is not None:
        return numbers[1]
    matches = graph.meant(entity)
    if not matches:
        raise UnknownId(f"this memory knows no entity {entity!r} - `hmem show graph` shows those it knows")
    if len(matches) > 1:
        raise InvalidQuery(f"entities of several users are called {entity!r} - give an id, as `hmem show graph` shows")
    return matches[0]
