"""Commands ``hmem database init``, ``migrate`` and ``status``."""

from uuid import uuid4

import pytest
from tests.citus import Citus
from tests.postgres import OWNER, ROLE, Postgres
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory
from hmem.errors import StorageError


@pytest.fixture
def empty(postgres: Postgres) -> str:
    """Name of a database without tables."""
    name = f"hmem_{uuid4().hex}"
    postgres.make_database(name, tables=False)
    return name


def test_a_database_without_tables_is_told_and_made_ready(postgres: Postgres, empty: str, run: Run) -> None:
    told = run("database", "status", postgres.url(empty))
    assert (told.code, "no tables of hmem" in told.out) == (0, True)
    with pytest.raises(StorageError, match="hmem database init"):
        Memory(f"{postgres.url(empty)}&memory=a")
    made = run("database", "init", postgres.url(empty, OWNER), "--role", ROLE, "--json")
    assert (made.code, made.json["version"], made.json["memories"]) == (0, made.json["known"], 0)
    with Memory(f"{postgres.url(empty)}&memory=a") as memory:
        memory.add("I adopted a puppy")
    again = run("database", "migrate", postgres.url(empty, OWNER))
    assert (again.code, "memories: 1" in again.out) == (0, True)


def test_who_may_make_no_tables_gets_a_named_error(postgres: Postgres, empty: str, run: Run) -> None:
    refused = run("database", "init", postgres.url(empty))
    assert refused.code == 3
    assert "permission denied" in refused.err


def test_a_path_is_no_database(run: Run) -> None:
    refused = run("database", "status", "me.hmem")
    assert (refused.code, "no database of Postgres" in refused.err) == (2, True)


def test_no_password_is_printed(run: Run) -> None:
    refused = run("database", "status", "postgresql://me:puppy@127.0.0.1:1/hmem")
    assert refused.code == 4
    assert "puppy" not in refused.out + refused.err


def test_citus_that_is_not_installed_is_a_named_error(postgres: Postgres, empty: str, run: Run) -> None:
    refused = run("database", "init", postgres.url(empty, OWNER), "--citus")
    assert (refused.code, "Citus" in refused.err) == (3, True)


def test_citus_spreads_the_tables(citus: Citus, run: Run) -> None:
    made = run("database", "init", citus.url, "--citus", "--json")
    assert (made.code, made.json["distributed"]) == (0, True)
    with Memory(citus.location(uuid4().hex)) as memory:
        memory.add("I adopted a puppy")
        assert memory.search("Who adopted a puppy?")
