"""Row-level security: a transaction sees and writes the rows of the memory that it names, and no others."""

from collections.abc import Iterator

import psycopg
import pytest
from tests.postgres import Postgres

from hmem.storage import open_storage
from hmem.storage.postgres.schema import DISTRIBUTED
from hmem_testing.conformance.harness import keep, make_turns

NAME = "isolated"


@pytest.fixture
def connection(postgres: Postgres) -> Iterator[psycopg.Connection]:
    storage = open_storage(postgres.location(NAME))
    if not storage.state().change:
        keep(storage, make_turns(3))
    storage.close()
    with psycopg.connect(postgres.url(), autocommit=True) as connection:
        yield connection


def count(connection: psycopg.Connection, table: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM hmem.{table}").fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize("table", DISTRIBUTED)
def test_who_names_no_memory_sees_nothing(connection: psycopg.Connection, table: str) -> None:
    assert count(connection, table) == 0


def test_who_names_a_memory_sees_its_rows_only_for_the_transaction(connection: psycopg.Connection) -> None:
    with connection.transaction():
        connection.execute("SELECT set_config('hmem.memory', %s, true)", (NAME,))
        assert count(connection, "turn") == 3
        assert count(connection, "memory") == 1
    assert count(connection, "turn") == 0


def test_who_names_no_memory_or_another_writes_nothing(connection: psycopg.Connection) -> None:
    insert = "INSERT INTO hmem.speaker (memory, number, digest, name) VALUES (%s, 99, 'x', 'Mallory')"
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(insert, (NAME,))
    with connection.transaction(force_rollback=True):
        connection.execute("SELECT set_config('hmem.memory', 'mallory', true)")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(insert, (NAME,))
    assert connection.execute("UPDATE hmem.speaker SET name = 'Mallory'").rowcount == 0
    assert connection.execute("DELETE FROM hmem.turn").rowcount == 0


def test_who_lists_memories_sees_names_and_nothing_in_them(connection: psycopg.Connection) -> None:
    with connection.transaction():
        connection.execute("SELECT set_config('hmem.scope', 'names', true)")
        assert count(connection, "memory") > 0
        assert count(connection, "turn") == count(connection, "block") == 0
        assert connection.execute("UPDATE hmem.memory SET id = 'x'").rowcount == 0


def test_every_table_of_memories_is_fenced(postgres: Postgres) -> None:
    with psycopg.connect(postgres.admin()) as connection:
        rows = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'hmem'::regnamespace AND relkind = 'r' "
            "AND relrowsecurity AND relforcerowsecurity"
        ).fetchall()
        keyed = connection.execute(
            "SELECT conrelid::regclass::text FROM pg_constraint WHERE contype = 'p' "
            "AND connamespace = 'hmem'::regnamespace AND conkey[1] = (SELECT attnum FROM pg_attribute "
            "WHERE attrelid = conrelid AND attname = 'memory')"
        ).fetchall()
    assert {name for (name,) in rows} == set(DISTRIBUTED)
    assert {name.removeprefix("hmem.") for (name,) in keyed} == set(DISTRIBUTED)
