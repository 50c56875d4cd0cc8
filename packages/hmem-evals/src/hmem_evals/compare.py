"""Comparison of all recipes, the ablations of their papers and two plain baselines on the same questions.

Rows that differ only in recall share one formation: a conversation is formed once for each formation configuration,
and each row asks a copy of that memory, so that no row sees the uses recorded by another.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hmem.api.memory import Memory
from hmem.errors import UnknownName
from hmem.recipes import RECIPES, Recipe, recipe, to_text
from hmem_evals.asking import Outcome, gold_of
from hmem_evals.conversations import Conversation
from hmem_evals.mechanisms import settings_without
from hmem_evals.run import BUDGET, Options, Progress, Tally, add, answers_to, opened, weigh
from hmem_evals.summary import summarise

# Fewer turns are ranked than in a single evaluation: some forty rows are asked every question.
DEPTH: Final = 50

_FILE: Final = "memory.hmem"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the comparison: a recipe, or the ablation of it called ``name``."""

    recipe: str
    name: str = ""
    without: tuple[str, ...] = ()
    changed: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def settings(self) -> dict[str, str]:
        """Settings in which the row differs from its recipe."""
        return {**settings_without(self.without), **self.changed}

    @property
    def made(self) -> Recipe:
        """The recipe with the row's settings."""
        return recipe(self.recipe, self.settings)


def _without(name: str, *mechanisms: str) -> tuple[Row, ...]:
    return tuple(Row(name, f"without {mechanism}", (mechanism,)) for mechanism in mechanisms)


def _with(name: str, constant: str, *values: str) -> tuple[Row, ...]:
    return tuple(Row(name, f"{constant}={value}", (), {constant: value}) for value in values)


_DUAL_MEASURES: Final = ("sequential.similarity", "intersective.similarity")
# HMO's comparison with a memory that is recalled by a graph in place of tiers.
_BY_GRAPH: Final[Mapping[str, str]] = {
    "retrieval.strategies": "graph", "formation.graph": "true", "formation.evolution": "true",
}  # fmt: skip

# Ablations by recipe; a paper's recipe has the ablations of the paper.
ABLATIONS: Final[Mapping[str, tuple[Row, ...]]] = {
    "fusion": _without("fusion", "learned-ranker", "temporal", "events", "follow-up", "notes", "graph"),
    "evolving": (
        *_without("evolving", "evolution", "graph", "summaries", "robustness", "follow-up", "profiles"),
        *_with("evolving", "plan.scope", "mixed"),
        *_with("evolving", "graph.similarity", "semantic"),
        *_with("evolving", "evolution.alpha", "0.9,0.8,0.7", "0.7,0.6,0.5"),
    ),
    "dual-tree": (
        *_without("dual-tree", "curation", "calendar", "lca", "intersective"),
        *_with("dual-tree", "sequential.bounded", "false"),
        Row("dual-tree", "by meaning alone", (), dict.fromkeys(_DUAL_MEASURES, "semantic")),
    ),
    "layered": (
        *_without("layered", "routing", "layers"),
        *_with("layered", "routing.beam", "per-parent"),
        *_with("layered", "routing.similarity", "semantic"),
    ),
    "notes-episodes": (
        *_without("notes-episodes", "reconcile", "hierarchy", "notes", "episodes", "topic-channel", "surprise-channel"),
        *_with("notes-episodes", "best_effort.notes_first", "true"),
        *_with("notes-episodes", "best_effort.similarity", "semantic"),
    ),
    "orchestrated": (
        *_without("orchestrated", "tier1", "tiers", "persona"),
        *_with("orchestrated", "tiered.threshold", "0.75"),
        *_with("orchestrated", "tiers.scoring", "importance", "similarity"),
        *_with("orchestrated", "tiered.similarity", "semantic"),
        Row("orchestrated", "graph-based", (), _BY_GRAPH),
    ),
}


