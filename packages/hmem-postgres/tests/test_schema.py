"""Migrations of a database: from nothing and from the first schema, by one process at a time, never backwards."""

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import psycopg
import pytest
from tests.postgres import OWNER, ROLE, Postgres

from hmem.errors import SchemaTooNew, StorageError
from hmem.storage import open_storage
from hmem.storage.location import Location
from hmem_postgres.address import Address
from hmem_postgres.schema import migrate, migrations, status


@pytest.fixture
def database(postgres: Postgres) -> str:
    name = f"hmem_{uuid4().hex}"
    postgres.make_database(name, tables=False)
    return name


def place(postgres: Postgres, database: str) -> Address:
    return Address.parse(Location.parse(postgres.url(database, OWNER)))


def test_a_database_of_the_first_schema_is_brought_to_the_present_one(postgres: Postgres, database: str) -> None:
    assert status(place(postgres, database)).version == 0
    assert migrate(place(postgres, database), until=1).version == 1
    found = migrate(place(postgres, database), role=ROLE)
    assert (found.version, found.known) == (len(migrations()), len(migrations()))
    with psycopg.connect(postgres.url(database, OWNER)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM hmem.migration ORDER BY version")]
    assert names == [name for name, _ in migrations()]
    open_storage(f"{postgres.url(database)}&memory=a").close()


def test_processes_that_migrate_at_once_do_it_once(postgres: Postgres, database: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(lambda _: migrate(place(postgres, database)).version, range(4))]
    assert found == [len(migrations())] * 4


def test_a_newer_schema_is_not_touched(postgres: Postgres, database: str) -> None:
    migrate(place(postgres, database), role=ROLE)
    with psycopg.connect(postgres.url(database, OWNER)) as connection:
        connection.execute("INSERT INTO hmem.migration (version, name) VALUES (%s, 'later')", (len(migrations()) + 1,))
    with pytest.raises(SchemaTooNew):
        migrate(place(postgres, database))
    with pytest.raises(SchemaTooNew):
        open_storage(f"{postgres.url(database)}&memory=a")


def test_a_database_without_tables_says_what_makes_them(postgres: Postgres, database: str) -> None:
    with pytest.raises(StorageError, match="hmem database init"):
        open_storage(f"{postgres.url(database)}&memory=a")
