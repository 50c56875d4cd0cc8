"""Growth of formation: time per turn and size on disk of a memory of 1,000, 10,000 and 100,000 turns.

    python benchmarks/growth.py [--sizes 1000,10000,100000] [--recipe fusion] [--newest-first] [--json OUT]

Each memory is filled in batches up to 1,000 turns below its size. Of these last 1,000, in batches of 250, and of 200
more one by one, the processor time is taken. ``--newest-first`` tells every 100 turns as of before the last, as some
exports do. Compare times within one run only.
"""

import argparse
import json
import resource
from datetime import timedelta
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from hmem import Memory
from hmem_evals.bench.texts import BLOCK_TURNS, block

TIMED = 1_000
SINGLES = 200
BATCH = 250
# 100,000 turns take three years.
MINUTES = 15
# Turns of a talk that stay in their order.
TALK = 100


def messages(first: int, count: int, *, newest_first: bool = False) -> list[dict[str, Any]]:
    """Return turns of the scale benchmark, spread over years instead of weeks."""
    made: list[dict[str, Any]] = []
    for number in range(first // BLOCK_TURNS, (first + count - 1) // BLOCK_TURNS + 1):
        start = number * BLOCK_TURNS
        for i, message in enumerate(block(number), start):
            if first <= i < first + count:
                minutes = (MINUTES - 1) * i - (2 * MINUTES * (i - i % TALK) if newest_first else 0)
                made.append(message | {"at": message["at"] + timedelta(minutes=minutes)})
    return made


def batched_ms(memory: Memory, last: list[dict[str, Any]]) -> float:
    """Add turns in batches; return the milliseconds of the processor for each turn."""
    started = process_time()
    for start in range(0, len(last), BATCH):
        memory.add(last[start : start + BATCH])
    return (process_time() - started) * 1_000 / len(last)


def measure(path: Path, size: int, recipe: str, *, newest_first: bool = False) -> dict[str, Any]:
    """Return the figures of one memory."""
    talk = partial(messages, newest_first=newest_first)
    with Memory(path, recipe=recipe, form_later=False) as memory:
        started = perf_counter()
        for first in range(0, size - TIMED, BLOCK_TURNS):
            memory.add(talk(first, min(BLOCK_TURNS, size - TIMED - first)))
        filled = perf_counter() - started
        batch_ms = batched_ms(memory, talk(size - TIMED, TIMED))
        singles: list[float] = []
        for message in talk(size, SINGLES):
            started = process_time()
            memory.add(message)
            singles.append((process_time() - started) * 1_000)
        memory.flush()
        stats = memory.stats()
    text = sum(len(message["text"]) for message in talk(0, size + SINGLES))
    with Memory(path, form_later=False) as memory:
        started = process_time()
        memory.add("One more, after opening.", speaker="Ines")
        first_ms = (process_time() - started) * 1_000
    return {
        "turns": stats.turns,
        "batch_ms": batch_ms,
        "single_ms": median(singles),
        "first_after_opening_ms": first_ms,
        "filled_s": filled,
        "events": stats.events,
        "notes": stats.notes,
        "entities": stats.entities,
        "truth_bytes": stats.truth_bytes,
        "index_bytes": stats.index_bytes,
        "text_bytes": text,
        "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--recipe", default="fusion")
    parser.add_argument("--newest-first", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: list[dict[str, Any]] = []
    with TemporaryDirectory(prefix="hmem-growth-") as folder:
        for size in map(int, options.sizes.split(",")):
            found.append(
                measure(Path(folder) / f"{size}.hmem", size, options.recipe, newest_first=options.newest_first)
            )
            one = found[-1]
            disk = (one["truth_bytes"] + one["index_bytes"]) / one["text_bytes"]
            times = {name: one[name] / found[0][name] for name in ("batch_ms", "single_ms")}
            print(
                f"{size:>8,} turns: {one['batch_ms']:.2f} ms a turn in batches ({times['batch_ms']:.2f}x), "
                f"{one['single_ms']:.2f} ms one by one ({times['single_ms']:.2f}x), "
                f"first after opening {one['first_after_opening_ms']:.0f} ms, disk {disk:.1f} x the text"
            )
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
