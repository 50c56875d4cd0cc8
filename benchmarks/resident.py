"""What loaded memories hold: measured by hmem, by the system, and what is given back when they are closed.

    python -m benchmarks.resident FILE [--copies 8] [--json OUT]

FILE is a memory, or a LoCoMo file, of whose turns one of 5,000 is made. It is loaded under several names in one
process, and each answers some questions. The system's figure is the growth of the resident set by memory, after free
pages were given back.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.rest_load import conversations

from hmem import Memory
from hmem.util.sizes import release_memory, resident_bytes

QUESTIONS = ("Where does Maria live?", "Who adopted a dog?", "What did they do in spring?", "When was the concert?")
TURNS = 5_000


def resident() -> int:
    """Return the bytes of this process that are in memory, from Linux's /proc."""
    status = Path("/proc/self/status").read_text("utf-8")
    return 1_024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def make(file: Path, target: Path) -> None:
    """Make a memory of the turns of conversations, said again until there are enough."""
    told = [turns for turns, _ in conversations(file)]
    said = [
        {**turn, "session": f"{again}-{number}-{turn['session']}"}
        for again in range(TURNS)
        for number, turns in enumerate(told)
        for turn in turns
        if again * sum(map(len, told)) < TURNS
    ]
    with Memory(target) as memory:
        memory.add(said[:TURNS])
        memory.consolidate()


def load(paths: list[Path]) -> tuple[list[Memory], float]:
    """Load memories, and ask each some questions; return them, and the mean milliseconds to the first answer."""
    memories, spent = [], 0.0
    for path in paths:
        began = perf_counter()
        memories.append(Memory(path))
        memories[-1].search(QUESTIONS[0])
        spent += perf_counter() - began
        for question in QUESTIONS * 3:
            memories[-1].search(question)
    return memories, spent / len(paths) * 1e3


def main() -> int:
    """Run it and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--copies", type=int, default=8)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = options.file
        if source.suffix == ".json":
            source = Path(folder) / "source.hmem"
            make(options.file, source)
        paths = [Path(folder) / f"m{number}.hmem" for number in range(options.copies + 1)]
        for path in paths:
            shutil.copy(source, path)
        # What all memories share is loaded by one that does not count.
        for memory in load(paths[:1])[0]:
            memory.close()
        del memory
        release_memory()
        rounds: list[dict[str, Any]] = []
        for _ in range(3):
            before = resident()
            memories, first = load(paths[1:])
            release_memory()
            by_system = (resident() - before) / len(memories)
            began = perf_counter()
            by_hmem = sum(map(resident_bytes, memories)) / len(memories)
            measuring = (perf_counter() - began) / len(memories) * 1e3
            turns = memories[0].stats().turns
            for memory in memories:
                memory.close()
            del memory
            memories.clear()
            release_memory()
            rounds.append(
                {
                    "turns": turns,
                    "mb_by_system": round(by_system / 1e6, 2),
                    "mb_by_hmem": round(by_hmem / 1e6, 2),
                    "measuring_ms": round(measuring, 1),
                    "first_answer_ms": round(first, 1),
                    "mb_left_by_memory": round((resident() - before) / options.copies / 1e6, 2),
                }
            )
            print(rounds[-1], flush=True)
    if options.json:
        options.json.write_text(json.dumps(rounds, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
