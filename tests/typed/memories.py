"""Checked by pyright and never run: the memories are of their protocols, and what they give has its type."""

from typing import assert_type

from hmem import (
    AsOf,
    AsyncAsOf,
    AsyncMemory,
    Branch,
    Change,
    Found,
    KeptReceipt,
    Memory,
    MemoryLike,
    Receipt,
    ViewLike,
)
from hmem.interfaces.client.remote import RemoteAsOf, RemoteMemory


def memories(here: Memory, elsewhere: RemoteMemory) -> list[MemoryLike]:
    return [here, elsewhere]


def views(here: Memory, seen: AsOf, elsewhere: RemoteMemory, seen_elsewhere: RemoteAsOf) -> list[ViewLike]:
    return [here, seen, elsewhere, seen_elsewhere]


async def asynchronous(memory: AsyncMemory, seen: AsyncAsOf) -> None:
    assert_type(await memory.edit.merge_entities("Lucy", "Quim"), Change)
    assert_type((await memory.model.run_jobs(limit=1)).calls, int)
    assert_type(await memory.close(), None)
    assert_type(await seen.tree("topic"), Branch)


def receipts(memory: MemoryLike, here: Memory, elsewhere: RemoteMemory) -> None:
    for each in (memory, here, elsewhere):
        assert_type(each.add("a text").id, str)
        assert_type(each.add({"text": "a text", "speaker": "Anna"}).id, str)
        assert_type(each.add(["a text", {"text": "another"}]), list[Receipt])
        assert_type(each.add("a text"), KeptReceipt)
    refused: str | None = here.add(["a text"])[0].id
    here.delete(here.add("a text").id, *(refused,) if refused else ())


async def awaited(memory: AsyncMemory) -> None:
    assert_type((await memory.add("a text")).id, str)
    assert_type(await memory.add(["a text"]), list[Receipt])
    assert_type(await memory.as_of("2026-01-01").search("a question"), Found)
    assert_type(await (await memory.as_of("2026-01-01")).search("a question", kinds=["turn", "note"]), Found)
    async for piece in await memory.valid_at("2026-01-01").ask_stream("a question"):
        print(piece)


def kinds(memory: MemoryLike) -> None:
    memory.search("a question", kinds=["turn", "episode"])
    memory.search("a question", kinds=["nothing"])  # pyright: ignore[reportArgumentType]
    memory.as_of("2026-01-01").search("a question", kinds=("note",))
