"""Processor time of memories that are open and idle.

    python -m benchmarks.idle [--memories 32] [--seconds 20] [--json OUT]

Each memory has a turn and was searched once. It prints the share of a core that all of them take, and their threads.
"""

import argparse
import json
import tempfile
from contextlib import ExitStack
from pathlib import Path
from threading import enumerate as threads
from time import perf_counter, process_time, sleep

from hmem import Memory

# Seconds until what was begun before has ended.
_SETTLE = 2.0


def share(memories: int, seconds: float) -> tuple[float, list[str]]:
    """Return the share of a core that so many idle memories take, and the names of the process's threads."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened:
        for number in range(memories):
            memory = opened.enter_context(Memory(Path(folder) / f"{number}.hmem"))
            memory.add("I live in Porto.", speaker="Ann")
            memory.search("Porto")
            memory.flush()
        sleep(_SETTLE)
        used, began = process_time(), perf_counter()
        sleep(seconds)
        return (process_time() - used) / (perf_counter() - began), [each.name for each in threads()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    used, names = share(chosen.memories, chosen.seconds)
    print(f"{chosen.memories} idle memories: {used:.2%} of a core; threads: {', '.join(names)}")
    if chosen.json:
        figures = {"memories": chosen.memories, "seconds": chosen.seconds, "share": used, "threads": names}
        chosen.json.write_text(json.dumps(figures), "utf-8")


if __name__ == "__main__":
    main()
