"""Sessions of the OpenAI Agents SDK: every item comes back as it was, and only what was said is remembered."""

import asyncio
from collections.abc import Awaitable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    RunConfig,
    Runner,
    Session,
    SessionSettings,
    SQLiteSession,
    function_tool,
)
from openai import AsyncOpenAI

from hmem import Memory
from hmem.errors import InvalidTurn
from hmem.language.prompt_text import framed
from hmem_agents.openai_agents import HmemSession, recalling, text_of
from hmem_testing.fake_llm import ReplyRule, StandIn

ITEMS: list[Any] = [
    {"role": "user", "content": "I live in Porto with my dog Coco"},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "They want to talk"}]},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Porto"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "It is sunny in Porto today.", "annotations": []}],
    },
    {
        "role": "user",
        "content": [{"type": "input_text", "text": "And tomorrow? é"}, {"type": "input_image", "image_url": "x"}],
    },
    {"role": "developer", "content": "Be brief."},
]


@pytest.fixture
def session(memory: Memory) -> HmemSession:
    return HmemSession("talk-1", memory, speaker="Maria")


def run(do: Awaitable[Any]) -> Any:
    async def it() -> Any:
        return await do

    return asyncio.run(it())


def test_it_is_a_session_of_the_sdk(session: HmemSession) -> None:
    assert isinstance(session, Session)


@pytest.mark.elsewhere
def test_items_come_back_as_they_were(session: HmemSession) -> None:
    run(session.add_items(ITEMS[:3]))
    run(session.add_items(ITEMS[3:]))
    run(session.add_items([]))
    assert run(session.get_items()) == ITEMS


@pytest.mark.parametrize("limit", [None, 0, 1, 3, 7, 100])
def test_a_limit_gives_the_latest_items_as_in_the_sdks_own_session(session: HmemSession, limit: int | None) -> None:
    theirs = SQLiteSession("talk-1")
    run(session.add_items(ITEMS))
    run(theirs.add_items(ITEMS))
    assert run(session.get_items(limit)) == run(theirs.get_items(limit))
    theirs.close()


def test_the_settings_of_a_session_limit_its_items(memory: Memory) -> None:
    session = HmemSession("talk-1", memory, session_settings=SessionSettings(limit=2))
    run(session.add_items(ITEMS))
    assert run(session.get_items()) == ITEMS[-2:]


def test_only_what_was_said_is_remembered(session: HmemSession, memory: Memory) -> None:
    run(session.add_items(ITEMS))
    found = {item.text: item.speaker for item in memory.search("weather sunny dog tomorrow function_call", 50)}
    assert found == {
        "I live in Porto with my dog Coco": "Maria",
        "It is sunny in Porto today.": "assistant",
        "And tomorrow? é": "Maria",
    }


def test_items_are_popped_from_the_end_until_none_is_left(session: HmemSession, memory: Memory) -> None:
    run(session.add_items(ITEMS[:3]))
    assert [run(session.pop_item()) for _ in range(4)] == [*reversed(ITEMS[:3]), None]
    assert memory.list() == []


@pytest.mark.elsewhere
def test_clearing_a_session_erases_it_and_no_other(session: HmemSession, memory: Memory) -> None:
    other = HmemSession("talk-2", memory)
    run(session.add_items(ITEMS))
    run(other.add_items(ITEMS[:1]))
    run(session.clear_session())
    run(session.clear_session())
    assert run(session.get_items()) == []
    assert run(other.get_items()) == ITEMS[:1]
    assert len(memory.list()) == 1


def test_a_session_is_there_again_when_the_memory_is_reopened(path: Path) -> None:
    with Memory(path) as memory:
        run(HmemSession("talk-1", memory).add_items(ITEMS))
    with Memory(path) as memory:
        assert run(HmemSession("talk-1", memory).get_items()) == ITEMS


def test_what_a_person_retracted_is_given_to_no_model_again(session: HmemSession, memory: Memory) -> None:
    run(session.add_items(ITEMS[:1]))
    change = memory.retract(memory.list()[0].id)
    assert run(session.get_items()) == []
    memory.undo(change.id)
    assert run(session.get_items()) == ITEMS[:1]


def test_turns_of_the_session_that_it_did_not_keep_are_no_items(session: HmemSession, memory: Memory) -> None:
    memory.add("Said elsewhere", session="talk-1")
    assert run(session.get_items()) == []


def test_an_item_that_is_not_json_is_refused_and_nothing_is_kept(session: HmemSession, memory: Memory) -> None:
    with pytest.raises(InvalidTurn, match="JSON"):
        run(session.add_items([*ITEMS[:1], {"role": "user", "content": "x", "at": datetime.now(UTC)}]))
    assert memory.list() == []


def test_what_was_recalled_into_a_message_is_not_what_it_says() -> None:
    assert text_of({"role": "user", "content": f"{framed('Maria has a dog')}\nWhat now?"}) == "What now?"
    assert text_of({"role": "system", "content": "Be brief"}) == ""


# With the SDK's own runner, and the stand-in for a model.


@function_tool
def weather(city: str) -> str:
    """The weather in a city."""
    return f"It rains in {city}"


async def talk(server: StandIn, memory: Memory, said: list[str]) -> None:
    """Each message in a session of its own."""
    async with AsyncOpenAI(base_url=server.url, api_key="any") as client:
        model = OpenAIChatCompletionsModel(model="stand-in", openai_client=client)
        agent = Agent(name="Helper", instructions="Help.", model=model, tools=[weather])
        for number, text in enumerate(said):
            session = HmemSession(f"talk-{number}", memory, speaker="Maria")
            config = RunConfig(tracing_disabled=True, call_model_input_filter=recalling(memory, session, tokens=200))
            await Runner.run(agent, text, session=session, run_config=config)


@pytest.mark.elsewhere
def test_a_run_keeps_its_items_and_the_next_session_is_told_what_was_said(memory: Memory) -> None:
    script = [ReplyRule("tool", calls="1", name="weather", content={"city": "Porto"})]
    with StandIn(script) as server:
        run(talk(server, memory, ["I adopted a puppy named Coco", "Which puppy do I have?"]))
        first, *_, last = [call.request["messages"][0]["content"] for call in server.calls]
    assert "hmem-recalled" not in first
    assert last.startswith("Help.")
    assert "I adopted a puppy named Coco" in last
    assert "Which puppy do I have?" not in last
    kept = run(HmemSession("talk-0", memory).get_items())
    assert {item.get("type") for item in kept} >= {"function_call", "function_call_output", "message"}
    assert not any("hmem-recalled" in turn.text for turn in memory.list())
