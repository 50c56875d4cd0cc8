"""Transcripts of Claude Code and of OpenClaw."""

import json
from pathlib import Path
from typing import Any

import pytest

from hmem import Memory
from hmem_import.formats import recognise
from hmem_import.tree import Item, open_tree


def read(place: Path, format: str) -> list[Item]:
    tree = open_tree(place)
    assert recognise(tree).name == format
    return list(recognise(tree).read(tree))


def written(place: Path, *lines: Any) -> Path:
    place.write_text("".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in lines), "utf-8")
    return place


def entry(uuid: str, role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": "/work", "sessionId": "s1",
        "version": "2.0.1", "gitBranch": "main", "type": role, "message": {"role": role, "content": content},
        "uuid": uuid, "timestamp": "2026-03-01T10:00:00.000Z",
    } | more  # fmt: skip


CLAUDE_CODE = [
    {"type": "summary", "summary": "Fix the tests", "leafUuid": "u1"},
    {"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}},
    entry("u1", "user", "Why does the test fail? مرحبا"),
    entry("u2", "assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "The port is taken."},
                              {"type": "tool_use", "name": "Bash", "input": {}}]),
    entry("u3", "user", [{"type": "tool_result", "content": "ok"}]),
    entry("u4", "user", "<command-name>/clear</command-name>"),
    entry("u5", "assistant", "Inside", isSidechain=True), entry("u6", "user", "Caveat", isMeta=True),
]  # fmt: skip


def test_a_transcript_of_claude_code_is_what_its_hooks_capture(tmp_path: Path) -> None:
    held = read(written(tmp_path / "s1.jsonl", *CLAUDE_CODE), "claude-code")
    assert [(each.line, each.message["content"]) for each in held] == [
        (3, "Why does the test fail? مرحبا"), (4, "The port is taken.")
    ]  # fmt: skip
    assert (held[0].message["session"], held[0].message["message_id"]) == ("s1", "u1")


OPENCLAW = [
    {"type": "session", "version": 3, "id": "s7", "timestamp": "2026-03-01T10:00:00.000Z", "cwd": "/home/ana"},
    {"type": "model_change", "id": "a0", "parentId": None, "timestamp": "2026-03-01T10:00:00.000Z", "modelId": "m"},
    {"type": "message", "id": "a1", "parentId": "a0", "timestamp": "2026-03-01T10:00:01.000Z", "message": {
        "role": "user", "content": [{"type": "text", "text":
            "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>x<<<END_OPENCLAW_INTERNAL_CONTEXT>>>Sender (untrusted metadata):\n"
            "```json\n{\"name\": \"ana\"}\n```\n\nBook the train \U0001f682"}]}},
    {"type": "message", "id": "a2", "parentId": "a1", "timestamp": "2026-03-01T10:00:02.000Z", "message": {
        "role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Booked."},
                                         {"type": "toolCall", "name": "book", "arguments": {}}]}},
    {"type": "message", "id": "a3", "parentId": "a2", "timestamp": "2026-03-01T10:00:03.000Z", "message": {
        "role": "toolResult", "content": [{"type": "text", "text": "ok"}]}},
]  # fmt: skip


def test_a_transcript_of_openclaw_has_what_was_said(tmp_path: Path) -> None:
    held = [each.message for each in read(written(tmp_path / "x.jsonl", *OPENCLAW), "openclaw")]
    assert [(each["role"], each["text"], each["message_id"]) for each in held] == [
        ("user", "Book the train \U0001f682", "openclaw:s7:a1"), ("assistant", "Booked.", "openclaw:s7:a2")
    ]  # fmt: skip


@pytest.mark.parametrize(("lines", "format"), [(CLAUDE_CODE, "claude-code"), (OPENCLAW, "openclaw")])
def test_a_line_that_is_broken_is_told_of_and_nothing_is_kept_twice(
    tmp_path: Path, memory: Memory, lines: list[Any], format: str
) -> None:
    place = written(tmp_path / "s.jsonl", *lines[:3], "{nonsense", *lines[3:])
    held = read(place, format)
    assert [item.line for item in held if item.error] == [4]
    said = [item.message for item in held if item.message]
    for fate in ("stored", "duplicate"):
        assert {receipt.fate for receipt in memory.add(said)} == {fate}


def test_a_folder_may_hold_sessions_of_both(tmp_path: Path) -> None:
    written(tmp_path / "a.jsonl", *CLAUDE_CODE)
    written(tmp_path / "b.jsonl", *OPENCLAW)
    held = read(tmp_path, "files")
    assert [item.message.get("agent") for item in held] == ["claude-code"] * 2 + ["openclaw"] * 2


def test_a_session_of_codex_of_before_september_2025_is_read(tmp_path: Path) -> None:
    def said(role: str, kind: str, text: str) -> dict[str, Any]:
        return {"type": "message", "id": None, "role": role, "content": [{"type": kind, "text": text}]}

    lines = [
        {"id": "c3", "timestamp": "2025-08-02T17:17:41.762Z", "instructions": None, "git": {}},
        {"record_type": "state"},
        said("user", "input_text", "<environment_context>\n</environment_context>"),
        said("user", "input_text", "Why does it fail?"),
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "1"},
        said("assistant", "output_text", "The port is taken."),
    ]
    turns = [item.message for item in read(written(tmp_path / "rollout-2025-08-02-c3.jsonl", *lines), "codex")]
    assert [(turn["role"], turn["content"], turn["session"]) for turn in turns] == [
        ("user", "Why does it fail?", "c3"),
        ("assistant", "The port is taken.", "c3"),
    ]
    assert {turn["at"] for turn in turns} == {"2025-08-02T17:17:41.762Z"}
    assert len({turn["message_id"] for turn in turns}) == 2
