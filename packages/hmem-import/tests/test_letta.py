"""Letta's agent files, of one agent and of several."""

import json
from typing import Any

import pytest

from hmem import Memory
from hmem_import.letta import looks_like, messages


def said(role: str, text: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "message", "id": "message-1", "role": role, "content": [{"type": "text", "text": text}],
        "created_at": "2025-10-31T22:56:56.459100+00:00", "tool_calls": None, "name": None, "agent_id": "agent-0",
    } | more  # fmt: skip


def spoken(text: str) -> list[dict[str, Any]]:
    arguments = json.dumps({"message": text, "request_heartbeat": False})
    return [{"id": "call_1", "type": "function", "function": {"name": "send_message", "arguments": arguments}}]


def file(*held: dict[str, Any], kind: str = "memgpt_agent") -> dict[str, Any]:
    return {
        "agents": [{"id": "agent-0", "name": "Sam", "agent_type": kind, "block_ids": ["block-0", "block-9"],
                    "in_context_message_ids": [], "messages": list(held)}],
        "groups": [], "files": [], "sources": [], "tools": [],
        "blocks": [{"id": "block-0", "label": "human", "value": "First name: Chad\nInterests: sailing"}],
    }  # fmt: skip


def test_what_was_said_is_read_without_thoughts_and_wrappings() -> None:
    data = file(
        said("system", "You are Sam"),
        said("user", json.dumps({"type": "user_message", "message": "I sail", "time": "2025-10-31 10:00 PM"})),
        said("user", json.dumps({"type": "heartbeat", "reason": "timer"})),
        said("assistant", "He likes sailing", tool_calls=spoken("Where do you sail? ⛵")),
        said("tool", "{}"),
    )
    assert looks_like(data)
    block, user, agent = messages(data)
    assert (block["text"], block["speaker"], block["role"]) == (
        "First name: Chad\nInterests: sailing",
        "Sam",
        "assistant",
    )
    assert (block["at"], block["metadata"]) == ("2025-10-31T22:56:56.459100+00:00", {"block": "human"})
    assert (user["text"], user["role"], user["session"]) == ("I sail", "user", "letta:Sam")
    assert (agent["text"], agent["speaker"]) == ("Where do you sail? ⛵", "Sam")


def test_a_present_agent_speaks_in_its_text() -> None:
    read = list(messages(file(said("user", "Hello"), said("assistant", "Hi there"), kind="letta_v1_agent")))
    assert [each["text"] for each in read[1:]] == ["Hello", "Hi there"]


def test_an_older_file_is_one_agent() -> None:
    data = {
        "agent_type": "memgpt_agent", "name": "Sam", "core_memory": [{"label": "human", "value": "Name: Chad"}],
        "messages": [{"role": "user", "text": "Hello", "created_at": "2025-03-01T10:00:00"}], "version": "0.6.45",
    }  # fmt: skip
    assert looks_like(data)
    assert [each["text"] for each in messages(data)] == ["Name: Chad", "Hello"]


@pytest.mark.parametrize(
    "broken", [None, {}, [], {"agents": [None, {}], "blocks": [None]}, file({}, said("user", "{"))]
)
def test_what_is_broken_breaks_nothing(broken: Any) -> None:
    assert len(list(messages(broken))) <= 2


def test_a_memory_takes_every_message_and_none_twice(memory: Memory) -> None:
    data = file(said("user", "Hello"), said("user", "Hello again", created_at="2025-11-01T10:00:00+00:00"))
    for fate in ("stored", "duplicate"):
        assert {receipt.fate for receipt in memory.add(list(messages(data)))} == {fate}
