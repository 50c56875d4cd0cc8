"""Table of speed: recall, formation, opening, disk, servers, and others beside it.

    python -m benchmarks.speed FILE [--sizes 1000,20000,100000] [--flat 1000000] [--only recall,opening] [--json OUT]
        [--against JSON] [--picture docs/speed.svg] [--folder out/bench]

FILE is a LoCoMo file. Memories of the sizes are formed once and kept in the folder. Each section can be left out, and
one that fails costs its own rows only. ``--against`` is what an earlier run wrote.

Milliseconds are of the processor, which a busy machine changes less than the clock, but it does: compare figures of one
run, or of a quiet machine. Those of recalls are without the vectors of questions, which are known before, and of
questions that the memory was not asked since it was opened: it is opened several times, and what a question took least
counts; the median over the questions is told.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any
from unittest.mock import patch

from benchmarks import growth, speed_picture
from benchmarks.rest_load import conversations

from hmem import Memory
from hmem_evals.bench.texts import questions

ROOT = Path(__file__).parent.parent
ASKED = 60
# Questions that are asked before, and how often a memory is opened.
WARM = 20
OPENED = 4
FORMED = 2
TOKENS = 1_272
# A million turns take too long for the encoder.
STATIC = "wordllama"

Figures = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """Row of the table: a figure by its path in the JSON, what to reach, and if more is better."""

    name: str
    path: str
    target: float
    unit: str = "ms"
    more: bool = False


def rows(sizes: Sequence[int], flat: Sequence[int]) -> list[Row]:
    """Return the rows, for the sizes of formed memories and of those without anything formed."""
    big, reached = sizes[-1], {20_000: (4, 3), 100_000: (6, 3)}
    formed = [(f"{size:,} turns", str(size), *reached[size]) for size in sizes if size in reached]
    return [
        *(
            row
            for name, key, search, context in [("a LoCoMo conversation", "locomo", 2, 1.5), *formed]
            for row in (
                Row(f"`fusion` search, {name}", f"recall.{key}.search", search),
                Row(f"`context` on top of it, {name}", f"recall.{key}.on_top", context),
            )
        ),
        *(Row(f"`fusion` search, {size:,} turns, nothing formed", f"flat.{size}.search", 15) for size in flat),
        Row(f"opening to the first search, {big:,} turns", f"opening.{big}.search", 300),
        Row(f"opening to the first add, {big:,} turns", f"opening.{big}.add", 300),
        Row(f"formation of a turn, {big:,} turns against {sizes[0]:,}", "formation.slower", 1.1, "times"),
        Row(f"disk over the text, {big:,} turns", f"disk.{big}", 5, "times"),
        Row("REST recalls by `fusion`, a second", "rest.recall.recall.per_s", 500, "", more=True),
        Row("REST recalls, p95", "rest.recall.recall.p95_ms", 30),
        Row("MCP recall, with the encoder, of the server", "mcp.recall_ms.server_cpu", 5),
        Row("MCP greeting after the start", "mcp.start.greeted_cpu_s", 0.4, "s"),
        *(
            Row(f"`fusion` search over {name}'s, {size:,} turns", f"beside.{size}.over.{name}", 0, "times")
            for size in sizes[1:]
            for name in ("faiss+bm25s", "lancedb", "chroma")
        ),
    ]


Call = Callable[[Memory, str], object]
Vectors = dict[str, Any]


@contextmanager
def vectors_known(memory: Memory, vectors: Vectors) -> Iterator[None]:
    """Embed each query once, for all memories that share the vectors."""
    embedder, embed = memory.corpus.embedder, memory.corpus.embedder.embed_query

    def known(texts: Sequence[str]) -> Any:
        if texts[0] not in vectors:
            vectors[texts[0]] = embed(texts)
        return vectors[texts[0]]

    with patch.object(embedder, "embed_query", known):
        yield


def first_ms(path: Path, call: Call, asked: Sequence[str], vectors: Vectors) -> float:
    """Return the median milliseconds of the processor of a call with questions that were not asked before."""
    least = [float("inf")] * (len(asked) - WARM)
    for _ in range(OPENED):
        with Memory(path, read_only=True) as memory, vectors_known(memory, vectors):
            for question in asked:
                memory.corpus.embedder.embed_query([question])
            for question in asked[:WARM]:
                call(memory, question)
            for place, question in enumerate(asked[WARM:]):
                used = process_time()
                call(memory, question)
                least[place] = min(least[place], (process_time() - used) * 1e3)
    return round(median(least), 2)


def search(memory: Memory, question: str) -> object:
    """Search by fusion."""
    return memory.search(question, recipe="fusion")


def recalled(path: Path, asked: Sequence[str]) -> Figures:
    """Return the times of searches and contexts of a formed memory."""
    vectors: Vectors = {}
    found = first_ms(path, search, asked, vectors)
    context = first_ms(path, lambda memory, question: memory.context(question, TOKENS), asked, vectors)
    flat = first_ms(path, lambda memory, question: memory.search(question, recipe="flat"), asked, vectors)
    return {"search": found, "context": context, "on_top": round(context - found, 2), "flat": flat}


def locomo(file: Path, folder: Path) -> tuple[Path, list[str]]:
    """Return a formed memory of the last conversation of a file, and its questions."""
    messages, asked = conversations(file)[-1]
    path = folder / "locomo.hmem"
    if not path.exists():
        with Memory(path, form_later=False) as memory:
            memory.add(messages)
    return path, list(dict.fromkeys(asked))[: WARM + ASKED]


def grown(size: int, folder: Path) -> Path:
    """Return a growing memory, which stays in the folder."""
    path = folder / f"{size}.hmem"
    if not path.exists():
        told = growth.measure(path, size, "fusion")
        path.with_suffix(".json").write_text(json.dumps(told), "utf-8")
    return path


def on_disk(path: Path) -> int:
    """Return the bytes of a memory's files."""
    files = [path, Path(f"{path}-wal"), *Path(f"{path}-index").rglob("*")]
    return sum(file.stat().st_size for file in files if file.is_file())


