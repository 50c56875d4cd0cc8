"""The tests of ``hmem torture``: what each tries, and how much of it in a short run and in a night."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hmem.interfaces.cli.output import table
from hmem_testing.torture.contention import forks, processes, threads
from hmem_testing.torture.faults import clocks, limited_files, raised_errors, small_disks
from hmem_testing.torture.fuzz import fuzzed
from hmem_testing.torture.history import Failure
from hmem_testing.torture.indices import damaged
from hmem_testing.torture.kills import killed
from hmem_testing.torture.wal import damaged_logs


@dataclass(frozen=True, slots=True)
class Attack:
    """A test. ``run`` takes a folder, a seed and a size, and returns the number of tries and what failed.

    ``night`` and ``short`` are its sizes, in ``unit``.
    """

    name: str
    description: str
    unit: str
    night: int
    short: int
    run: Callable[[Path, int, int], tuple[int, list[Failure]]]


@dataclass(frozen=True, slots=True)
class Attacked:
    """Result of a test. ``skipped`` says why it could not be tried here."""

    attack: Attack
    tries: int
    failures: tuple[Failure, ...]
    seconds: float
    skipped: str | None = None


ATTACKS: Final = (
    Attack("kills", "kill -9 at any moment of any write", "kills", 3_000, 8, killed),
    Attack("logs", "the log is cut after a kill, or bits of it flip", "kills", 100, 1, damaged_logs),
    Attack("limits", "no file may grow, before each write", "rounds", 60, 1, limited_files),
    Attack("disks", "a small disk fills, becomes read-only, and recovers", "disks", 20, 1, small_disks),
    Attack("clocks", "the clock is set back and forth", "rounds", 40, 1, clocks),
    Attack("exceptions", "errors are raised within formation", "rounds", 100, 2, raised_errors),
    Attack("indices", "a file of each kind of the indices damaged in nine ways", "turns", 100_000, 200, damaged),
    Attack("processes", "eight processes at one memory", "seconds", 600, 2, processes),
    Attack("threads", "sixteen threads at one memory", "seconds", 600, 2, threads),
    Attack("inputs", "parsers, dates and importers meet made-up inputs", "thousands", 1_000, 4, fuzzed),
    Attack("forks", "forks while the memory is open and at work", "forks", 300, 5, forks),
)


def run(
    attacks: Iterable[Attack], folder: Path | None, seed: int, *, night: bool, scale: float = 1.0
) -> Iterator[Attacked]:
    """Run tests, and yield what came of each; ``scale`` multiplies their sizes.

    ``folder`` keeps the memories that failed; None keeps nothing.
    """
    with tempfile.TemporaryDirectory(prefix="hmem-torture-") as temporary:
        for attack in attacks:
            memories, start = Path(folder or temporary) / attack.name, time.monotonic()
            size = max(1, round((attack.night if night else attack.short) * scale))
            try:
                tries, failures = attack.run(memories, seed, size)
            except PermissionError as error:
                yield Attacked(attack, 0, (), time.monotonic() - start, str(error))
                continue
            yield Attacked(attack, tries, tuple(failures), time.monotonic() - start)
            if not failures:
                shutil.rmtree(memories, ignore_errors=True)


def show(outcomes: Iterable[Attacked]) -> None:
    """Print a table of results."""
    rows: list[list[str]] = []
    for outcome in outcomes:
        tries = f"skipped: {outcome.skipped}" if outcome.skipped else f"{outcome.tries:,}"
        failures = "" if outcome.skipped else str(len(outcome.failures))
        rows.append([outcome.attack.name, outcome.attack.description, tries, failures, f"{outcome.seconds:.0f}"])
    print(table(("test", "what", "tries", "failures", "seconds"), rows))
