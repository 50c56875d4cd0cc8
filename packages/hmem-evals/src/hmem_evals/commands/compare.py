"""``hmem eval compare``."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click
from rich.table import Table

from hmem.interfaces.cli.drawing import draw, progress_bar, table
from hmem.interfaces.cli.options import STDOUT, json_file_option
from hmem_evals import compare as comparison
from hmem_evals import locomo, longmemeval, realtalk
from hmem_evals.commands.figures import write_figures
from hmem_evals.conversations import Conversation

DATASETS: Final[Mapping[str, Callable[[Path], Sequence[Conversation]]]] = {
    "locomo": locomo.load,
    "longmemeval": longmemeval.load,
    "realtalk": realtalk.load,
}
_AT: Final = "10"
# Columns of text that the table needs.
_WIDTH: Final = 176


def names(_: click.Context, __: click.Parameter, value: str | None) -> list[str] | None:
    """Return the names of an option that takes several, separated by commas."""
    return None if value is None else [name.strip() for name in value.split(",")]


@click.command(
    "compare",
    epilog='JSON: {"dataset", "rows": [the figures of hmem eval locomo, and "name", "ablates": null or a recipe, '
    '"settings"]}.',
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--dataset", type=click.Choice(list(DATASETS)), default="locomo", show_default=True, help="What the file holds."
)
@click.option("--recipes", metavar="A,B", callback=names, help="Which recipes; all and two baselines by default.")
@click.option("--no-ablations", "ablations", is_flag=True, flag_value=False, default=True, help="Recipes alone.")
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="The first conversations only.")
@click.option("--embedder", metavar="NAME", help="What turns text into vectors; that of new memories by default.")
@json_file_option
def compare(
    *,
    file: Path,
    dataset: str,
    recipes: list[str] | None,
    ablations: bool,
    limit: int | None,
    embedder: str | None,
    json_file: str | None,
) -> None:
    """Measure all recipes and what each part of them is worth.

    One table: each recipe, under it what it is without one of its parts, and two baselines, by words alone (bm25) and
    by meaning alone (vector). What differs in recall alone shares one memory.
    """
    conversations = DATASETS[dataset](file)[:limit]
    with progress_bar("Asking questions", quiet=json_file == STDOUT) as advance:
        measured = comparison.compare(
            dataset, conversations, recipes=recipes, ablations=ablations, embedder=embedder, progress=advance
        )
    if json_file is not None:
        write_figures(measured, json_file)
    else:
        draw(rows_table(measured["rows"]), least=_WIDTH)


def rows_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Return a table of the figures of each row; shares are percentages, missing figures are "-"."""
    categories = [name for name, part in rows[0]["by_category"].items() if part["measured"]] if rows else []
    columns: dict[str, Callable[[Mapping[str, Any]], str]] = {
        **{f"recall\n@{k}": _share("recall", k) for k in ("5", _AT, "20")},
        **{f"@{_AT}\n{name}": _share("by_category", name, "recall", _AT) for name in categories},
        "sessions\nall @5": _share("session", "recall_all", "5"),
        "in\nbudget": _share("budget", "recall"),
        "tokens": _number("budget", "tokens_used_mean"),
        "answers\nF1": _share("answer", "macro_f1"),
        "adver-\nsarial": _share("answer", "adversarial"),
        "search\nms": _number("search_ms", "p50", digits=1),
        "ask\nms": _number("ask_ms", "p50", digits=1),
        "turns\n/s": _number("ingest", "turns_per_s"),
    }
    named = ([_name(row), *(tell(row) for tell in columns.values())] for row in rows)
    return table(["", *columns], named, numbers=list(columns))


def _name(row: Mapping[str, Any]) -> str:
    return row["name"] if row["ablates"] is None else f"  {row['name']}"


def _value(row: Mapping[str, Any], path: Sequence[str]) -> float | None:
    found: Any = row
    for step in path:
        found = found[step]
    return found


def _share(*path: str) -> Callable[[Mapping[str, Any]], str]:
    def tell(row: Mapping[str, Any]) -> str:
        value = _value(row, path)
        return "-" if value is None else f"{100 * value:.1f}"

    return tell


def _number(*path: str, digits: int = 0) -> Callable[[Mapping[str, Any]], str]:
    def tell(row: Mapping[str, Any]) -> str:
        value = _value(row, path)
        return "-" if value is None else f"{value:,.{digits}f}"

    return tell
