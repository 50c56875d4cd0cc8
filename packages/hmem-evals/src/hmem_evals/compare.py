"""Comparison of all recipes, the ablations of their papers and two plain baselines on the same questions.

What counts is what a reader gets: the share of the evidence among ten turns, and in contexts of three sizes. Rows that
differ only in recall share one formation: a conversation is formed once for each formation configuration, and each row
asks a copy of that memory, so that no row sees the uses recorded by another.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hmem.api.memory import Memory
from hmem.errors import InvalidFile, UnknownName
from hmem.recipes import DEFAULT, RECIPES, Recipe, recipe, settings_without, to_text
from hmem.retrieval.stages import STAGES
from hmem.util.amounts import amount
from hmem_evals.asking import Gold, gold_of, share_in
from hmem_evals.conversations import Conversation, Question
from hmem_evals.metrics import interval, mean, recall
from hmem_evals.run import Progress

K: Final = 10
TOKENS: Final = (600, 1_272, 4_000)
# Recipe that the others are compared with.
BASELINE: Final = "flat"
# Largest share of the turns that a recording may lack the reading of. Texts that it lacks stay as they are without a
# model: no evidence is looked for in them.
_MAX_MISSING: Final = 0.02

_FILE: Final = "memory.hmem"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the comparison: a recipe, or the ablation of it called ``name``."""

    recipe: str
    name: str = ""
    ablated: tuple[str, ...] = ()
    changes: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def settings(self) -> dict[str, str]:
        """Settings in which the row differs from its recipe."""
        return {**settings_without(self.ablated), **self.changes}

    @property
    def built_recipe(self) -> Recipe:
        """The recipe with the row's settings."""
        return recipe(self.recipe, self.settings)


def _ablation_rows(name: str, *mechanisms: str) -> tuple[Row, ...]:
    return tuple(Row(name, f"without {mechanism}", (mechanism,)) for mechanism in mechanisms)


def _with(name: str, constant: str, *values: str) -> tuple[Row, ...]:
    return tuple(Row(name, f"{constant}={value}", (), {constant: value}) for value in values)


def _as_published(name: str, changes: Mapping[str, str]) -> Row:
    """Return a recipe as its paper has it: by meaning alone, with its constants, and with nothing but what it finds."""
    return Row(name, "as published", (), {**changes, "context.filled": "false"})


# Setting with which a model splits the questions that are searched: a recording has the plans.
_PLANNED: Final = "plan.model"
_DUAL_MEASURES: Final = ("sequential.similarity", "intersective.similarity")
# HMO's comparison with a memory that is recalled by a graph in place of tiers.
_BY_GRAPH: Final[Mapping[str, str]] = {
    "retrieval.strategies": "graph", "formation.graph": "true", "formation.evolution": "true",
}  # fmt: skip

# Stages that order what the default recipe recalls, or add to it.
_STAGES: Final = tuple(
    stage.name for stage in STAGES if stage.phase != "search" and stage.is_used(RECIPES[DEFAULT].retrieval)
)

# Ablations by recipe; a paper's recipe has the ablations of the paper.
ABLATIONS: Final[Mapping[str, tuple[Row, ...]]] = {
    "fusion": (
        *_ablation_rows("fusion", "learned-ranker", "temporal", "events", "follow-up", "notes", "graph", *_STAGES),
        *_with("fusion", _PLANNED, "true"),
    ),
    "evolving": (
        *_ablation_rows("evolving", "evolution", "graph", "summaries", "robustness", "follow-up", "profiles"),
        *_with("evolving", _PLANNED, "true"),
        *_with("evolving", "plan.scope", "mixed"),
        *_with("evolving", "evolution.alpha", "0.9,0.8,0.7", "0.8,0.7,0.6", "0.7,0.6,0.5"),
        _as_published("evolving", {"graph.similarity": "semantic", "evolution.alpha": "0.8,0.7,0.6"}),
    ),
    "dual-tree": (
        *_ablation_rows("dual-tree", "curation", "calendar", "lca", "intersective"),
        *_with("dual-tree", "sequential.bounded", "false"),
        *_with("dual-tree", "intersective.joined", "false"),
        _as_published(
            "dual-tree",
            {
                **dict.fromkeys(_DUAL_MEASURES, "semantic"),
                "sequential.bounded": "false",
                "intersective.joined": "false",
                "topic.theta": "0.8",
            },
        ),
    ),
    "layered": (
        *_ablation_rows("layered", "routing", "layers"),
        *_with("layered", "routing.beam", "per-parent"),
        _as_published("layered", {"routing.similarity": "semantic"}),
    ),
    "notes-episodes": (
        *_ablation_rows(
            "notes-episodes", "reconcile", "hierarchy", "notes", "episodes", "topic-channel", "surprise-channel"
        ),
        *_with("notes-episodes", "best_effort.notes_first", "true"),
        _as_published("notes-episodes", {"best_effort.similarity": "semantic", "best_effort.notes_first": "true"}),
    ),
    "orchestrated": (
        *_ablation_rows("orchestrated", "tier1", "tiers", "persona"),
        *_with("orchestrated", "tiered.threshold", "0.75"),
        *_with("orchestrated", "context.compressed", "0"),
        *_with("orchestrated", "tiers.scoring", "importance", "similarity"),
        _as_published("orchestrated", {"tiered.similarity": "semantic", "tiered.threshold": "0.75"}),
        Row("orchestrated", "graph-based", (), _BY_GRAPH),
    ),
}


