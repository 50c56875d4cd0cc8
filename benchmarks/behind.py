"""What formation behind ``add`` costs: an ``add``, a reader, steps of several sizes, and turns that come apart.

A turn is durable when the disk has it, so the milliseconds that the disk takes for a page are printed beside.

python benchmarks/behind.py FILE
"""

import argparse
import json
from collections.abc import Iterator, Mapping
from itertools import cycle
from os import fsync
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import enumerate as threads
from time import perf_counter, process_time, sleep, thread_time
from typing import Any, Final

from hmem import Memory
from hmem.formation.worker import THREAD
from hmem_evals.locomo import load

SIZES: Final = (1, 4, 16, 64)
GAPS_MS: Final = (0, 10, 30, 100)
# Turns that are timed for each size, and for each gap.
TIMED: Final = 128

Message = Mapping[str, Any]


def turns_of(path: Path) -> Iterator[Message]:
    """Yield the turns of a file for ever, each as if it had not been said before."""
    messages = (each for conversation in load(path) for each in conversation.messages)
    for number, message in enumerate(cycle(messages)):
        yield {**message, "message_id": f"m{number}"}


def fill(memory: Memory, turns: Iterator[Message], count: int) -> None:
    """Add turns and have them formed."""
    memory.add([next(turns) for _ in range(count)])
    memory.flush()


def alone(memory: Memory, turns: Iterator[Message]) -> float:
    """Return the median CPU milliseconds of an add, in its own thread."""
    took: list[float] = []
    for _ in range(TIMED):
        begun = thread_time()
        memory.add(next(turns))
        took.append((thread_time() - begun) * 1_000)
        await_thread()
    return median(took)


def disk(folder: Path) -> float:
    """Return the median milliseconds until the disk of a folder has a new page."""
    took: list[float] = []
    with (folder / "page").open("wb") as file:
        for _ in range(TIMED):
            file.write(bytes(4_096))
            file.flush()
            started = perf_counter()
            fsync(file.fileno())
            took.append((perf_counter() - started) * 1_000)
    return median(took)


def await_thread() -> None:
    """Wait until the turns were formed behind their ``add``."""
    for thread in threads():
        if thread.name == THREAD:
            thread.join()


def in_steps(memory: Memory, turns: Iterator[Message], size: int) -> tuple[float, float]:
    """Return the CPU milliseconds for a turn in steps of a size, and the median milliseconds that a reader waits."""
    spent, waits = 0.0, list[float]()
    for _ in range(TIMED // size):
        for _ in range(size):
            memory.add(next(turns))
        begun, started = process_time(), perf_counter()
        memory.stats()
        spent += process_time() - begun
        waits.append((perf_counter() - started) * 1_000)
    return spent * 1_000 / TIMED, median(waits)


def apart(memory: Memory, turns: Iterator[Message], gap_ms: int) -> list[float]:
    """Return the milliseconds of each add, with a pause before the next."""
    took: list[float] = []
    for _ in range(TIMED):
        started = perf_counter()
        memory.add(next(turns))
        took.append((perf_counter() - started) * 1_000)
        sleep(gap_ms / 1_000)
    await_thread()
    return sorted(took)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    turns, found = turns_of(options.file), list[dict[str, Any]]()
    with TemporaryDirectory(prefix="hmem-behind-") as folder:
        found.append({"disk_ms": disk(Path(folder))})
        print(f"the disk takes {found[-1]['disk_ms']:.2f} ms for a page")
        for later in (False, True):
            with Memory(Path(folder) / f"{later}.hmem", form_later=later) as memory:
                fill(memory, turns, 600)
                found.append({"form_later": later, "cpu_ms": alone(memory, turns)})
                print(f"form_later={later}: {found[-1]['cpu_ms']:.2f} ms of CPU in an add")
                if later:
                    found += measured(memory, turns)
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


def measured(memory: Memory, turns: Iterator[Message]) -> Iterator[dict[str, Any]]:
    """Print and yield the figures of steps and of gaps."""
    for size in SIZES:
        cpu_ms, wait_ms = in_steps(memory, turns, size)
        print(f"steps of {size:>2}: {cpu_ms:.2f} ms of CPU a turn, a reader waits {wait_ms:.1f} ms")
        yield {"step": size, "cpu_ms_a_turn": cpu_ms, "reader_ms": wait_ms}
    for gap_ms in GAPS_MS:
        took = apart(memory, turns, gap_ms)
        p50, p95 = took[TIMED // 2], took[TIMED * 95 // 100]
        print(f"{gap_ms:>3} ms apart: an add takes {p50:.2f} ms, p95 {p95:.2f}, most {took[-1]:.1f}")
        yield {"gap_ms": gap_ms, "add_p50_ms": p50, "add_p95_ms": p95, "add_max_ms": took[-1]}


if __name__ == "__main__":
    main()
