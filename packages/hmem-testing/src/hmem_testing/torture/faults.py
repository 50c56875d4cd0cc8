"""Disks that are full or can only be read, a clock that goes back, and errors raised within formation.

Each fault is set while a process is at work on the mix, then lifted. What was acknowledged before, during and after it
must be there; what was refused must be refused by one of hmem's own errors, and leave no half.
"""

import random
import subprocess
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hmem_testing.torture.history import Failure
from hmem_testing.torture.mix import WEIGHTS, Mix
from hmem_testing.torture.worker import Worker

# Bytes that the largest file of a memory may still grow.
ROOM: Final = (0, 4_096, 32_768, 262_144)

# Seconds by which the clock is set, from what it should be.
CLOCKS: Final = (-1, -3_600, -86_400 * 400, 86_400 * 3, 0)

# Where errors are raised, of which kinds, and at which calls.
FUNCTIONS: Final = (
    "hmem.formation.pipeline:extract",
    "hmem.formation.pipeline:without_echoes",
    "hmem.formation.organise:Organiser.add",
    "hmem.formation.organise:Organiser.finish",
    "hmem.derived.state:DerivedState.store",
    "hmem.derived.graph.graph:Graph.add",
    "hmem.derived.notes:Notes.replace",
    "hmem.language.verbatim.analyst:VerbatimAnalyst.claims",
)
ERRORS: Final = ("ValueError", "RuntimeError", "AssertionError", "MemoryError", "KeyError")
INTERVALS: Final = (1, 2, 5)

_WARM_UP: Final = 12
_FULL: Final = ("StorageFull", "StorageError", "IndexWriteFailed", "ReadOnlyMemory", "HmemError", "MemoryBusy")
# Megabytes of the smallest disk, and how many sizes there are.
_MEGABYTES: Final = 1
_SIZES: Final = 3
_MAX_OPERATIONS: Final = 2_000


def limited_files(folder: Path, seed: int, rounds: int) -> tuple[int, list[Failure]]:
    """Limit the size of the files of a process before each operation; return the tries and what failed."""
    mix, tries = Mix(folder, random.Random(seed), allowed=_FULL), 0
    failures: list[Failure] = []
    for _ in range(rounds):
        with _working(mix) as worker:
            for verb in WEIGHTS:
                worker.order("limit", _largest(folder) + mix.rng.choice(ROOM))
                mix.attempt(verb, worker, mix.rng)
                worker.order("limit", None)
                tries += 1
        mix.history.life += 1
        failures += mix.check()
    return tries, failures


def small_disks(folder: Path, seed: int, rounds: int) -> tuple[int, list[Failure]]:
    """Fill a disk of a few megabytes, and make it read-only for a while.

    Raises:
        PermissionError: this process may not mount one.
    """
    failures, tries = list[Failure](), 0
    for number in range(rounds):
        megabytes = _MEGABYTES + number % _SIZES
        with _mounted(folder / f"disk{number}", megabytes) as disk:
            # A file to import must not fail for the full disk: it is the test's own.
            mix = Mix(disk, random.Random(seed + number), allowed=_FULL, imports=folder)
            with _working(mix) as worker:
                for _ in range(_MAX_OPERATIONS):
                    mix.attempt(mix.rng.choice(("add", "batch", "import", "correct")), worker, mix.rng)
                    tries += 1
                    if any("StorageFull" in refusal for refusal in mix.refused):
                        break
                tries += _attempt_all(mix, worker, WEIGHTS)
            _run("mount", "-o", f"remount,size={4 * megabytes + 8}m,ro", str(disk))
            with _working(mix, warm_up=0) as worker:
                tries += _attempt_all(mix, worker, ("add", "batch", "forget", "correct", "retain", "search"))
            _run("mount", "-o", "remount,rw", str(disk))
            with _working(mix) as worker:
                tries += _attempt_all(mix, worker, WEIGHTS)
            mix.history.life += 1
            failures += mix.check(keep=False)
    return tries, failures


def clocks(folder: Path, seed: int, rounds: int) -> tuple[int, list[Failure]]:
    """Set the clock of a process back and forth while it works."""
    mix, tries = Mix(folder, random.Random(seed)), 0
    failures: list[Failure] = []
    for _ in range(rounds):
        with _working(mix) as worker:
            for seconds in CLOCKS:
                worker.order("clock", seconds)
                # Retention goes by the clock: what it takes under a wrong one is no fault.
                for verb in (
                    "add",
                    "batch",
                    "correct",
                    "retract",
                    "undo",
                    "forget",
                    "consolidate",
                    "reembed",
                    "search",
                ):
                    mix.attempt(verb, worker, mix.rng)
                    tries += 1
        mix.history.life += 1
        failures += mix.check()
    return tries, failures


def raised_errors(folder: Path, seed: int, rounds: int) -> tuple[int, list[Failure]]:
    """Raise errors within formation while a process works, and lift them; then all is formed anew.

    No operation may fail for it but by an error of hmem, nothing that was acknowledged may be missing, and in the end
    what is formed is as if nothing had been raised.
    """
    mix, tries = Mix(folder, random.Random(seed), allowed=("FormationDelayed",)), 0
    failures: list[Failure] = []
    for _ in range(rounds):
        function, error, interval = (mix.rng.choice(options) for options in (FUNCTIONS, ERRORS, INTERVALS))
        with _working(mix) as worker:
            worker.order("fault", function, error, interval)
            try:
                tries += _attempt_all(
                    mix, worker, ("add", "batch", "search", "correct", "forget", "consolidate", "add")
                )
                worker.order("fault", None)
                mix.attempt("rebuild", worker, mix.rng)
            except EOFError:
                mix.crashed(f"the process died of a {error} in {function}, at every {interval}. call")
        mix.history.life += 1
        failures += mix.check()
    return tries, failures


@contextmanager
def _working(mix: Mix, warm_up: int = _WARM_UP) -> Generator[Worker]:
    """Yield a process that has done some of the mix on its memory, and let it end afterwards."""
    worker = Worker(mix.path)
    try:
        worker.ready()
        countdown = iter(range(warm_up))
        mix.go_on(worker, 0, WEIGHTS, lambda _: next(countdown, None) is not None)
        yield worker
    finally:
        code = worker.end()
        if code:
            mix.crashed(f"the process ended with code {code}")


def _attempt_all(mix: Mix, worker: Worker, verbs: Iterable[str]) -> int:
    """Attempt each operation once, and return their number."""
    return len([mix.attempt(verb, worker, mix.rng) for verb in verbs])


def _largest(folder: Path) -> int:
    return max((file.stat().st_size for file in folder.rglob("*") if file.is_file()), default=0)


@contextmanager
def _mounted(folder: Path, megabytes: int) -> Generator[Path]:
    folder.mkdir(parents=True)
    _run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder))
    try:
        yield folder
    finally:
        _run("umount", "-l", str(folder))


def _run(*command: str) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - a command of ours
    except subprocess.CalledProcessError as error:
        raise PermissionError(error.stderr.decode().strip()) from error
