"""Options that several commands share, opening the named memory, whole ids, and writing a result."""

import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource
from click.decorators import FC

import hmem
from hmem.errors import MemoryNotFound, UnknownId
from hmem.interfaces.cli.output import write_json
from hmem.interfaces.cli.waiting import clear_sign, waiting
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
POSITIVE: Final = click.IntRange(min=1)

# Fewest characters of an id that name it.
FEWEST: Final = 8
_PREFIX: Final = re.compile("([a-z]+)_([0-9A-HJKMNP-TV-Z]{1,25})")
_SUGGESTED_IDS: Final = 3
_PAGE: Final = 1_000
_NO_LIMIT: Final = 1_000_000_000
# Arguments of commands that are ids, or may be.
_ID_ARGUMENTS: Final = frozenset(
    {"id", "ids", "target", "note", "change", "node", "entity", "other", "after", "before", "since"}
)
# Arguments that open the memory.
_OPENING_ARGUMENTS: Final = ("recipe", "embedder", "analyst", "zone")


# A call and its result.


@dataclass(slots=True)
class Invocation:
    """State of a call.

    ``json``: its result and its errors go to stdout as JSON. ``key`` is that of an encrypted memory, named by the
    options ``key_arguments``; ``new_key`` is the one that it is to have.
    """

    json: bool = False
    key: MemoryKey | None = None
    new_key: MemoryKey | None = None
    key_arguments: tuple[str, ...] = ()


def invocation() -> Invocation:
    """Return the state of the present call."""
    return click.get_current_context().ensure_object(Invocation)


def emit(value: Any, lines: str | Iterable[str], empty: str = "") -> None:
    """Write a result to stdout: a value as JSON if the call asks for it, else lines for people, or ``empty``."""
    clear_sign()
    if invocation().json:
        write_json(value)
    else:
        click.echo(lines if isinstance(lines, str) else "\n".join(lines) or empty)


# A memory.


