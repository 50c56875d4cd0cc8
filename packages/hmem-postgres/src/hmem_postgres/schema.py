"""Schema of a database: its versions, as files of statements, and what brings a database to the present one."""

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final, LiteralString, cast

import psycopg
from psycopg.sql import SQL, Identifier

from hmem.errors import SchemaTooNew, StorageError
from hmem_postgres.address import Address
from hmem_postgres.pool import CITUS
from hmem_postgres.texts import escaping
from hmem_postgres.translation import translated

# Key of the lock under which one process at a time brings a database to a newer schema: "hmem" as bytes.
_LOCK: Final = int.from_bytes(b"hmem")
# Version of the schema of a database that has one.
VERSION: Final = "SELECT coalesce(max(version), 0) FROM hmem.migration"
_IS_THERE: Final = "SELECT CASE WHEN to_regclass('hmem.migration') IS NULL THEN 0 ELSE 1 END"
_GRANTS: Final[tuple[LiteralString, ...]] = (
    "GRANT USAGE ON SCHEMA hmem TO {role}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA hmem TO {role}",
    "REVOKE INSERT, UPDATE, DELETE ON hmem.migration FROM {role}",
)
# Distributed by the memory, the first beside which all others lie; every node has a copy of the versions.
DISTRIBUTED: Final = (
    "memory", "speaker", "session", "block", "text", "turn", "vector", "chunk", "turn_use", "log", "reading", "work",
    "answer", "reaction", "spending", "due",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SchemaStatus:
    """Version of a database's schema, 0 if it has none, that which this hmem knows, and the number of its memories.

    ``distributed`` tells if Citus spreads its tables.
    """

    version: int
    known: int
    memories: int
    distributed: bool


@cache
def migrations() -> tuple[tuple[str, str], ...]:
    """Return the migrations in order: (name, statements). Their number is the schema's version."""
    folder = resources.files("hmem_postgres") / "migrations"
    files = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return tuple((entry.name, entry.read_text("utf-8")) for entry in files)


def migrate(
    address: Address, *, role: str | None = None, citus: bool = False, until: int | None = None
) -> SchemaStatus:
    """Bring a database to the present schema, or to the version ``until``, in one transaction.

    ``role`` gets the rights that memories need, and no others. With ``citus`` the tables are distributed by the memory.
    One process at a time does this; others wait for it.

    Raises:
        SchemaTooNew: the database has a newer schema.
        StorageError: the role may not make tables, or Citus is not installed.
        StorageUnavailable: the database cannot be reached.
    """
    with translated(address.printed), _connected(address) as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        version = read_version(connection)
        check_version(address, version)
        if version == 0:
            connection.execute("CREATE SCHEMA IF NOT EXISTS hmem")
        for number, (name, statements) in enumerate(migrations()[:until], 1):
            if number > version:
                connection.execute(cast(LiteralString, statements))
                connection.execute("INSERT INTO hmem.migration (version, name) VALUES (%s, %s)", (number, name))
        if citus and not is_distributed(connection):
            _distribute(connection)
        if role is not None:
            for grant in _GRANTS:
                connection.execute(SQL(grant).format(role=Identifier(role)))
        return _status(connection)


def status(address: Address) -> SchemaStatus:
    """Return the state of a database's schema.

    Raises:
        StorageUnavailable, StorageError: it cannot be read.
    """
    with translated(address.printed), _connected(address) as connection:
        return _status(connection)


def check_version(address: Address, version: int) -> None:
    """Refuse a schema that this hmem does not know.

    Raises:
        SchemaTooNew: it is newer.
    """
    if version > len(migrations()):
        raise SchemaTooNew(
            f"{address.printed} has schema {version}, this hmem knows {len(migrations())} - upgrade hmem "
            "(pip install -U hmem)"
        )


def check_present(address: Address, version: int) -> None:
    """Refuse a schema that is not the present one.

    Raises:
        SchemaTooNew: it is newer.
        StorageError: there is none, or it is older.
    """
    check_version(address, version)
    if version < len(migrations()):
        command = "init" if version == 0 else "migrate"
        state = "no tables of hmem" if version == 0 else f"schema {version} of {len(migrations())}"
        raise StorageError(f"{address.printed} has {state} - run `hmem database {command}` with its URL")


def read_version(connection: "psycopg.Connection[Any]") -> int:
    """Return the version of a database's schema; 0 if it has none."""
    presence = connection.execute(_IS_THERE).fetchone()
    if presence is None or not presence[0]:
        return 0
    row = connection.execute(VERSION).fetchone()
    return 0 if row is None else int(row[0])


def is_distributed(connection: "psycopg.Connection[Any]") -> bool:
    """Tell if Citus spreads the tables."""
    if connection.execute(CITUS).fetchone() is None:
        return False
    cursor = connection.execute("SELECT 1 FROM pg_dist_partition WHERE logicalrelid = 'hmem.memory'::regclass")
    return cursor.fetchone() is not None


def _distribute(connection: "psycopg.Connection[Any]") -> None:
    """Spread the tables by the memory, all of one memory together.

    The name of a transaction's memory does not reach the other nodes, so there is no row-level security with Citus.
    """
    if connection.execute(CITUS).fetchone() is None:
        raise StorageError("the database has no Citus - run `CREATE EXTENSION citus` in it, or leave --citus out")
    for name in DISTRIBUTED:
        connection.execute(f"ALTER TABLE hmem.{name} NO FORCE ROW LEVEL SECURITY")
        connection.execute(f"ALTER TABLE hmem.{name} DISABLE ROW LEVEL SECURITY")
    first, *other_tables = DISTRIBUTED
    connection.execute("SELECT create_reference_table('hmem.migration')")
    connection.execute("SELECT create_distributed_table(%s, 'memory')", (f"hmem.{first}",))
    for name in other_tables:
        connection.execute(
            "SELECT create_distributed_table(%s, 'memory', colocate_with => %s)", (f"hmem.{name}", f"hmem.{first}")
        )


def _status(connection: "psycopg.Connection[Any]") -> SchemaStatus:
    version = read_version(connection)
    memories = 0
    if version:
        connection.execute("SELECT set_config('hmem.scope', 'names', false)")
        row = connection.execute("SELECT count(*) FROM hmem.memory").fetchone()
        memories = 0 if row is None else int(row[0])
    return SchemaStatus(version, len(migrations()), memories, is_distributed(connection))


def _connected(address: Address) -> "psycopg.Connection[tuple[Any, ...]]":
    return psycopg.connect(address.conninfo, autocommit=True, context=escaping(), application_name="hmem")