def rows(recipes: Sequence[str] | None = None, *, ablations: bool = True) -> list[Row]:
    """Return the lines of a comparison: each recipe, followed by its ablations; by default all recipes and baselines.

    An ablation that leaves its recipe unchanged is left out.

    Raises:
        UnknownName: there is no such recipe.
    """
    recipe_names = list(dict.fromkeys(RECIPES if recipes is None else recipes))
    if unknown := next((name for name in recipe_names if name not in RECIPES), None):
        raise UnknownName(f"no recipe is called {unknown!r} - choose one of: {', '.join(RECIPES)}")
    lines: list[Row] = []
    for name in recipe_names:
        lines.append(Row(name))
        if ablations:
            lines += [row for row in ABLATIONS.get(name, ()) if row.built_recipe != recipe(name)]
    return lines


@dataclass(frozen=True, slots=True)
class EvidenceFound:
    """Share of a question's evidence among the first ten turns, and in a context of each size, 0 to 1."""

    question: str
    kind: str
    recall: float
    in_context: Mapping[int, float]


@dataclass(slots=True)
class _RowRun:
    """A row with its outcomes so far, and the turns that were formed for it."""

    row: Row
    outcomes: list[EvidenceFound] = field(default_factory=list[EvidenceFound])


def compare(
    dataset: str,
    conversations: Sequence[Conversation],
    *,
    recipes: Sequence[str] | None = None,
    ablations: bool = True,
    embedder: str | None = None,
    recorded: Path | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the evidence that each row finds, as JSON: ``dataset``, ``recorded``, ``k``, ``tokens`` and ``rows``.

    A row has its ``name``, the recipe that it ``ablates`` or None, ``settings``, the number of ``questions`` with
    evidence, ``recall`` and ``in_context``, and ``by_kind`` the same. ``difference`` is that to ``flat``, or to the
    recipe that it ablates, each as ``[mean, low, high]`` with the 95 % interval of a paired bootstrap; None if that was
    not asked. An implicit cue is given as it is said.

    With ``recorded``, a folder with a recording for each conversation by its id, a model's readings are formed.
    ``progress`` gets the number of questions asked over all rows and the total.

    Raises:
        UnknownName: no such recipe or embedder.
        InvalidFile: a recording lacks the readings of more than two of a hundred turns.
    """
    selected = rows(recipes, ablations=ablations)
    runs = [_RowRun(row) for row in selected if recorded is not None or _PLANNED not in row.changes]
    total, count = len(runs) * sum(len(list(_answerable(conversation))) for conversation in conversations), 0
    for conversation in conversations:
        for _ in _ask_runs(conversation, runs, embedder, recorded):
            count += 1
            if progress is not None:
                progress(count, total)
    base_outcomes = {run.row.recipe: run.outcomes for run in runs if not run.row.name}
    return {
        "dataset": dataset,
        "conversations": [conversation.id for conversation in conversations],
        "recorded": recorded is not None,
        "k": K,
        "tokens": list(TOKENS),
        "rows": [_row(run.row, run.outcomes, base_outcomes.get(_compared_with(run.row))) for run in runs],
    }


def _compared_with(row: Row) -> str:
    """Return the recipe that a row is compared with, "" for none."""
    if row.name:
        return row.recipe
    return "" if row.recipe == BASELINE else BASELINE


def _ask_runs(
    conversation: Conversation, runs: Sequence[_RowRun], embedder: str | None, recorded: Path | None
) -> Iterator[None]:
    """Form a conversation once for each formation configuration, and ask every run; yield after each question."""
    ways: dict[str, list[_RowRun]] = {}
    for run in runs:
        ways.setdefault(to_text(run.row.built_recipe.formation), []).append(run)
    for sharing in ways.values():
        with TemporaryDirectory(prefix="hmem-compare-") as folder:
            template = Path(folder) / "filled"
            _fill(template, conversation, sharing[0].row, embedder, recorded)
            for number, run in enumerate(sharing):
                copy = shutil.copytree(template, Path(folder) / f"{number}")
                for outcome in _outcomes(copy, conversation, run.row, recorded):
                    run.outcomes.append(outcome)
                    yield
                shutil.rmtree(copy)


def _analyst(conversation: Conversation, recorded: Path | None) -> str:
    return "verbatim" if recorded is None else f"recorded:{recorded / conversation.id}"


def _fill(folder: Path, conversation: Conversation, row: Row, embedder: str | None, recorded: Path | None) -> None:
    """Form a conversation with the configuration of a row."""
    folder.mkdir()
    analyst = _analyst(conversation, recorded)
    with Memory(folder / _FILE, recipe=row.recipe, settings=row.settings, embedder=embedder, analyst=analyst) as memory:
        memory.add(conversation.messages)
        memory.flush()
        if recorded is not None:
            while (worked := memory.model.run_jobs()).calls:
                pass
            turns = len(conversation.messages)
            if worked.left > _MAX_MISSING * turns:
                raise InvalidFile(
                    f"the recording of {conversation.id} lacks the readings of {worked.left} of "
                    f"{amount(turns, 'turn')} - record them, or take the commit that it was made at"
                )


def _outcomes(
    folder: Path, conversation: Conversation, row: Row, recorded: Path | None = None
) -> Iterator[EvidenceFound]:
    latest = max((message["at"] for message in conversation.messages), default=None)
    # What is recalled counts as used, and no question may depend on the ones before it.
    settings = {**row.settings, "retrieval.record": "false"}
    analyst = _analyst(conversation, recorded if _PLANNED in row.changes else None)
    with Memory(folder / _FILE, recipe=row.recipe, settings=settings, analyst=analyst) as memory:
        for question, gold in _answerable(conversation):
            time = question.at or latest
            turns = memory.search(question.text, K, at=time, min_score=0.0)
            ranking = [turn.message_id for turn in turns if turn.message_id is not None]
            contexts = {tokens: memory.context(question.text, tokens, at=time).text for tokens in TOKENS}
            shares = {tokens: share_in(text, gold.texts) or 0.0 for tokens, text in contexts.items()}
            yield EvidenceFound(question.id, question.category, recall(ranking, gold.evidence, K), shares)


def _answerable(conversation: Conversation) -> Iterator[tuple[Question, Gold]]:
    """Yield the questions with evidence that can be answered."""
    for question, gold in zip(conversation.questions, gold_of(conversation), strict=True):
        if gold.evidence and not question.unanswerable:
            yield question, gold


def _row(row: Row, outcomes: Sequence[EvidenceFound], baseline: Sequence[EvidenceFound] | None) -> dict[str, Any]:
    kinds = sorted({outcome.kind for outcome in outcomes})
    return {
        "name": row.name or row.recipe,
        "ablates": row.recipe if row.name else None,
        "recipe": row.recipe,
        "without": list(row.ablated),
        "settings": dict(row.changes),
        **_figures(outcomes, baseline),
        "by_kind": {
            kind: _figures(_of_kind(outcomes, kind), None if baseline is None else _of_kind(baseline, kind))
            for kind in kinds
        },
    }


def _of_kind(outcomes: Sequence[EvidenceFound], kind: str) -> list[EvidenceFound]:
    return [outcome for outcome in outcomes if outcome.kind == kind]


def _figures(outcomes: Sequence[EvidenceFound], baseline: Sequence[EvidenceFound] | None) -> dict[str, Any]:
    return {
        "questions": len(outcomes),
        **_by_measure(lambda value: _mean([value(outcome) for outcome in outcomes])),
        "difference": None if baseline is None else _by_measure(lambda value: _difference(outcomes, baseline, value)),
    }


_Value = Callable[[EvidenceFound], float]


def _by_measure(figure: Callable[[_Value], Any]) -> dict[str, Any]:
    """Return a figure of each measure."""
    return {
        "recall": figure(lambda outcome: outcome.recall),
        "in_context": {
            str(tokens): figure(lambda outcome, tokens=tokens: outcome.in_context[tokens]) for tokens in TOKENS
        },
    }


def _mean(values: Sequence[float]) -> float | None:
    average = mean(values)
    return None if average is None else round(average, 4)


def _difference(
    outcomes: Sequence[EvidenceFound], baseline: Sequence[EvidenceFound], value: _Value
) -> list[float] | None:
    pairs = [value(outcome) - value(reference) for outcome, reference in zip(outcomes, baseline, strict=True)]
    return [round(number, 4) for number in (sum(pairs) / len(pairs), *interval(pairs))] if pairs else None
