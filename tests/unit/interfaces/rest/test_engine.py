"""Calls are done by threads, or by processes that share the memories out."""

import asyncio
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import pytest
from tests.serving import Site, problem, serving

from hmem import Memory
from hmem.errors import MemoryNotFound, ServerUnavailable
from hmem.interfaces.rest.engine import Threads
from hmem.interfaces.rest.settings import Settings


def test_calls_are_done_until_it_is_closed(tmp_path: Path) -> None:
    async def work() -> None:
        engine = Threads(Settings(tmp_path, threads=2))
        assert not engine.ready
        await engine.start()
        assert engine.ready
        await engine.call("a", "create_memory", {})
        told = [engine.call("a", "add", {"text": f"Turn {number}"}) for number in range(10)]
        assert {json.loads(each)["fate"] for each in await asyncio.gather(*told)} == {"stored"}
        assert (await engine.figures())["open"] == 1
        with pytest.raises(MemoryNotFound):
            await engine.call("b", "stats", {})
        await engine.close()
        assert not engine.ready
        with pytest.raises(ServerUnavailable):
            await engine.call("a", "stats", {})

    asyncio.run(work())


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("root"), workers=2) as site:
        yield site


def test_each_memory_has_its_process_and_its_turns(shared: Site) -> None:
    for number in range(4):
        shared.create(f"a{number}")
        assert shared.post(f"memories/a{number}/turns", {"text": f"I am number {number}"}).json()["fate"] == "stored"
    for number in range(4):
        found = shared.post(f"memories/a{number}/search", {"question": "What number?"}).json()
        assert [item["text"] for item in found["evidence"]] == [f"I am number {number}"]
    assert "hmem_open_memories 4.0" in shared.http.get("/metrics").text
    assert problem(shared.post("memories", {"name": "A0"})) == (409, "MemoryExists")
    assert problem(shared.post("memories/a0/search", {"question": ""})) == (422, "InvalidQuery")
    assert problem(shared.get("memories/nobody")) == (404, "MemoryNotFound")


def test_a_process_that_is_killed_is_begun_anew_and_nothing_is_lost(shared: Site) -> None:
    shared.create("kept")
    ids = [shared.post("memories/kept/turns", {"text": f"Turn {number}"}).json()["id"] for number in range(5)]
    for process in _children():
        os.kill(process, signal.SIGKILL)
    until = monotonic() + 300
    while monotonic() < until:
        answer = shared.get("memories/kept/turns")
        if answer.status_code == 200:
            break
        assert problem(answer) == (503, "ServerUnavailable")
        sleep(0.1)
    assert [turn["id"] for turn in shared.get("memories/kept/turns").json()["items"]] == ids
    assert shared.http.get("/readyz").json() == {"status": "ready"}


def test_the_memories_are_closed_when_the_server_ends(tmp_path: Path) -> None:
    with serving(tmp_path / "root", workers=1, stop_seconds=60.0) as site:
        site.create("a")
        assert site.post("memories/a/turns", {"text": "Hello there"}).status_code == 200
    assert not (tmp_path / "root" / "a.hmem-wal").exists()
    with Memory(tmp_path / "root" / "a.hmem") as memory:
        assert [turn.text for turn in memory.list()] == ["Hello there"]


def _children() -> list[int]:
    """The processes that a server of this test runs in."""
    from multiprocessing import active_children

    return [child.pid for child in active_children() if child.pid is not None]
