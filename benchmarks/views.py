"""First screens of the explorer in a large memory: processor time and size of the answers, and a search beside them.

    python -m benchmarks.views FILE [--only topics,graph] [--beside 20] [--json OUT]
    python -m benchmarks.views --turns 100000 --fill FILE

FILE is a formed memory, of which a copy is served; ``--fill`` makes one. Each view's requests are made over HTTP in a
process of its own, after one that opens the memory, and then once more. The time is that of the whole process, server
and client. Background work is left out. ``--beside`` searches for so many seconds alone, then for as many while the
views are asked for, one after the other, and tells the times of the searches by the clock.
"""

import argparse
import gc
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from threading import Thread
from time import perf_counter, process_time
from typing import Any

from benchmarks.growth import messages
from tests.serving import Site, serving

from hmem import Memory
from hmem.interfaces.rest import pool, server

BLOCK = 1_000
QUESTIONS = ("Where did Ines take the garden?", "Who adopted a dog?", "What did they do in spring?")
Request = tuple[str, dict[str, Any]]
# A path that ends in "*" is read to its last page.
SESSIONS: Request = ("sessions*", {"limit": 1000})
STATS: Request = ("stats", {})


def _tree(name: str) -> list[Request]:
    part = {"name": name, "brief": True}
    return [("tree", {**part, "depth": 3}), ("tree", {**part, "depth": 1, "summaries": True})]


VIEWS: dict[str, list[Request]] = {
    "overview": [STATS, ("overview", {}), ("conflicts", {})],
    "ask": [("ask", {"question": QUESTIONS[0]})],
    "timeline": [SESSIONS, ("episodes", {"limit": 120}), ("events", {"limit": 1000})],
    **{name: _tree(name if name != "topics" else "topic") for name in ("topics", "layers", "evolution", "calendar")},
    "graph": [("graph", {"limit": 80, "brief": True})],
    "notes": [("notes", {"limit": 200}), ("conflicts", {})],
    "people": [("personas", {}), ("persona/history", {"speaker": "Ines", "limit": 50}), ("tiers", {})],
    "turns": [("turns", {"limit": 500}), ("pins", {}), ("sessions", {"limit": 1000}), STATS],
    "words": [("turns", {"limit": 100, "query": "the garden again"}), ("turns", {"limit": 100, "since": "2021-01-01"})],
    "changes": [("history", {"limit": 1000}), STATS],
    "health": [STATS, ("recalls/latencies", {}), SESSIONS],
}


def fetch(site: Site, requests: list[Request]) -> int:
    """Make requests, one after the other; return the bytes of all answers."""
    size = 0
    for path, query in requests:
        cursor: str | None = ""
        while cursor is not None:
            name = f"memories/m/{path.rstrip('*')}"
            body = {**query, **({"cursor": cursor} if cursor else {})}
            answer = site.post(name, body) if path == "ask" else site.get(name, params=body)
            assert answer.status_code == 200, (path, answer.text)
            size += len(answer.content)
            cursor = answer.json()["next"] if path.endswith("*") else None
    return size


@contextmanager
def opened(file: Path) -> Iterator[tuple[Site, float]]:
    """Serve a copy of a memory that is open; yield the processor time of opening it, too."""
    gc.set_threshold(*server.COLLECTING)
    pool.Memory = partial(_without_background, Memory)  # type: ignore[misc, assignment]
    with TemporaryDirectory(prefix="hmem-views-") as folder:
        shutil.copy(file, Path(folder) / "m.hmem")
        if (index := file.with_name(f"{file.name}-index")).exists():
            shutil.copytree(index, Path(folder) / "m.hmem-index")
        with serving(Path(folder)) as site:
            started = process_time()
            fetch(site, [("conflicts/rules", {})])
            yield site, process_time() - started


def _without_background(memory: type[Memory], *arguments: Any, **options: Any) -> Memory:
    return memory(*arguments, **{**options, "background": False})


def measure(file: Path, view: str) -> dict[str, Any]:
    """Return the figures of a view."""
    with opened(file) as (site, opening):
        seconds: list[float] = []
        for _ in range(2):
            started = process_time()
            size = fetch(site, VIEWS[view])
            seconds.append(process_time() - started)
        return {"opening_s": opening, "cold_s": seconds[0], "warm_s": seconds[1], "bytes": size}


def beside(file: Path, seconds: float) -> dict[str, dict[str, float]]:
    """Return the times of searches, alone and while views are asked for, in ms by the clock."""
    with opened(file) as (site, _):
        for requests in VIEWS.values():
            fetch(site, requests)
        times = {"alone": searches(site, seconds)}
        ended = False

        def browse() -> None:
            while not ended:
                for requests in VIEWS.values():
                    fetch(other, requests) if not ended else None

        other = Site(site.settings, site.address, site.port)
        thread = Thread(target=browse)
        thread.start()
        times["beside"] = searches(site, seconds)
        ended = True
        thread.join()
    return times


def searches(site: Site, seconds: float) -> dict[str, float]:
    """Search one after the other for so many seconds; return the times in ms by the clock."""
    times: list[float] = []
    until = perf_counter() + seconds
    while perf_counter() < until:
        started = perf_counter()
        site.post("memories/m/search", {"question": QUESTIONS[len(times) % len(QUESTIONS)]})
        times.append((perf_counter() - started) * 1_000)
    return {"searches": len(times), "p50_ms": median(times), "p95_ms": quantiles(times, n=20)[-1], "max_ms": max(times)}


def fill(file: Path, turns: int) -> None:
    """Make a memory of so many turns."""
    with Memory(file, form_later=False) as memory:
        for first in range(0, turns, BLOCK):
            memory.add(messages(first, min(BLOCK, turns - first)))
        memory.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--fill", type=Path)
    parser.add_argument("--only", default=",".join(VIEWS))
    parser.add_argument("--view", help=argparse.SUPPRESS)
    parser.add_argument("--beside", type=float)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    if options.fill is not None:
        fill(options.fill, options.turns)
        return
    if options.view is not None:
        print(json.dumps(measure(options.file, options.view)))
        return
    found: dict[str, Any] = {}
    for view in options.only.split(",") if options.only else ():
        command = [sys.executable, "-m", "benchmarks.views", str(options.file), "--view", view]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        figures = found[view] = json.loads(output)
        print(
            f"{view:>10}: cold {figures['cold_s']:.2f} s, warm {figures['warm_s']:.2f} s, "
            f"{figures['bytes'] / 1e3:,.0f} kB"
            f" (opening {figures['opening_s']:.2f} s)"
        )
    if options.beside is not None:
        found["searches"] = beside(options.file, options.beside)
        for name, figures in found["searches"].items():
            print(f"{name:>10}: " + ", ".join(f"{figure} {value:.0f}" for figure, value in figures.items()))
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
