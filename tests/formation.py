"""Comparable dump of derived state, and turns to form it from."""

import json
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from hmem import Memory
from hmem.corpus import corpus
from hmem.corpus.corpus import Corpus
from hmem.derived.state import TREES, DerivedState
from hmem.formation.config import FormationConfig
from hmem.formation.pipeline import FormationPipeline
from hmem.language.analyst import analyst
from hmem.model.tier import TierOptions
from hmem.papers.tiers import scores, tier_columns

EXAMPLE = Path(__file__).parents[1] / "examples" / "ten_months.jsonl"


class FormedExample(Protocol):
    """Puts a memory of the first turns of the example at a path, formed by one that ``opened`` opens."""

    def __call__(
        self,
        path: Path | str,
        count: int | None = None,
        *,
        consolidated: bool = False,
        opened: Callable[[str], Memory] = ...,
    ) -> None:
        """Put it there: at a path, or at the URL of a memory in a database."""
        ...


def example(count: int | None = None) -> list[dict[str, Any]]:
    """Return the turns of the example, as messages."""
    lines = EXAMPLE.read_text("utf-8").splitlines()[:count]
    return [{name: value for name, value in json.loads(line).items() if name != "id"} for line in lines]


def form_example(path: str, count: int | None, consolidated: bool, opened: Callable[[str], Memory]) -> None:
    """Form a memory of turns of the example, as a process's task: nothing that a test has set or patched counts."""
    for name in [name for name in os.environ if name.startswith("HMEM_") and name != "HMEM_EMBEDDER"]:
        del os.environ[name]
    corpus.ALONE_TURNS = 0
    with opened(path) as memory:
        memory.add(example(count))
        if consolidated:
            memory.consolidate()


def derived(memory: Memory) -> DerivedState:
    """Load the stored derived state of a memory, after what was added to it is formed."""
    memory._components.worker.finish()
    loaded = DerivedState(memory.corpus, analyst("rules"))
    with memory.corpus.reading():
        loaded.catch_up()
    return loaded


def tiers_anew(corpus: Corpus, state: DerivedState, options: TierOptions, moment: datetime) -> dict[str, set[int]]:
    """Compute the rows of each tier from all turns, as the paper defines them."""
    vectors = {person: persona.vector for person in state.personas.people() if (persona := state.personas.get(person))}
    rows, columns = tier_columns(corpus, state, state.judgements.seqs(), vectors)
    score = dict(zip(rows.tolist(), scores(columns, moment.timestamp(), options).tolist(), strict=True))
    session, said = corpus.columns.session, corpus.columns.said
    last: dict[int, int] = {}
    for row in score:
        last[int(session[row])] = max(int(said[row]), last.get(int(session[row]), 0))
    sessions = sorted(last, key=lambda number: (last[number], number), reverse=True)[: options.sessions]
    cache = {row for row in score if session[row] in sessions}
    others = sorted(score.keys() - cache, key=lambda row: (score[row], row), reverse=True)
    upper = options.pivotal + options.buffer
    tiers = {"buffer": {*others[options.pivotal : upper]}, "archive": {*others[upper:]}}
    return {"cache": cache | {*others[: options.pivotal]}, **tiers}


def formation(memory: Memory, **options: Any) -> FormationPipeline:
    """Return another formation pipeline on the same memory."""
    rules = analyst("rules")
    return FormationPipeline(memory.corpus, DerivedState(memory.corpus, rules), rules, FormationConfig(**options))


def formed(memory: Memory, kept: DerivedState | None = None) -> dict[str, Any]:
    """Return all derived state by sequence numbers, from ``kept`` or as stored, after what was added is formed."""
    memory._components.worker.finish()
    kept = kept or derived(memory)
    with memory.corpus.reading():
        kept.catch_up()
        graph = kept.graph
        return {
            "judgements": {seq: kept.judgements.get(seq) for seq in kept.judgements.seqs()},
            "events": {seq: kept.events.of_turn(seq) for seq in kept.events.turns()},
            "notes": kept.notes.all(),
            "trees": {
                name: {leaf: tuple(kept.trees[name].path(leaf)) for leaf in kept.trees[name].leaves_below(0)}
                for name in TREES
            },
            "labels": {
                name: {node: kept.trees[name].label(node) for node in kept.trees[name].nodes()} for name in TREES
            },
            "graph": {
                number: (graph.name(number), graph.type(number), graph.aliases(number), graph.mentions(number))
                for number in graph.entities()
            },
            "relations": [(edge.source, edge.target, edge.label, edge.evidence) for edge in graph.relations()],
            "personas": {
                person.number: (persona.version, persona.text, persona.traits)
                for person in kept.personas.people()
                if (persona := kept.personas.get(person)) is not None
            },
        }
