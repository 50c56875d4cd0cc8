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
    checked_place,
    database_option,
    forming_option,
    invocation,
    json_option,
    optional_memory_option,
    zone_option,
)
from hmem.interfaces.cli.output import write_json
from hmem.interfaces.paths import ROOT_VARIABLE, default_folder, default_root

KEY_VARIABLE: Final = "HMEM_MCP_KEY"


@click.command(
    "mcp",
    epilog='JSON: {"command", "args"}, the entry of this server in the configuration of a client ("mcpServers"); '
    "nothing is served then.",
)
@click.option(
    "--root",
    type=click.Path(file_okay=False, path_type=Path),
    envvar=ROOT_VARIABLE,
    show_envvar=True,
    help="A folder of memories: one for each project, and one for the user.",
)
@click.option(
    "--project",
    type=click.Path(path_type=Path),
    help="With --root, the project's folder; by default the client's, else the current one.",
)
@database_option
@click.option(
    "--user-memory",
    metavar="PATH",
    callback=checked_place,
    help="The user's memory beside --memory.",
)
@click.option("--http", metavar="HOST:PORT", help="Serve streamable HTTP there, at /mcp, instead of stdio.")
@click.option(
    "--allow-host", "names", multiple=True, metavar="NAME", help="With --http, a further name that clients use."
)
@click.option(
    "--tools",
    type=click.Choice(["core", "all"]),
    default="core",
    show_default=True,
    help="The five tools that agents use from day to day, or all.",
)
@click.option(
    "--structured",
    is_flag=True,
    help="Results as structured content too, for programs. Some clients then drop the text that a model should read.",
)
@zone_option
@forming_option
@analyst_option
@optional_memory_option
@json_option
def mcp(
    *,
    root: Path | None,
    project: Path | None,
    database: str | None,
    user_memory: str | None,
    http: str | None,
    names: tuple[str, ...],
    tools: str,
    structured: bool,
    zone: str | None,
    recipe: str | None,
    analyst: str | None,
    memory: str | None,
    as_json: bool,
) -> None:
    """Serve a memory to any agent, by the Model Context Protocol.

    Over stdin and stdout, as a client starts it, or with --http for several clients; on any address but loopback
    clients need the key that HMEM_MCP_KEY holds. Either --memory names one memory, or --root a folder, ~/.hmem by
    default, or --database a database, with one for each project and one for the user.
    """
    if _named_by_environment() and (root is not None or database is not None):
        memory = None
    if memory is None and root is None and database is None:
        root = default_root()
    place = None if http is None else _address(http)
    if as_json:
        offered = [*(["--tools", tools] if tools != "core" else []), *(["--structured"] if structured else [])]
        write_json(_entry(memory, database, root, project, user_memory, offered))
        return
    try:
        from hmem.interfaces.mcp.memories import Locations, Memories  # noqa: PLC0415 - comes with an extra
        from hmem.interfaces.mcp.serving import log_to_stderr, serve_http, serve_stdio  # noqa: PLC0415

        log_to_stderr()
        from hmem.interfaces.mcp.server import server_of, warm_up  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ExtraMissing(f"no package {error.name!r} is installed - pip install 'hmem[mcp]'") from error
    whole = root if _is_named("root") and not _is_named("database") else database or root
    places = Locations(
        project=memory,
        user=user_memory,
        root=None if memory is not None or whole is None else _expanded(whole),
        folder=(project or default_folder()).expanduser(),
    )
    memories = Memories(places, {"recipe": recipe, "analyst": analyst, "zone": zone}, invocation().key)
    user = places.user is not None or places.root is not None
    server = server_of(memories, user=user, all_tools=tools == "all", structured=structured)
    try:
        if place is None:
            serve_stdio(server, partial(warm_up, memories))
        else:
            key = os.environ.get(KEY_VARIABLE) or None
            serve_http(server, *place, key=key, names=names, listening=partial(warm_up, memories))
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


def _address(given: str) -> tuple[str, int]:
    host, separator, port = given.rpartition(":")
    if not separator or not host or not port.isdigit() or int(port) > 65_535:
        raise click.UsageError(f"{given} is no address - write --http HOST:PORT, such as 127.0.0.1:8848")
    return host.strip("[]"), int(port)


def _expanded(place: str | Path) -> str | Path:
    return place.expanduser() if isinstance(place, Path) else place


def _entry(
    memory: str | None,
    database: str | None,
    root: Path | None,
    project: Path | None,
    user_memory: str | None,
    offered: list[str],
) -> dict[str, Any]:
    """Return a client's configuration entry, with the full path of the command, since clients have another PATH.

    A URL with a password, from the environment, has none there: the client is to have the variable too.
    """
    from hmem.storage.location import Location  # noqa: PLC0415 - loads the engine

    def absolute(value: str | Path) -> str | None:
        place = Location.parse(_expanded(value))
        if place.path is not None:
            return str(place.path.expanduser().absolute())
        return None if place.has_password else place.url

    named = {
        "memory": memory,
        "database": None if memory else database,
        "root": None if memory or database else root,
        "project": project,
        "user-memory": user_memory,
    }
    arguments = ["mcp"]
    for name, value in named.items():
        if value is not None and (told := absolute(value)) is not None:
            arguments += [f"--{name}", told]
    arguments += [*offered, *invocation().key_given]
    found = shutil.which("hmem")
    if found is None:
        return {"command": sys.executable, "args": ["-m", "hmem", *arguments]}
    return {"command": found, "args": arguments}