def rows(recipes: Sequence[str] | None = None, *, ablations: bool = True) -> list[Row]:
    """Return the lines of a comparison: each recipe, followed by its ablations; by default all recipes and baselines.

    An ablation that leaves its recipe unchanged is left out.

    Raises:
        UnknownName: there is no such recipe.
    """
    chosen = list(dict.fromkeys(RECIPES if recipes is None else recipes))
    if unknown := next((name for name in chosen if name not in RECIPES), None):
        raise UnknownName(f"no recipe is called {unknown!r} - choose one of: {', '.join(RECIPES)}")
    found: list[Row] = []
    for name in chosen:
        found.append(Row(name))
        if ablations:
            found += [row for row in ABLATIONS.get(name, ()) if row.made != recipe(name)]
    return found


def compare(
    dataset: str,
    conversations: Sequence[Conversation],
    *,
    recipes: Sequence[str] | None = None,
    ablations: bool = True,
    embedder: str | None = None,
    depth: int = DEPTH,
    tokens: int = BUDGET,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the evaluation of each row, as JSON: ``dataset`` and ``rows``.

    A row has the figures of an evaluation, its ``name``, the recipe that it ``ablates`` or None, and ``settings``.
    Rows with the same formation share its turns per second. ``progress`` gets the number of questions asked over all
    rows and the total.

    Raises:
        UnknownName: no such recipe or embedder.
    """
    chosen = rows(recipes, ablations=ablations)
    runs = [_RecipeRun(row, Options(row.recipe, row.settings, embedder, depth, tokens, replay=False)) for row in chosen]
    total, done = len(runs) * sum(len(conversation.questions) for conversation in conversations), 0
    for conversation in conversations:
        for _ in _asked(conversation, runs):
            done += 1
            if progress is not None:
                progress(done, total)
    facts = {"dataset": dataset, "analyst": "verbatim", "replay": False}
    size = {"conversations": len(conversations), "depth": depth, "tokens": tokens}
    return {"dataset": dataset, "rows": [run.figures(facts | size) for run in runs]}


@dataclass(slots=True)
class _RecipeRun:
    """A row with its outcomes and totals so far."""

    row: Row
    options: Options
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    tally: Tally = field(default_factory=Tally)

    def figures(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row's evaluation."""
        row = self.row
        named = {
            "name": row.name or row.recipe,
            "ablates": row.recipe if row.name else None,
            "recipe": row.recipe,
            "without": list(row.without),
            "settings": dict(row.changed),
        }
        return summarise({**facts, **named}, self.outcomes, self.tally)


def _asked(conversation: Conversation, runs: Sequence[_RecipeRun]) -> Iterator[None]:
    """Form a conversation once for each formation configuration, and ask every run; yield after each question."""
    ways: dict[str, list[_RecipeRun]] = {}
    for run in runs:
        ways.setdefault(to_text(run.row.made.formation), []).append(run)
    for sharing in ways.values():
        with TemporaryDirectory(prefix="hmem-compare-") as folder:
            filled = Path(folder) / "filled"
            _fill(filled, conversation, sharing)
            for number, run in enumerate(sharing):
                copy = shutil.copytree(filled, Path(folder) / f"{number}")
                for outcome in _outcomes(copy, conversation, run):
                    run.outcomes.append(outcome)
                    yield


def _fill(folder: Path, conversation: Conversation, sharing: Sequence[_RecipeRun]) -> None:
    """Form a conversation with the configuration that these runs share, and count it for each of them."""
    folder.mkdir()
    first, filling = sharing[0].options, Tally()
    with Memory(folder / _FILE, recipe=first.recipe, settings=first.settings, embedder=first.embedder) as memory:
        add(memory, conversation.messages, filling, flush=True)
    for run in sharing:
        run.tally.turns += filling.turns
        run.tally.rejected += filling.rejected
        run.tally.seconds += filling.seconds
        run.tally.roles |= filling.roles


def _outcomes(folder: Path, conversation: Conversation, run: _RecipeRun) -> Iterator[Outcome]:
    latest = max((message["at"] for message in conversation.messages), default=None)
    asked = list(zip(conversation.questions, gold_of(conversation), strict=True))
    with opened(folder / _FILE, run.options) as handles:
        yield from answers_to(handles, asked, latest, run.options)
        weigh(handles.memory, run.tally)
