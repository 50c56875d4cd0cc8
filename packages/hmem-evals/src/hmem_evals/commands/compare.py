"""``hmem eval compare``."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from hmem.interfaces.cli.options import STDOUT, json_file_option
from hmem.interfaces.cli.output import table
from hmem.interfaces.cli.waiting import progress_bar
from hmem_evals import compare as comparison
from hmem_evals import locomo, longmemeval, realtalk, talks
from hmem_evals.commands.figures import write_figures
from hmem_evals.conversations import Conversation
from hmem_evals.talks.drawing import drawn_ids

DATASETS: Final[Mapping[str, Callable[[Path], Sequence[Conversation]]]] = {
    "locomo": locomo.load,
    "longmemeval": longmemeval.load,
    "realtalk": realtalk.load,
}
_TALKS: Final = "talks"


def names(_: click.Context, __: click.Parameter, value: str | None) -> list[str] | None:
    """Return the names of an option that takes several, separated by commas."""
    return None if value is None else [name.strip() for name in value.split(",")]


@click.command(
    "compare",
    epilog='JSON: {"dataset", "conversations", "recorded", "k", "tokens", "rows": [{"name", "ablates": null or a '
    'recipe, "recipe", "without", "settings", "questions", "recall", "in_context": {tokens: share}, "difference": '
    'null or {"recall": [mean, low, high], "in_context": {tokens: the same}}, "by_kind": {kind: the same}}]}.',
)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--dataset", type=click.Choice(list(DATASETS)), default="locomo", help="What the file holds; locomo.")
@click.option("--recipes", metavar="A,B", callback=names, help="Which recipes; all and two baselines by default.")
@click.option("--no-ablations", "ablations", is_flag=True, flag_value=False, default=True, help="Recipes alone.")
@click.option("--conversations", metavar="A,B", callback=names, help="Which conversations; all by default.")
@click.option(
    "--recorded", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="FOLDER",
    help="Form a model's readings, from a folder with a recording for each conversation.",
)  # fmt: skip
@click.option("--undrawn", is_flag=True, help="Leave out the 120 questions of our conversations that answers judge.")
@click.option("--kinds", is_flag=True, help="A line for each kind of question too.")
@click.option("--embedder", metavar="NAME", help="What turns text into vectors; that of new memories by default.")
@json_file_option
def compare(
    *,
    file: Path | None,
    dataset: str,
    recipes: list[str] | None,
    ablations: bool,
    conversations: list[str] | None,
    recorded: Path | None,
    undrawn: bool,
    kinds: bool,
    embedder: str | None,
    json_file: str | None,
) -> None:
    """Measure all recipes and what each part of them is worth.

    Without a FILE, on six conversations of hmem's own. One table: each recipe, under it what it is without one of its
    parts, and two baselines, by words alone (bm25) and by meaning alone (vector): the share of the evidence among ten
    turns and in contexts of three sizes, and the difference to flat, or to the recipe, with its 95 % interval.
    """
    if file is None:
        dataset, selected = _TALKS, talks.load(*(conversations or ()))
    else:
        selected = [
            conversation
            for conversation in DATASETS[dataset](file)
            if conversations is None or conversation.id in conversations
        ]
    if undrawn:
        selected = [_undrawn(conversation) for conversation in selected]
    with progress_bar("Asking questions", quiet=json_file == STDOUT) as advance:
        report = comparison.compare(
            dataset, selected, recipes=recipes, ablations=ablations, embedder=embedder, recorded=recorded,
            progress=advance,
        )  # fmt: skip
    if json_file is not None:
        write_figures(report, json_file)
    else:
        click.echo(rows_table(report, kinds=kinds))


def _undrawn(conversation: Conversation) -> Conversation:
    judged_ids = drawn_ids()
    return replace(
        conversation, questions=tuple(question for question in conversation.questions if question.id not in judged_ids)
    )


def rows_table(report: Mapping[str, Any], *, kinds: bool) -> str:
    """Return a table of the figures of each row, with those of each kind of question below; missing ones are "-"."""
    sizes = [str(tokens) for tokens in report["tokens"]]
    shares = (f"recall@{report['k']}", *(f"in {size}" for size in sizes))
    columns = ["questions", *(heading for share in shares for heading in (share, f"Δ {share}"))]
    lines = [
        [name, *_cells(figures, sizes)]
        for row in report["rows"]
        for name, figures in ((_name(row), row), *(_of_kinds(row) if kinds else ()))
    ]
    return table(["", *columns], lines, numbers=columns)


def _of_kinds(row: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return [(f"    {kind}", figures) for kind, figures in row["by_kind"].items()]


def _name(row: Mapping[str, Any]) -> str:
    return row["name"] if row["ablates"] is None else f"  {row['name']}"


def _cells(figures: Mapping[str, Any], sizes: Sequence[str]) -> list[str]:
    difference: Mapping[str, Any] = figures["difference"] or {"recall": None, "in_context": {}}
    cells = [f"{figures['questions']:,}", _share(figures["recall"]), _interval(difference["recall"])]
    for size in sizes:
        cells += [_share(figures["in_context"][size]), _interval(difference["in_context"].get(size))]
    return cells


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _interval(bounds: Sequence[float] | None) -> str:
    return "" if bounds is None else f"{bounds[0]:+.3f} [{bounds[1]:+.3f}, {bounds[2]:+.3f}]"
