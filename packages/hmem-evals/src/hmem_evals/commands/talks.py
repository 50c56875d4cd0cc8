"""``hmem eval talks``."""

from collections.abc import Mapping
from typing import Any, Final

import click
from rich.table import Table

from hmem.interfaces.cli.drawing import draw, progress_bar, table
from hmem.interfaces.cli.options import STDOUT, json_file_option
from hmem.recipes import DEFAULT
from hmem_evals.commands.compare import names
from hmem_evals.commands.figures import write_figures
from hmem_evals.talks import load
from hmem_evals.talks.drawing import drawn
from hmem_evals.talks.measuring import measure

_ALL: Final = "all"


@click.command(
    "talks",
    epilog='JSON: {"dataset", "conversations", "k", "tokens", "rows": [{"recipe", "questions", "recall", '
    '"in_context": {tokens: share}, "by_kind": {kind: the same}}]}.',
)
@click.option("--recipes", metavar="A,B", callback=names, help="Which recipes; that of new memories by default.")
@click.option("--conversations", metavar="A,B", callback=names, help="Which conversations; all six by default.")
@click.option("--embedder", metavar="NAME", help="What turns text into vectors; that of new memories by default.")
@click.option("--without-drawn", is_flag=True, help="Leave out the 120 questions that nothing is tuned on.")
@json_file_option
def talks(
    *,
    recipes: list[str] | None,
    conversations: list[str] | None,
    embedder: str | None,
    without_drawn: bool,
    json_file: str | None,
) -> None:
    """Measure the evidence found in six conversations of hmem's own.

    Its share among ten turns, and in contexts of 600, 1,272 and 4,000 tokens, by kind of question. An implicit cue is
    given as it is said.
    """
    with progress_bar("Asking questions", quiet=json_file == STDOUT) as advance:
        measured = measure(
            load(*(conversations or ())),
            recipes or [DEFAULT],
            embedder=embedder,
            without=drawn() if without_drawn else (),
            progress=advance,
        )
    if json_file is not None:
        write_figures(measured, json_file)
    else:
        draw(_kinds(measured))


def _kinds(measured: Mapping[str, Any]) -> Table:
    headings = ["questions", f"recall@{measured['k']}", *(f"in {tokens:,} tokens" for tokens in measured["tokens"])]
    rows = [
        [row["recipe"], kind, *_figures(figures)]
        for row in measured["rows"]
        for kind, figures in ((_ALL, row), *row["by_kind"].items())
    ]
    return table(["recipe", "kind", *headings], rows, numbers=headings)


def _figures(figures: Mapping[str, Any]) -> list[str]:
    shares = (figures["recall"], *figures["in_context"].values())
    return [f"{figures['questions']:,}", *("-" if share is None else f"{share:.3f}" for share in shares)]
