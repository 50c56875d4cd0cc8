"""Commands ``hmem serve`` and ``hmem keys``."""

import os
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, cast

import click

from hmem.errors import ExtraMissing
from hmem.interfaces.cli.drawing import draw, table
from hmem.interfaces.cli.options import invocation, json_option, key_options
from hmem.interfaces.cli.output import write_json
from hmem.model.key import MemoryKey
from hmem.model.span import duration, now

_MOST_WORKERS: Final = 4
_NEEDED: Final = ("fastapi", "uvicorn", "httptools", "prometheus_client")
_root_option = click.option(
    "--root",
    required=True,
    metavar="DIR",
    envvar="HMEM_ROOT",
    show_envvar=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder with the memories, made when it is not there.",
)


@click.command("serve", epilog='JSON: {"address", "root"}, as soon as it listens.')
@_root_option
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
    default=64,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many memories a process keeps open.",
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
@key_options
@click.option("--otel", is_flag=True, help="Tell OpenTelemetry of each request; needs the extra hmem[otel].")
@json_option
def serve(*, rate: float, root: Path, workers: int | None, otel: bool, as_json: bool, **options: Any) -> None:
    """Serve the memories under a folder over HTTP.

    It listens to this machine only, unless --host says otherwise, which it refuses as long as there is no key. Once
    there is one, every request needs one. Its log is lines of JSON on stderr without anything that was said.
    """
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise ExtraMissing(f"{missing[0]} is not installed - pip install 'hmem[server]'")
    from hmem.interfaces.rest import server  # noqa: PLC0415 - needs the extra
    from hmem.interfaces.rest.settings import Settings  # noqa: PLC0415

    options |= {"workers": _workers() if workers is None else workers, "burst": max(1, int(2 * rate)), "otel": otel}
    options["key"] = invocation().key or MemoryKey.from_environment()
    settings = Settings(root.expanduser().absolute(), rate=rate, **options)

    def tell(address: str) -> None:
        if as_json:
            write_json({"address": address, "root": settings.root})
        else:
            click.echo(f"serving {settings.root} on {address}", err=True)

    server.serve(settings, tell)


def _workers() -> int:
    """Return the number of processes: one for each core up to a limit; 0 with a single core."""
    cores = os.cpu_count() or 1
    return min(cores, _MOST_WORKERS) if cores > 1 else 0


@click.command("create", epilog='JSON: {"key", "id", "name", "scopes", "memories", "created", "expires", "revoked"}.')
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
@json_option
def create(
    *, root: Path, name: str, scopes: tuple[str, ...], memories: tuple[str, ...], expires: str | None, as_json: bool
) -> None:  # fmt: skip
    """Make a key.

    It is shown this once: what is kept is only a hash of it.
    """
    until = now() + (duration(expires) if expires is not None else timedelta())
    made, key = _keys(root).create(name, scopes, memories, None if expires is None else until)
    if as_json:
        write_json({"key": made, **_shown(key)})
    else:
        click.echo(made)


@click.command("list", epilog='JSON: [{"id", "name", "scopes", "memories", "created", "expires", "revoked"}].')
@_root_option
@json_option
def list_keys(*, root: Path, as_json: bool) -> None:
    """List the keys.

    They are told without themselves.
    """
    held = [_shown(key) for key in _keys(root).held()]
    if as_json:
        write_json(held)
        return
    columns = ["id", "name", "scopes", "memories", "created", "expires", "revoked"]
    rows = [[_text(each[column]) for column in columns] for each in held]
    draw(table(columns, rows) if rows else "there are no keys")


@click.command("revoke", epilog='JSON: {"id", "name", "scopes", "memories", "created", "expires", "revoked"}.')
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


def _keys(root: Path) -> Any:
    from hmem.interfaces.rest.keys import Keys  # noqa: PLC0415 - the package may need the extra
    from hmem.interfaces.rest.settings import Settings  # noqa: PLC0415

    return Keys(Settings(root.expanduser()).keys)


def _shown(key: Any) -> dict[str, Any]:
    names = ("id", "name", "scopes", "memories", "created", "expires", "revoked")
    return {name: getattr(key, name) for name in names}


def _text(value: Any) -> str:
    return (
        ""
        if value is None
        else " ".join(map(str, cast("tuple[Any, ...]", value)))
        if isinstance(value, tuple)
        else str(value)
    )
