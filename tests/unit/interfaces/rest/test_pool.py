"""Memories that are open: as many as are wanted, closed when nobody asks, never while somebody does."""

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import FormedExample

from hmem import Memory
from hmem.errors import InvalidTurn, MemoryExists, MemoryNotFound, NotAMemory, ServerUnavailable, UnknownId
from hmem.interfaces.rest.pool import IDENTITY, Pool
from hmem.interfaces.rest.settings import Settings
from hmem.storage.sqlite.folder import erase
from hmem.util.sizes import process_bytes, release_memory


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[Pool]:
    # Other tests of the process hold bytes too.
    made = Pool(Settings(tmp_path, memories=2, memory_bytes=1 << 40, idle_seconds=3_600))
    yield made
    made.close()


def told(pool: Pool, name: str, text: str) -> Any:
    return json.loads(pool.call(name, "add", {"text": text}))


def test_no_more_memories_are_open_than_wanted(pool: Pool) -> None:
    for name in ("a", "b", "c"):
        assert json.loads(pool.call(name, "create_memory", {}))["name"] == name
        assert told(pool, name, f"I am {name}")["fate"] == "stored"
    assert pool.figures()["open"] == 2
    assert [json.loads(pool.call(name, "stats", {}))["turns"] for name in ("a", "b", "c")] == [1, 1, 1]


def test_what_is_idle_is_closed(tmp_path: Path) -> None:
    pool = Pool(Settings(tmp_path, idle_seconds=0.0))
    pool.call("a", "create_memory", {})
    told(pool, "a", "Hello there")
    pool._close_some(0.0)
    assert pool.figures()["open"] == 0
    pool.close()


def test_a_memory_is_not_closed_while_somebody_uses_it(pool: Pool) -> None:
    for name in ("a", "b", "c", "d"):
        pool.call(name, "create_memory", {})

    def work(number: int) -> str:
        return told(pool, "abcd"[number % 4], f"This is number {number}")["fate"]

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(work, range(80))) == {"stored"}
    assert [json.loads(pool.call(name, "stats", {}))["turns"] for name in "abcd"] == [20, 20, 20, 20]


def test_turns_that_come_at_the_same_time_all_have_their_own_receipt(pool: Pool) -> None:
    pool.call("a", "create_memory", {})

    def work(number: int) -> Any:
        try:
            return told(pool, "a", f"Turn number {number}" if number % 5 else "")["id"]
        except InvalidTurn as error:
            return type(error).__name__

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(work, range(60)))
    assert [each for each in found if each == "InvalidTurn"] == ["InvalidTurn"] * 12
    ids = [each for each in found if each != "InvalidTurn"]
    assert len(set(ids)) == 48
    with Memory(pool._settings.root / "a.hmem") as memory:
        texts = {turn.id: turn.text for turn in memory.list()}
    assert all(texts[found[number]] == f"Turn number {number}" for number in range(60) if number % 5)


def test_a_memory_is_made_once_and_erased_with_its_files(pool: Pool) -> None:
    pool.call("a", "create_memory", {"zone": "Europe/Lisbon"})
    with pytest.raises(MemoryExists):
        pool.call("A", "create_memory", {})
    told(pool, "a", "Hello there")
    assert json.loads(pool.call("a", "delete_memory", {})) == {"name": "a", "deleted": True}
    assert [path.name for path in pool._settings.root.iterdir()] == []
    for operation in ("stats", "delete_memory"):
        with pytest.raises(MemoryNotFound):
            pool.call("a", operation, {})


def test_an_error_does_not_tell_where_the_root_is(pool: Pool) -> None:
    (pool._settings.root / "bad.hmem").write_text("no memory")
    with pytest.raises(NotAMemory) as refused:
        pool.call("bad", "stats", {})
    assert str(pool._settings.root) not in str(refused.value)
    pool.call("a", "create_memory", {})
    with pytest.raises(UnknownId):
        pool.call("a", "get", {"id": "x"})


def test_a_closed_pool_refuses(pool: Pool) -> None:
    pool.call("a", "create_memory", {})
    pool.close()
    with pytest.raises(ServerUnavailable):
        pool.call("a", "stats", {})


