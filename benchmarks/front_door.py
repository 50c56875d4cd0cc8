"""From an export to a memory of it in the page: seconds of ``hmem explore export.zip``, as a user waits for them.

    python -m benchmarks.front_door [--turns 2000] [--export FILE] [--json OUT]

Without ``--export`` it makes an export of ChatGPT with conversations of ``benchmarks/data/chats/open``, repeated under
other ids up to so many turns. It runs the command in a process of its own, and asks its server as the page does: until
the page answers, all turns are stored, a search answers, a view of notes answers, and all turns are formed. With
``--again`` it then runs the command once more, which stores nothing.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import count
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import httpx

DATA = Path(__file__).parent / "data" / "chats" / "open"
CHATS = ("coach", "coding", "diary", "elder", "parents", "support", "texting", "tutor", "voice")
QUESTION = "What was decided about the hall?"
_SECONDS = 1_800.0
_LOOK_SECONDS = 1.0


def conversations(turns: int) -> Iterator[dict[str, Any]]:
    """Yield conversations in the form of ChatGPT's export, with so many turns together."""
    remaining = turns
    for number in count():
        for name in CHATS:
            lines = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()]
            speakers, messages = lines[0]["speakers"], [line for line in lines[1:] if line.get("sentences")]
            for session in dict.fromkeys(message["session"] for message in messages):
                session_messages = [message for message in messages if message["session"] == session][:remaining]
                if not session_messages:
                    return
                remaining -= len(session_messages)
                yield _conversation(f"{name}-{number}-{session}", speakers, session_messages)


def _conversation(name: str, speakers: dict[str, str], messages: list[dict[str, Any]]) -> dict[str, Any]:
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    parent, time = "root", 0.0
    for message in messages:
        node = f"{name}-{message['id']}"
        time = datetime.fromisoformat(f"{message['at']}+00:00").timestamp()
        sentences = [part if isinstance(part, str) else part["text"] for part in message["sentences"]]
        mapping[parent]["children"].append(node)
        mapping[node] = {
            "id": node, "parent": parent, "children": [],
            "message": {
                "id": node, "author": {"role": "user" if speakers.get(message["speaker"]) == "user" else "assistant"},
                "create_time": time, "content": {"content_type": "text", "parts": [" ".join(sentences)]},
                "metadata": {}, "recipient": "all", "weight": 1.0,
            },
        }  # fmt: skip
        parent = node
    return {"title": name, "create_time": time, "mapping": mapping, "current_node": parent, "conversation_id": name}


@contextmanager
def explored(export: Path) -> Iterator[tuple[httpx.Client, str, dict[str, Any], float]]:
    """Yield a client of the page of an export, its memory's name, what the command said, and when it began."""
    command = [sys.executable, "-m", "hmem", "explore", str(export), "--no-browser", "--json"]
    began = perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        said = json.loads(process.stdout.readline())
        if "error" in said:
            sys.exit(f"hmem explore did not begin: {said['error']['message']}")
        with httpx.Client(base_url=said["address"], timeout=_SECONDS, trust_env=False) as client:
            client.get("/explore").raise_for_status()
            token = said["link"].partition("#token=")[2]
            session = client.post("/explore/session", json={"token": token}).raise_for_status().json()
            client.headers["Authorization"] = f"Bearer {session['key']}"
            yield client, session["memory"], said, began
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(600)


def measure(export: Path) -> dict[str, Any]:
    """Return what the command said of an export, and the seconds until each thing that a user waits for."""
    with explored(export) as (client, memory, said, began):
        seconds = {"page": perf_counter() - began}

        def stats() -> dict[str, Any]:
            return client.get(f"/v1/memories/{memory}/stats").raise_for_status().json()

        turns = said["export"]["turns"]
        _await(lambda: stats()["turns"] >= turns)
        seconds["stored"] = perf_counter() - began
        client.post(f"/v1/memories/{memory}/search", json={"question": QUESTION, "k": 10}).raise_for_status()
        seconds["search"] = perf_counter() - began
        client.get(f"/v1/memories/{memory}/notes", params={"limit": 20}).raise_for_status()
        seconds["notes"] = perf_counter() - began
        _await(lambda: not stats()["unformed"])
        seconds["formed"] = perf_counter() - began
        return {**said["export"], "stored": stats()["turns"], "seconds": seconds}


def _await(reached: Callable[[], bool]) -> None:
    until = perf_counter() + _SECONDS
    while not reached():
        if perf_counter() > until:
            raise TimeoutError
        sleep(_LOOK_SECONDS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2_000)
    parser.add_argument("--export", type=Path)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        export = chosen.export or Path(folder) / "export.zip"
        if chosen.export is None:
            with zipfile.ZipFile(export, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("conversations.json", json.dumps(list(conversations(chosen.turns))))
        runs = [measure(export) for _ in range(1 + chosen.again)]
    for figures in runs:
        print(f"{figures['format']}: {figures['turns']:,} turns in {figures['conversations']} conversations")
        for name, seconds in figures["seconds"].items():
            print(f"  {name:<8}{seconds:7.1f} s")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"processor time of all: {used.ru_utime + used.ru_stime:.1f} s")
    print(f"load of this machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    if chosen.json:
        chosen.json.write_text(json.dumps(runs), "utf-8")


if __name__ == "__main__":
    main()