def formed_ms(path: Path, turns: int) -> float:
    """Return the milliseconds of the processor of a turn added to a copy of a memory and formed, in batches."""
    with TemporaryDirectory() as folder:
        copy = Path(shutil.copy(path, folder))
        if (index := Path(f"{path}-index")).exists():
            shutil.copytree(index, f"{copy}-index")
        with Memory(copy, form_later=False) as memory:
            # What was stored is loaded before.
            memory.add(growth.messages(turns, 1))
            return growth.batched_ms(memory, growth.messages(turns + 1, growth.TIMED))


def flat_memory(size: int, folder: Path) -> Path:
    """Return a memory without anything formed, which stays in the folder."""
    path = folder / f"flat{size}.hmem"
    if not path.exists():
        with Memory(path, recipe="flat", embedder=STATIC) as memory:
            for first in range(0, size, growth.BLOCK_TURNS):
                memory.add(growth.messages(first, min(growth.BLOCK_TURNS, size - first)))
            memory.flush()
    return path


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

    def recall(self) -> Figures:
        found = {"locomo": recalled(*locomo(self._file, self._folder))}
        return found | {
            str(size): recalled(grown(size, self._folder), questions(size, WARM + ASKED)) for size in self._sizes
        }

    def flat(self) -> Figures:
        return {
            str(size): {"search": first_ms(flat_memory(size, self._folder), search, questions(size, WARM + ASKED), {})}
            for size in self._options.flat
        }

    def formation(self) -> Figures:
        least = dict.fromkeys(self._sizes, float("inf"))
        for _ in range(FORMED):
            for size in self._sizes:
                path = grown(size, self._folder)
                least[size] = min(least[size], formed_ms(path, size + growth.SINGLES))
        slower = least[self._sizes[-1]] / least[self._sizes[0]]
        return {**{str(size): round(taken, 2) for size, taken in least.items()}, "slower": round(slower, 2)}

    def disk(self) -> Figures:
        found: Figures = {}
        for size in self._sizes:
            text = sum(len(each["text"].encode()) for each in growth.messages(0, size + growth.SINGLES))
            found[str(size)] = round(on_disk(grown(size, self._folder)) / text, 2)
        return found

    def opening(self) -> Figures:
        size = self._sizes[-1]
        calls = ("search", "add")
        told = run("-m", "benchmarks.opening", str(grown(size, self._folder)), "--calls", ",".join(calls))["SQLite"]
        opened = told["open"]["cpu_ms"]
        return {str(size): {call: round(opened + told[f"first {call}"]["cpu_ms"], 1) for call in calls}}

    def rest(self) -> Figures:
        return run("-m", "benchmarks.rest_load", str(self._file), "--seconds", "6", "--recipe", "fusion")

    def mcp(self) -> Figures:
        return run("-m", "benchmarks.mcp_recall", "--file", str(self._file), "--recalls", "100")

    def beside(self) -> Figures:
        sizes = self._sizes[1:]
        paths = [str(grown(size, self._folder)) for size in sizes]
        return dict(zip(map(str, sizes), run("-m", "benchmarks.beside", *paths), strict=True))


SECTIONS = ("recall", "flat", "formation", "disk", "opening", "rest", "mcp", "beside")


def at(figures: Mapping[str, Any], path: str) -> float | None:
    """Return a figure by its path; None if it was not measured."""
    found: Any = figures
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, int | float) else None


def table(figures: Figures, before: Figures, wanted: Sequence[Row]) -> str:
    """Return the table as Markdown: what was measured before and now, and what to reach."""
    lines = ["| | before | now | to reach |", "|---|---:|---:|---:|"]
    for row in wanted:
        value, old = at(figures, row.path), at(before, row.path)
        shown = ["–" if each is None else f"{each:,.4g}" for each in (old, value)]
        met = value is not None and (value >= row.target if row.more else value <= row.target)
        reach = f"{'≥' if row.more else '≤'} {row.target:g}{' ✓' if met else ''}" if row.target else ""
        lines.append(f"| {row.name}{', ' if row.unit else ''}{row.unit} | {' | '.join(shown)} | {reach} |")
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
    parser.add_argument("--only", type=lambda text: text.split(","), default=SECTIONS, metavar=",".join(SECTIONS))
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "bench")
    parser.add_argument("--json", type=Path, default=ROOT / "out" / "bench.json")
    parser.add_argument("--against", type=Path, help="what an earlier run wrote")
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
    before = json.loads(options.against.read_text("utf-8")) if options.against else {}
    print(table(figures, before, rows(options.sizes, options.flat)))
    if options.picture:
        options.picture.write_text(speed_picture.draw(figures), "utf-8")


if __name__ == "__main__":
    main()
