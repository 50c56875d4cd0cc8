"""Renaming a node of a tree, as people decide: entries of the log, which the names of nodes follow."""

from datetime import UTC, datetime
from typing import Final

from hmem.corpus.corpus import Corpus
from hmem.derived.changes import RENAME, place_of
from hmem.derived.chunks import turn_of
from hmem.derived.state import EVENT_TREES, TREES, DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.errors import InvalidQuery, UnknownId
from hmem.language.containment import attempted
from hmem.model.ids import number_of, numbered
from hmem.model.span import to_stored
from hmem.storage.base import LogEntry

_CALENDAR: Final = "calendar"
# Longest name of a node, in characters.
_LONGEST: Final = 200


def rename_node(
    corpus: Corpus, derived: DerivedState, text_writer: TextWriter, id: str, name: str, reason: str | None, author: str
) -> int:
    """Log the name of a node; return the entry's number.

    Raises:
        UnknownId, InvalidQuery: as for ``Changes.rename_node``.
    """
    tree, node = _node(derived, id)
    title = " ".join(name.split())
    if not 0 < len(title) <= _LONGEST:
        raise InvalidQuery(f"a name has 1 to {_LONGEST} characters, not {len(title)} - give another one")
    if tree == _CALENDAR or node == 0:
        raise InvalidQuery("dates and the whole of a tree keep their names - rename a node below")
    before = attempted(lambda: text_writer.name(tree, node), "")
    if before == title:
        raise InvalidQuery(f"the node is called {title!r} already - give another name")
    level = derived.trees[tree].level(node)
    entry = LogEntry(
        to_stored(datetime.now(UTC))[0], author, RENAME, _first_leaf(derived, text_writer, tree, node), reason,
        before, title, place_of(tree, level),
    )  # fmt: skip
    (number,) = corpus.storage.record([entry])
    derived.decisions.catch_up()
    return number


def _node(derived: DerivedState, id: str) -> tuple[str, int]:
    """Return the tree of a node, and its number there."""
    numbers = number_of("node", id)
    if numbers is None or numbers[0] >= len(TREES) or numbers[1] not in derived.trees[TREES[numbers[0]]]:
        raise UnknownId(f"no tree has a node {id!r} - `hmem show tree topic --json` shows those it has")
    return TREES[numbers[0]], numbers[1]


def _first_leaf(derived: DerivedState, text_writer: TextWriter, tree: str, node: int) -> str:
    """Return the id of the first visible leaf below a node."""
    leaves = sorted(derived.trees[tree].under(node))
    seqs = [turn_of(leaf) for leaf in leaves] if tree in EVENT_TREES else leaves
    turns = text_writer.turns(seqs[:1]) or text_writer.turns(list(dict.fromkeys(seqs)))
    for leaf, seq in zip(leaves, seqs, strict=True):
        if seq in turns:
            turn = turns[seq]
            return numbered("event", to_stored(turn.at)[0] // 1000, leaf) if tree in EVENT_TREES else turn.id
    raise InvalidQuery("nothing below this node is recalled any more - it needs no name")
