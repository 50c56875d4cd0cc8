"""`hmem explore` of an export: the memory beside it, its page while turns are formed, and what it refuses."""

import json
import signal
import subprocess
import sys
import webbrowser
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import pytest
import uvicorn
from tests.processes import SECONDS, running
from tests.unit.interfaces.cli.conftest import Run

from hmem import Memory
from hmem.interfaces.cli import exports
from hmem.interfaces.rest import explorer

TEXTS = ["I adopted a kitten named Coco.", "What a lovely name!", "She is afraid of the vacuum cleaner."]


def chatgpt(texts: list[str], name: str = "c1") -> dict[str, Any]:
    """A conversation of ChatGPT's export, in which the user and the assistant take turns."""
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    parent = "root"
    for number, text in enumerate(texts):
        node = f"{name}-{number}"
        mapping[parent]["children"].append(node)
        mapping[node] = {
            "id": node, "parent": parent, "children": [],
            "message": {
                "id": node, "author": {"role": ("user", "assistant")[number % 2]}, "create_time": 1.7e9 + number,
                "content": {"content_type": "text", "parts": [text]}, "metadata": {}, "recipient": "all", "weight": 1.0,
            },
        }  # fmt: skip
        parent = node
    return {"title": "Pets", "create_time": 1.7e9, "mapping": mapping, "current_node": parent, "conversation_id": name}


def zipped(path: Path, *conversations: dict[str, Any]) -> Path:
    """An export as it is downloaded."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", json.dumps(conversations))
        archive.writestr("user.json", json.dumps({"id": "user-1"}))
    return path


# The command, with a page that needs no build.
WITH_A_PAGE = """
from hmem.interfaces.rest import explorer
explorer.built_page = lambda: {"index.html": b"<html><head></head></html>"}
from hmem.interfaces.cli import main
main()
"""


@contextmanager
def page_of(*arguments: object) -> Iterator[tuple[dict[str, Any], httpx.Client]]:
    """Run `hmem explore` as a process; yield what it said, and a client with the session of its page."""
    command = [sys.executable, "-c", WITH_A_PAGE, "explore", "--no-browser", "--json", *map(str, arguments)]
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        with httpx.Client(base_url=said["address"], timeout=SECONDS, trust_env=False) as client:
            token = said["link"].partition("#token=")[2]
            session = client.post("/explore/session", json={"token": token}).raise_for_status().json()
            client.headers["Authorization"] = f"Bearer {session['key']}"
            client.base_url = f"{said['address']}/v1/memories/{session['memory']}/"
            yield said, client
        process.send_signal(signal.SIGINT)
        _, said["err"] = process.communicate(timeout=SECONDS)


def await_turns(client: httpx.Client, count: int) -> None:
    """Wait until so many turns are stored, and all are formed."""
    until = monotonic() + SECONDS
    while (stats := client.get("stats").raise_for_status().json())["turns"] < count or stats["unformed"]:
        assert monotonic() < until
        sleep(0.1)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The links that the browser would open; the server ends as soon as it listens."""
    links: list[str] = []
    monkeypatch.setattr(explorer, "built_page", lambda: {"index.html": b""})
    monkeypatch.setattr(webbrowser, "open", links.append)

    def end(_: uvicorn.Server, sockets: list[Any]) -> None:
        for listening in sockets:
            listening.close()

    monkeypatch.setattr(uvicorn.Server, "run", end)
    return links


def test_an_export_is_a_memory_in_the_page(tmp_path: Path) -> None:
    export = zipped(tmp_path / "export.zip", chatgpt(TEXTS))
    with page_of(export) as (said, client):
        assert said["export"] == {
            "format": "chatgpt", "conversations": 1, "turns": 3, "speakers": {"user": 2, "assistant": 1},
        }  # fmt: skip
        assert said["place"] == str(tmp_path / "export.hmem")
        await_turns(client, 3)
        found = client.post("search", json={"question": "What pet was adopted?"}).raise_for_status().json()
        assert found["evidence"][0]["text"] == TEXTS[0]
        client.get("notes").raise_for_status()
    # What an export gets that was downloaded later.
    zipped(export, chatgpt([*TEXTS, "Try to brush her instead."]), chatgpt(["I sold the boat."], "c2"))
    with page_of(export) as (said, client):
        assert said["export"]["turns"] == 5
        await_turns(client, 5)
    assert "2 turns stored, 3 were there" in said["err"]
    with Memory(export.with_suffix(".hmem"), create=False) as memory:
        assert [turn.text for turn in memory.list()] == [*TEXTS, "Try to brush her instead.", "I sold the boat."]
        assert memory.verify().ok


def test_it_says_what_it_saw_and_where_the_memory_is(run: Run, tmp_path: Path, opened: list[str]) -> None:
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([chatgpt(TEXTS)]))
    done = run("explore", file)
    assert done.out.splitlines() == [
        "conversations.json: ChatGPT's export; 3 turns in 1 conversation, by user, assistant",
        f"new memory: {tmp_path / 'conversations.hmem'}",
        *opened,
    ]
    assert done.err == "hmem: 3 turns stored\n"
    assert run("explore", file, "--memory", tmp_path / "own.hmem").out.splitlines()[1] == (
        f"new memory: {tmp_path / 'own.hmem'}"
    )
    assert run("explore", file).out.splitlines()[1] == f"memory: {tmp_path / 'conversations.hmem'}"


def test_a_folder_is_read_as_well(run: Run, tmp_path: Path, opened: list[str]) -> None:
    folder = tmp_path / "letters.2026"
    folder.mkdir()
    (folder / "a.md").write_text("# Garden\n\nThe pear tree is ill.\n")
    done = run("explore", folder, "--json").json
    assert (done["export"]["format"], done["place"]) == ("markdown", str(tmp_path / "letters.2026.hmem"))
    assert len(opened) == 1


def test_no_other_file_is_written_to(run: Run, tmp_path: Path, opened: list[str]) -> None:
    export = zipped(tmp_path / "export.zip", chatgpt(TEXTS))
    beside = tmp_path / "export.hmem"
    with Memory(beside) as memory:
        memory.add("My own.")
    refused = run("explore", export, "--json").json["error"]
    assert refused["name"] == "MemoryExists"
    assert refused["message"].endswith("was not made of such an export - name one by --memory")
    with Memory(beside) as memory:
        assert memory.stats().turns == 1
    # The user named it.
    assert run("explore", export, "--memory", beside).code == 0
    beside.unlink()
    beside.write_text("a letter")
    assert run("explore", export, "--json").json["error"]["name"] == "NotAMemory"
    assert beside.read_text() == "a letter"
    assert len(opened) == 1


def test_what_is_no_export_is_refused_with_what_to_do(
    run: Run, tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "numbers.json"
    file.write_text('{"a": 1}')
    assert run("explore", file, "--json").json["error"]["name"] == "InvalidFile"
    own = tmp_path / "all.jsonl"
    own.write_text('{"type": "hmem-export", "version": 1}\n')
    assert "hmem import" in run("explore", own).err
    monkeypatch.setattr(exports, "entry_points", lambda **_: ())
    assert run("explore", file).err.endswith("pip install 'hmem[import]'\n")
    assert opened == []
    assert not list(tmp_path.glob("*.hmem"))
