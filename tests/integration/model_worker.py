"""A process that has a model work through a memory's queue, to be killed at any moment."""

import os
import random
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tests.models import Derived, open_with
from tests.processes import exit_code, telling

from hmem.evolve.analyse import WorkOptions

OPTIONS = WorkOptions(backoff=0.01, concurrency=4)


def work(line: Connection, path: str, seconds: float) -> None:
    """Work until nothing is left, each call taking so long; say when the first call begins, and what was done."""

    def takes(number: int, asked: Any) -> None:
        if number == 1:
            line.send("begun")
        time.sleep(seconds)

    with open_with(path, Derived(fails=takes), working=OPTIONS) as memory:
        done = memory.work()
    line.send((done.calls, done.left))


def work_until_killed(path: Path, chance: random.Random, *, seconds: float, longest: float) -> bool:
    """Let a process work for a while and kill it; whether it was killed before it was done."""
    child, line = telling(work, str(path), seconds)
    try:
        line.recv()
        time.sleep(chance.uniform(0, longest))
        os.kill(child.pid or 0, signal.SIGKILL)
    except EOFError:
        pass
    killed = exit_code(child) == -signal.SIGKILL
    line.close()
    child.close()
    return killed
