"""Kill -9 in the midst of going over to another embedder: no call is paid for twice but the one that was being made."""

import json
import signal
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.processes import SECONDS, command, exit_code, printing, started
from tests.support import chatter

from hmem import Memory
from hmem_testing.fake_llm import ReplyRule, StandIn

pytest.importorskip("httpx2")

TURNS = 1_300
KILLS = 2


def texts(server: StandIn) -> list[list[str]]:
    """The turns of each call, in the order of the calls."""
    asked = [call.request["input"] for call in server.calls]
    return [[text for text in each if text.startswith(("Anna: ", "Ben: "))] for each in asked]


def test_each_kill_costs_one_call_at_most(path: Path, tmp_path: Path) -> None:
    with Memory(path, recipe="flat") as memory:
        memory.add([message | {"text": f"{message['text']} {place}"} for place, message in enumerate(chatter(TURNS))])
    with StandIn() as server:
        arguments = ["reembed", "--memory", str(path), "--embedder", f"openai:small@{server.url}", "--json"]
        for _ in range(KILLS):
            before = server.count
            server.follow([ReplyRule("slow", task="embeddings", calls="after:2", seconds=SECONDS)])
            process = started(command, *arguments, HMEM_CACHE=str(tmp_path / "cache"))
            # The call that has come last is not answered.
            while server.count < before + 3 and process.is_alive():
                time.sleep(0.01)
            process.kill()
            assert exit_code(process) == -signal.SIGKILL
            with Memory(path) as memory:
                assert memory.stats().embedder == "wordllama"
                assert memory.verify().ok
        server.follow([])
        printed = tmp_path / "printed"
        assert exit_code(started(printing, str(printed), *arguments, HMEM_CACHE=str(tmp_path / "cache"))) == 0
        asked = texts(server)
        # A call that was killed while it was being made is the only one that comes again.
        again = [text for text, count in Counter(text for each in asked for text in each).items() if count > 1]
        assert len({text for each in asked for text in each}) == TURNS
        assert len(again) <= KILLS * 256
        assert sum(map(bool, asked)) <= -(-TURNS // 256) + KILLS
    assert "vectors" in json.loads(printed.read_text("utf-8"))
