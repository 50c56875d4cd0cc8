"""Events of each host, in the shape in which its program sent them, and their transcripts."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts import until

from hmem import Memory
from hmem.interfaces.paths import project_memory
from hmem_agents.hooks.client import answer
from hmem_agents.hooks.hosts import host_of, prompt_of
from hmem_agents.hooks.settings import HookSettings
from hmem_agents.hooks.worker import HookWorker
from hmem_import.formats import recognise
from hmem_import.tree import open_tree

SAID = "We use pnpm in this repository, never npm."
ANSWER = "Understood."
TIME = "2026-03-01T10:00:00.000Z"


def codex(prompt: str, name: str) -> dict[str, Any]:
    return {"session_id": "C1", "turn_id": "t1", "hook_event_name": name, "model": "gpt", "prompt": prompt}


def copilot(prompt: str, name: str) -> dict[str, Any]:
    return {"session_id": "P1", "timestamp": TIME, "hook_event_name": name, "prompt": prompt}


def gemini(prompt: str, name: str) -> dict[str, Any]:
    inserted = f"<hook_context>from a hook</hook_context>\n\n{prompt}"
    return {
        "session_id": "G1", "timestamp": TIME, "hook_event_name": name, "prompt": inserted, "transcript_path": "/g",
    }  # fmt: skip


def hermes(prompt: str, name: str) -> dict[str, Any]:
    return {"session_id": "H1", "agent": "hermes", "prompt": prompt}


def response(role: str, text: str, kind: str) -> dict[str, Any]:
    payload = {"type": "message", "id": f"msg_{role}", "role": role, "content": [{"type": kind, "text": text}]}
    return {"timestamp": TIME, "type": "response_item", "payload": payload}


TRANSCRIPTS: dict[str, list[dict[str, Any]]] = {
    "codex": [
        {"timestamp": TIME, "type": "session_meta", "payload": {"id": "S1", "cwd": "/work"}},
        response("developer", "You are a coding agent", "input_text"),
        response("user", "<environment_context>\n<cwd>/work</cwd>\n</environment_context>", "input_text"),
        response("user", SAID, "input_text"),
        {"timestamp": TIME, "type": "event_msg", "payload": {"type": "agent_message", "message": ANSWER}},
        response("assistant", ANSWER, "output_text"),
        {"timestamp": TIME, "type": "response_item", "payload": {"type": "function_call", "name": "shell"}},
    ],
    "copilot": [
        {"type": "session.start", "data": {"sessionId": "S1"}, "id": "e1", "timestamp": TIME},
        {"type": "hook.start", "data": {"hookType": "sessionStart"}, "id": "e2", "timestamp": TIME},
        {"type": "user.message", "data": {"content": SAID}, "id": "e3", "timestamp": TIME},
        {"type": "system.message", "data": {"role": "system", "content": "You are"}, "id": "e4", "timestamp": TIME},
        {"type": "assistant.message", "data": {"content": ANSWER}, "id": "e5", "timestamp": TIME},
        {"type": "assistant.message", "data": {"content": "a", "parentToolCallId": "c"}, "id": "e6", "timestamp": TIME},
    ],
    "gemini-cli": [
        {"sessionId": "S1", "projectHash": "0f", "startTime": TIME, "kind": "main"},
        {"$set": {"messages": []}},
        {
            "id": "m1", "timestamp": TIME, "type": "user",
            "content": [{"text": f"<hook_context></hook_context>\n\n{SAID}"}, {"text": ""}],
            "displayContent": [{"text": f"<hook_context>a</hook_context>\n\n{SAID}"}],
        },
        {"id": "m2", "timestamp": TIME, "type": "gemini", "content": ANSWER, "thoughts": []},
        {"id": "m3", "timestamp": TIME, "type": "info", "content": "Compressed"},
    ],
}  # fmt: skip


@pytest.mark.parametrize("event", [codex, copilot, gemini, hermes])
def test_a_host_is_told_in_its_own_form(
    settings: HookSettings, worker: HookWorker, folder: Path, event: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(folder))
    place = project_memory(settings.root, folder)
    place.parent.mkdir(parents=True)
    with Memory(place) as memory:
        memory.add({"role": "user", "content": SAID}, session="earlier")
    name = {gemini: "BeforeAgent"}.get(event, "UserPromptSubmit")
    asked = event("I am going to add a package with npm.", name)
    assert prompt_of(asked) == "I am going to add a package with npm."
    told = answer(settings, "user-prompt-submit", json.dumps(asked).encode())
    if event is not copilot:
        told = told["hookSpecificOutput"]
        assert told["hookEventName"] == name
    assert SAID in told["additionalContext"]


@pytest.mark.parametrize("host", TRANSCRIPTS)
def test_the_transcript_of_a_host_is_captured_and_imported_as_one(
    settings: HookSettings, worker: HookWorker, folder: Path, tmp_path: Path, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(folder))
    transcript = tmp_path / "S1.jsonl"
    transcript.write_text("".join(json.dumps(entry) + "\n" for entry in TRANSCRIPTS[host]), "utf-8")
    event = {"session_id": "S1", "transcript_path": str(transcript), "hook_event_name": "Stop"}
    answer(settings, "stop", json.dumps(event).encode())
    until(lambda: not list((settings.folder / "spool").glob("*.json")))
    with Memory(project_memory(settings.root, folder), create=False) as memory:
        turns = memory.list()
    assert [(turn.role, turn.text, turn.agent) for turn in turns] == [("user", SAID, host), ("assistant", ANSWER, host)]
    tree = open_tree(transcript)
    assert recognise(tree).name == host
    imported = [item.message for item in recognise(tree).read(tree) if item.message]
    assert [message["message_id"] for message in imported] == [turn.message_id for turn in turns]
    assert {message["session"] for message in imported} == {"S1"}


def test_a_host_without_transcripts_is_captured_from_its_events(
    settings: HookSettings, worker: HookWorker, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(folder))
    for prompt in (SAID, "And tabs."):
        event = hermes(prompt, "") | {"last_assistant_message": ANSWER}
        answer(settings, "stop", json.dumps(event).encode())
    answer(settings, "stop", json.dumps(hermes("Nobody answers this", "")).encode())
    until(lambda: not list((settings.folder / "spool").glob("*.json")))
    with Memory(project_memory(settings.root, folder), create=False) as memory:
        turns = memory.list()
    assert [(turn.role, turn.text) for turn in turns] == [
        ("user", SAID), ("assistant", ANSWER), ("user", "And tabs."), ("assistant", ANSWER),
    ]  # fmt: skip
    assert {(turn.session, turn.agent) for turn in turns} == {("H1", "hermes")}
    assert not list((settings.folder / "sessions").glob("*.own.jsonl"))


def test_an_event_without_marks_is_one_of_claude_code() -> None:
    assert host_of({}).name == "claude-code"
    assert [host_of(event("", "Stop")).name for event in (copilot, gemini, hermes)] == [
        "copilot", "gemini-cli", "hermes",
    ]  # fmt: skip
