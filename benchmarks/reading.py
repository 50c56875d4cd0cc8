"""Reading by hand: a random sample of what was formed, written to a file to be judged, and the score of the judgements.

A judgements file is a JSON list of objects with ``text``, ``said`` (the turns that it was made of) and ``verdict``,
which is ``good``, ``bad`` or empty. A sample depends only on the seed and on what was formed.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hmem import Memory
from hmem.interfaces.formats.locomo import load
from hmem.model.turn import Turn

LOCOMO: Final = Path(__file__).parent.parent.parent / "shared" / "data" / "locomo-dev.json"
EVERY: Final = 1_000_000
VERDICTS: Final = ("good", "bad")


def memories(path: Path) -> Iterator[Memory]:
    """Yield a memory with each conversation of a LoCoMo file, or with the messages of a file of JSON lines."""
    if path.suffix == ".jsonl":
        every = [[json.loads(line) for line in path.read_text("utf-8").splitlines()]]
    else:
        every = [list(conversation.messages) for conversation in load(path)]
    for messages in every:
        with Memory(":memory:") as memory:
            memory.add(messages)
            yield memory


def said(memory: Memory, sources: Sequence[str]) -> list[str]:
    """Return the turns of some ids, as they were said."""
    turns = (memory.get(source) for source in sources)
    return [f"{turn.at:%Y-%m-%d} {turn.speaker}: {turn.content}" for turn in turns if isinstance(turn, Turn)]


def sample(rows: Sequence[Mapping[str, Any]], count: int, seed: int) -> list[dict[str, Any]]:
    """Return some rows by chance, each with an empty verdict."""
    chosen = random.Random(seed).sample(range(len(rows)), min(count, len(rows)))
    return [{**rows[place], "verdict": ""} for place in chosen]


def arguments(description: str | None) -> argparse.ArgumentParser:
    """Return a parser of the arguments of a script for reading by hand."""
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, default=LOCOMO, help="LoCoMo's file, or messages as JSON lines")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="print N by chance")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--write", type=Path, help="write the sample as a judgements file")
    parser.add_argument("--judgements", type=Path, help="score this file instead of forming anything")
    parser.add_argument("--json", type=Path)
    return parser


def judged(path: Path) -> dict[str, float]:
    """Return the score of a judgements file: verdicts given, and the share of good ones."""
    counted = Counter(row["verdict"] for row in json.loads(path.read_text("utf-8")))
    if unknown := counted.keys() - {*VERDICTS, ""}:
        raise SystemExit(f"{path}: verdicts are {' or '.join(VERDICTS)}, not {', '.join(sorted(unknown))}")
    given = counted["good"] + counted["bad"]
    return {"judged": given, "open": counted[""], "good": counted["good"] / given if given else 0.0}


def show(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print rows, each under the turns that it was made of."""
    for row in rows:
        rest = {name: value for name, value in row.items() if name not in ("text", "said", "verdict", "id")}
        print(*row["said"], sep="\n")
        print(f"  * {row['text']}", *(f"{name} {value}" for name, value in rest.items() if value), sep="  ")


def deliver(options: argparse.Namespace, rows: Sequence[Mapping[str, Any]], report: Mapping[str, Any]) -> None:
    """Print figures and a sample, and write what is asked for."""
    chosen = sample(rows, options.sample, options.seed)
    show(chosen)
    for name, value in report.items():
        print(f"{name:36} {value:.3f}" if isinstance(value, float) else f"{name:36} {value}")
    if options.write:
        options.write.write_text(json.dumps(chosen, indent=1, ensure_ascii=False) + "\n", "utf-8")
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")
