"""Postgres keeps every promise of the storage contract, and asks about one memory alone; on Citus, one machine."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.register_assert_rewrite("hmem_testing.conformance")

from tests.citus import Citus  # noqa: E402
from tests.plans import Explainer  # noqa: E402
from tests.postgres import Postgres  # noqa: E402

from hmem import Memory  # noqa: E402
from hmem.errors import InputError, StorageError, StorageUnavailable  # noqa: E402
from hmem.storage import OpenOptions, Storage, open_storage  # noqa: E402
from hmem.storage.catalog import open_catalog  # noqa: E402
from hmem.storage.location import Location  # noqa: E402
from hmem_postgres import store, transactions  # noqa: E402
from hmem_postgres.opening import load  # noqa: E402
from hmem_testing.conformance import StorageConformance  # noqa: E402
from hmem_testing.conformance.harness import keep, make_turns  # noqa: E402


@pytest.fixture(scope="session")
def plans(postgres: Postgres) -> Iterator[Explainer]:
    explainer = Explainer(postgres.admin(), citus=False)
    yield explainer
    explainer.close()


@pytest.fixture(scope="session")
def citus_plans(citus: Citus) -> Iterator[Explainer]:
    explainer = Explainer(citus.url, citus=True)
    yield explainer
    explainer.close()


class TestPostgres(StorageConformance):
    @pytest.fixture(autouse=True)
    def _server(self, postgres: Postgres, plans: Explainer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        self.postgres = postgres
        monkeypatch.setattr(transactions, "ask", plans.ask)
        yield
        assert plans.explained
        assert plans.take_wrong() == {}

    def location(self, tmp_path: Path) -> str:
        return self.postgres.location(str(tmp_path))

    def open(self, location: str) -> Storage:
        return load(Location.parse(location), OpenOptions(busy_seconds=1))


class TestCitus(StorageConformance):
    @pytest.fixture(autouse=True)
    def _server(self, citus: Citus, citus_plans: Explainer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        self.citus = citus
        monkeypatch.setattr(transactions, "ask", citus_plans.ask)
        yield
        assert citus_plans.explained
        assert citus_plans.take_wrong() == {}

    def location(self, tmp_path: Path) -> str:
        return self.citus.location(str(tmp_path))

    def open(self, location: str) -> Storage:
        return load(Location.parse(location), OpenOptions(busy_seconds=1))


def test_statements_of_more_than_one_memory_are_noticed(plans: Explainer, postgres: Postgres) -> None:
    storage = open_storage(postgres.location())
    keep(storage, make_turns(2))
    storage.close()
    statement = """SELECT (SELECT min(seq) FROM hmem.turn AS turn WHERE turn.memory = memory.memory)
        FROM hmem.memory AS memory WHERE memory = %s"""
    plans.explain(statement, ("a",))
    assert set(plans.take_wrong()) == {statement}


def test_a_failed_open_leaves_no_memory(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError):
        Memory(postgres.location("refused"), recipe="fusion", settings={"retrieval.without": "no such stage"})
    broken: Any = store._STATE.replace("hmem.memory", "hmem.missing")
    monkeypatch.setattr(store, "_STATE", broken)
    with pytest.raises(StorageError):
        Memory(postgres.location("unread"))
    catalog = open_catalog(postgres.url())
    assert [catalog.spelled(name) for name in ("refused", "unread")] == [None, None]
    catalog.close()


def test_a_lost_machine_of_citus_is_a_storage_that_cannot_be_reached(citus: Citus) -> None:
    storage = open_storage(citus.location("lost"), busy_seconds=1)
    keep(storage, turns := make_turns(2))
    with citus.machine_away(storage.location), pytest.raises(StorageUnavailable):
        keep(storage, make_turns(1))
    storage.close()
    with Memory(citus.location("lost")) as memory:
        assert memory.stats().turns == len(turns)
