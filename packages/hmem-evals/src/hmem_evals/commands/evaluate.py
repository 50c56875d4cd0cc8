"""``hmem eval``."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from typing import Any, Final, TypeVar

import click

from hmem.interfaces.cli.options import STDOUT, json_file_option, recipe_option
from hmem.interfaces.cli.output import figures, table
from hmem.interfaces.cli.waiting import progress_bar
from hmem.recipes import DEFAULT
from hmem_evals import locomo as locomo_files
from hmem_evals import longmemeval as longmemeval_files
from hmem_evals import realtalk as realtalk_files
from hmem_evals.commands.figures import write_figures
from hmem_evals.conversations import Conversation
from hmem_evals.costs import estimate
from hmem_evals.run import BUDGET, evaluate

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _settings(context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
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
    click.option("--embedder", metavar="NAME", help="What turns text into vectors; that of new memories by default."),
    click.option(
        "--analyst",
        metavar="NAME",
        default="verbatim",
        show_default=True,
        help="What reads and answers; a language model reads each conversation before it is asked.",
    ),
    click.option("--judge", metavar="NAME", help="The language model that judges the answers."),
    click.option(
        "--judging",
        type=click.Choice(("orchestrated", "evolving")),
        default="orchestrated",
        show_default=True,
        help="Whether a part of an answer is wrong (orchestrated), or one that tells the same is right (evolving).",
    ),
    click.option(
        "--repeats", type=click.IntRange(1, 20), default=1, show_default=True, help="How often each is answered."
    ),
    click.option("--dry-run", is_flag=True, help="Tell what models would take, in calls, tokens and money."),
    click.option(
        "--replay", is_flag=True, help="Ask each question right after the session that completes its evidence."
    ),
    json_file_option,
)


def _evaluation(command: _Command) -> _Command:
    """Add the options of an evaluation to a command."""
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
    json_file: str | None,
    dry_run: bool,
    **options: Any,
) -> None:
    conversations, recipe = load(path), recipe or DEFAULT
    if dry_run:
        arguments = {name: options[name] for name in ("analyst", "judge", "repeats")}
        estimated = estimate(conversations, **arguments, tokens=BUDGET, recipe=recipe)
        _write(estimated, json_file, ("stages",))
        return
    folder = _folder(json_file, options)
    with progress_bar("Asking questions", quiet=json_file == STDOUT) as advance:
        report = evaluate(dataset, conversations, recipe=recipe, progress=advance, folder=folder, **options)
    _write(report, json_file, ("by_category",))
    if json_file is None:
        click.echo(f"\n{_categories(report['by_category'])}")
    if folder is not None:
        # The figures are written: the next run starts from nothing.
        rmtree(folder)


def _folder(json_file: str | None, options: Mapping[str, Any]) -> Path | None:
    """Return the folder that keeps an unfinished run, if a model makes repeating it costly."""
    costs = options["judge"] is not None or options["analyst"].partition(":")[0] not in ("verbatim", "recorded")
    return None if json_file in (None, STDOUT) or not costs else Path(f"{json_file}.run")


def _write(report: Mapping[str, Any], json_file: str | None, excluded: Sequence[str]) -> None:
    """Write the figures as JSON, or draw them without those in ``apart``."""
    if json_file is not None:
        write_figures(report, json_file)
        return
    click.echo(figures({name: value for name, value in report.items() if name not in excluded}))
    for name, stage in report.get("stages", {}).items():
        click.echo(f"\n{name}\n{figures(stage)}")


def _categories(by_category: Mapping[str, Mapping[str, Any]]) -> Any:
    depths = list(dict.fromkeys(depth for category in by_category.values() for depth in category["recall"]))
    rows = [
        [name, f"{category['questions']:,}", *(_share(category["recall"].get(depth)) for depth in depths)]
        for name, category in by_category.items()
    ]
    headings = ["questions", *(f"recall@{depth}" for depth in depths)]
    return table(["category", *headings], rows, numbers=headings)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
