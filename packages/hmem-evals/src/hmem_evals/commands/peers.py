"""``hmem eval peers`` and ``hmem bench peers``."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from hmem.interfaces.cli.options import STDOUT, json_file_option
from hmem.interfaces.cli.output import figures, table
from hmem.interfaces.cli.waiting import progress_bar
from hmem_evals.commands.compare import DATASETS, names
from hmem_evals.commands.figures import write_figures
from hmem_evals.conversations import Conversation
from hmem_evals.peers import growth as peers_growth
from hmem_evals.peers import quality as peers_quality
from hmem_evals.peers.catalogue import PEERS, select_peers
from hmem_evals.peers.vectors import EMBEDDERS, ENCODER

_HOME: Final = Path("out") / "peers"
_MEGABYTE: Final = 1e6

_home_option = click.option(
    "--environments",
    "home",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    default=_HOME,
    show_default=True,
    help="Where the environments of the peers lie; a missing one is installed by pip.",
)


def _sizes(context: click.Context, _: click.Parameter, value: str) -> list[int]:
    sizes = [size.strip().replace("_", "") for size in value.split(",")]
    if wrong := next((size for size in sizes if not size.isdecimal() or int(size) < 2), None):
        raise click.UsageError(f"--turns {wrong!r} is no number of turns - write --turns 20000,100000", context)
    return [int(size) for size in sizes]


@click.command(
    "peers",
    epilog='JSON: {"dataset", "conditions", "embedder", "turns", "questions", "rows": [{"name", "versions", '
    '"settings", "recall", "session", "add", "search_ms", "search_cpu_ms", "disk_bytes", "rss_bytes"}], "notes"}; a '
    'peer that failed has "failed" in place of figures.',
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--dataset", type=click.Choice(list(DATASETS)), default="locomo", show_default=True, help="What the file holds."
)
@click.option(
    "--peers", metavar="A,B", callback=names, help=f"Which; all by default: {', '.join(peer.name for peer in PEERS)}."
)
@click.option(
    "--embedder",
    type=click.Choice(EMBEDDERS),
    default=ENCODER,
    show_default=True,
    help="The embedder of all of them.",
)
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="So many conversations, spread over the file.")
@_home_option
@json_file_option
def quality(
    *,
    file: Path,
    dataset: str,
    peers: list[str] | None,
    embedder: str,
    limit: int | None,
    home: Path,
    json_file: str | None,
) -> None:
    """Measure other memories and indices beside hmem.

    Recall, speed, disk and memory of mem0, LangGraph's store, LanceDB, Chroma, txtai, bm25s and FAISS with bm25s, on
    the same turns and questions, with the same embedder, each in a process and an environment of its own.
    """
    conversations, selected = _spread(DATASETS[dataset](file), limit), select_peers(peers)
    with progress_bar("Asking questions", quiet=json_file == STDOUT) as advance:
        report = peers_quality.compare(
            dataset, conversations, selected, home=home, embedder=embedder, progress=advance, keep=_keeper(json_file)
        )
    _write(report, quality_table(report["rows"]), json_file)


@click.command(
    "peers",
    epilog='JSON: {"conditions", "embedder", "queries", "rows": [{"name", "turns", "versions", "add", "add_one_ms", '
    '"search_ms", "search_cpu_ms", "found", "disk_bytes", "text_bytes", "rss_bytes"}]}.',
)
@click.option(
    "--turns",
    "sizes",
    metavar="N,M",
    default=",".join(str(size) for size in peers_growth.SIZES),
    show_default=True,
    callback=_sizes,
    help="How many turns they hold.",
)
@click.option(
    "--peers",
    metavar="A,B",
    default=",".join(peers_growth.NAMES),
    show_default=True,
    callback=names,
    help="Which of those of hmem eval peers.",
)
@click.option("--queries", type=click.IntRange(min=2), default=100, show_default=True, help="How many are asked.")
@_home_option
@json_file_option
def growth(*, sizes: list[int], peers: list[str], queries: int, home: Path, json_file: str | None) -> None:
    """Measure how others slow down as they fill, beside hmem.

    The same synthetic turns and questions for all, with hmem's own embedder.
    """
    selected = select_peers(peers)
    with progress_bar("Remembering turns", quiet=json_file == STDOUT) as advance:
        report = peers_growth.run(
            sizes, selected, home=home, queries=queries, progress=advance, keep=_keeper(json_file)
        )
    _write(report, growth_table(report["rows"]), json_file)


def _spread(conversations: Sequence[Conversation], limit: int | None) -> Sequence[Conversation]:
    """Return a number of conversations, evenly spaced: some files are sorted by the kind of their questions."""
    if limit is None:
        return conversations
    return conversations[:: max(len(conversations) // limit, 1)][:limit]


def _keeper(json_file: str | None) -> Callable[[Mapping[str, Any]], None] | None:
    """Return a function that writes the figures so far to a file; a run takes long, and may be ended."""
    return None if json_file in (None, STDOUT) else partial(write_figures, destination=json_file)


def _write(report: Mapping[str, Any], rows: str, json_file: str | None) -> None:
    if json_file == STDOUT:
        write_figures(report, json_file)
    if json_file is not None:
        return
    click.echo(f"{rows}\n\n{figures(report['conditions'])}")
    for row in report["rows"]:
        if "failed" in row:
            click.echo(f"{row['name']}: {row['failed']}", err=True)


def quality_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of the peers' figures; shares are percentages, and a peer that failed has none."""
    return _table(
        rows,
        {
            **{f"recall\n@{k}": _number("recall", k, scale=100, digits=1) for k in ("5", "10", "20")},
            "sessions\nall @5": _number("session", "recall_all", "5", scale=100, digits=1),
            "sessions\nNDCG @5": _number("session", "ndcg", "5", scale=100, digits=1),
            "add\nturns/s": _number("add", "turns_per_s"),
            "cpu\nms/turn": _number("add", "cpu_ms_per_turn", digits=2),
            **_COSTS,
        },
    )


def growth_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of the peers' figures by their number of turns."""
    return _table(
        rows,
        {
            "turns": _number("turns"),
            "found\n@10": _number("found", scale=100, digits=1),
            "add\nturns/s": _number("add", "turns_per_s"),
            "cpu\nms/turn": _number("add", "cpu_ms_per_turn", digits=2),
            "add one\nms": _number("add_one_ms", "p50", digits=1),
            **_COSTS,
        },
    )


_Cell = Callable[[Mapping[str, Any]], str]


def _table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, _Cell]) -> str:
    cells = ([row["name"], *(render(row) for render in columns.values())] for row in rows)
    return table(["", *columns], cells, numbers=list(columns))


def _number(*path: str, scale: float = 1, digits: int = 0) -> _Cell:
    def render(row: Mapping[str, Any]) -> str:
        value: Any = row
        for step in path:
            value = None if value is None else value.get(step)
        return "-" if value is None else f"{scale * value:,.{digits}f}"

    return render


_COSTS: Final[Mapping[str, _Cell]] = {
    "search\np50 ms": _number("search_ms", "p50", digits=2),
    "p95": _number("search_ms", "p95", digits=2),
    "cpu\np50 ms": _number("search_cpu_ms", "p50", digits=2),
    "disk\nMB": _number("disk_bytes", scale=1 / _MEGABYTE, digits=1),
    "memory\nMB": _number("rss_bytes", scale=1 / _MEGABYTE),
}
