"""``hmem bench``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from hmem.evals.bench import ingest as ingest_bench
from hmem.evals.bench import scale as scale_bench
from hmem.interfaces.cli.drawing import draw, figures, progress_bar
from hmem.interfaces.cli.figures import write_figures
from hmem.interfaces.cli.options import STDOUT, json_file_option
from hmem.recipes import DEFAULT, RECIPES

_embedder_option = click.option(
    "--embedder", metavar="NAME", help="What turns text into vectors; wordllama by default."
)
_DEFAULT_RECIPE: Final = {"ingest": DEFAULT, "scale": "flat"}


def _recipe_option(command: str) -> Callable[[Any], Any]:
    return click.option(
        "--recipe",
        type=click.Choice(list(RECIPES)),
        default=_DEFAULT_RECIPE[command],
        show_default=True,
        help="How turns are formed and recalled.",
    )


@click.command(
    "ingest", epilog='JSON: {"ingest": {"turns", "seconds", "turns_per_s", "single_ms": {"p50", "p95"}}, "disk"}.'
)
@click.argument("file", type=click.Path(path_type=Path))
@_embedder_option
@_recipe_option("ingest")
@json_file_option
def ingest(*, file: Path, embedder: str | None, recipe: str, json_file: str | None) -> None:
    """Measure how fast the turns of a file are kept.

    In one batch, and one at a time; always durable, indexed and formed.
    """
    with progress_bar("Remembering turns", quiet=json_file == STDOUT) as advance:
        measured = ingest_bench.run(file, embedder=embedder, recipe=recipe, progress=advance)
    _write(measured, json_file)


@click.command(
    "scale",
    epilog='JSON: {"records", "ingest", "search_ms": {"p50", "p95"}, "vector_recall": {"10"}, "open_s", "rss_bytes", '
    '"disk"}.',
)
@click.option(
    "--records",
    type=click.IntRange(min=1),
    default=100_000,
    show_default=True,
    help="How many turns the memory holds.",
)
@_embedder_option
@_recipe_option("scale")
@json_file_option
def scale(*, records: int, embedder: str | None, recipe: str, json_file: str | None) -> None:
    """Measure a memory of a given size.

    How long it takes to fill, open and search it, how exact the vector index is, and what it costs to keep.
    """
    with progress_bar("Remembering turns", quiet=json_file == STDOUT) as advance:
        measured = scale_bench.run(records, embedder=embedder, recipe=recipe, progress=advance)
    _write(measured, json_file)


def _write(measured: dict[str, Any], json_file: str | None) -> None:
    if json_file is None:
        draw(figures(measured))
    else:
        write_figures(measured, json_file)
