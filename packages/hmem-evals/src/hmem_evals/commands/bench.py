"""``hmem bench``."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click

from hmem.interfaces.cli.options import STDOUT, json_file_option
from hmem.interfaces.cli.output import figures
from hmem.interfaces.cli.waiting import progress_bar
from hmem.papers.position_index import BEAMS, Beam
from hmem.recipes import DEFAULT, RECIPES
from hmem_evals.bench import ingest as ingest_bench
from hmem_evals.bench import routing as routing_bench
from hmem_evals.bench import scale as scale_bench
from hmem_evals.bench import tiers as tiers_bench
from hmem_evals.commands.figures import write_figures

_embedder_option = click.option(
    "--embedder", metavar="NAME", help="What turns text into vectors; that of new memories by default."
)
# Figures of routing that only the JSON has.
_DETAILS: Final = ("by_k", "drawing")
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
    "ingest",
    epilog='JSON: {"ingest": {"turns", "seconds", "turns_per_s", "single_ms": {"p50", "p95"}, "formed_ms", '
    '"within_ms", "burst_ms"}, "disk"}.',
)
@click.argument("file", type=click.Path(path_type=Path))
@_embedder_option
@_recipe_option("ingest")
@json_file_option
def ingest(*, file: Path, embedder: str | None, recipe: str, json_file: str | None) -> None:
    """Measure how fast the turns of a file are kept.

    In one batch, durable, indexed and formed. One at a time: alone, until it is durable and searchable (single_ms) and
    until it is formed behind that (formed_ms), formed within the call (within_ms), and in a burst (burst_ms).
    """
    with progress_bar("Remembering turns", quiet=json_file == STDOUT) as advance:
        report = ingest_bench.run(file, embedder=embedder, recipe=recipe, progress=advance)
    _write(report, json_file)


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
        report = scale_bench.run(records, embedder=embedder, recipe=recipe, progress=advance)
    _write(report, json_file)


@click.command(
    "routing",
    epilog='JSON: {"records", "ops": {"routed", "flat"}, "ops_ratio", "time_ms": {"routed", "flat"}, "time_ratio", '
    '"recall": {"10"}, "k", "by_k": [{"k", "recall", "ops", "ops_ratio", "time_ms", "time_ratio"}], "separation"}; '
    "ratios are flat over routed.",
)
@click.option(
    "--records",
    type=click.IntRange(min=100),
    default=100_000,
    show_default=True,
    help="How many records the lowest layer holds.",
)
@click.option(
    "--dimension", type=click.IntRange(min=8), default=256, show_default=True, help="Components of each vector."
)
@click.option("--queries", type=click.IntRange(min=1), default=100, show_default=True, help="How many are asked.")
@click.option(
    "--k",
    type=click.IntRange(min=1),
    help="Entries that survive in each layer; by default the fewest that reach a recall of 0.9.",
)
@click.option(
    "--beam",
    type=click.Choice(BEAMS),
    default=BEAMS[0],
    show_default=True,
    help="Whether k entries of a layer survive, or k below each parent.",
)
@json_file_option
def routing(*, records: int, dimension: int, queries: int, k: int | None, beam: Beam, json_file: str | None) -> None:
    """Measure routing through the layers against FAISS's flat search.

    Operations, time and recall of the ten best, over a hierarchy that is drawn with clusters that overlap.
    """
    with progress_bar("Drawing records", quiet=json_file == STDOUT) as advance:
        report = routing_bench.run(records, dimension=dimension, queries=queries, k=k, beam=beam, progress=advance)
    if json_file is None:
        click.echo(figures({name: value for name, value in report.items() if name not in _DETAILS}))
        click.echo(figures({f"k={row.pop('k')}": row for row in report["by_k"]}))
    else:
        write_figures(report, json_file)


@click.command(
    "tiers",
    epilog='JSON: {"records", "questions", "tiers": {"cache", "buffer", "archive"}, "time_ms": {"tiers", '
    '"exhaustive"}, "time_ratio", "compared": {"tiers", "exhaustive"}, "compared_ratio", "time_p_ms": {"tiers": '
    '{"p50", "p95"}, "exhaustive"}, "recall": {"10": {"tiers", "exhaustive"}}, "overlap": {"10"}, "by_tier": [{"tier", '
    '"questions", "time_ms", "time_ratio", "compared", "compared_ratio"}], "ingest_s", "embedder"}; ratios are '
    "exhaustive over tiers.",
)
@click.option(
    "--records",
    type=click.IntRange(min=tiers_bench.MIN_RECORDS),
    default=100_000,
    show_default=True,
    help="How many turns the memory holds.",
)
@click.option(
    "--sessions",
    type=click.IntRange(min=2),
    default=tiers_bench.SESSIONS,
    show_default=True,
    help="How many sessions are held, and asked about, on top of the old ones.",
)
@_embedder_option
@json_file_option
def tiers(*, records: int, sessions: int, embedder: str | None, json_file: str | None) -> None:
    """Measure what the tiers save against exhaustive search.

    The same questions, each asked right after the session that completes its evidence, of a memory with tiers and
    without.
    """
    with progress_bar("Remembering turns", quiet=json_file == STDOUT) as advance:
        report = tiers_bench.run(records, sessions=sessions, embedder=embedder, progress=advance)
    if json_file is None:
        click.echo(figures({name: value for name, value in report.items() if name != "by_tier"}))
        click.echo(figures({row.pop("tier"): row for row in report["by_tier"]}))
    else:
        write_figures(report, json_file)


def _write(report: dict[str, Any], json_file: str | None) -> None:
    if json_file is None:
        click.echo(figures(report))
    else:
        write_figures(report, json_file)
