"""Many processes and many threads at one memory, and processes forked from one that has it open."""

import os
import random
import signal
import time
from pathlib import Path
from threading import Thread
from typing import Any, Final

from hmem import Memory
from hmem.errors import HmemError
from hmem.util.amounts import amount
from hmem_testing.torture.history import Failure
from hmem_testing.torture.mix import ACCOMPANYING, WEIGHTS, Mix
from hmem_testing.torture.worker import OPERATIONS, Refused, Worker, refusal

PROCESSES: Final = 8
THREADS: Final = 16
_FORK_TURNS: Final = 5
# Seconds after which a forked process is held to hang.
_FORK_SECONDS: Final = 60


def processes(folder: Path, seed: int, seconds: float) -> tuple[int, list[Failure]]:
    """Let eight processes work on one memory for some time; return the operations, and what failed."""
    mix = Mix(folder, random.Random(seed))
    workers = [Worker(mix.path) for _ in range(PROCESSES)]
    for worker in workers:
        worker.ready()
    _together(mix, workers, seconds)
    for worker in workers:
        if code := worker.end():
            mix.crashed(f"a process ended with code {code}")
    return mix.acknowledged.total() + mix.refused.total(), mix.check()


def threads(folder: Path, seed: int, seconds: float) -> tuple[int, list[Failure]]:
    """The same with sixteen threads of this process, which share one ``Memory``."""
    mix = Mix(folder, random.Random(seed))
    with Memory(mix.path) as memory:
        _together(mix, [LocalWorker(memory)] * THREADS, seconds)
    return mix.acknowledged.total() + mix.refused.total(), mix.check()


def forks(folder: Path, seed: int, rounds: int) -> tuple[int, list[Failure]]:
    """Fork processes from one that has a memory open and at work, and let both write; the child opens it for itself."""
    mix, failures = Mix(folder, random.Random(seed)), list[Failure]()
    local = LocalWorker(Memory(mix.path))
    for number in range(rounds):
        if not (child := os.fork()):
            # Whatever holds the child up must not hold up the test.
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(_FORK_SECONDS)
            os._exit(_forked(mix.path, number))
        for _ in range(_FORK_TURNS):
            mix.attempt("add", local, mix.rng)
        _, status = os.waitpid(child, 0)
        if status:
            failures.append(Failure(number, f"the forked process ended with status {status}"))
    local.memory.close()
    with Memory(mix.path) as memory:
        stored = [turn for turn in memory.list(limit=1_000_000) if turn.speaker == "Fork"]
        if len(stored) != rounds * _FORK_TURNS:
            failures.append(
                Failure(rounds, f"{len(stored)} of {amount(rounds * _FORK_TURNS, 'turn')} of forked processes")
            )
        # The history knows nothing of these turns, nor that they are erased.
        memory.forget(speaker="Fork")
    return rounds, [*failures, *mix.check(trees=False)]


class LocalWorker:
    """Carries out operations in this process."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    def order(self, verb: str, *arguments: Any) -> Any:
        try:
            return OPERATIONS[verb](self.memory, *arguments)
        except HmemError as error:
            raise Refused(refusal(error)) from error


def _together(mix: Mix, workers: "list[Worker] | list[LocalWorker]", seconds: float) -> None:
    """Let the first worker do everything, and the others add and correct beside it."""
    end = time.monotonic() + seconds
    # Going over to another embedder closes the memory, so it is nothing for one that others share.
    weights = {verb: weight for verb, weight in WEIGHTS.items() if verb != "reembed"}

    def early(_verb: str) -> bool:
        return time.monotonic() < end

    running = [
        Thread(target=mix.go_on, args=(worker, number, ACCOMPANYING if number else weights, early))
        for number, worker in enumerate(workers)
    ]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


def _forked(path: Path, number: int) -> int:
    with Memory(path) as memory:
        for turn in range(_FORK_TURNS):
            memory.add(f"A forked process says zqfork{number}x{turn}q.", speaker="Fork")
    return 0
