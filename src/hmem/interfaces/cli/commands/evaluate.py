"""``hmem eval``."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from hmem.errors import UnknownName
from hmem.evals import locomo as locomo_files
from hmem.evals import longmemeval as longmemeval_files
from hmem.evals import realtalk as realtalk_files
from hmem.evals.dataset import Conversation
from hmem.evals.run import evaluate
from hmem.interfaces.cli.drawing import draw, figures, progress_bar, table
from hmem.interfaces.cli.figures import write_figures
from hmem.interfaces.cli.options import STDOUT, json_file_option, recipe_option
from hmem.recipes import DEFAULT

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _settings(context: click.Context, _: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    pairs = [value.partition("=") for value in values]
    if wrong := next((name for name, separator, _ in pairs if not name or not separator), None):
        raise click.UsageError(f"--set {wrong} has no value - write --set NAME=VALUE", context)
    return {name: value for name, _, value in pairs}


_OPTIONS: Final = (
    recipe_option,
    click.option("--without", multiple=True, metavar="MECHANISM", help="A mechanism to leave out; may be repeated."),
    click.option(
        "--set",
        "settings",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_settings,
        help="A constant of the recipe to change; may be repeated.",
    ),
    click.option("--embedder", metavar="NAME", help="What turns text into vectors; wordllama by default."),
    click.option("--analyst", metavar="NAME", default="rules", show_default=True, help="What reads the language."),
    click.option("--judge", metavar="NAME", help="The model that judges answers; there is none yet."),
    click.option(
        "--replay", is_flag=True, help="Ask each question right after the session that completes its evidence."
    ),
    json_file_option,
)


def _evaluation(command: _Command) -> _Command:
    """All options of an evaluation."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command("locomo", epilog="JSON: the figures of an evaluation; see the specification of the commands.")
@click.argument("file", type=click.Path(path_type=Path))
@_evaluation
def locomo(*, file: Path, **options: Any) -> None:
    """Measure recall on a LoCoMo file.

    Each conversation gets a memory of its own, and is asked its questions.
    """
    _run("locomo", locomo_files.load, file, **options)


@click.command("longmemeval", epilog="JSON: as for hmem eval locomo.")
@click.argument("file", type=click.Path(path_type=Path))
@_evaluation
def longmemeval(*, file: Path, **options: Any) -> None:
    """Measure recall on a LongMemEval file.

    Each question has a history of its own, which gets a memory of its own.
    """
    _run("longmemeval", longmemeval_files.load, file, **options)


@click.command("realtalk", epilog="JSON: as for hmem eval locomo.")
@click.argument("folder", type=click.Path(path_type=Path))
@_evaluation
def realtalk(*, folder: Path, **options: Any) -> None:
    """Measure recall on a folder of REALTALK files.

    The files are not part of hmem; bring your own copy.
    """
    _run("realtalk", realtalk_files.load, folder, **options)


def _run(
    dataset: str,
    load: Callable[[Path], Sequence[Conversation]],
    path: Path,
    *,
    recipe: str | None,
    judge: str | None,
    json_file: str | None,
    **options: Any,
) -> None:
    if judge is not None:
        raise UnknownName(f"no judge is called {judge!r} - leave --judge out, there is none yet")
    with progress_bar("Asking questions", quiet=json_file == STDOUT) as advance:
        measured = evaluate(dataset, load(path), recipe=recipe or DEFAULT, progress=advance, **options)
    if json_file is not None:
        write_figures(measured, json_file)
    else:
        draw(figures({name: value for name, value in measured.items() if name != "by_category"}))
        draw("", _categories(measured["by_category"]))


def _categories(by_category: Mapping[str, Mapping[str, Any]]) -> Any:
    depths = list(dict.fromkeys(depth for part in by_category.values() for depth in part["recall"]))
    rows = [
        [name, f"{part['questions']:,}", *(_share(part["recall"].get(depth)) for depth in depths)]
        for name, part in by_category.items()
    ]
    headings = ["questions", *(f"recall@{depth}" for depth in depths)]
    return table(["category", *headings], rows, numbers=headings)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
