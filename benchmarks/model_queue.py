"""Test of the model queue's durability: it kills a worker again and again, prints the queue's end, and writes JSON.

python benchmarks/model_queue.py [--turns 1000] [--kills 20] [--json OUT]
"""

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.formation import example
from tests.integration.model_worker import OPTIONS, work_until_killed
from tests.models import MODEL, Derived, open_with


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    some = example()
    turns = [
        {**turn, "session": f"{turn['session']} {i // len(some)}"}
        for i, turn in enumerate(some[i % len(some)] for i in range(options.turns))
    ]
    for turn in turns:
        turn.pop("message_id", None)
    chance, kills, started = random.Random(5), 0, perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.hmem"
        with open_with(path, Derived()) as memory:
            memory.add(turns)
        while kills < options.kills and work_until_killed(path, chance, seconds=0.01, calls=6, longest=0.15):
            kills += 1
        with open_with(path, Derived(), working=OPTIONS) as memory:
            left = memory.stats().model
            before = left.pending if left else 0
            done, told = memory.model.run_jobs(), memory.stats().model
            assert told is not None
            figures = {
                "turns": memory.stats().turns, "kills": kills, "pending_after_kills": before,
                "read": told.read.get(MODEL, 0), "left": done.left, "held": told.held,
                "calls_after_all": memory.model.run_jobs().calls, "problems": len(memory.verify().problems),
                "seconds": round(perf_counter() - started, 1),
            }  # fmt: skip
    for name, value in figures.items():
        print(f"{name:20} {value}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
