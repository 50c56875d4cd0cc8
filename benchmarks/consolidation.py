"""Time for which each stretch of a consolidation blocks other calls, and time to list its texts.

``own_most_ms`` is the processor time of the longest stretch, without Python's garbage collection.

python benchmarks/consolidation.py [--sizes 1000,10000] [--json OUT]
"""

import argparse
import gc
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time
from typing import Any

import numpy as np

from hmem import Memory
from hmem.model.span import now
from hmem_evals.bench.texts import BLOCK_TURNS, block


class Collected:
    """Total time of Python's garbage collection, in milliseconds of processor time."""

    ms, _began = 0.0, 0.0

    def __call__(self, phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            self._began = thread_time()
        else:
            self.ms += (thread_time() - self._began) * 1_000


def measure(path: Path, size: int) -> dict[str, Any]:
    """Fill a memory, consolidate it in stretches until nothing is left, and return the times."""
    with Memory(path) as memory:
        for number in range(-(-size // BLOCK_TURNS)):
            memory.add(list(block(number))[: size - number * BLOCK_TURNS])
        consolidator, times, work, texts = memory._components.formation.consolidator, list[float](), list[float](), 0
        own, collected = list[float](), Collected()
        gc.callbacks.append(collected)
        while True:
            collected.ms = 0.0
            started, begun = perf_counter(), thread_time()
            stretch = consolidator.stretch(now())
            times.append((perf_counter() - started) * 1_000)
            work.append((thread_time() - begun) * 1_000)
            own.append(work[-1] - collected.ms)
            texts += stretch.text_counts.total()
            if stretch.is_surveyed and not stretch.remaining:
                break
        gc.callbacks.remove(collected)
        started = perf_counter()
        with memory.corpus.reading():
            list(consolidator._missing())
        listed = (perf_counter() - started) * 1_000
    p50, p99 = np.percentile(times, [50, 99])
    work_p50, work_p99 = np.percentile(work, [50, 99])
    return {
        "turns": size, "texts": texts, "stretches": len(times), "p50_ms": p50, "p99_ms": p99, "most_ms": max(times),
        "cpu_p50_ms": work_p50, "cpu_p99_ms": work_p99, "cpu_most_ms": max(work), "own_most_ms": max(own),
        "list_ms": listed, "seconds": sum(times) / 1_000,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sizes", default="1000,10000")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for size in map(int, chosen.sizes.split(",")):
        with TemporaryDirectory() as folder:
            rows.append(measure(Path(folder) / "memory.hmem", size))
        print("  ".join(f"{name} {value:,.0f}" for name, value in rows[-1].items()), flush=True)
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
