"""Events about a memory: what they tell, of which process, to whom, and when they end."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
import pytest
from tests.serving import Site, problem, serving

from hmem import Memory
from hmem.interfaces.bundle import Restoring
from hmem.interfaces.rest import routes
from hmem.interfaces.rest.keys import Keys
from hmem.interfaces.rest.settings import Settings


@pytest.fixture(autouse=True)
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "LOOK_SECONDS", 0.02)


@contextmanager
def events(site: Site, key: str = "", memory: str = "demo") -> Iterator[Iterator[tuple[str, Any]]]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with site.http.stream("GET", f"/v1/memories/{memory}/live", headers=headers) as response:
        assert response.status_code == 200, response.read()
        assert response.headers["content-type"].startswith("text/event-stream")
        yield _parsed(response)


def _parsed(response: httpx.Response) -> Iterator[tuple[str, Any]]:
    name = ""
    for line in response.iter_lines():
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)


def test_what_another_process_adds_is_told(tmp_path: Path) -> None:
    with serving(tmp_path) as site:
        site.create("demo")
        with events(site) as told:
            name, first = next(told)
            assert (name, first["turns"], first["stored"]) == ("progress", 0, 0)
            # Not over the server: through the file.
            with Memory(tmp_path / "demo.hmem") as memory:
                turn = memory.add("I moved to Porto", speaker="Ann").id
                latest = next(each for _, each in told if each["turns"] > 0)
                assert (latest["turns"], latest["stored"], latest["unformed"] <= 1) == (1, 1, True)
                memory.correct(turn, "I moved to Lisbon")
            assert next(each for _, each in told if each["changes"] > first["changes"])


def test_a_key_that_is_revoked_ends_the_events(tmp_path: Path) -> None:
    keys = Keys(Settings(tmp_path).keys)
    admin, _ = keys.create("admin", ["admin"], ["*"])
    made, record = keys.create("ann", ["read"], ["demo"])
    with serving(tmp_path) as site:
        assert site.post("memories", {"name": "demo"}, headers={"Authorization": f"Bearer {admin}"}).is_success
        with events(site, made) as told:
            next(told)
            keys.revoke(record.id)
            assert [(name, each["name"]) for name, each in told if name == "problem"] == [("problem", "KeyRefused")]


def test_a_memory_that_is_deleted_ends_the_events(tmp_path: Path) -> None:
    with serving(tmp_path) as site:
        site.create("demo")
        assert problem(site.get("memories/other/live")) == (404, "MemoryNotFound")
        with events(site) as told:
            next(told)
            assert site.http.delete("/v1/memories/demo").is_success
            assert next(each["name"] for name, each in told if name == "problem") == "MemoryNotFound"


def test_a_server_that_ends_does_not_wait_for_who_follows_a_memory(tmp_path: Path) -> None:
    with serving(tmp_path, stop_seconds=60.0) as site:
        site.create("demo")
        follower = httpx.Client(base_url=site.address, timeout=30, trust_env=False)
        with follower, follower.stream("GET", "/v1/memories/demo/live") as response:
            assert next(_parsed(response))[0] == "progress"
            began = monotonic()
            site.stop()
            assert monotonic() - began < 30


def test_an_export_makes_the_same_memory(tmp_path: Path) -> None:
    with serving(tmp_path) as site:
        site.create("garden-ö")
        texts = ["I adopted a kitten named Coco", "\u2028 is a line for some", "שלום"]
        for text in texts:
            assert site.post("memories/garden-ö/turns", {"text": text, "speaker": "Ann"}).is_success
        answer = site.get("memories/garden-ö/export")
        assert answer.headers["content-type"].startswith("application/jsonl")
        assert answer.headers["content-disposition"].endswith("garden-%C3%B6.jsonl")
        held = [json.loads(line) for line in answer.content.splitlines()]
        assert held[0]["type"] == "hmem-export"
        with Memory(":memory:") as memory:
            Restoring(memory).take(held)
            assert [turn.text for turn in memory.list()] == texts
        assert problem(site.get("memories/other/export")) == (404, "MemoryNotFound")
