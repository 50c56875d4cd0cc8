"""Commands ``hmem database init``, ``migrate`` and ``status``."""

from typing import Final

import click

from hmem.errors import InputError
from hmem.interfaces.cli.options import json_option
from hmem.interfaces.cli.output import one_line, write_json
from hmem.storage.location import DATABASES, Location
from hmem_postgres import schema
from hmem_postgres.address import Address

_JSON: Final = 'JSON: {"version", "known", "memories", "distributed"}.'

_url = click.argument("url")
_role = click.option("--role", metavar="NAME", help="Give this role the rights that memories need, and no others.")


@click.command("init", epilog=_JSON)
@_url
@_role
@click.option("--citus", is_flag=True, help="Spread the tables over the machines of Citus, by the memory.")
@json_option
def init(*, url: str, role: str | None, citus: bool, as_json: bool) -> None:
    """Make the tables for memories in a database.

    They lie in a schema of their own, hmem. The role of URL owns them; let memories be used by another one, so that
    row-level security holds. What is there already stays as it is.
    """
    _migrate(url, role, citus=citus, as_json=as_json)


@click.command("migrate", epilog=_JSON)
@_url
@_role
@json_option
def migrate_tables(*, url: str, role: str | None, as_json: bool) -> None:
    """Bring a database's tables to the present schema.

    Either all of it happens or nothing; a second run waits for the first, and changes nothing.
    """
    _migrate(url, role, citus=False, as_json=as_json)


@click.command("status", epilog=_JSON)
@_url
@json_option
def status(*, url: str, as_json: bool) -> None:
    """Tell a database's schema and number of memories."""
    address = _parse_address(url)
    _report(address, schema.status(address), as_json=as_json)


def _migrate(url: str, role: str | None, *, citus: bool, as_json: bool) -> None:
    address = _parse_address(url)
    _report(address, schema.migrate(address, role=role, citus=citus), as_json=as_json)


def _parse_address(url: str) -> Address:
    """Return the place of a database.

    Raises:
        InputError: it is no database of Postgres.
    """
    location = Location.parse(url)
    if location.scheme not in DATABASES:
        raise InputError(f"{location} is no database of Postgres - write postgresql://user@host/database")
    return Address.parse(location)


def _report(address: Address, database_status: schema.SchemaStatus, *, as_json: bool) -> None:
    if as_json:
        write_json(database_status)
        return
    spread = ", spread by Citus" if database_status.distributed else ""
    version_text = (
        f"schema {database_status.version} of {database_status.known}"
        if database_status.version
        else "no tables of hmem"
    )
    click.echo(f"{one_line(address.printed)}: {version_text}{spread}, memories: {database_status.memories:,}")
