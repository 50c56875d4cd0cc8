"""Kill -9 at any moment of an import: what was acknowledged is there, and the next run goes on."""

import os
import random
import signal
import subprocess
import sys
import time
from multiprocessing import get_context
from pathlib import Path

import pytest
from tests.integration.importer import BATCH_TURNS, BATCHES, batch, message, run

from hmem import Memory
from hmem.storage.conformance.harness import everything
from hmem.storage.sqlite.store import SQLiteStorage

KILLS = 50


def import_until_killed(path: Path, new_batches: int, seconds: float) -> tuple[set[int], bool]:
    """Kill an import some time after it kept so many new batches; what it acknowledged, and whether it was killed."""
    processes = get_context("forkserver")
    processes.set_forkserver_preload(["hmem.memory"])
    receiver, sender = processes.Pipe(duplex=False)
    child = processes.Process(target=run, args=(str(path), sender))
    child.start()
    sender.close()
    acknowledged, kept, killed = set[int](), 0, False
    try:
        while True:
            if kept >= new_batches and not killed:
                time.sleep(seconds)
                os.kill(child.pid or 0, signal.SIGKILL)
                killed = True
            # What was sent before the kill counts, though it is read only after it.
            number, stored = receiver.recv()
            acknowledged.add(number)
            kept += stored > 0
    except (EOFError, OSError):
        child.join()
    finally:
        receiver.close()
        child.close()
    return acknowledged, killed


def check(path: Path, acknowledged: set[int]) -> int:
    """Every acknowledged turn is there, once and unaltered, and all indices agree; how many turns there are."""
    with Memory(path, create=False) as memory:
        assert memory.verify().problems == ()
        turns = {turn.message_id or "": turn for turn in memory.list(limit=BATCHES * BATCH_TURNS + 1)}
        assert {f"m{number}" for acknowledgement in acknowledged for number in batch(acknowledgement)} <= turns.keys()
        assert len(turns) == memory.stats().turns
        # A batch is kept whole or not at all.
        assert len(turns) % BATCH_TURNS == 0
        for name in random.Random(len(turns)).sample(sorted(turns), min(3, len(turns))):
            given, turn = message(int(name[1:])), turns[name]
            assert (turn.text, turn.speaker, turn.session) == (given["text"], given["speaker"], given["session"])
            assert memory.search(f"item{name[1:]}", k=1)[0].text == given["text"]
    return len(turns)


def test_an_import_that_is_killed_fifty_times_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    rng = random.Random(7)
    path, acknowledged, kills, imports = tmp_path / "0.hmem", set[int](), 0, 0
    while kills < KILLS:
        batches, killed = import_until_killed(path, rng.randint(0, 12), rng.choice([0, rng.uniform(0, 0.03)]))
        kills += killed
        acknowledged |= batches
        kept = check(path, acknowledged) if acknowledged else 0
        if kept == BATCHES * BATCH_TURNS:
            imports += 1
            path, acknowledged = tmp_path / f"{imports}.hmem", set[int]()
    assert imports >= 1


@pytest.mark.parametrize("milliseconds", [0, 3, 10])
def test_a_memory_whose_making_is_killed_can_be_made_again(tmp_path: Path, milliseconds: int) -> None:
    script = (
        "import os, signal, sys, threading\n"
        "from hmem.storage.sqlite.store import SQLiteStorage\n"
        "threading.Timer(float(sys.argv[2]) / 1000, os.kill, (os.getpid(), signal.SIGKILL)).start()\n"
        "for i in range(10_000): SQLiteStorage(f'{sys.argv[1]}{i}.hmem')\n"
    )
    base = tmp_path / "made"
    child = subprocess.run([sys.executable, "-c", script, str(base), str(milliseconds)], check=False)
    assert child.returncode == -signal.SIGKILL
    for path in sorted(tmp_path.glob("*.hmem")):
        storage = SQLiteStorage(str(path))
        assert (everything(storage), storage.problems()) == ([], [])
        storage.close()
