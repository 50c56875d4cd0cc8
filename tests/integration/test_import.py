"""Imports of other programs' memories, killed in the middle, gone on with, and done again."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.processes import exit_code, printing, started

from hmem import Memory
from hmem.interfaces.cli import main

SAID = 30
SENTENCES = [f"Walk {number} led past {number + 3} herons and a mill." for number in range(SAID)]


def chatgpt(place: Path) -> Path:
    nodes: dict[str, Any] = {"n": {"id": "n", "message": None, "parent": None, "children": ["n0"]}}
    for number, said in enumerate(SENTENCES):
        message = {
            "id": f"m{number}", "author": {"role": "user"}, "create_time": 1_700_000_000.0 + number,
            "content": {"content_type": "text", "parts": [said]}, "recipient": "all", "metadata": {},
        }  # fmt: skip
        parent = f"n{number - 1}" if number else "n"
        nodes[f"n{number}"] = {"id": f"n{number}", "message": message, "parent": parent, "children": [f"n{number + 1}"]}
    nodes[f"n{SAID - 1}"]["children"] = []
    made = {"title": "Walks", "create_time": 1.7e9, "mapping": nodes, "current_node": f"n{SAID - 1}", "id": "c1"}
    return written(place / "conversations.json", [made])


def claude(place: Path) -> Path:
    said = [
        {"uuid": f"m{number}", "sender": "human", "text": text, "created_at": f"2025-03-01T10:{number:02}:00Z"}
        for number, text in enumerate(SENTENCES)
    ]
    return written(place / "conversations.json", [{"uuid": "c1", "name": "Walks", "chat_messages": said}])


def mem0(place: Path) -> Path:
    held = [
        {"id": f"m{number}", "memory": text, "user_id": "maria", "created_at": "2025-03-01T10:00:00Z"}
        for number, text in enumerate(SENTENCES)
    ]
    return written(place / "mem0.json", {"results": held})


def knowledge_graph(place: Path) -> Path:
    lines = [
        json.dumps({"type": "entity", "name": f"walk {number}", "entityType": "default", "observations": [text]})
        for number, text in enumerate(SENTENCES)
    ]
    file = place / "memory.jsonl"
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


def markdown(place: Path) -> Path:
    notes = place / "notes"
    notes.mkdir()
    half = SAID // 2
    (notes / "MEMORY.md").write_text("# Walks\n\n" + "\n".join(f"- {text}" for text in SENTENCES[:half]), "utf-8")
    (notes / "2025-03-02.md").write_text("\n\n".join(SENTENCES[half:]), "utf-8")
    return notes


def slack(place: Path) -> Path:
    folder = place / "slack"
    (folder / "general").mkdir(parents=True)
    written(folder / "users.json", [{"id": "U1", "name": "maria"}])
    half = SAID // 2
    for day, said in ((1, SENTENCES[:half]), (2, SENTENCES[half:])):
        held = [
            {"type": "message", "user": "U1", "text": text, "ts": f"17092872{number:02}.0{day}"}
            for number, text in enumerate(said)
        ]
        written(folder / "general" / f"2024-03-0{day}.json", held)
    return folder


def mail(place: Path) -> Path:
    file = place / "all.mbox"
    file.write_text(
        "".join(
            f"From x\nFrom: maria@example.com\nMessage-ID: <m{number}@example.com>\n\n{text}\n\n"
            for number, text in enumerate(SENTENCES)
        )
    )
    return file


def written(file: Path, data: Any) -> Path:
    file.write_text(json.dumps(data), "utf-8")
    return file


def acknowledged(told: Path) -> int:
    """How many turns an import has said to be durable."""
    return told.read_text("utf-8").count("\n") if told.exists() else 0


@pytest.mark.parametrize("program", [chatgpt, claude, mem0, knowledge_graph, markdown, slack, mail])
def test_an_import_that_was_killed_is_gone_on_with_and_keeps_nothing_twice(
    tmp_path: Path, program: Callable[[Path], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    source, place, printed = program(tmp_path), tmp_path / "me.hmem", tmp_path / "printed"
    arguments = ["import", str(source), "--memory", str(place)]
    process = started(printing, str(printed), *arguments, "--acknowledge", "--batch", "1")
    while acknowledged(printed) < 5 and process.is_alive():
        time.sleep(0.001)
    process.kill()
    exit_code(process)
    with Memory(place, create=False) as memory:
        before = memory.stats().turns
    assert before >= 5
    told = []
    for _ in range(2):
        assert main([*arguments, "--json"]) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert [(each["stored"], each["duplicate"]) for each in told] == [(SAID - before, before), (0, SAID)]
    with Memory(place, create=False) as memory:
        held = [turn.text for turn in memory.list(limit=1_000)]
        assert sorted(held) == sorted({*held})
        assert all(any(said in text for text in held) for said in SENTENCES)
        assert memory.verify().ok
