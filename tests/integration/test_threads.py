"""One memory for many threads, and the asynchronous twin."""

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from hmem import AsyncMemory, Memory
from hmem.corpus import corpus
from hmem.errors import InvalidTurn, MemoryClosed, UnknownId

THREADS = 4
TURNS = 20


def text(thread: int, number: int) -> str:
    return f"thread {thread} noticed word{thread}x{number} today"


def add_and_search(path: Path | str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have threads add to one memory, and find and delete what they added."""
    monkeypatch.setattr(corpus, "SAVE_TURNS", 30)
    together = Barrier(THREADS)

    def work(memory: Memory, thread: int) -> None:
        together.wait()
        for number in range(TURNS):
            receipt = memory.add(text(thread, number), speaker=f"p{thread}", session=f"s{number % 5}")
            # What was said next in the session may be ranked with it, and which thread says it is chance.
            first = {found.id: found for found in memory.search(f"word{thread}x{number}", k=3)}
            found = first[receipt.id or ""]
            assert found.text == text(thread, number)
            if number % 10 == 0:
                assert memory.get(found.id).text == found.text
                assert memory.stats().turns >= number
                assert memory.context(f"word{thread}x{number}", tokens=300).tokens <= 300
            if number % 10 == 9:
                memory.delete(found.id)
                with pytest.raises(UnknownId):
                    memory.get(found.id)

    with Memory(path) as memory:
        with ThreadPoolExecutor(THREADS) as pool:
            for done in [pool.submit(work, memory, thread) for thread in range(THREADS)]:
                done.result()
        expected = {text(thread, number) for thread in range(THREADS) for number in range(TURNS) if number % 10 != 9}
        assert {turn.text for turn in memory.list(limit=10_000)} == expected
        assert memory.stats().turns == len(expected)
        assert memory.verify().problems == ()


@pytest.mark.any_storage
def test_threads_add_and_search_on_one_memory(path: Path | str, monkeypatch: pytest.MonkeyPatch) -> None:
    add_and_search(path, monkeypatch)


def test_threads_add_and_search_on_a_memory_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    add_and_search(":memory:", monkeypatch)


@pytest.mark.any_storage
def test_threads_that_hand_in_the_same_message_keep_it_once(memory: Memory) -> None:
    together = Barrier(THREADS)

    def work() -> list[str]:
        together.wait()
        return [memory.add(f"text {number}", message_id=f"m{number}").fate for number in range(20)]

    with ThreadPoolExecutor(THREADS) as pool:
        fates = [fate for done in [pool.submit(work) for _ in range(THREADS)] for fate in done.result()]
    assert sorted(fates) == ["duplicate"] * 20 * (THREADS - 1) + ["stored"] * 20
    assert memory.stats().turns == 20


def test_a_memory_that_another_thread_closes_says_so(path: Path) -> None:
    memory = Memory(path)
    started = Barrier(3)

    def work() -> None:
        started.wait()
        for number in range(100_000):
            memory.add(f"text {number}")
            memory.search("text", k=1)

    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(work) for _ in range(2)]
        started.wait()
        memory.close()
        memory.close()
        for done in running:
            with pytest.raises(MemoryClosed):
                done.result(timeout=300)
    with Memory(path) as memory:
        assert memory.verify().problems == ()


def public_methods(kind: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}


def test_the_asynchronous_twin_has_every_method_with_the_same_parameters() -> None:
    assert public_methods(Memory) <= public_methods(AsyncMemory)
    for name in public_methods(Memory):
        ours, twin = getattr(Memory, name), getattr(AsyncMemory, name)
        # A look back is given at once; what it is asked is awaited.
        assert inspect.iscoroutinefunction(twin) is (name not in ("as_of", "valid_at"))
        assert list(inspect.signature(twin).parameters) == list(inspect.signature(ours).parameters)
        assert twin.__doc__ == ours.__doc__


def test_the_asynchronous_twin_answers_the_same(path: Path) -> None:
    async def work() -> None:
        async with await AsyncMemory.open(path, zone="Europe/Lisbon") as memory:
            plain = memory.memory
            receipts = await memory.add([f"text number {i}" for i in range(30)], session="s1", speaker="Ben")
            name = receipts[7].id or ""
            await memory.flush()
            assert await memory.search("number 7", 5) == plain.search("number 7", 5)
            assert await memory.context("number 7", tokens=100) == plain.context("number 7", tokens=100)
            assert await memory.get(name) == plain.get(name)
            assert await memory.list(limit=5, after=name) == plain.list(limit=5, after=name)
            assert await memory.sessions() == plain.sessions()
            assert await memory.stats() == plain.stats()
            assert await memory.verify() == plain.verify()
            assert (await memory.delete(name)).turns == 1
            await memory.rebuild()
            assert plain.stats().turns == 29
            with pytest.raises(UnknownId):
                await memory.get(name)
            with pytest.raises(InvalidTurn):
                await memory.add("")
        with pytest.raises(MemoryClosed):
            await memory.stats()

    asyncio.run(work())


def test_many_asynchronous_calls_at_once_lose_nothing(path: Path) -> None:
    async def work() -> None:
        async with await AsyncMemory.open(path) as memory:
            await asyncio.gather(*[memory.add(text(0, number)) for number in range(100)])
            found = await asyncio.gather(*[memory.search(f"word0x{number}", k=3) for number in range(100)])
            for number, first in enumerate(found):
                assert text(0, number) in [evidence.text for evidence in first]
            assert (await memory.verify()).problems == ()

    asyncio.run(work())


def test_an_answer_streams_to_asynchronous_code(path: Path) -> None:
    async def told() -> list[object]:
        async with await AsyncMemory.open(path) as memory:
            await memory.add("I adopted a puppy named Coco", speaker="Maria")
            return [piece async for piece in await memory.ask_stream("Who adopted Coco?")]

    *pieces, answer = asyncio.run(told())
    assert "".join(map(str, pieces)) == str(answer)
