"""Options that several commands share, and opening the named memory."""

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from click.core import ParameterSource

import hmem
from hmem.errors import MemoryNotFound
from hmem.interfaces.cli.waiting import waiting
from hmem.interfaces.paths import DATABASE_VARIABLE as DATABASE
from hmem.interfaces.paths import default_root, user_memory
from hmem.model.key import COMMAND_VARIABLE as COMMAND
from hmem.model.key import FILE_VARIABLE as FILE
from hmem.model.key import VARIABLE as KEY
from hmem.model.key import MemoryKey
from hmem.util.files import private_folder
from hmem.util.suggesting import did_you_mean

VARIABLE: Final = "HMEM_MEMORY"
STDOUT: Final = "-"

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(slots=True)
class Invocation:
    """State of a call.

    ``json``: its result and its errors go to stdout as JSON. ``key`` is that of an encrypted memory, named by the
    options ``key_given``; ``new_key`` is the one that it is to have.
    """

    json: bool = False
    key: MemoryKey | None = None
    new_key: MemoryKey | None = None
    key_given: tuple[str, ...] = ()


def invocation() -> Invocation:
    """Return the state of the present call."""
    return click.get_current_context().ensure_object(Invocation)


@contextmanager
def open_memory(
    path: str,
    *,
    create: bool = False,
    recipe: str | None = None,
    embedder: str | None = None,
    analyst: str | None = None,
    zone: str | None = None,
) -> "Generator[hmem.Memory]":
    """Open a memory for a block; with ``create`` one that does not exist is made.

    Raises:
        StorageError, EmbedderError, UnknownName, InvalidTime: it cannot be opened.
    """
    with waiting(f"hmem {click.get_current_context().info_name or ''}"):
        if create and path == str(user_memory(default_root())):
            private_folder(Path(path).parent)
        try:
            opened = hmem.Memory(
                path, create=create, recipe=recipe, embedder=embedder, analyst=analyst, zone=zone, key=invocation().key
            )
        except MemoryNotFound as error:
            if question := _meant(path):
                raise MemoryNotFound(f"there is no memory at {path} - {question}") from error
            raise
        with opened:
            yield opened


def _meant(path: str) -> str:
    """Return the question whether a memory of a like name in the same folder was meant; "" if there is none."""
    place = Path(path)
    if "://" in path or not place.parent.is_dir():
        return ""
    return did_you_mean(place.name, (each.name for each in place.parent.glob("*.hmem")))