def test_a_memory_that_another_process_deletes_is_told_of_and_its_name_is_free(pool: Pool, tmp_path: Path) -> None:
    pool.call("a", "create_memory", {})
    told(pool, "a", "Hello there")
    erase(tmp_path / "a.hmem")
    with pytest.raises(MemoryNotFound, match="deleted by another process"):
        told(pool, "a", "Is anybody there?")
    assert pool.figures()["open"] == 0
    with pytest.raises(MemoryNotFound, match="create it first"):
        told(pool, "a", "And now?")
    pool.call("a", "create_memory", {})
    assert told(pool, "a", "A new beginning")["fate"] == "stored"
    assert json.loads(pool.call("a", "stats", {}))["turns"] == 1


def test_a_memory_in_the_place_of_another_is_opened_at_the_next_call(pool: Pool, tmp_path: Path) -> None:
    pool.call("a", "create_memory", {})
    before = json.loads(pool.call("a", IDENTITY, {}))
    erase(tmp_path / "a.hmem")
    with Memory(tmp_path / "a.hmem") as other:
        other.add("Another's words", speaker="Ben")
    with pytest.raises(MemoryNotFound, match="replaced by another"):
        pool.call("a", IDENTITY, {})
    assert json.loads(pool.call("a", IDENTITY, {})) != before
    assert json.loads(pool.call("a", "stats", {}))["turns"] == 1


def test_memories_are_loaded_within_a_bound_in_bytes_and_the_last_one_whatever_it_holds(tmp_path: Path) -> None:
    pool = Pool(Settings(tmp_path, memory_bytes=1))
    for name in ("a", "b", "a", "a"):
        if not (tmp_path / f"{name}.hmem").exists():
            pool.call(name, "create_memory", {})
        told(pool, name, f"I am {name}")
    figures = pool.figures()
    assert figures["open"] == 1
    assert figures["bytes"] > 1_000
    # Creating loads a memory, and so does coming back to the first.
    assert (figures["loads"], figures["evictions"]) == (3, 2)
    assert figures["hits"] == 3
    pool.close()
    wide = Pool(Settings(tmp_path, memory_bytes=64_000_000_000))
    for name in ("a", "b"):
        told(wide, name, "And again")
    assert (wide.figures()["open"], wide.figures()["evictions"]) == (2, 0)
    wide.close()


@pytest.mark.skipif(process_bytes() is None, reason="this system does not tell what a process holds")
def test_a_process_stays_within_its_bytes(tmp_path: Path, formed_example: FormedExample) -> None:
    names = [f"m{number}" for number in range(24)]
    formed_example(tmp_path / "source.hmem", 600)
    for name in names:
        shutil.copy(tmp_path / "source.hmem", tmp_path / f"{name}.hmem")
    first = Pool(Settings(tmp_path))
    first.call(names[0], "search", {"question": "Who adopted a dog?"})
    first.close()
    release_memory()
    allowed = (process_bytes() or 0) + 10_000_000
    pool, most = Pool(Settings(tmp_path, memory_bytes=allowed)), 0
    for name in (*names, *names):
        pool.call(name, "search", {"question": "Who adopted a dog?"})
        most = max(most, process_bytes() or 0)
    figures = pool.figures()
    pool.close()
    assert 1 <= figures["open"] < len(names)
    assert figures["evictions"] > 0
    assert most <= 1.2 * allowed


def test_a_memory_that_grows_is_measured_again(pool: Pool) -> None:
    pool.call("a", "create_memory", {})
    told(pool, "a", "Hello there")
    before = pool.figures()["bytes"]
    for number in range(60):
        told(pool, "a", f"Turn {number}: the fern by the window has new leaves, and the cat sleeps below it")
    pool._measure_some()
    assert pool.figures()["bytes"] > before
    assert next(iter(pool._memories.values())).users == 0


def test_two_servers_cannot_both_make_a_memory(tmp_path: Path) -> None:
    """The second finds it made between its question and its own making."""
    pool = Pool(Settings(tmp_path))
    with Memory(tmp_path / "a.hmem"):
        pool._catalog.spelled = lambda _: None  # type: ignore[method-assign]
        with pytest.raises(MemoryExists):
            pool.call("a", "create_memory", {})
    pool.close()
