"""A memory for asynchronous code, and its views: whatever takes time is awaited, and the event loop goes on."""

import asyncio
from collections.abc import Coroutine, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from tests.formation import example

from hmem import AsyncAsOf, AsyncMemory, Memory
from hmem.errors import InvalidQuery, InvalidTime

QUESTION = "Where does Maria live?"


@pytest.fixture
def told() -> Iterator[Memory]:
    with Memory(":memory:") as memory:
        memory.add("I adopted a puppy named Coco.", speaker="Maria", at="2023-08-11T10:00:00Z", session="s1")
        memory.add("I live in Lisbon.", speaker="Maria", at="2023-08-12T10:00:00Z", session="s2")
        yield memory


def run(told: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(told, 60))


def test_a_view_is_asked_with_and_without_being_awaited_itself(told: Memory) -> None:
    async def asked() -> None:
        memory = AsyncMemory(told)
        for view in (await memory.as_of("2023-08-11T23:00:00Z"), memory.as_of("2023-08-11T23:00:00Z")):
            assert isinstance(view, AsyncAsOf)
            assert [item.text for item in await view.search(QUESTION, 9)] == ["I adopted a puppy named Coco."]
            assert (await view.ask(QUESTION)).text == view.view.ask(QUESTION).text
            assert (await view.context(QUESTION)).text == view.view.context(QUESTION).text
            assert [note.text for note in await view.notes()] == ["I adopted a puppy named Coco."]
            assert await view.events() == view.view.events()
            assert await view.persona("Maria") == view.view.persona("Maria")
            assert await view.profile("Maria") == view.view.profile("Maria")

    run(asked())


def test_views_of_a_view_are_awaited_too(told: Memory) -> None:
    async def asked() -> None:
        both = AsyncMemory(told).as_of("2023-08-20").valid_at("2023-08-11T12:00:00Z")
        assert [item.text for item in await both.search("Maria", 9)] == ["I adopted a puppy named Coco."]
        other = await (await AsyncMemory(told).valid_at("2023-08-11T12:00:00Z")).as_of("2023-08-20")
        assert await other.search("Maria", 9) == await both.search("Maria", 9)

    run(asked())


def test_a_view_streams_its_answer(told: Memory) -> None:
    async def asked() -> None:
        view = AsyncMemory(told).as_of("2023-08-20")
        pieces = [piece async for piece in await view.ask_stream(QUESTION)]
        assert pieces[0].startswith("Maria, 12 Aug 2023:")
        assert pieces[-1] == await view.ask(QUESTION)

    run(asked())


def test_a_moment_that_is_none_and_the_tiers_are_refused(told: Memory) -> None:
    async def asked() -> None:
        with pytest.raises(InvalidTime):
            await AsyncMemory(told).as_of("no time")
        with pytest.raises(InvalidQuery, match="of now"):
            await AsyncMemory(told).as_of("2024-01-01").tiers()

    run(asked())


def test_the_event_loop_goes_on_while_a_view_waits(told: Memory) -> None:
    held, released = Event(), Event()

    def hold() -> None:
        with told.corpus.reading():
            held.set()
            released.wait(30)

    async def asked() -> None:
        thread = Thread(target=hold)
        thread.start()
        await asyncio.to_thread(held.wait)
        try:
            search = asyncio.create_task(AsyncMemory(told).as_of("2023-08-20").search(QUESTION))
            await asyncio.sleep(0.05)
            assert not search.done()
        finally:
            released.set()
        assert await search
        thread.join()

    run(asked())


def test_messages_are_added_one_and_several(path: Path) -> None:
    async def added() -> None:
        async with await AsyncMemory.open(path) as memory:
            assert (await memory.add("I live in Lisbon.", speaker="Maria", message_id="m1")).fate == "stored"
            assert [receipt.fate for receipt in await memory.add(example(3))] == ["stored"] * 3
            assert (await memory.list(limit=1))[0].speaker == "Maria"

    run(added())
