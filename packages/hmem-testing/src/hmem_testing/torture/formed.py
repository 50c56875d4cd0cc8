"""Comparison of what is formed of a memory with a twin: a copy of its turns and changes, formed anew.

However formation was interrupted, and in whatever portions it ran, both must show the same to whoever asks.
"""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from hmem import Memory
from hmem.model.node import Branch

_NO_LIMIT: Final = 1_000_000
# Differences that are told of each kind.
_MAX_SHOWN: Final = 2


def differences(memory: Memory, folder: Path, key: str | None = None, *, whole: bool = False) -> list[str]:
    """Return how what a memory shows of what was formed differs from its twin, which is made in a new folder.

    ``whole`` compares the form of all trees, and the labels of their nodes. For a memory that erased something, the
    leaves of the topics, the layers and the evolution tree count: they keep the form that they grew with it (decision
    0043). Both are consolidated before, since the levels of the evolution tree depend on when that was done last.
    """
    folder.mkdir()
    try:
        memory.flush()
        memory.backup(folder / "twin.hmem")
        with Memory(folder / "twin.hmem", key=key) as twin:
            twin.rebuild()
            if whole:
                memory.consolidate()
                twin.consolidate()
            return list(_different(snapshot(memory, whole=whole), snapshot(twin, whole=whole)))
    finally:
        shutil.rmtree(folder)


def snapshot(memory: Memory, *, whole: bool) -> dict[str, Mapping[str, Any]]:
    """Return what is formed, by kind and id: events, notes with their states, entities, episodes, trees, profiles.

    Entities and nodes are told apart by what they hold: their ids tell in which order they were made. Without
    ``whole``, the leaves alone count of the topics, the layers and the evolution tree.
    """
    graph = memory.graph(limit=_NO_LIMIT)
    names = {entity.id: f"{entity.name} ({entity.type})" for entity in graph.entities}
    people = sorted({turn.speaker for turn in memory.list(limit=_NO_LIMIT)})
    trees = {name: memory.tree(name) for name in ("topic", "layers", "evolution")}
    return {
        "events": {event.id: asdict(event) for event in memory.events(limit=_NO_LIMIT)},
        "notes": {note.id: asdict(note) for note in memory.notes(limit=_NO_LIMIT)},
        "entities": {names[entity.id]: sorted(entity.aliases) for entity in graph.entities},
        "relations": {
            f"{names.get(relation.source)} {relation.label} {names.get(relation.target)}": sorted(relation.evidence)
            for relation in graph.relations
        },
        "episodes": {episode.id: asdict(episode) for episode in memory.episodes(limit=_NO_LIMIT)},
        "calendar": dict(_nodes(memory.tree("calendar"), "")),
        **{name: dict(_nodes(tree, "")) if whole else {"": sorted(_leaves(tree))} for name, tree in trees.items()},
        "profiles": {person: memory.profile(person).text for person in people},
    }


def _nodes(branch: Branch, prefix: str) -> Iterator[tuple[str, int]]:
    """Yield the nodes of a tree by the labels on the way to them and all leaves below, with the number of leaves."""
    node = branch.node
    # Other nodes are named when they are first looked at, after what is in them and beside them then.
    labelled = node.tree == "calendar" or (node.tree == "layers" and node.level > 1)
    path, leaves = f"{prefix}/{node.label if labelled else ''}", sorted(_leaves(branch))
    yield f"{path}: {' '.join(leaves)}", len(leaves)
    for child in branch.children:
        yield from _nodes(child, path)


def _leaves(branch: Branch) -> Iterator[str]:
    yield from branch.leaves
    for child in branch.children:
        yield from _leaves(child)


def _different(first: Mapping[str, Mapping[str, Any]], second: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for kind, items in first.items():
        anew = second[kind]
        wrong = sorted(key for key in {*items, *anew} if items.get(key) != anew.get(key))
        for each in wrong[:_MAX_SHOWN]:
            yield f"of {len(wrong)} {kind} formed otherwise, {each}: {items.get(each)} - anew {anew.get(each)}"
