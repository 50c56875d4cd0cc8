"""Command ``hmem mcp``."""

import os
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from hmem.errors import ExtraMissing
from hmem.interfaces.cli.options import (
    analyst_option,
    checked_location,
    command,
    database_option,
    emit,
    flag,
    forming_option,
    invocation,
    option,
    optional_memory_option,
    zone_option,
)
from hmem.interfaces.paths import ROOT_VARIABLE, default_folder, default_root

KEY_VARIABLE: Final = "HMEM_MCP_KEY"


@command(
    "mcp",
    'JSON: {"command", "args"}, the entry of this server in the configuration of a client ("mcpServers"); '
    "nothing is served then.",
    option(
        "--root", None, "A folder of memories: one for each project, and one for the user.", envvar=ROOT_VARIABLE,
        show_envvar=True, type=click.Path(file_okay=False, path_type=Path),
    ),
    option(
        "--project", None, "With --root, the project's folder; by default the client's, else the current one.",
        type=click.Path(path_type=Path),
    ),
    database_option,
    option("--user-memory", "PATH", "The user's memory beside --memory.", callback=checked_location),
    option("--http", "HOST:PORT", "Serve streamable HTTP there, at /mcp, instead of stdio."),
    option("--allow-host", "NAME", "With --http, a further name that clients use.", dest="names", multiple=True),
    option(
        "--tools", None, "The six tools that agents use from day to day, or all.", default="core",
        type=click.Choice(["core", "all"]),
    ),
    flag(
        "--structured",
        "Results as structured content too, for programs. Some clients then drop the text that a model should read.",
    ),
    zone_option,
    forming_option,
    analyst_option,
    optional_memory_option,
)  # fmt: skip
def mcp(
    root: Path | None, project: Path | None, database: str | None, user_memory: str | None, memory: str | None, *,
    http: str | None, names: tuple[str, ...], tools: str, structured: bool, **opening: str | None,
) -> None:  # fmt: skip
    """Serve a memory to any agent, by the Model Context Protocol.

    Over stdin and stdout, as a client starts it, or with --http for several clients; on any address but loopback
    clients need the key that HMEM_MCP_KEY holds. Either --memory names one memory, or --root a folder, ~/.hmem by
    default, or --database a database, with one for each project and one for the user.
    """
    if _named_by_environment() and (root is not None or database is not None):
        memory = None
    if memory is None and root is None and database is None:
        root = default_root()
    address = None if http is None else _address(http)
    if invocation().json:
        options = [*(["--tools", tools] if tools != "core" else []), *(["--structured"] if structured else [])]
        emit(_entry(memory, database, root, project, user_memory, options), ())
        return
    from hmem.interfaces.mcp.greeting import Greeting, greet  # noqa: PLC0415 - other commands are loaded without it

    greeting = greet() if address is None else Greeting()
    try:
        from hmem.interfaces.mcp.memories import Locations, Memories  # noqa: PLC0415 - comes with an extra
        from hmem.interfaces.mcp.serving import log_to_stderr, serve_http, serve_stdio  # noqa: PLC0415

        log_to_stderr()
        from hmem.interfaces.mcp.server import server_of, warm_up  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ExtraMissing(f"no package {error.name!r} is installed - pip install 'hmem[mcp]'") from error
    catalog = root if _is_named("root") and not _is_named("database") else database or root
    locations = Locations(
        project=memory,
        user=user_memory,
        root=None if memory is not None or catalog is None else _expanded(catalog),
        folder=(project or default_folder()).expanduser(),
    )
    memories = Memories(locations, opening, invocation().key)
    user = locations.user is not None or locations.root is not None
    server = server_of(memories, user=user, all_tools=tools == "all", structured=structured)
    try:
        if address is None:
            serve_stdio(server, partial(warm_up, memories), greeting)
        else:
            key = os.environ.get(KEY_VARIABLE) or None
            serve_http(server, *address, key=key, names=names, listening=partial(warm_up, memories))
    finally:
        memories.close()


def _named_by_environment() -> bool:
    """Tell if the memory is named by the environment, but the root or database by an option, which then wins."""
    context = click.get_current_context()
    return (
        (_is_named("root") or _is_named("database"))
        and not _is_named("memory")
        and context.find_root().get_parameter_source("memory") is not ParameterSource.COMMANDLINE
    )


def _is_named(option: str) -> bool:
    """Tell if an option stands on the command line."""
    return click.get_current_context().get_parameter_source(option) is ParameterSource.COMMANDLINE


def _address(text: str) -> tuple[str, int]:
    host, separator, port = text.rpartition(":")
    if not separator or not host or not port.isdigit() or int(port) > 65_535:
        raise click.UsageError(f"{text} is no address - write --http HOST:PORT, such as 127.0.0.1:8848")
    return host.strip("[]"), int(port)


def _expanded(location: str | Path) -> str | Path:
    return location.expanduser() if isinstance(location, Path) else location


def _entry(
    memory: str | None,
    database: str | None,
    root: Path | None,
    project: Path | None,
    user_memory: str | None,
    options: list[str],
) -> dict[str, Any]:
    """Return a client's configuration entry, with the full path of the command, since clients have another PATH.

    A URL with a password, from the environment, has none there: the client is to have the variable too.
    """
    from hmem.storage.location import Location  # noqa: PLC0415 - loads the engine

    def absolute(value: str | Path) -> str | None:
        location = Location.parse(_expanded(value))
        if location.path is not None:
            return str(location.path.expanduser().absolute())
        return None if location.has_password else location.url

    locations = {
        "memory": memory,
        "database": None if memory else database,
        "root": None if memory or database else root,
        "project": project,
        "user-memory": user_memory,
    }
    arguments = ["mcp"]
    for name, value in locations.items():
        if value is not None and (location := absolute(value)) is not None:
            arguments += [f"--{name}", location]
    arguments += [*options, *invocation().key_arguments]
    program = shutil.which("hmem")
    if program is None:
        return {"command": sys.executable, "args": ["-m", "hmem", *arguments]}
    return {"command": program, "args": arguments}
