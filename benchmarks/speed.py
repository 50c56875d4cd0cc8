"""Table of speed: recall, contexts, formation, opening, disk, servers and routing, beside the last release.

    python -m benchmarks.speed FILE [--sizes 1000,20000,100000] [--flat 1000000] [--only recall,long] [--json OUT]
        [--against benchmarks/speed_released.json] [--picture docs/speed.svg] [--folder out/bench]

FILE is a LoCoMo file. Memories of the sizes are formed once and kept in the folder. Each section can be left out, and
one that fails costs its own rows only. Milliseconds are medians by the clock; processor time, which a busy machine
changes less, stands beside them where a call has any. "Least" is the median over the questions of the least processor
time of several calls with each: a busy machine changes it least, and all that was read stays at hand. Compare figures
of one run, or of a quiet machine.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time
from typing import Any

from benchmarks import growth, speed_picture
from benchmarks.rest_load import conversations

from hmem import Memory
from hmem_evals.bench import ingest
from hmem_evals.bench.texts import questions

ROOT = Path(__file__).parent.parent
RELEASED = ROOT / "benchmarks" / "speed_released.json"
ASKED = 60
WARM = 20
AGAIN = 6
TOKENS = 1_272
# A chat of long turns: so many, each of so many short ones.
LONG_TURNS = 188
JOINED = 28

Figures = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """Row of the table: a figure by its path in the JSON, what to reach, and if more is better."""

    name: str
    path: str
    target: float
    unit: str
    more: bool = False


def rows(big: str, largest: str) -> list[Row]:
    """Return the rows, for the size that the targets are of and the largest one."""
    return [
        Row("fusion search, a LoCoMo memory", "recall.locomo.fusion.ms", 1.5, "ms"),
        Row(f"fusion search, {int(big):,} turns", f"recall.{big}.fusion.ms", 6, "ms"),
        Row(f"flat search, {int(big):,} turns", f"recall.{big}.flat.ms", 5, "ms"),
        Row(f"flat search, {int(largest):,} turns", f"flat.{largest}.ms", 8, "ms"),
        Row("context, a LoCoMo memory", "recall.locomo.context.ms", 5, "ms"),
        Row("context, long turns", "long.context.ms", 10, "ms"),
        Row(f"opening to the first search, {int(big):,}", f"opening.{big}.first search.ms", 500, "ms"),
        Row(f"opening to the first notes, {int(big):,}", f"opening.{big}.first notes.ms", 700, "ms"),
        Row(f"a process grown by a search, {int(big):,}", f"opening.{big}.grown by search", 300, "MB"),
        Row("formation, LoCoMo in one batch", "formation.turns_per_s", 1_275, "turns/s", more=True),
        Row(f"formation, {int(big):,} against 1,000", f"growth.{big}.slower", 1.3, "times"),
        Row(f"add alone, {int(big):,}", f"growth.{big}.single_ms", 4, "ms"),
        Row(f"disk over the text, {int(big):,}", f"growth.{big}.disk", 6, "times"),
        Row("REST recalls of fusion", "rest.fusion.recall.recall.per_s", 285, "per s", more=True),
        Row("REST recalls, fusion over flat", "rest.ratio", 0.9, "times", more=True),
        Row("REST recalls, p95", "rest.fusion.recall.recall.p95_ms", 40, "ms"),
        Row("MCP recall", "mcp.recall_ms.p50", 4, "ms"),
        Row("MCP greeting after the start", "mcp.up_s", 0.5, "s"),
        Row("routing, operations saved", "routing.ops_ratio", 50, "times", more=True),
        Row("routing, time saved", "routing.time_ratio", 25, "times", more=True),
    ]


def timed(call: Callable[[str], object], asked: Sequence[str]) -> dict[str, float]:
    """Return the median milliseconds of a call, by the clock and of the processor, after a warm-up; and the least."""
    for question in islice(cycle(asked), WARM):
        call(question)
    clock: list[float] = []
    spent: list[float] = []
    for question in asked:
        began, used = perf_counter(), thread_time()
        call(question)
        spent.append((thread_time() - used) * 1e3)
        clock.append((perf_counter() - began) * 1e3)
    cpu, least = round(median(spent), 2), list(spent)
    for _ in range(AGAIN):
        for place, question in enumerate(asked):
            used = thread_time()
            call(question)
            least[place] = min(least[place], (thread_time() - used) * 1e3)
    return {"ms": round(median(clock), 2), "cpu_ms": cpu, "least_ms": round(median(least), 2)}


def recalled(path: Path, asked: Sequence[str]) -> Figures:
    """Return the times of searches and contexts of a formed memory."""
    found: Figures = {}
    with Memory(path, read_only=True) as memory:
        found["fusion"] = timed(memory.search, asked)
        found["context"] = timed(lambda question: memory.context(question, TOKENS), asked)
    with Memory(path, recipe="flat", read_only=True) as memory:
        found["flat"] = timed(memory.search, asked)
    return found


def locomo(file: Path, folder: Path) -> tuple[Path, list[str]]:
    """Return a formed memory of the last conversation of a file, and its questions."""
    messages, asked = conversations(file)[-1]
    path = folder / "locomo.hmem"
    if not path.exists():
        with Memory(path, form_later=False) as memory:
            memory.add(messages)
    return path, asked[:ASKED]


def long_turns(folder: Path) -> tuple[Path, list[str]]:
    """Return a formed memory of long turns of many sentences, and questions about them."""
    path, said = folder / "long.hmem", growth.messages(0, LONG_TURNS * JOINED)
    if not path.exists():
        joined = [
            {**said[start], "text": "\n".join(each["text"] for each in said[start : start + JOINED])}
            for start in range(0, len(said), JOINED)
        ]
        with Memory(path, form_later=False) as memory:
            memory.add(joined)
    return path, questions(len(said), ASKED)


def grown(size: int, folder: Path) -> Figures:
    """Return the figures of a growing memory, which stays in the folder; those of its formation only once."""
    path, told = folder / f"{size}.hmem", folder / f"{size}.json"
    if not path.exists():
        told.write_text(json.dumps(growth.measure(path, size, "fusion")), "utf-8")
    figures: Figures = json.loads(told.read_text("utf-8")) if told.exists() else {}
    with Memory(path, read_only=True) as memory:
        stats = memory.stats()
    text = figures.get("text_bytes") or sum(len(each["text"]) for each in growth.messages(0, stats.turns))
    return {**figures, "turns": stats.turns, "disk": round(on_disk(path) / text, 2)}


def on_disk(path: Path) -> int:
    """Return the bytes of a memory's files."""
    files = [path, Path(f"{path}-wal"), *Path(f"{path}-index").rglob("*")]
    return sum(file.stat().st_size for file in files if file.is_file())


