"""A process that has a model work through a memory's queue, to be killed at any moment."""

import os
import random
import signal
import time
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Timer
from typing import Any

from tests.models import Derived, open_with
from tests.processes import SECONDS, exit_code, started, telling

from hmem.evolution.analyse import WorkOptions
from hmem.model.evidence import Reaction

OPTIONS = WorkOptions(backoff=0.01, concurrency=4)


def work(path: str, seconds: float, calls: int, until: float) -> None:
    """Work, each call taking so long, and be killed so many seconds after so many calls began.

    No more than twice as many are answered, so that death comes before the end of a queue that is longer.
    """

    def takes(number: int, asked: Any) -> None:
        if number == calls:
            # From within: on a busy machine whoever waits for this may sleep until all is done.
            death = Timer(until, os.kill, (os.getpid(), signal.SIGKILL))
            death.daemon = True
            death.start()
        time.sleep(seconds if number <= 2 * calls else SECONDS)

    with open_with(path, Derived(fails=takes), working=OPTIONS) as memory:
        memory.model.run_jobs()


class Approving(Derived):
    """Takes every reply for an approval."""

    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        super().feedback(question, answer, reply)
        return "approve"


def judge(told: Connection, path: str) -> None:
    """Work until a reply is to be judged; say so, and never come to an end of it."""

    def hangs(_: int, asked: Any) -> None:
        if isinstance(asked, tuple):
            told.send("begun")
            time.sleep(60)

    with open_with(path, Approving(fails=hangs), working=OPTIONS) as memory:
        memory.model.run_jobs()


def kill_while_judging(path: Path) -> None:
    """Let a process work, and kill it while its model judges a reply."""
    child, told = telling(judge, str(path))
    told.recv()
    child.kill()
    assert exit_code(child) == -signal.SIGKILL


def work_until_killed(path: Path, chance: random.Random, *, seconds: float, calls: int, longest: float) -> bool:
    """Let a process work for up to so many calls and seconds and kill it; whether that was before it was done."""
    child = started(work, str(path), seconds, chance.randint(1, calls), chance.uniform(0, longest))
    code = exit_code(child)
    assert code in (0, -signal.SIGKILL)
    return code != 0
