"""Servers, workers and commands over one database, which they name as they would name a file."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from tests.formation import FormedExample
from tests.postgres import Postgres, of_its_own
from tests.serving import Site, problem, serving

import hmem
from hmem import Memory
from hmem.api.catalog_work import CatalogWork
from hmem.interfaces.cli import main
from hmem.storage import Location
from hmem.storage.catalog import open_catalog
from hmem.storage.copying import copy_memory
from hmem_testing.fake_llm import StandIn

TURNS = 60


@pytest.fixture
def sites(postgres: Postgres, tmp_path: Path) -> Iterator[list[Site]]:
    """Two servers of one database."""
    database = Location.parse(postgres.url())
    with ExitStack() as ending:
        yield [ending.enter_context(serving(tmp_path / str(n), database=database)) for n in range(2)]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run a command and return its JSON."""

    def ran(*words: str | Path) -> Any:
        code = main([*map(str, words), "--json"])
        said = capsys.readouterr()
        assert code == 0, said.err
        return json.loads(said.out)

    return ran


def test_what_one_server_keeps_the_other_finds(sites: list[Site]) -> None:
    one, other = sites
    one.create("shared")
    assert problem(other.post("memories", {"name": "Shared"})) == (409, "MemoryExists")
    for number, site in enumerate(sites * 2):
        assert site.post("memories/shared/turns", {"text": f"The fern is number {number}"}).status_code == 200
    for site in sites:
        found = site.post("memories/shared/search", {"question": "Which fern?", "k": 10}).json()["evidence"]
        assert len(found) == 4
        assert "shared" in site.get("memories").json()["items"]
    assert one.http.delete("/v1/memories/shared").status_code == 200
    assert problem(other.post("memories/shared/turns", {"text": "Still here?"})) == (404, "MemoryNotFound")
    assert problem(other.get("memories/shared")) == (404, "MemoryNotFound")


def test_while_the_database_is_away_the_server_says_so_at_once_and_goes_on_afterwards(tmp_path: Path) -> None:
    with of_its_own(tmp_path / "pg") as postgres:
        database = Location.parse(postgres.url())
        with serving(tmp_path / "root", database=database) as site:
            site.create("a")
            site.create("b")
            assert site.post("memories/a/turns", {"text": "The fern is green"}).status_code == 200
            postgres.stop()
            for name in "aabab":
                began = monotonic()
                answer = site.post(f"memories/{name}/search", {"question": "Which fern?"})
                assert problem(answer) == (503, "StorageUnavailable")
                assert answer.headers["Retry-After"] == "1"
                # Also the first one, which would wait longer in a program of one's own.
                assert monotonic() - began < 5
            assert eventually(lambda: site.http.get("/readyz").status_code == 503)
            told = site.http.get("/readyz")
            assert (told.json(), told.headers["Retry-After"]) == ({"status": "not ready", "part": "database"}, "1")
            assert site.http.get("/healthz").status_code == 200
            postgres.restart()
            assert eventually(lambda: site.http.get("/readyz").status_code == 200)
            assert len(site.post("memories/a/search", {"question": "Which fern?"}).json()["evidence"]) == 1
            assert site.post("memories/b/turns", {"text": "So is the moss"}).status_code == 200


def eventually(condition: Callable[[], bool]) -> bool:
    """Wait for a condition, at most half a minute."""
    end = monotonic() + 30
    while not (fulfilled := condition()) and monotonic() < end:
        sleep(0.05)
    return fulfilled


def test_an_error_does_not_tell_where_the_database_is(sites: list[Site]) -> None:
    sites[0].create("hidden")
    told = sites[0].post("memories/none/search", {"question": "x"})
    assert problem(told) == (404, "MemoryNotFound")
    assert "host=" not in told.text
    assert sites[0].http.delete("/v1/memories/hidden").status_code == 200


def test_a_memory_moves_to_a_database_and_back_and_answers_the_same(
    postgres: Postgres, tmp_path: Path, command: Callable[..., Any], formed_example: FormedExample
) -> None:
    formed_example(tmp_path / "a.hmem", TURNS)
    with Memory(tmp_path / "a.hmem") as memory:
        memory.correct(memory.list()[3].id, "It was otherwise")
    place = postgres.location("moved")
    there = command("copy", tmp_path / "a.hmem", place)["copied"][0]
    back = command("copy", place, tmp_path / "b.hmem")["copied"][0]
    assert there["digest"] == back["digest"]
    assert copy_memory(tmp_path / "a.hmem", place).before
    answers: list[Any] = []
    for each in (tmp_path / "a.hmem", place, tmp_path / "b.hmem"):
        with Memory(each) as memory:
            assert memory.verify()
            found = memory.search("Who adopted a dog?", at="2024-06-01T00:00:00Z")
            answers.append([(item.id, item.score) for item in found])
    assert answers[0] == answers[1] == answers[2]
    open_catalog(postgres.url()).drop("moved")


def test_commands_take_a_database(postgres: Postgres, tmp_path: Path, command: Callable[..., Any]) -> None:
    place = postgres.location("by-command")
    assert command("add", "The kiln is hot", "--memory", place)["fate"] == "stored"
    assert command("search", "kiln", "--memory", place)
    assert command("doctor", "--memory", place)["ok"]
    assert command("backup", tmp_path / "b.hmem", "--memory", place)["bytes"] > 0
    with Memory(tmp_path / "b.hmem") as memory:
        assert [turn.text for turn in memory.list()] == ["The kiln is hot"]
    open_catalog(postgres.url()).drop("by-command")


def test_a_worker_finds_what_is_due_in_a_database(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    catalog = open_catalog(postgres.url())
    with StandIn() as model:
        for name in ("due-1", "due-2"):
            with Memory(catalog.locate(name), analyst=f"openai:stand-in@{model.url}") as memory:
                memory.add([{"text": f"I live in {place}", "speaker": "Maria"} for place in ("Lisbon", "Porto")])
        with Memory(catalog.locate("rules")) as memory:
            memory.add("Nobody asks a model of me")
        workers = [CatalogWork(catalog) for _ in range(2)]
        assert sum(worker.run_jobs(drain=True).turns for worker in workers) == 4
        assert [worker.run_jobs(drain=True).calls for worker in workers] == [0, 0]
        with Memory(catalog.locate("due-1")) as memory:
            memory.add("I moved to Braga", speaker="Maria")
        assert workers[1].run_jobs(drain=True).turns == 1
    for name in ("due-1", "due-2", "rules"):
        catalog.drop(name)
    catalog.close()


def test_what_a_copy_brings_for_a_model_is_due_once_the_copy_is_whole(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    catalog = open_catalog(postgres.url())
    with StandIn() as model:
        with Memory(tmp_path / "a.hmem", analyst=f"openai:stand-in@{model.url}") as memory:
            memory.add([{"text": f"I live in {place}", "speaker": "Maria"} for place in ("Lisbon", "Porto")])
        copy_memory(tmp_path / "a.hmem", catalog.locate("copied"))
        assert CatalogWork(catalog).run_jobs(drain=True).turns == 2
    catalog.drop("copied")
    catalog.close()


def test_a_client_meets_any_server(sites: list[Site]) -> None:
    for number, site in enumerate(sites):
        with hmem.connect(f"{site.address}/met", create=not number) as memory:
            memory.add(f"Turn {number}")
            assert len(memory.list()) == number + 1
    sites[0].http.delete("/v1/memories/met")
