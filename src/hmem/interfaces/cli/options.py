"""Options that several commands share, and opening the memory that they name."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click

import hmem

VARIABLE: Final = "HMEM_MEMORY"
STDOUT: Final = "-"

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(slots=True)
class Invocation:
    """What is known of a call while it runs. ``json``: its result goes to stdout as JSON, and so do errors."""

    json: bool = False


def open_memory(
    path: str,
    *,
    create: bool = False,
    recipe: str | None = None,
    embedder: str | None = None,
    analyst: str | None = None,
    zone: str | None = None,
) -> "hmem.Memory":
    """Open a memory; one that is not there is made only when ``create`` says so.

    Raises:
        StorageError, EmbedderError, UnknownName, InvalidTime: it cannot be opened.
    """
    return hmem.Memory(path, create=create, recipe=recipe, embedder=embedder, analyst=analyst, zone=zone)


def _named_memory(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
    """The command's own ``--memory``, else that before the command, else the environment's."""
    named = value or context.find_root().params.get("memory")
    return str(Path(named).expanduser()) if named else None


def _required_memory(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    named = _named_memory(context, parameter, value)
    if named is None and not context.resilient_parsing:
        raise click.UsageError(f"no memory is named - give --memory PATH, or set {VARIABLE}", context)
    return named


def _memory_option(callback: Callable[..., str | None]) -> Callable[[_Command], _Command]:
    said = f"The memory's file; by default what {VARIABLE} names."
    return click.option("--memory", metavar="PATH", callback=callback, help=said)


def _note_json(context: click.Context, _: click.Parameter, value: bool) -> bool:  # noqa: FBT001 - click's signature
    context.ensure_object(Invocation).json = value
    return value


def _note_json_file(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
    context.ensure_object(Invocation).json = value == STDOUT
    if value not in (None, STDOUT) and not Path(value).absolute().parent.is_dir():
        raise click.UsageError(f"{value} cannot be written - make its folder first", context)
    return value


memory_option = _memory_option(_required_memory)
optional_memory_option = _memory_option(_named_memory)

# Read before the rest, so that an error in the rest is reported as JSON too.
json_option = click.option(
    "--json", "as_json", is_flag=True, is_eager=True, callback=_note_json, help="Write the result as JSON on stdout."
)
json_file_option = click.option(
    "--json",
    "json_file",
    is_flag=False,
    flag_value=STDOUT,
    default=None,
    is_eager=True,
    metavar="[OUT]",
    callback=_note_json_file,
    help="Write the figures as JSON to a file; '-' or nothing means stdout.",
)
recipe_option = click.option("--recipe", metavar="NAME", help="How memories are recalled; fusion by default.")
forming_option = click.option(
    "--recipe", metavar="NAME", help="How a new memory forms its turns; kept with it, fusion by default."
)
analyst_option = click.option(
    "--analyst", metavar="NAME", help="What reads the turns; kept with the memory, rules at first."
)
embedder_option = click.option(
    "--embedder", metavar="NAME", help="What turns text into vectors; by default the one that the memory has."
)
zone_option = click.option(
    "--zone", metavar="ZONE", help="The IANA time zone of times without an offset; kept with the memory, UTC at first."
)
