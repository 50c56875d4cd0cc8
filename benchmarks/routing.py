"""Routing through layers of conversations and of random records: `python benchmarks/routing.py FILE [RECORDS] [OUT]`.

FILE is LoCoMo's; one memory holds all of its conversations. It prints the cosines of events by the lowest layer that
they share (`hmem bench routing` imitates those of one conversation), the recall of the exact ten nearest events of the
questions, and the trade-off between shapes over random records; OUT gets JSON.
"""

import json
import os

# The libraries read these once, on loading.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from rich.console import Console
from rich.table import Table

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.derived.trees.centroids import on_grid
from hmem.derived.trees.nodes import ROOT
from hmem.language.analyst import analyst
from hmem.papers.position_index import BEAMS, best, route
from hmem.papers.strategies.routed import TREE, TreeLayers
from hmem_evals.bench.routing import measure
from hmem_evals.conversations import Conversation
from hmem_evals.locomo import load

KS = (1, 2, 5, 10, 20, 50, 100)
SHAPES = ((32, 32, 32), (20, 20, 25), (10, 20, 20), (100, 10, 10))


def filled(conversations: Sequence[Conversation]) -> Memory:
    memory = Memory(":memory:", recipe="layered")
    for conversation in conversations:
        names = ("session", "message_id")
        memory.add([{**m, **{name: f"{conversation.id}/{m[name]}" for name in names}} for m in conversation.messages])
    return memory


def separation(derived: DerivedState) -> dict[str, Any]:
    """Return mean and deviation of the cosines of two events by the lowest layer that they share."""
    tree = derived.trees[TREE]
    events = tree.leaves_below(ROOT)
    cosines = (rows := derived.vectors_of_events(events)) @ rows.T
    paths = np.array([tree.path(event)[1:] for event in events])
    shared = (paths[:, None] == paths[None]).sum(axis=2)
    np.fill_diagonal(shared, -1)
    levels = dict(zip(("trace", "category", "domain", "none"), (3, 2, 1, 0), strict=True))
    groups = {name: cosines[shared == count] for name, count in levels.items()}
    return {name: {"mean": float(found.mean()), "deviation": float(found.std())} for name, found in groups.items()}


def real(memory: Memory, questions: Sequence[str]) -> list[dict[str, Any]]:
    """Return the figures of routing against an exact search over all events, by beam."""
    derived = DerivedState(memory.corpus, analyst("verbatim"))
    with memory.corpus.reading():
        derived.catch_up()
        tree = derived.trees[TREE]
        layers, events = TreeLayers(tree, derived.vectors_of_events), np.array(tree.leaves_below(ROOT))
        rows = on_grid(derived.vectors_of_events(events.tolist()))
        aims = on_grid(memory.corpus.embedder.embed(questions))
        exact = [events[best(rows @ aim, 10)] for aim in aims]
        made = []
        for beam in BEAMS:
            for k in KS:
                routes = [route(layers, aim, k=k, beam=beam) for aim in aims]
                hits = [np.isin(nearest, one.leaves).mean() for nearest, one in zip(exact, routes, strict=True)]
                operations = np.mean([one.operations for one in routes])
                figures = {"recall": float(np.mean(hits)), "ops_ratio": float(rows.size / operations)}
                made.append({"beam": beam, "k": k, "events": len(events), **figures})
    return made


def table(title: str, rows: Iterable[dict[str, Any]]) -> Table:
    listed = list(rows)
    made = Table(*listed[0], title=title, title_justify="left")
    for row in listed:
        made.add_row(*(f"{value:.3f}" if isinstance(value, float) else str(value) for value in row.values()))
    return made


def main() -> None:
    file, records = sys.argv[1], int((*sys.argv[2:], 100_000)[0])
    faiss.omp_set_num_threads(1)
    conversations = load(file)
    apart = []
    for conversation in conversations:
        with filled([conversation]) as memory:
            derived = DerivedState(memory.corpus, analyst("verbatim"))
            with memory.corpus.reading():
                derived.catch_up()
                found = separation(derived)
        apart.append({"conversation": conversation.id} | {name: each["mean"] for name, each in found.items()})
    with filled(conversations) as memory:
        routed = real(memory, [question.text for each in conversations for question in each.questions])
    drawn = [
        {"shape": " ".join(map(str, made["layers"])), **each}
        for shape in SHAPES
        if np.prod(shape) * 4 <= records
        for made in [measure(records, 256, 100, shape=shape)]
        for each in made["by_k"]
    ]
    console = Console(width=120)
    console.print(table("Mean cosines of two events that share …", apart))
    console.print(table("All conversations in one memory", routed))
    # Too few records fill none of the shapes.
    if drawn:
        console.print(table(f"{records:,} records drawn", drawn))
    if sys.argv[3:]:
        Path(sys.argv[3]).write_text(json.dumps({"separation": apart, "real": routed, "drawn": drawn}))


if __name__ == "__main__":
    main()
