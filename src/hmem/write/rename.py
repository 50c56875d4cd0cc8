"""Names of the layers after turns were taken out: a node is called as an event was that it began with.

Events that resemble those of a node hang under it whatever their own labels are, so its name may outlive the event
that brought it. It then gets the name that the first event under it has.
"""

from collections.abc import Sequence
from typing import Final

from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.directory import plain
from hmem.hierarchy.part import turn_of
from hmem.hierarchy.placement.layers import path_of
from hmem.hierarchy.scribe import Scribe
from hmem.language.analyst import SLIPS, Analyst, Labels, Statement

# A name that none of so many events has is taken for one that is gone.
_LOOKED_AT: Final = 32


def rename_outdated(arrangement: Arrangement, scribe: Scribe, analyst: Analyst, name: str, layers: int) -> None:
    """Rename the nodes of the layers below which something was taken out and whose name no event has any more."""
    tree = arrangement.trees[name]
    for node in sorted(tree.touched):
        parent = tree.parent(node) if node in tree else None
        if parent is None:
            continue
        depth = 0
        while parent:
            depth, parent = depth + 1, tree.parent(parent) or 0
        leaves = tree.under(node)[:_LOOKED_AT]
        # Mostly the first has it.
        for some in (leaves[:1], leaves):
            names = [path_of(labels, layers)[depth] for labels in _labels(arrangement, scribe, analyst, some)]
            if plain(tree.label(node)) in map(plain, names):
                break
        else:
            tree.rename(node, names[0])


def _labels(
    arrangement: Arrangement, scribe: Scribe, analyst: Analyst, events: Sequence[int]
) -> list[Labels] | list[None]:
    turns = scribe.turns(list(dict.fromkeys(map(turn_of, events))))
    kept = [(arrangement.events.get(event), turns.get(turn_of(event))) for event in events]
    statements = [Statement(event.text if event else "") for event, _ in kept]
    try:
        return analyst.labels_of(statements, [turn for _, turn in kept])
    except SLIPS:
        return [None] * len(events)
