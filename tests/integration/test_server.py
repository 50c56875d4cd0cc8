"""A server that is killed at any moment has lost nothing that it said to be stored, and leaves nobody behind."""

import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import httpx
import pytest
from tests.processes import SECONDS, running

from hmem import Memory


@pytest.mark.skipif(os.name != "posix", reason="Windows has other signals")
@pytest.mark.parametrize("workers", [0, 2])
def test_nothing_that_was_stored_is_lost_when_the_server_is_killed(tmp_path: Path, workers: int) -> None:
    command = [sys.executable, "-m", "hmem", "serve", "--root", str(tmp_path), "--port", "0", "--json"]
    command += ["--workers", str(workers)]
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        kept: dict[str, list[str]] = {name: [] for name in ("a", "b", "c")}
        tellers = [Thread(target=tell, args=(address, name, kept[name])) for name in kept]
        for teller in tellers:
            teller.start()
        until = monotonic() + SECONDS
        while min(map(len, kept.values())) < 10 and monotonic() < until:
            sleep(0.02)
        process.kill()
        for teller in tellers:
            teller.join(SECONDS)
    assert min(map(len, kept.values())) >= 10
    for name, ids in kept.items():
        # The processes behind the server end by themselves; until then the file may be shared with them.
        with Memory(tmp_path / f"{name}.hmem", busy_seconds=SECONDS) as memory:
            held = {turn.id for turn in memory.list(limit=100_000)}
            assert set(ids) <= held
            assert len(held) <= len(ids) + 1
            assert memory.verify().ok


def tell(address: str, name: str, kept: list[str]) -> None:
    """Tell a memory one turn after the other, until nobody answers."""
    with httpx.Client(base_url=f"{address}/v1/", timeout=SECONDS, trust_env=False) as client:
        try:
            assert client.post("memories", json={"name": name}).status_code == 201
            for number in range(10_000):
                turn = {"text": f"I noticed {name} number {number}", "session": f"s{number // 20}"}
                kept.append(client.post(f"memories/{name}/turns", json=turn).json()["id"])
        except httpx.TransportError:
            return
