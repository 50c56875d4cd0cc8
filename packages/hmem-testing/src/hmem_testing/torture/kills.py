"""Processes killed at any moment of any write, and what is there afterwards.

A life of a memory ends with a kill. In it, one process does everything that writes; in some lives another one adds and
corrects beside it. After each kill the memory is opened, and compared with the full history of every turn.
"""

import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event, Thread
from typing import Final

from hmem_testing.torture.history import Failure
from hmem_testing.torture.mix import ACCOMPANYING, LASTING, SECONDS, WEIGHTS, Mix
from hmem_testing.torture.worker import Worker

# Kills of one memory; then another is begun, so that none grows without end.
KILLS_A_MEMORY: Final = 25

# Most operations of a life before the one that is killed.
OPERATIONS: Final = 5

# Share of the lives with a second process, and of those that are killed while they open the memory.
ACCOMPANIED: Final = 0.4
OPENING: Final = 0.1

# Every so many-th memory is encrypted, with this key.
ENCRYPTED: Final = 4
KEY: Final = "a key of the torture"
# In every so many-th memory nothing is erased.
UNERASED: Final = 3


class Kills:
    """Kills of processes at work on memories in a folder, which keeps those that failed.

    ``hits`` counts what the killed processes were at, ``acknowledged`` what was done before.
    """

    def __init__(self, folder: Path, seed: int = 0) -> None:
        self._folder = folder
        self._rng = random.Random(seed)
        # Shared by all memories, so that kills hit long operations and short ones anywhere.
        self._took: dict[str, float] = {}
        self.kills = 0
        self.hits = Counter[str]()
        self.acknowledged = Counter[str]()
        self.failures: list[Failure] = []

    def run(self, kills: int, is_over: Callable[[], bool] = lambda: False) -> None:
        """Kill so many times, or until ``ended``."""
        memory = 0
        while self.kills < kills and not is_over():
            key = KEY if memory % ENCRYPTED == ENCRYPTED - 1 else None
            mix = Mix(self._folder / f"memory{memory}", random.Random(self._rng.random()), self._took, key=key)
            weights = LASTING if memory % UNERASED == UNERASED - 1 else WEIGHTS
            memory += 1
            before = len(self.failures)
            while self.kills < kills and mix.history.life < KILLS_A_MEMORY and not is_over():
                self.hits += _live(mix, weights)
                self.kills += 1
                self.failures += mix.check()
            self.acknowledged += mix.acknowledged
            if len(self.failures) == before:
                shutil.rmtree(mix.folder)


def killed(folder: Path, seed: int, kills: int) -> tuple[int, list[Failure]]:
    """Kill so many times; return the kills and what failed."""
    run = Kills(folder, seed)
    run.run(kills)
    return run.kills, run.failures


def _live(mix: Mix, weights: Mapping[str, int]) -> Counter[str]:
    """Let processes work until they are killed, the first by these weights; return what they were at."""
    rng = mix.rng
    workers = [Worker(mix.path, mix.key) for _ in range(1 + (rng.random() < ACCOMPANIED))]
    under_way = ["open"] * len(workers)
    due = Event()
    operations, delay = rng.randint(0, OPERATIONS), rng.uniform(0, 1.2)
    if rng.random() < OPENING:
        due.set()

    def work(worker: Worker, number: int) -> None:
        remaining = operations

        def begin(verb: str) -> bool:
            nonlocal remaining
            under_way[number] = verb
            if not number and remaining == 0:
                due.set()
            remaining -= 1
            return True

        try:
            worker.ready()
            mix.go_on(worker, number, ACCOMPANYING if number else weights, begin)
        except EOFError:
            # It was killed before it had the memory open.
            return
        finally:
            due.set()

    threads = [Thread(target=work, args=(worker, number)) for number, worker in enumerate(workers)]
    for thread in threads:
        thread.start()
    due.wait()
    time.sleep(delay * mix.durations.get(under_way[0], SECONDS))
    hits = Counter(under_way)
    for worker in workers:
        worker.kill()
    for thread in threads:
        thread.join()
    for worker in workers:
        if (code := worker.end()) not in {0, -signal.SIGKILL}:
            mix.crashed(f"a process ended with code {code}")
    mix.history.life += 1
    return hits
