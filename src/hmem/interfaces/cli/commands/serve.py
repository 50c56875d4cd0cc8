"""Commands ``hmem serve`` and ``hmem keys``."""

import os
import re
from datetime import datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import click

from hmem.errors import ExtraMissing
from hmem.interfaces.cli.options import database_option, invocation, json_option, key_options, wait_option
from hmem.interfaces.cli.output import table, write_json
from hmem.model.key import MemoryKey
from hmem.model.span import duration, now

if TYPE_CHECKING:
    from hmem.interfaces.rest.keys import Keys

_MOST_WORKERS: Final = 4
_NEEDED: Final = ("fastapi", "uvicorn", "httptools", "prometheus_client")
_COLUMNS: Final = ["id", "name", "scopes", "memories", "created", "expires", "revoked", "rate"]
_root_option = click.option(
    "--root",
    required=True,
    metavar="DIR",
    envvar="HMEM_ROOT",
    show_envvar=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder with the memories and the keys, made when it is not there; with a database only the keys.",
)
_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_ORIGIN: Final = re.compile(r"https?://[^\s/*@]+")


def _checked_origins(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    wrong = [each for each in given if not _ORIGIN.fullmatch(each)]
    if wrong:
        raise click.BadParameter(f"{wrong[0]!r} is no origin - give one like https://example.org", context, option)
    return given


@click.command("serve", epilog='JSON: {"address", "root", "place"}, as soon as it listens.')
@_root_option
@database_option
@wait_option
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option("--port", default=8765, show_default=True, type=click.IntRange(0, 65_535), help="0 is any free one.")
@click.option(
    "--workers",
    type=click.IntRange(0, 64),
    help="Processes that share the memories out; 0 is the server's own. One for each core by default, up to four.",
)
@click.option("--threads", default=8, show_default=True, type=click.IntRange(1, 256), help="Calls at work in each.")
@click.option(
    "--open-memories",
    "memories",
    default=128,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many memories a process keeps loaded.",
)
@click.option(
    "--memory-bytes",
    default=512_000_000,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many bytes the loaded memories of a process hold together.",
)
@click.option("--recipe", metavar="NAME", help="How memories are recalled; by default as they were made.")
@click.option(
    "--max-bytes",
    "body_bytes",
    default=4_000_000,
    show_default=True,
    type=click.IntRange(min=1),
    help="The largest body of a request.",
)
@click.option(
    "--max-batch",
    "batch",
    default=1_000,
    show_default=True,
    type=click.IntRange(min=1),
    help="The most messages of one request.",
)
@click.option(
    "--rate", default=2_000.0, show_default=True, type=click.FloatRange(min=0, min_open=True),
    help="Requests a second by one key, twice as many at once.",
)  # fmt: skip
@click.option(
    "--client-requests",
    "at_work_by_client",
    default=256,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many requests of one key may be at work.",
)
@click.option(
    "--client-connections",
    "connections_by_client",
    default=512,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many connections of one address may be open; idle ones make room.",
)
@click.option("--tls-cert", "certificate", metavar="FILE", type=_FILE, help="The certificate chain for TLS, in PEM.")
@click.option("--tls-key", "private_key", metavar="FILE", type=_FILE, help="The private key of --tls-cert, in PEM.")
@click.option(
    "--cors-origin",
    "origins",
    multiple=True,
    metavar="ORIGIN",
    callback=_checked_origins,
    help="A site whose pages may call the server, such as https://example.org; may be repeated.",
)
@click.option(
    "--audit",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Tell there who read and wrote what, in lines of JSON: keys, names and ids, never a text.",
)
@key_options
@click.option("--otel", is_flag=True, help="Tell OpenTelemetry of each request; needs the extra hmem[otel].")
@json_option
def serve(
    *,
    rate: float,
    root: Path,
    database: str | None,
    wait: float,
    workers: int | None,
    otel: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Serve the memories of a folder or a database over HTTP.

    It listens to this machine only, unless --host says otherwise, which it refuses as long as there is no key. Once
    there is one, every request needs one. Its log is lines of JSON on stderr without anything that was said.
    """
    if (options["certificate"] is None) != (options["private_key"] is None):
        raise click.UsageError("TLS needs both --tls-cert and --tls-key")
    check_extra()
    from hmem.interfaces.places import await_catalog  # noqa: PLC0415 - loads the storage
    from hmem.interfaces.rest import server  # noqa: PLC0415 - needs the extra
    from hmem.interfaces.rest.settings import Settings  # noqa: PLC0415
    from hmem.storage.location import Location  # noqa: PLC0415

    options["database"] = None if database is None else Location.parse(database)
    options |= {"workers": _workers() if workers is None else workers, "burst": max(1, int(2 * rate)), "otel": otel}
    options["key"] = invocation().key or MemoryKey.from_environment()
    settings = Settings(root.expanduser().absolute(), rate=rate, **options)

    # Its processes find the database there.
    await_catalog(settings.location, wait, partial(click.echo, err=True)).close()

    def tell(address: str) -> None:
        if as_json:
            write_json({"address": address, "root": settings.root, "place": str(settings.location)})
        else:
            click.echo(f"serving {settings.location} on {address}", err=True)

    server.serve(settings, tell)


def check_extra() -> None:
    """Refuse to serve without the packages that it needs.

    Raises:
        ExtraMissing: one is not installed.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ExtraMissing(f"{missing[0]} is not installed - pip install 'hmem[server]'")


def _workers() -> int:
    """Return the number of processes: one for each core up to a limit; 0 with a single core."""
    cores = os.cpu_count() or 1
    return min(cores, _MOST_WORKERS) if cores > 1 else 0


@click.command(
    "create", epilog='JSON: {"key", "id", "name", "scopes", "memories", "created", "expires", "revoked", "rate"}.'
)
@_root_option
@click.option("--name", default="", metavar="TEXT", help="Whose it is, for the list.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    default=("read", "write"),
    show_default=True,
    type=click.Choice(["read", "write", "forget", "admin"]),
    help="What it is for; may be repeated. admin is for all.",
)
@click.option(
    "--memory",
    "memories",
    multiple=True,
    required=True,
    metavar="PATTERN",
    help="A memory, or a pattern such as 'team-*'; may be repeated.",
)
@click.option("--expires", metavar="TIME", help="After how long it expires, such as 12h or 90d; never by default.")
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    help="Requests a second, twice as many at once; by default as many as `hmem serve --rate` gives each key.",
)
@json_option
def create(
    *,
    root: Path,
    name: str,
    scopes: tuple[str, ...],
    memories: tuple[str, ...],
    expires: str | None,
    rate: float | None,
    as_json: bool,
) -> None:
    """Make a key.

    It is shown this once: what is kept is only a hash of it.
    """
    _tell(*_keys(root).create(name, scopes, memories, _end(expires), rate), as_json=as_json)


@click.command(
    "rotate", epilog='JSON: {"key", "id", "name", "scopes", "memories", "created", "expires", "revoked", "rate"}.'
)
@click.argument("key", metavar="ID")
@_root_option
@click.option(
    "--grace", default="24h", show_default=True, metavar="TIME", help="For how long the old one is valid yet."
)
@click.option("--expires", metavar="TIME", help="After how long the new one expires; when the old one did by default.")
@json_option
def rotate(*, key: str, root: Path, grace: str, expires: str | None, as_json: bool) -> None:
    """Make a key in the place of another one.

    It has the same rights. The old one is valid for a while yet, so that its users can change over.
    """
    _tell(*_keys(root).rotate(key, duration(grace), _end(expires)), as_json=as_json)


def _end(after: str | None) -> datetime | None:
    return None if after is None else now() + duration(after)


def _tell(made: str, key: Any, *, as_json: bool) -> None:
    """Write a new key and, as JSON, its record."""
    if as_json:
        write_json({"key": made, **_shown(key)})
    else:
        click.echo(made)


@click.command("list", epilog='JSON: [{"id", "name", "scopes", "memories", "created", "expires", "revoked", "rate"}].')
@_root_option
@json_option
def list_keys(*, root: Path, as_json: bool) -> None:
    """List the keys.

    They are told without themselves.
    """
    held = [_shown(key) for key in _keys(root).records()]
    if as_json:
        write_json(held)
        return
    rows = [[_text(each[column]) for column in _COLUMNS] for each in held]
    click.echo(table(_COLUMNS, rows) if rows else "there are no keys")


@click.command("revoke", epilog='JSON: {"id", "name", "scopes", "memories", "created", "expires", "revoked", "rate"}.')
@click.argument("key", metavar="ID")
@_root_option
@json_option
def revoke(*, key: str, root: Path, as_json: bool) -> None:
    """Revoke a key.

    It holds from the next request on.
    """
    revoked = _keys(root).revoke(key)
    if as_json:
        write_json(_shown(revoked))
    else:
        click.echo(f"revoked {revoked.id}")


def _keys(root: Path) -> "Keys":
    from hmem.interfaces.rest.keys import Keys  # noqa: PLC0415 - the package may need the extra
    from hmem.interfaces.rest.settings import Settings  # noqa: PLC0415

    return Keys(Settings(root.expanduser()).keys)


def _shown(key: Any) -> dict[str, Any]:
    return {name: getattr(key, name) for name in _COLUMNS}


def _text(value: Any) -> str:
    return (
        ""
        if value is None
        else " ".join(map(str, cast("tuple[Any, ...]", value)))
        if isinstance(value, tuple)
        else str(value)
    )
