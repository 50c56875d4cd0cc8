"""Kill -9 at any moment of an import: what was acknowledged is there, and the next run goes on."""

import os
import random
import signal
import threading
import time
from itertools import count
from pathlib import Path

import pytest
from tests.integration.importer import BATCH_TURNS, BATCHES, batch, message, run
from tests.processes import exit_code, started, telling

from hmem import Memory
from hmem.storage.sqlite.store import SQLiteStorage
from hmem_testing.conformance.harness import all_turns

RUNS = 3
KILLS = 10


def import_until_killed(path: Path, new_batches: int, seconds: float) -> tuple[set[int], bool]:
    """Kill an import some time after it kept so many new batches; what it acknowledged, and whether it was killed."""
    child, receiver = telling(run, str(path))
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
        assert exit_code(child) in (0, -signal.SIGKILL)
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


@pytest.mark.parametrize("seed", range(RUNS))
def test_an_import_that_is_killed_ten_times_loses_nothing_that_was_acknowledged(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    path, acknowledged, kills, kept = tmp_path / "0.hmem", set[int](), 0, 0
    while kills < KILLS or kept < BATCHES * BATCH_TURNS:
        if kept == BATCHES * BATCH_TURNS:
            path, acknowledged = tmp_path / f"{kills}.hmem", set[int]()
        new_batches = rng.randint(0, 8) if kills < KILLS else BATCHES
        batches, killed = import_until_killed(path, new_batches, rng.choice([0, rng.uniform(0, 0.03)]))
        kills += killed
        acknowledged |= batches
        kept = check(path, acknowledged) if acknowledged else 0


def make_until_killed(base: str, milliseconds: int) -> None:
    threading.Timer(milliseconds / 1000, os.kill, (os.getpid(), signal.SIGKILL)).start()
    for i in count():
        SQLiteStorage(f"{base}{i}.hmem")


@pytest.mark.parametrize("milliseconds", [0, 3, 10])
def test_a_memory_whose_making_is_killed_can_be_made_again(tmp_path: Path, milliseconds: int) -> None:
    child = started(make_until_killed, str(tmp_path / "made"), milliseconds)
    assert exit_code(child) == -signal.SIGKILL
    for path in sorted(tmp_path.glob("*.hmem")):
        storage = SQLiteStorage(str(path))
        assert (all_turns(storage), storage.problems()) == ([], [])
        storage.close()
