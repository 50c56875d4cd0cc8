"""Names that people gave to nodes of trees.

An entry of the log names the node of a level that holds one leaf, the first that the node had. So a name holds for a
tree that grows or is formed anew.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from hmem.derived.trees.tree import Tree
from hmem.model.change import Verb
from hmem.model.ids import number_of
from hmem.storage.base import LogEntry

RENAME: Final[Verb] = "rename"


def place_of(tree: str, level: int) -> str:
    """Return how an entry of the log tells a level of a tree."""
    return f"{tree} {level}"


def given_names(
    entries: Iterable[LogEntry], name: str, tree: Tree, turn_of_id: Callable[[str], int | None]
) -> Mapping[int, str]:
    """Return the names that entries in force give to nodes of a tree, oldest first: of one node the last one counts.

    ``turn_of_id`` returns the sequence number of a turn, or None.
    """
    found: dict[int, str] = {}
    for entry in entries:
        # An entry whose name was forgotten says nothing.
        if entry.after is None:
            continue
        event = number_of("event", entry.target)
        leaf = event[1] if event is not None else turn_of_id(entry.target)
        if leaf is None or tree.node_of(leaf) is None:
            continue
        for node in tree.path(leaf):
            if entry.link == place_of(name, tree.level(node)):
                found[node] = entry.after
    return found
