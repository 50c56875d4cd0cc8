"""Processor time of formation: `python benchmarks/formation.py [--part open] [--json OUT]`.

The turns are those of our own talks (``benchmarks/data/talks``), and turns of 500 characters made of them. ``add`` is
the time of the calling thread while formation waits; a formed turn is the time of all threads, ``add`` with it, one
turn after the other and in batches. Notes and events are counted per 100 turns. All are processor milliseconds, which
other programs on the machine lengthen too, if less than the time of the clock.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from time import process_time, thread_time
from typing import Any, Final

from benchmarks.talks import english

from hmem import Memory

LONG: Final = 500
BATCH: Final = 25
# Turns that a memory has before any is timed, and most turns that are timed.
FIRST: Final = 25
MOST: Final = 100

Messages = Sequence[dict[str, Any]]


def long_turns(messages: Messages) -> list[dict[str, Any]]:
    """Return turns of 500 characters, each of what some turns in a row say."""
    text = " ".join(str(message["text"]) for message in messages)
    parts = [text[start : start + LONG] for start in range(0, len(text) - LONG, LONG)]
    chosen = zip(messages, parts, strict=False)
    return [message | {"text": part, "message_id": str(place)} for place, (message, part) in enumerate(chosen)]


def measure(messages: Messages) -> dict[str, float]:
    """Return the processor milliseconds of a turn, and how much is formed per 100 turns."""
    timed = messages[FIRST : FIRST + MOST]
    report: dict[str, float] = {"turns": len(timed)}
    with TemporaryDirectory(prefix="hmem-formation-") as folder:
        with Memory(Path(folder) / "one.hmem", form_later=False) as memory:
            memory.add(list(messages[:FIRST]))
            taken: list[float] = []
            for message in timed:
                start = process_time()
                memory.add(dict(message))
                taken.append(1_000 * (process_time() - start))
            report |= {"one by one": mean(taken), "one by one, median": median(taken)}
            stats = memory.stats()
            report |= {
                f"{what} per 100": 100 * len(found(limit=1_000_000)) / stats.turns
                for what, found in (("notes", memory.notes), ("events", memory.events))
            }
        with Memory(Path(folder) / "batches.hmem", form_later=False) as memory:
            memory.add(list(messages[:FIRST]))
            start = process_time()
            for place in range(0, len(timed), BATCH):
                memory.add(list(timed[place : place + BATCH]))
            report["in batches"] = 1_000 * (process_time() - start) / len(timed)
        with Memory(Path(folder) / "add.hmem") as memory:
            memory.add(list(messages[:FIRST]))
            memory.flush()
            taken = []
            for message in timed:
                start = thread_time()
                memory.add(dict(message))
                taken.append(1_000 * (thread_time() - start))
            report["add alone"] = median(taken)
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", default="open")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    messages = [message for talk in english(options.part) for message in talk.messages()]
    messages = [message | {"message_id": str(place)} for place, message in enumerate(messages)]
    report = {"talks": measure(messages), "500 characters": measure(long_turns(messages))}
    for name, row in report.items():
        print(f"{name}:", ", ".join(f"{what} {value:.2f}" for what, value in row.items()))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
