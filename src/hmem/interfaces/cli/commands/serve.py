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
from hmem.interfaces.cli.options import (
    POSITIVE,
    command,
    database_option,
    emit,
    flag,
    invocation,
    key_options,
    option,
    wait_option,
)
from hmem.interfaces.cli.output import table
from hmem.model.key import MemoryKey
from hmem.model.span import duration, now

if TYPE_CHECKING:
    from hmem.interfaces.rest.keys import Keys

_MOST_WORKERS: Final = 4
_PACKAGES: Final = ("fastapi", "uvicorn", "httptools", "prometheus_client")
_COLUMNS: Final = ["id", "name", "scopes", "memories", "created", "expires", "revoked", "rate"]
_RECORD: Final = ", ".join(f'"{name}"' for name in _COLUMNS)
_NEW_KEY: Final = f'JSON: {{"key", {_RECORD}}}.'
_root_option = option(
    "--root", "DIR",
    "The folder with the memories and the keys, made when it is not there; with a database only the keys.",
    required=True, envvar="HMEM_ROOT", show_envvar=True, type=click.Path(file_okay=False, path_type=Path),
)  # fmt: skip
_FILE: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
_RATE: Final = click.FloatRange(min=0, min_open=True)
_ORIGIN: Final = re.compile(r"https?://[^\s/*@]+")


def _checked_origins(context: click.Context, parameter: click.Parameter, origins: tuple[str, ...]) -> tuple[str, ...]:
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise click.BadParameter(f"{origin!r} is no origin - give one like https://example.org", context, parameter)
    return origins


@command(
    "serve",
    'JSON: {"address", "root", "place"}, as soon as it listens.',
    _root_option,
    database_option,
    wait_option,
    option("--host", "ADDRESS", "Where to listen.", default="127.0.0.1"),
    option("--port", None, "0 is any free one.", default=8765, type=click.IntRange(0, 65_535)),
    option(
        "--workers", None,
        "Processes that share the memories out; 0 is the server's own. One for each core by default, up to four.",
        type=click.IntRange(0, 64),
    ),
    option("--threads", None, "Calls at work in each.", default=8, type=click.IntRange(1, 256)),
    option(
        "--open-memories", None, "How many memories a process keeps loaded.", dest="memories", default=128,
        type=POSITIVE,
    ),
    option(
        "--memory-bytes", None, "How many bytes a process with loaded memories holds.", default=512_000_000,
        type=POSITIVE,
    ),
    option("--recipe", "NAME", "How memories are recalled; by default as they were made."),
    option(
        "--max-bytes", None, "The largest body of a request.", dest="body_bytes", default=4_000_000, type=POSITIVE
    ),
    option("--max-batch", None, "The most messages of one request.", dest="batch", default=1_000, type=POSITIVE),
    option("--rate", None, "Requests a second by one key, twice as many at once.", default=2_000.0, type=_RATE),
    option(
        "--client-requests", None, "How many requests of one key may be at work.", dest="at_work_by_client",
        default=256, type=POSITIVE,
    ),
    option(
        "--client-connections", None, "How many connections of one address may be open; idle ones make room.",
        dest="connections_by_client", default=512, type=POSITIVE,
    ),
    option("--tls-cert", "FILE", "The certificate chain for TLS, in PEM.", dest="certificate", type=_FILE),
    option("--tls-key", "FILE", "The private key of --tls-cert, in PEM.", dest="private_key", type=_FILE),
    option(
        "--cors-origin", "ORIGIN",
        "A site whose pages may call the server, such as https://example.org; may be repeated.", dest="origins",
        multiple=True, callback=_checked_origins,
    ),
    option(
        "--audit", "FILE", "Tell there who read and wrote what, in lines of JSON: keys, names and ids, never a text.",
        type=click.Path(dir_okay=False, path_type=Path),
    ),
    key_options,
    flag("--otel", "Tell OpenTelemetry of each request; needs the extra hmem[otel]."),
)  # fmt: skip
def serve(root: Path, database: str | None, wait: float, workers: int | None, rate: float, **options: Any) -> None:
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

    settings = Settings(
        root.expanduser().absolute(),
        workers=_workers() if workers is None else workers,
        rate=rate,
        burst=max(1, int(2 * rate)),
        key=invocation().key or MemoryKey.from_environment(),
        database=None if database is None else Location.parse(database),
        **options,
    )

    # Its processes find the database there.
    await_catalog(settings.location, wait, partial(click.echo, err=True)).close()

    def report(address: str) -> None:
        if invocation().json:
            emit({"address": address, "root": settings.root, "place": str(settings.location)}, ())
        else:
            click.echo(f"serving {settings.location} on {address}", err=True)

    server.serve(settings, report)