def flat_memory(size: int, folder: Path) -> Figures:
    """Return the times of a memory without anything formed, which stays in the folder."""
    path = folder / f"flat{size}.hmem"
    if not path.exists():
        with Memory(path, recipe="flat") as memory:
            for first in range(0, size, growth.BLOCK_TURNS):
                memory.add(growth.messages(first, min(growth.BLOCK_TURNS, size - first)))
            memory.flush()
    with Memory(path, read_only=True) as memory:
        return timed(memory.search, questions(size, ASKED))


def run(*arguments: str) -> Any:
    """Run a command of this interpreter that writes JSON to ``--json``; return what it wrote."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        command = [sys.executable, *arguments, "--json", str(out)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
        if done.returncode or not out.exists():
            raise RuntimeError((done.stderr.strip().splitlines() or ["no message"])[-1])
        return json.loads(out.read_text("utf-8"))


class Sections:
    """Sections of the table. Each returns its figures."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._file: Path = options.file
        self._folder: Path = options.folder
        self._sizes: list[int] = options.sizes

    def growth(self) -> Figures:
        found = {str(size): grown(size, self._folder) for size in self._sizes}
        least = found[str(self._sizes[0])].get("batch_ms")
        for figures in found.values():
            if least and "batch_ms" in figures:
                figures["slower"] = round(figures["batch_ms"] / least, 2)
        return found

    def recall(self) -> Figures:
        found = {"locomo": recalled(*locomo(self._file, self._folder))}
        for size in self._sizes:
            grown(size, self._folder)
            found[str(size)] = recalled(self._folder / f"{size}.hmem", questions(size, ASKED))
        return found

    def flat(self) -> Figures:
        return {str(size): flat_memory(size, self._folder) for size in self._options.flat}

    def long(self) -> Figures:
        return recalled(*long_turns(self._folder))

    def formation(self) -> Figures:
        return ingest.run(self._file)["ingest"]

    def opening(self) -> Figures:
        path = str(self._folder / f"{self._sizes[-1]}.hmem")
        return {str(self._sizes[-1]): run("-m", "benchmarks.opening", path, "--runs", "3")["SQLite"]}

    def rest(self) -> Figures:
        load = ("-m", "benchmarks.rest_load", str(self._file), "--seconds", "6", "--recipe")
        found: Figures = {recipe: run(*load, recipe) for recipe in ("fusion", "flat")}
        rates = [found[recipe]["recall"]["recall"]["per_s"] for recipe in ("fusion", "flat")]
        return {**found, "ratio": round(rates[0] / rates[1], 2)}

    def mcp(self) -> Figures:
        return run("-m", "benchmarks.mcp_recall", "--file", str(self._file), "--recalls", "100")

    def routing(self) -> Figures:
        return run("-m", "hmem", "bench", "routing", "--records", str(self._options.records))

    def peers(self) -> Figures:
        sizes = ",".join(map(str, self._sizes[1:] or self._sizes))
        return run("-m", "hmem", "bench", "peers", "--turns", sizes)


