"""Commands ``hmem database init``, ``migrate`` and ``status``."""

from typing import Final

import click

from hmem.errors import InputError
from hmem.interfaces.cli.options import command, emit, flag, option
from hmem.interfaces.cli.output import one_line
from hmem.storage.location import DATABASES, Location
from hmem_postgres import schema
from hmem_postgres.address import Address

_JSON: Final = 'JSON: {"version", "known", "memories", "distributed"}.'

_url = click.argument("url")
_role = option("--role", "NAME", "Give this role the rights that memories need, and no others.")


@command("init", _JSON, _url, _role, flag("--citus", "Spread the tables over the machines of Citus, by the memory."))
def init(url: str, role: str | None, *, citus: bool) -> None:
    """Make the tables for memories in a database.

    They lie in a schema of their own, hmem. The role of URL owns them; let memories be used by another one, so that
    row-level security holds. What is there already stays as it is.
    """
    address = _parse_address(url)
    _report(address, schema.migrate(address, role=role, citus=citus))


@command("migrate", _JSON, _url, _role)
def migrate_tables(url: str, role: str | None) -> None:
    """Bring a database's tables to the present schema.

    Either all of it happens or nothing; a second run waits for the first, and changes nothing.
    """
    address = _parse_address(url)
    _report(address, schema.migrate(address, role=role, citus=False))


@command("status", _JSON, _url)
def status(url: str) -> None:
    """Tell a database's schema and number of memories."""
    address = _parse_address(url)
    _report(address, schema.status(address))


def _parse_address(url: str) -> Address:
    """Return the place of a database.

    Raises:
        InputError: it is no database of Postgres.
    """
    location = Location.parse(url)
    if location.scheme not in DATABASES:
        raise InputError(f"{location} is no database of Postgres - write postgresql://user@host/database")
    return Address.parse(location)


def _report(address: Address, status: schema.SchemaStatus) -> None:
    spread = ", spread by Citus" if status.distributed else ""
    version = f"schema {status.version} of {status.known}" if status.version else "no tables of hmem"
    emit(status, f"{one_line(address.printed)}: {version}{spread}, memories: {status.memories:,}")