def command(
    name: str, epilog: str, *parameters: Callable[[Any], Any], text: str | None = None
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command of a function that gets the values of the parameters, and writes its result by ``emit``.

    The help is ``text``, or else the function's docstring.
    """

    def decorate(function: Callable[..., None]) -> click.Command:
        def run(*, as_json: bool, **arguments: Any) -> None:  # noqa: ARG001 - the invocation has it
            function(**arguments)

        decorated: Any = json_option(run)
        for parameter in reversed(parameters):
            decorated = parameter(decorated)
        return click.command(name, help=text or function.__doc__, epilog=epilog)(decorated)

    return decorate


def memory_command(
    name: str,
    epilog: str,
    *parameters: Callable[[Any], Any],
    create: bool = False,
    by_view: bool = True,
    text: str | None = None,
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command of a function that gets an open memory and the values of the parameters.

    With ``STANDPOINT`` among the parameters it gets the memory's view from there, unless ``by_view`` is False.
    Beginnings of ids are completed.
    """

    def decorate(function: Callable[..., None]) -> click.Command:
        def run(*, memory: str, **arguments: Any) -> None:
            from hmem.interfaces.operations import view_at  # noqa: PLC0415 - the help does without

            opening = {key: arguments.pop(key) for key in _OPENING_ARGUMENTS if key in arguments}
            with open_memory(memory, create=create, **opening) as target:
                view = view_at(target, arguments) if by_view else target
                function(view, **{key: _complete(target, key, value) for key, value in arguments.items()})

        return command(name, epilog, *parameters, memory_option, text=text or function.__doc__)(run)

    return decorate


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
            target = hmem.Memory(
                path, create=create, recipe=recipe, embedder=embedder, analyst=analyst, zone=zone, key=invocation().key
            )
        except MemoryNotFound as error:
            if question := _suggestion(path):
                raise MemoryNotFound(f"there is no memory at {path} - {question}") from error
            raise
        with target:
            yield target


def _suggestion(path: str) -> str:
    """Return the question whether a memory of a like name in the same folder was meant; "" if there is none."""
    folder = Path(path).parent
    if "://" in path or not folder.is_dir():
        return ""
    return did_you_mean(Path(path).name, (file.name for file in folder.glob("*.hmem")))


def _named_memory(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
    """Return the ``--memory`` of the command, else that before the command, else that of the environment."""
    root = context.find_root()
    by_environment = not value and root.get_parameter_source("memory") is ParameterSource.ENVIRONMENT
    location = value or root.params.get("memory")
    return _checked_location(location, context, secret=by_environment) if location else None


def _checked_location(location: str, context: click.Context, *, secret: bool = False) -> str:
    """Return a path or URL that is given; one on the command line has no password unless it is ``secret``.

    Raises:
        UsageError: it has one, and others could see it in the list of processes.
    """
    if "://" not in location:
        # A URL must not be expanded as a path.
        return str(Path(location).expanduser())
    from hmem.storage.location import Location  # noqa: PLC0415 - loads the engine

    if not secret and Location.parse(location).has_password:
        raise click.UsageError(
            "others can see a password on the command line - put it into ~/.pgpass, PGPASSWORD or " + VARIABLE, context
        )
    return location


def checked_location(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Return the path or URL of an option or argument, whose password may only come by the environment."""
    by_environment = context.get_parameter_source(parameter.name or "") is ParameterSource.ENVIRONMENT
    return value and _checked_location(value, context, secret=by_environment)


# Options.


def option(
    name: str, metavar: str | None, text: str, *, dest: str | None = None, default: Any = None, **attributes: Any
) -> Callable[[FC], FC]:
    """Return an option with a help text, which tells its default unless ``show_default`` is False."""
    names = (name,) if dest is None else (name, dest)
    if default is not None:
        attributes = {"default": default, "show_default": True, **attributes}
    return click.option(*names, metavar=metavar, help=text, **attributes)


def flag(name: str, text: str, *, dest: str | None = None) -> Callable[[FC], FC]:
    """Return an option without a value."""
    return option(name, None, text, dest=dest, is_flag=True)


wait_option = option(
    "--wait", "SECONDS", "How long to wait at the start for a database that is away.", default=60.0,
    type=click.FloatRange(min=0),
)  # fmt: skip
database_option = option(
    "--database", "URL",
    "The database with the memories, such as postgresql://host/name; its password belongs into ~/.pgpass.",
    envvar=DATABASE, show_envvar=True, callback=checked_location,
)  # fmt: skip


def default_memory() -> str:
    """Return the memory that is used if none is named, the user's own, and say on stderr which it is."""
    path = user_memory(default_root())
    click.echo(f"hmem: the memory is {path}; --memory or {VARIABLE} names another", err=True)
    return str(path)


def _memory_or_default(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    memory = _named_memory(context, parameter, value)
    return memory or (None if context.resilient_parsing else default_memory())


def _memory_option(callback: Callable[..., str | None]) -> Callable[[FC], FC]:
    text = f"The memory's file, or its URL in a database; by default what {VARIABLE} names, else ~/.hmem/user.hmem."
    memory = option("--memory", "PATH", text, callback=callback)
    return lambda command: memory(key_options(command))


def _note_key(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Note a key by where it comes from. A key itself is no option: others could see it in the list of processes."""
    if value is None or context.resilient_parsing:
        return
    name = parameter.opts[0]
    key = MemoryKey.from_file(value) if name.endswith("-file") else MemoryKey.from_command(value)
    state = context.ensure_object(Invocation)
    if name.startswith("--new"):
        state.new_key = key
    else:
        state.key, state.key_arguments = key, (name, value)


def _key_options(prefix: str, by_file: str, by_command: str) -> Callable[[FC], FC]:
    file = option(f"{prefix}-file", "FILE", by_file, callback=_note_key, expose_value=False)
    program = option(f"{prefix}-command", "COMMAND", by_command, callback=_note_key, expose_value=False)
    return lambda command: file(program(command))


# `invocation` has the key that they name.
key_options = _key_options(
    "--key",
    f"The key of an encrypted memory; by default {KEY}, or what {FILE} names.",
    f"A command that writes the key, as {COMMAND} does.",
)
new_key_options = _key_options(
    "--new-key", "The key to encrypt with.", "A command that writes the key to encrypt with."
)


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
json_option = option(
    "--json", None, "Write the result as JSON on stdout.", dest="as_json", is_flag=True, is_eager=True,
    callback=_note_json,
)  # fmt: skip
json_file_option = option(
    "--json", "[OUT]", "Write the figures as JSON to a file; '-' or nothing means stdout.", dest="json_file",
    is_flag=False, flag_value=STDOUT, is_eager=True, callback=_note_json_file,
)  # fmt: skip
recipe_option = option("--recipe", "NAME", "How memories are recalled; by default as they were made.")
forming_option = option(
    "--recipe", "NAME", "How a new memory forms its turns and recalls; kept with it, fusion by default."
)
analyst_option = option(
    "--analyst", "NAME", "What reads the turns, such as openai:gpt-4o-mini; kept with the memory, rules at first.",
    envvar="HMEM_ANALYST", show_envvar=True,
)  # fmt: skip
embedder_option = option("--embedder", "NAME", "What turns text into vectors; by default the one that the memory has.")
zone_option = option(
    "--zone", "ZONE", "The IANA time zone of times without an offset; kept with the memory, UTC at first."
)
user_option = option("--user", "ID", "Only what belongs to one user.")
AUTHORSHIP: Final = (
    option("--why", "TEXT", "The reason, which the history tells."),
    option("--by", "NAME", "Who changes it.", default="user"),
)
STANDPOINT: Final = (
    option("--as-of", "TIME", "As the memory was known then: what had been said and decided."),
    option("--valid-at", "TIME", "Only what was true then, whenever it was told."),
)


def _metadata_conditions(
    context: click.Context, _: click.Parameter, conditions: tuple[str, ...]
) -> dict[str, list[Any]] | None:
    """Return the values of metadata fields that will do: each text, and its meaning as JSON."""
    values: dict[str, list[Any]] = {}
    for condition in conditions:
        name, separator, text = condition.partition("=")
        if not name or not separator:
            raise click.UsageError(f"--metadata {condition} has no value - write --metadata KEY=VALUE", context)
        values.setdefault(name, []).extend([text, *_as_json(text)])
    return values or None


def _as_json(text: str) -> list[Any]:
    """Return the number, truth value or null that a text means, in a list; an empty list if it means none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return [value] if isinstance(value, int | float | None) else []


# What every recall takes, by the names of `Memory.search`.
RECALL_OPTIONS: Final = (
    option(
        "--at", "TIME", "When the question is asked, in ISO 8601, which 'last week' goes by; now by default."
    ),
    *STANDPOINT,
    option("--speaker", "NAME", "Only what was said by one speaker."),
    option("--session", "ID", "Only what was said in one session."),
    option("--since", "TIME", "Only what was said or happened then or later."),
    option("--until", "TIME", "Only what was said or happened before."),
    option("--entity", "NAME", "Only what names someone or something, by name or id."),
    option(
        "--metadata", "KEY=VALUE",
        "Only what was kept with this value; may be repeated, and for one KEY any of the values will do.",
        multiple=True, callback=_metadata_conditions,
    ),
    user_option,
    option("--agent", "ID", "Only what belongs to one agent."),
)  # fmt: skip


# Whole ids.


def _complete(memory: "hmem.Memory", name: str, value: Any) -> Any:
    """Return the value of an argument, where the beginnings of ids are whole ids."""
    if name not in _ID_ARGUMENTS or value is None:
        return value
    return whole_id(memory, value) if isinstance(value, str) else tuple(whole_id(memory, text) for text in value)


def whole_id(memory: "hmem.Memory", text: str) -> str:
    """Return the one id that begins with a text, its kind and at least ``FEWEST`` characters.

    A text that begins no id is returned as it is: it may be a name, and the memory says what it does not know.

    Raises:
        UnknownId: it begins several ids, or is too short.
    """
    prefix = _PREFIX.fullmatch(text)
    if prefix is None or prefix[1] not in _IDS:
        return text
    ids = sorted(full for full in _IDS[prefix[1]](memory) if full.startswith(text))
    if not ids or (len(ids) == 1 and len(prefix[2]) >= FEWEST):
        return ids[0] if ids else text
    suggestion = " or ".join(ids[:_SUGGESTED_IDS])
    if len(ids) > _SUGGESTED_IDS:
        suggestion += f", or {len(ids) - _SUGGESTED_IDS:,} more"
    problem = f"begins {len(ids):,} ids" if len(ids) > 1 else f"is too short, give {FEWEST} characters of the id"
    raise UnknownId(f"{text!r} {problem} - did you mean {suggestion}?")


def _turn_ids(memory: "hmem.Memory") -> Iterator[str]:
    last = None
    while page := memory.list(after=last, limit=_PAGE):
        yield from (turn.id for turn in page)
        last = page[-1].id


def _node_ids(memory: "hmem.Memory") -> Iterator[str]:
    branches = [memory.tree("calendar"), memory.tree("topic"), memory.tree("layers"), memory.tree("evolution")]
    while branches:
        branch = branches.pop()
        yield branch.node.id
        branches.extend(branch.children)


def _ids(items: Iterable[Any]) -> Iterator[str]:
    return (item.id for item in items)


_IDS: Final[Mapping[str, Callable[["hmem.Memory"], Iterable[str]]]] = {
    "turn": _turn_ids,
    "event": lambda memory: _ids(memory.events(limit=_NO_LIMIT)),
    "note": lambda memory: _ids(memory.notes(limit=_NO_LIMIT)),
    "episode": lambda memory: _ids(memory.episodes(limit=_NO_LIMIT)),
    "entity": lambda memory: _ids(memory.entities(limit=_NO_LIMIT)),
    "node": _node_ids,
    "change": lambda memory: _ids(memory.history()),
}
