"""Consolidation: write and store every text that is missing or has become untrue (H-Mem, tree and graph)."""

from collections.abc import Callable, Iterator
from typing import Final

from hmem.corpus import Corpus
from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.scribe import Scribe
from hmem.model.report import Consolidation

# So many texts are stored at a time: an interrupted run is taken up where it stopped.
_AT_ONCE: Final = 256

Progress = Callable[[int, int], None]
Task = tuple[str, str, int]


def consolidate(
    corpus: Corpus, arrangement: Arrangement, scribe: Scribe, turns: int = 0, progress: Progress | None = None
) -> Consolidation:
    """Write summaries of nodes that gather something, names, profiles of salient entities, and personas.

    What is written already and still true is left alone, so doing it twice does nothing more. ``turns`` is how many
    were formed just before, for the report.

    Raises:
        MemoryBusy, StorageFull, StorageError: what was stored so far stays.
    """
    counts = {"summaries": 0, "names": 0, "profiles": 0, "personas": 0}
    while True:
        with corpus.reading():
            arrangement.catch_up()
            tasks = list(_missing(corpus, arrangement, scribe))
            for kind, tree, number in tasks[:_AT_ONCE]:
                _write(scribe, kind, tree, number)
            watermark = arrangement.at.watermark
            stored = arrangement.store(watermark) if tasks else True
            left = list(_missing(corpus, arrangement, scribe)) if tasks and stored else tasks
        for kind, _, _ in tasks:
            counts[kind] += 1
        for kind, _, _ in left:
            counts[kind] -= 1
        if progress is not None and tasks:
            progress(sum(counts.values()), sum(counts.values()) + len(left))
        if not left:
            return Consolidation(turns, **counts)


def _missing(corpus: Corpus, arrangement: Arrangement, scribe: Scribe) -> Iterator[Task]:
    """What is to be written: lower nodes before those above them, whose summaries build on theirs."""
    for name, tree in arrangement.trees.items():
        texts = arrangement.written[name]
        for node in sorted(tree.nodes(), key=lambda node: (tree.level(node), node)):
            if scribe.options.summaries and tree.size(node) > 1 and texts.summaries.of(node) is None:
                yield "summaries", name, node
            if (
                name == "topic"
                and tree.parent(node) is not None
                and not tree.label(node)
                and texts.names.of(node) is None
            ):
                yield "names", name, node
    if scribe.options.profiles:
        for entity in arrangement.graph.entities():
            if (
                arrangement.profiles.of(entity) is None
                and arrangement.graph.mentions(entity)
                and scribe.salient(entity)
            ):
                yield "profiles", "", entity
    if scribe.options.persona:
        for speaker in corpus.speakers:
            kept = arrangement.personas.of(speaker.number)
            latest = arrangement.notes.latest(speaker.name)
            if latest >= 0 and (kept is None or kept.through != latest):
                yield "personas", "", speaker.number


def _write(scribe: Scribe, kind: str, tree: str, number: int) -> None:
    match kind:
        case "summaries":
            scribe.summary(tree, number)
        case "names":
            scribe.name(tree, number)
        case "profiles":
            scribe.profile(number)
        case _:
            scribe.renew(number)
