"""Borders of sentences against labels: `python benchmarks/sentences.py [--part PART] [--failures] [--json OUT]`.

The turns are those of ``benchmarks/data/chats``, whose sentences are given. A border is the start of a sentence behind
the first. People who type in chats often end a sentence with nothing at all, and no splitter finds such a border: the
column "marked" counts only borders behind a mark. The time is that of the fastest of three passes.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from benchmarks.chats import PARTS, read_chats
from rich.console import Console
from rich.table import Table

from hmem.language.sentences import split

PASSES = 3


class Labelled(NamedTuple):
    """Text of a turn, and the starts of its sentences behind the first."""

    language: str
    text: str
    borders: frozenset[int]


def labelled(part: str) -> list[Labelled]:
    """Return the turns of a part of the chats."""
    found: list[Labelled] = []
    for chat in read_chats(part):
        for turn in chat.turns:
            starts, at = [], 0
            for sentence in turn.sentences:
                at = turn.text.index(sentence.text, at)
                starts.append(at)
                at += len(sentence.text)
            found.append(Labelled(chat.language, turn.text, frozenset(starts[1:])))
    return found


def is_marked(text: str, border: int) -> bool:
    """Tell if a mark, and no letter or digit, stands before a border."""
    before = text[:border].rstrip()
    return bool(before) and not before[-1].isalnum()


def figures(turns: Sequence[Labelled], found: Sequence[frozenset[int]]) -> dict[str, float]:
    """Return the number of borders, and precision and recall of the found ones, all and marked."""
    right = sum(len(turn.borders & borders) for turn, borders in zip(turns, found, strict=True))
    told, labels = sum(map(len, found)), sum(len(turn.borders) for turn in turns)
    marked = [frozenset(b for b in turn.borders if is_marked(turn.text, b)) for turn in turns]
    right_marked = sum(len(own & borders) for own, borders in zip(marked, found, strict=True))
    return {
        "turns": len(turns),
        "borders": labels,
        "precision": right / max(told, 1),
        "recall": right / max(labels, 1),
        "marked": right_marked / max(sum(map(len, marked)), 1),
    }


def measure(part: str, borders: Callable[[str], frozenset[int]]) -> dict[str, dict[str, float]]:
    """Return the figures of a splitter by language, and its time."""
    turns = labelled(part)
    seconds = float("inf")
    found: list[frozenset[int]] = []
    for _ in range(PASSES):
        start = perf_counter()
        found = [borders(turn.text) for turn in turns]
        seconds = min(seconds, perf_counter() - start)
    of: dict[str, list[int]] = defaultdict(list)
    for place, turn in enumerate(turns):
        of[turn.language].append(place)
        of["all"].append(place)
    report = {
        language: figures([turns[i] for i in places], [found[i] for i in places])
        for language, places in sorted(of.items())
    }
    report["all"]["microseconds"] = seconds / len(turns) * 1e6
    return report


def ours(text: str) -> frozenset[int]:
    return frozenset(piece.start for piece in split(text)[1:])


def list_failures(part: str) -> None:
    for turn in labelled(part):
        found = ours(turn.text)
        for border in sorted(found ^ turn.borders):
            if border in found or is_marked(turn.text, border):
                kind = "extra" if border in found else "missed"
                print(turn.language, kind, repr(f"{turn.text[max(border - 40, 0) : border]}|{turn.text[border:][:30]}"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=PARTS, default="open")
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    report = measure(options.part, ours)
    table = Table("language", "turns", "borders", "precision", "recall", "marked", title="Sentences")
    for language, row in report.items():
        shares = (f"{row[name]:.3f}" for name in ("precision", "recall", "marked"))
        table.add_row(language, f"{row['turns']:.0f}", f"{row['borders']:.0f}", *shares)
    Console(width=100).print(table)
    print(f"{report['all']['microseconds']:.0f} µs a turn")
    if options.failures:
        list_failures(options.part)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