def check_extra() -> None:
    """Refuse to serve without the packages that it needs.

    Raises:
        ExtraMissing: one is not installed.
    """
    missing = [name for name in _PACKAGES if find_spec(name) is None]
    if missing:
        raise ExtraMissing(f"{missing[0]} is not installed - pip install 'hmem[server]'")


def _workers() -> int:
    """Return the number of processes: one for each core up to a limit; 0 with a single core."""
    cores = os.cpu_count() or 1
    return min(cores, _MOST_WORKERS) if cores > 1 else 0


@command(
    "create",
    _NEW_KEY,
    _root_option,
    option("--name", "TEXT", "Whose it is, for the list.", default="", show_default=False),
    option(
        "--scope", None, "What it is for; may be repeated. admin is for all.", dest="scopes", multiple=True,
        default=("read", "write"), type=click.Choice(["read", "write", "forget", "admin"]),
    ),
    option(
        "--memory", "PATTERN", "A memory, or a pattern such as 'team-*'; may be repeated.", dest="memories",
        multiple=True, required=True,
    ),
    option("--expires", "TIME", "After how long it expires, such as 12h or 90d; never by default."),
    option(
        "--rate", None,
        "Requests a second, twice as many at once; by default as many as `hmem serve --rate` gives each key.",
        type=_RATE,
    ),
)  # fmt: skip
def create(
    root: Path, name: str, scopes: tuple[str, ...], memories: tuple[str, ...], expires: str | None, rate: float | None
) -> None:
    """Make a key.

    It is shown this once: what is kept is only a hash of it.
    """
    _emit_key(*_keys(root).create(name, scopes, memories, _end(expires), rate))


@command(
    "rotate",
    _NEW_KEY,
    click.argument("key", metavar="ID"),
    _root_option,
    option("--grace", "TIME", "For how long the old one is valid yet.", default="24h"),
    option("--expires", "TIME", "After how long the new one expires; when the old one did by default."),
)
def rotate(key: str, root: Path, grace: str, expires: str | None) -> None:
    """Make a key in the place of another one.

    It has the same rights. The old one is valid for a while yet, so that its users can change over.
    """
    _emit_key(*_keys(root).rotate(key, duration(grace), _end(expires)))


def _end(lifetime: str | None) -> datetime | None:
    return None if lifetime is None else now() + duration(lifetime)


def _emit_key(secret: str, record: Any) -> None:
    """Write a new key and, as JSON, its record."""
    emit({"key": secret, **_fields(record)}, secret)


@command("list", f"JSON: [{{{_RECORD}}}].", _root_option)
def list_keys(root: Path) -> None:
    """List the keys.

    They are told without themselves.
    """
    records = [_fields(record) for record in _keys(root).records()]
    rows = [[_cell(record[column]) for column in _COLUMNS] for record in records]
    emit(records, table(_COLUMNS, rows) if rows else "there are no keys")


@command("revoke", f"JSON: {{{_RECORD}}}.", click.argument("key", metavar="ID"), _root_option)
def revoke(key: str, root: Path) -> None:
    """Revoke a key.

    It holds from the next request on.
    """
    record = _keys(root).revoke(key)
    emit(_fields(record), f"revoked {record.id}")


def _keys(root: Path) -> "Keys":
    from hmem.interfaces.rest.keys import Keys  # noqa: PLC0415 - the package may need the extra
    from hmem.interfaces.rest.settings import Settings  # noqa: PLC0415

    return Keys(Settings(root.expanduser()).keys)


def _fields(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in _COLUMNS}


def _cell(value: Any) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, cast("tuple[Any, ...]", value)))
    return "" if value is None else str(value)
