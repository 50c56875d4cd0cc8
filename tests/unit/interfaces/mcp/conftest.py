"""A server in this process, and a client of the SDK's that is connected to it."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.types import CallToolResult

from hmem import Memory
from hmem.interfaces.mcp.memories import Locations, Memories
from hmem.interfaces.mcp.server import server_of

Talk = Callable[[Callable[[Client], Awaitable[Any]]], Any]


def text_of(result: CallToolResult) -> str:
    """What a model reads of a result."""
    return "\n".join(part.text for part in result.content if part.type == "text")


def fields(result: CallToolResult) -> dict[str, Any]:
    """What a program reads of a result."""
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    return result.structured_content


@pytest.fixture
def filled(tmp_path: Path) -> Path:
    """The path of a memory with two people and two days."""
    path = tmp_path / "me.hmem"
    with Memory(path) as memory:
        memory.add(
            [
                {"text": "I adopted a puppy named Coco", "speaker": "Maria", "message_id": "m1"},
                {"text": "How sweet! What breed is she?", "speaker": "Ben", "message_id": "m2"},
                {"text": "I live in Porto. I work as a baker.", "speaker": "Maria", "message_id": "m3"},
            ],
            session="s1",
            at="2023-08-11T10:00:00+02:00",
        )
        memory.add(
            "I moved last week. I live in Lisbon now.", speaker="Maria", session="s2", at="2023-09-14T09:00:00+02:00"
        )
        memory.add("We painted the fence green", speaker="Ben", session="s2", at="2023-09-14T09:01:00+02:00")
    return path


@pytest.fixture
def memories(filled: Path, tmp_path: Path) -> Generator[Memories]:
    """The memory, and beside it an empty one of the user."""
    made = Memories(Locations(project=filled, user=tmp_path / "user.hmem"))
    yield made
    made.close()


@asynccontextmanager
async def connected(memories: Memories, **options: Any) -> AsyncGenerator[Client]:
    """A client of a server over some memories, with all tools and structured results."""
    async with Client(server_of(memories, user=True, all_tools=True, structured=True), **options) as client:
        yield client


@pytest.fixture
def talk(memories: Memories) -> Talk:
    """Run a conversation with the server, and hand back what it hands back."""

    def run(conversation: Callable[[Client], Awaitable[Any]]) -> Any:
        async def all_of_it() -> Any:
            async with connected(memories) as client:
                return await conversation(client)

        return anyio.run(all_of_it)

    return run


@pytest.fixture
def call(talk: Talk) -> Callable[..., CallToolResult]:
    """Call one tool."""

    def run(name: str, **arguments: Any) -> CallToolResult:
        return talk(lambda client: client.call_tool(name, arguments))

    return run
