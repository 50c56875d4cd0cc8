"""The server as clients start it: a process on stdio, a process on HTTP, several at once on one memory."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client import stdio
from tests.processes import SECONDS, running

from hmem import Memory
from hmem.interfaces.paths import project_memory, user_memory

CLIENTS = 3
EACH = 6


PROGRAM = ("--structured", "--tools", "all")


@pytest.fixture(autouse=True)
def waits_for_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the SDK leaves a process that it killed to itself, and Python warns of it in a later test."""
    monkeypatch.setattr(stdio, "_KILL_REAP_TIMEOUT", SECONDS)


def over_stdio(*arguments: object, cwd: Path | None = None) -> StdioServerParameters:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("HMEM_", "CLAUDE_"))}
    return StdioServerParameters(
        command=sys.executable, args=["-m", "hmem", "mcp", *map(str, arguments)], env=env, cwd=cwd
    )


async def told(client: Client, name: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(name, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


def test_after_a_memory_that_cannot_be_opened_a_client_may_ask_much_at_once(tmp_path: Path) -> None:
    animals, place = ["heron", "otter", "badger", "lynx", "stork"], tmp_path / "me.hmem"
    place.write_text("this is no memory" * 300)
    found: dict[str, str] = {}

    async def one(client: Client, animal: str) -> None:
        await told(client, "remember", text=f"Ana saw a {animal}. " + f"It was a {animal}. " * 3_000)
        recalled = await told(client, "recall", question=f"Who saw a {animal}?", k=1, max_tokens=50_000)
        found[animal] = recalled["evidence"][0]["text"]

    async def talk() -> tuple[list[str], str]:
        async with Client(over_stdio("--memory", place, *PROGRAM), mode="legacy") as client:
            # It is an error of the tool, and not the end.
            results = [await client.call_tool("recall", {"question": "x"}) for _ in range(2)]
            place.unlink()
            async with anyio.create_task_group() as group:
                for animal in animals:
                    group.start_soon(one, client, animal)
            await told(client, "remember", text="My locker code is a secret of the blue whale", speaker="Ana")
            answered = str((await told(client, "ask", question="What is my locker code?"))["evidence"])
        assert all(result.is_error for result in results)
        return [getattr(part, "text", "") for result in results for part in result.content], answered

    errors, answered = anyio.run(talk)
    assert all(text.startswith("NotAMemory: ") and "\n" not in text for text in errors)
    # Longer than a pipe holds, so they come in parts.
    assert all(len(text) > 40_000 for text in found.values())
    assert {animal: animal in text for animal, text in found.items()} == dict.fromkeys(animals, True)
    assert "blue whale" in answered
    with Memory(place, create=False) as memory:
        assert memory.stats().turns == len(animals) + 1


def test_processes_at_one_root_share_the_memory_of_the_user_and_lose_nothing(tmp_path: Path) -> None:
    root, said = tmp_path / "root", dict[str, str]()

    async def talk(name: str) -> None:
        (tmp_path / name).mkdir()
        async with Client(over_stdio("--root", root, *PROGRAM, cwd=tmp_path / name)) as client:
            await told(client, "remember", text=f"Project {name} uses tabs")
            for i in range(EACH):
                text = f"I counted {i} herons in {name}"
                await told(client, "remember", text=text, memory="user", message_id=f"{name}-{i}")
                await told(client, "recall", question="herons", k=3, memory="user")
            said[name] = str(await told(client, "recall", question="tabs"))

    async def both() -> None:
        async with anyio.create_task_group() as group:
            for name in ("one", "two"):
                group.start_soon(talk, name)

    anyio.run(both)
    for name, other in (("one", "two"), ("two", "one")):
        assert f"Project {name}" in said[name]
        assert f"Project {other}" not in said[name]
        with Memory(project_memory(root, tmp_path / name), create=False) as memory:
            assert memory.stats().turns == 1
    with Memory(user_memory(root), create=False) as memory:
        assert memory.stats().turns == 2 * EACH
        assert memory.verify().ok


def test_one_process_on_http_serves_several_clients(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hmem", "mcp", "--memory", str(tmp_path / "me.hmem"), "--http", "127.0.0.1:0"]
    command += PROGRAM
    with running(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        line = server.stderr.readline()
        url = re.search(r"http://\S+", line)
        assert url, line

        async def one(name: str) -> None:
            async with Client(url[0]) as client:
                for i in range(EACH):
                    await told(client, "remember", text=f"{name} counted {i} herons", message_id=f"{name}-{i}")
                    await told(client, "recall", question="herons", k=3)

        async def all_of_them() -> None:
            async with anyio.create_task_group() as group:
                for i in range(CLIENTS):
                    group.start_soon(one, f"client{i}")

        anyio.run(all_of_them)
        server.send_signal(signal.SIGINT)
        server.wait(timeout=SECONDS)
    with Memory(tmp_path / "me.hmem", create=False) as memory:
        assert memory.stats().turns == CLIENTS * EACH


def test_a_model_gets_text_in_its_frame_unless_a_program_asks_for_structure(tmp_path: Path) -> None:
    async def talk() -> tuple[list[Any], list[str]]:
        async with Client(over_stdio("--memory", tmp_path / "me.hmem")) as client:
            stored = await client.call_tool("remember", {"text": "The shop opens at nine", "speaker": "Ana"})
            found = await client.call_tool("recall", {"question": "When does the shop open?"})
            told = await client.call_tool("context", {"question": "When does the shop open?"})
            results = [stored, found, told]
            assert [result.structured_content for result in results] == [None, None, None]
            texts = [getattr(part, "text", "") for result in results for part in result.content]
            return (await client.list_tools()).tools, texts

    tools, (stored, found, told) = anyio.run(talk)
    assert [tool.name for tool in tools] == ["context", "recall", "remember", "correct", "outcome", "forget"]
    assert [tool.output_schema for tool in tools] == [None] * 6
    kept = stored.removeprefix("stored: ")
    for text in (found, told):
        assert text.startswith("<hmem-recalled>")
        assert "The shop opens at nine" in text
    # By this id an agent corrects and forgets what it recalled.
    assert f"[{kept}]" in found