SECTIONS = ("growth", "recall", "flat", "long", "formation", "opening", "rest", "mcp", "routing", "peers")


def at(figures: Mapping[str, Any], path: str) -> float | None:
    """Return a figure by its path; None if it was not measured."""
    found: Any = figures
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, int | float) else None


def table(figures: Figures, before: Figures, wanted: Sequence[Row]) -> str:
    """Return the table as Markdown: what was measured now, the last release, and what to reach."""
    lines = ["| | now | processor | least | last release | to reach |", "|---|---|---|---|---|---|"]
    for row in wanted:
        value, old = at(figures, row.path), at(before, row.path)
        of_call = row.path.removesuffix("ms") if row.path.endswith(".ms") else "none."
        spent, least = at(figures, of_call + "cpu_ms"), at(figures, of_call + "least_ms")
        shown = ["–" if each is None else f"{each:,.4g}" for each in (value, spent, least, old)]
        met = value is not None and (value >= row.target if row.more else value <= row.target)
        sign = "≥" if row.more else "≤"
        lines.append(f"| {row.name}, {row.unit} | {' | '.join(shown)} | {sign} {row.target:g}{' ✓' if met else ''} |")
    return "\n".join(lines)


def conditions() -> Figures:
    """Return what the figures depend on."""
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    return {"hmem": version("hmem"), "python": platform.python_version(), "cores": os.cpu_count(), "load": load}


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    numbers = lambda text: [int(each) for each in text.split(",") if each]  # noqa: E731 - a type of an option
    parser.add_argument("file", type=Path)
    parser.add_argument("--sizes", type=numbers, default=[1_000, 20_000, 100_000])
    parser.add_argument("--flat", type=numbers, default=[1_000_000])
    parser.add_argument("--records", type=int, default=1_000_000, help="records of the routing")
    parser.add_argument("--only", type=lambda text: text.split(","), default=SECTIONS, metavar=",".join(SECTIONS))
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "bench")
    parser.add_argument("--json", type=Path, default=ROOT / "out" / "bench.json")
    parser.add_argument("--against", type=Path, default=RELEASED)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    options.file, options.folder = options.file.resolve(), options.folder.resolve()
    figures: Figures = {"conditions": conditions()}
    sections = Sections(options)
    for name in options.only:
        began = perf_counter()
        try:
            figures[name] = getattr(sections, name)()
        except (RuntimeError, OSError, AssertionError) as error:
            figures[name] = {"failed": str(error)}
        said = figures[name].get("failed", "measured")
        print(f"{name}: {said} in {perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
        options.json.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")
    before = json.loads(options.against.read_text("utf-8")) if options.against.exists() else {}
    print(table(figures, before, rows(str(options.sizes[-1]), str((options.flat or [0])[-1]))))
    if options.picture:
        options.picture.write_text(speed_picture.draw(figures), "utf-8")


if __name__ == "__main__":
    main()