def _named_memory(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
    """Return the ``--memory`` of the command, else that before the command, else that of the environment."""
    root = context.find_root()
    by_environment = not value and root.get_parameter_source("memory") is ParameterSource.ENVIRONMENT
    named = value or root.params.get("memory")
    return place_of(named, context, secret=by_environment) if named else None


def place_of(given: str, context: click.Context, *, secret: bool = False) -> str:
    """Return a path or URL that is given; one on the command line has no password unless it is ``secret``.

    Raises:
        UsageError: it has one, and others could see it in the list of processes.
    """
    if "://" not in given:
        # A URL must not be expanded as a path.
        return str(Path(given).expanduser())
    from hmem.storage.location import Location  # noqa: PLC0415 - loads the engine

    if not secret and Location.parse(given).has_password:
        raise click.UsageError(
            "others can see a password on the command line - put it into ~/.pgpass, PGPASSWORD or " + VARIABLE, context
        )
    return given


def checked_place(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Return the path or URL of an option or argument, whose password may only come by the environment."""
    by_environment = context.get_parameter_source(parameter.name or "") is ParameterSource.ENVIRONMENT
    return value and place_of(value, context, secret=by_environment)


def location_argument(name: str) -> Callable[[_Command], _Command]:
    """Return an argument of a command that takes a path or a URL."""
    return click.argument(name, callback=checked_place)


wait_option = click.option(
    "--wait",
    default=60.0,
    show_default=True,
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="How long to wait at the start for a database that is away.",
)
database_option = click.option(
    "--database",
    metavar="URL",
    envvar=DATABASE,
    show_envvar=True,
    callback=checked_place,
    help="The database with the memories, such as postgresql://host/name; its password belongs into ~/.pgpass.",
)


def default_memory() -> str:
    """Return the memory that is used if none is named, the user's own, and say on stderr which it is."""
    path = user_memory(default_root())
    click.echo(f"hmem: the memory is {path}; --memory or {VARIABLE} names another", err=True)
    return str(path)


def _memory_or_default(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    named = _named_memory(context, parameter, value)
    return named or (None if context.resilient_parsing else default_memory())


def _memory_option(callback: Callable[..., str | None]) -> Callable[[_Command], _Command]:
    said = f"The memory's file, or its URL in a database; by default what {VARIABLE} names, else ~/.hmem/user.hmem."
    option = click.option("--memory", metavar="PATH", callback=callback, help=said)
    return lambda command: option(key_options(command))


def _note_key(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Note a key by where it comes from. A key itself is no option: others could see it in the list of processes."""
    if value is None or context.resilient_parsing:
        return
    option = parameter.opts[0]
    found = MemoryKey.from_file(value) if option.endswith("-file") else MemoryKey.from_command(value)
    noted = context.ensure_object(Invocation)
    if option.startswith("--new"):
        noted.new_key = found
    else:
        noted.key, noted.key_given = found, (option, value)


def _key_option(option: str, metavar: str, text: str) -> Callable[[_Command], _Command]:
    return click.option(option, metavar=metavar, callback=_note_key, expose_value=False, help=text)


def key_options(command: _Command) -> _Command:
    """Add the options that name the key of an encrypted memory; ``invocation`` has it then."""
    named = f"The key of an encrypted memory; by default {KEY}, or what {FILE} names."
    by_file = _key_option("--key-file", "FILE", named)
    by_command = _key_option("--key-command", "COMMAND", f"A command that writes the key, as {COMMAND} does.")
    return by_file(by_command(command))


def new_key_options(command: _Command) -> _Command:
    """Add the options that name the key that a memory is to have."""
    by_file = _key_option("--new-key-file", "FILE", "The key to encrypt with.")
    by_command = _key_option("--new-key-command", "COMMAND", "A command that writes the key to encrypt with.")
    return by_file(by_command(command))


def _note_json(context: click.Context, _: click.Parameter, value: bool) -> bool:  # noqa: FBT001 - click's signature
    context.ensure_object(Invocation).json = value
    return value


def _note_json_file(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
    context.ensure_object(Invocation).json = value == STDOUT
    if value not in (None, STDOUT) and not Path(value).absolute().parent.is_dir():
        raise click.UsageError(f"{value} cannot be written - make its folder first", context)
    return value


memory_option = _memory_option(_memory_or_default)
optional_memory_option = _memory_option(_named_memory)

# Eager, so that errors in other options are reported as JSON too.
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
recipe_option = click.option(
    "--recipe", metavar="NAME", help="How memories are recalled; by default as they were made."
)
forming_option = click.option(
    "--recipe", metavar="NAME", help="How a new memory forms its turns and recalls; kept with it, fusion by default."
)
analyst_option = click.option(
    "--analyst",
    metavar="NAME",
    envvar="HMEM_ANALYST",
    show_envvar=True,
    help="What reads the turns, such as openai:gpt-4o-mini; kept with the memory, rules at first.",
)
embedder_option = click.option(
    "--embedder", metavar="NAME", help="What turns text into vectors; by default the one that the memory has."
)
at_option = click.option(
    "--at", metavar="TIME", help="When the question is asked, in ISO 8601, which 'last week' goes by; now by default."
)
_STANDPOINT: Final = (
    click.option("--as-of", metavar="TIME", help="As the memory was known then: what had been said and decided."),
    click.option("--valid-at", metavar="TIME", help="Only what was true then, whenever it was told."),
)
zone_option = click.option(
    "--zone", metavar="ZONE", help="The IANA time zone of times without an offset; kept with the memory, UTC at first."
)


def standpoint_options(command: _Command) -> _Command:
    """Add the options of a standpoint to a command; ``seen_from`` applies them."""
    for option in reversed(_STANDPOINT):
        command = option(command)
    return command


def seen_from(memory: "hmem.Memory", as_of: str | None, valid_at: str | None) -> "hmem.Memory | hmem.AsOf":
    """Return the memory, or its view from the given times.

    Raises:
        InvalidTime: one of them is none.
    """
    seen: hmem.Memory | hmem.AsOf = memory
    if as_of is not None:
        seen = seen.as_of(as_of)
    return seen if valid_at is None else seen.valid_at(valid_at)


def _fields(context: click.Context, _: click.Parameter, given: tuple[str, ...]) -> dict[str, list[Any]] | None:
    """Return the wanted values of metadata fields: each text, and its meaning as JSON."""
    wanted: dict[str, list[Any]] = {}
    for each in given:
        name, separator, value = each.partition("=")
        if not name or not separator:
            raise click.UsageError(f"--metadata {each} has no value - write --metadata KEY=VALUE", context)
        wanted.setdefault(name, []).extend([value, *_as_json(value)])
    return wanted or None


def _as_json(text: str) -> list[Any]:
    """Return the number, truth value or null that a text means, in a list; an empty list if it means none."""
    try:
        meant = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [meant] if isinstance(meant, int | float | None) else []


_FILTERS: Final = (
    click.option("--speaker", metavar="NAME", help="Only what was said by one speaker."),
    click.option("--session", metavar="ID", help="Only what was said in one session."),
    click.option("--since", metavar="TIME", help="Only what was said or happened then or later."),
    click.option("--until", metavar="TIME", help="Only what was said or happened before."),
    click.option("--entity", metavar="NAME", help="Only what names someone or something, by name or id."),
    click.option(
        "--metadata",
        multiple=True,
        metavar="KEY=VALUE",
        callback=_fields,
        help="Only what was kept with this value; may be repeated, and for one KEY any of the values will do.",
    ),
    click.option("--user", metavar="ID", help="Only what belongs to one user."),
    click.option("--agent", metavar="ID", help="Only what belongs to one agent."),
)


def filter_options(command: _Command) -> _Command:
    """Add the conditions on evidence to a command, by the names of ``Memory.search``."""
    for option in reversed(_FILTERS):
        command = option(command)
    return command
