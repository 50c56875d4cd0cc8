"""Cost of writing to one memory with several processes.

    python benchmarks/writers.py [--turns 420] [--adds 60] [--writers 1,2,4,8]

In the first table processes add turns one by one, each to its own session, and form them within ``add``. A step of
formation that loses to another process is put again on top of the winner's. "Ratio" compares the CPU time of an ``add``
to that of one writer alone; "full loads" counts how often a process read all that was formed again. In the second table
a second handle takes the step of the first just before that stores it: the table compares an ``add`` that loses its
step to one that does not, by the size of the memory. Figures are CPU time without that of the other handle.
"""

import argparse
import multiprocessing
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from hmem import Memory
from hmem.storage.sqlite.store import SQLiteStorage

SAID = (
    "I live in {} now, with my dog Rex.",
    "My sister Anna has moved to {}.",
    "We went to {} for a week, and it rained.",
    "I have been working for a company in {} since spring.",
    "I would rather have tea than coffee, as they do in {}.",
)
CITIES = ("Paris", "Rome", "Oslo", "Lima", "Cairo", "Delhi", "Quito", "Hanoi", "Porto", "Tunis", "Turin")
SESSION = 21
RACES = 40

Counted = dict[str, int]


def said(number: int, session: str, speaker: str = "Maria") -> dict[str, Any]:
    """Return one turn."""
    text = SAID[number % len(SAID)].format(CITIES[number % len(CITIES)])
    return {"text": text, "speaker": speaker, "session": session, "at": 1_700_000_000 + 600 * number}


def _at_once(path: Path) -> Memory:
    """Open a memory that forms within ``add``."""
    return Memory(path, form_later=False)


def fill(path: Path, turns: int) -> None:
    """Create a memory of a number of turns."""
    with Memory(path) as memory:
        memory.add([said(i, f"s{i // SESSION}", ("Maria", "Tom")[i % 2]) for i in range(turns)])


@contextmanager
def counting() -> Iterator[Counted]:
    """Count steps stored and lost, chunks read, and full loads."""
    counted = {"stored": 0, "lost": 0, "loads": 0, "chunks": 0}
    form, chunks = SQLiteStorage.form, SQLiteStorage.chunks

    def counted_form(self: SQLiteStorage, *given: Any, **named: Any) -> Any:
        formed = form(self, *given, **named)
        counted["lost" if formed is None else "stored"] += 1
        return formed

    def counted_chunks(self: SQLiteStorage, **named: Any) -> Any:
        found = chunks(self, **named)
        counted["chunks"] += len(found)
        counted["loads"] += not named.get("since") and named.get("parts") is None
        return found

    SQLiteStorage.form, SQLiteStorage.chunks = counted_form, counted_chunks  # type: ignore[method-assign]
    try:
        yield counted
    finally:
        SQLiteStorage.form, SQLiteStorage.chunks = form, chunks  # type: ignore[method-assign]


def write(line: Connection, path: str, who: int, adds: int) -> None:
    """Add turns one by one; send the counts and the CPU seconds down the pipe."""
    with counting() as counted, Memory(path, busy_seconds=60, form_later=False) as memory:
        # What is loaded once, such as the parser, is no cost of an addition.
        memory.add(said(9_000 + who, f"w{who}"))
        memory.search("Where does Maria live?")
        counted.update(dict.fromkeys(counted, 0))
        line.send("ready")
        line.recv()
        begun = process_time()
        for number in range(adds):
            memory.add(said(10_000 + number, f"w{who}"))
        line.send((counted, process_time() - begun))


def together(path: Path, writers: int, adds: int) -> tuple[Counted, float]:
    """Let processes write at once; return their total counts, and the CPU seconds per add."""
    context = multiprocessing.get_context("spawn")
    lines: list[Connection] = []
    processes: list[Any] = []
    for who in range(writers):
        ours, theirs = context.Pipe()
        processes.append(context.Process(target=write, args=(theirs, str(path), who, adds)))
        processes[-1].start()
        lines.append(ours)
    for line in lines:
        line.recv()
    for line in lines:
        line.send("go")
    told = [line.recv() for line in lines]
    for process in processes:
        process.join()
    total = {name: sum(counted[name] for counted, _ in told) for name in told[0][0]}
    return total, sum(seconds for _, seconds in told) / (writers * adds)


def race(path: Path) -> tuple[float, float, Counted]:
    """Add turns, of which every second loses its step once; return the CPU seconds without and with a lost step."""
    with counting() as counted, _at_once(path) as memory, _at_once(path) as other:
        for handle in (memory, other):
            handle.search("Where does Maria live?")
        storage, form = memory.corpus.storage, memory.corpus.storage.form
        spent, first = 0.0, False
        counted.update(dict.fromkeys(counted, 0))

        def overtaken(*given: Any, **named: Any) -> Any:
            nonlocal spent, first
            if first:
                first, begun = False, process_time()
                other.add(said(20_000 + len(costs), "other", "Tom"))
                spent = process_time() - begun
            return form(*given, **named)

        storage.form = overtaken  # type: ignore[method-assign]
        costs: list[tuple[bool, float]] = []
        for number in range(2 * RACES):
            spent, first = 0.0, number % 2 == 1
            lost, begun = first, process_time()
            memory.add(said(10_000 + number, "mine"))
            costs.append((lost, process_time() - begun - spent))
        alone, late = (median(cost for lost, cost in costs if lost is which) for which in (False, True))
        return alone, late, counted


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=420)
    parser.add_argument("--adds", type=int, default=60)
    parser.add_argument("--writers", default="1,2,4,8")
    options = parser.parse_args()
    print("writers  steps stored  steps lost  full loads  chunks read  CPU ms an add  ratio")
    first: float | None = None
    for writers in map(int, options.writers.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.hmem"
            fill(path, options.turns)
            counted, seconds = together(path, writers, options.adds)
        stored, lost, loads, chunks = (counted[name] for name in ("stored", "lost", "loads", "chunks"))
        first = first or seconds
        ratio = seconds / first
        print(f"{writers:7}{stored:14}{lost:12}{loads:12}{chunks:13}{1_000 * seconds:15.1f}{ratio:7.2f}", flush=True)
    print("\n  turns  add, ms CPU  after a lost step  ratio  lost  full loads")
    for turns in (options.turns, 6 * options.turns):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.hmem"
            fill(path, turns)
            alone, late, counted = race(path)
        print(
            f"{turns:7}{1_000 * alone:13.1f}{1_000 * late:19.1f}{late / alone:7.2f}"
            f"{counted['lost']:6}{counted['loads']:12}"
        )


if __name__ == "__main__":
    main()
