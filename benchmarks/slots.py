"""Typed slots that are read off sentences: `python benchmarks/slots.py [--held-back] [--failures]`.

``benchmarks/data/slots.json`` has sentences that give a slot, and near misses, of thirteen registers; the chats of
``benchmarks/data/chats`` have their own labels (of what people say in English; what is not labelled is not judged).
Labels of what is another's are passed over. A value is right if a label agrees in slot and in its words: the same, or
one within the other with its head kept. A label counts once. ``--held-back`` opens the halves that nobody looked at
while writing the patterns, for a final figure, and prints the commit.
"""

import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.chats import read_chats

from hmem_english.slots import slot_values

SENTENCES: Final = Path(__file__).parent / "data" / "slots.json"
# Slots whose digits must agree, whatever words stand around them.
DIGITS: Final = frozenset(("contact", "number", "birthday"))
# An order may be quoted longer or shorter, but not by much.
LEAST_OF_ORDER: Final = 0.5
_BEHIND_HEAD: Final = re.compile(
    r"\s*(?:[,;(]|\b(?:of|in|at|on|for|with|near|over|outside|by|and|or|from|to|called|named|who|that)\b)"
)

Label = tuple[str, str, str]


@dataclass
class Score:
    """Counts of one slot."""

    labelled: int = 0
    given: int = 0
    right: int = 0
    statements: int = 0
    registers: set[str] = field(default_factory=set[str])

    def __add__(self, other: "Score") -> "Score":
        """Return the counts of both together."""
        return Score(
            self.labelled + other.labelled,
            self.given + other.given,
            self.right + other.right,
            self.statements + other.statements,
            self.registers | other.registers,
        )

    def cells(self) -> list[str]:
        """Return what a table shows of it."""
        precision = f"{self.right / self.given:.3f}" if self.given else "-"
        recall = f"{self.right / self.labelled:.3f}" if self.labelled else "-"
        return [precision, recall, f"{self.right}/{self.given}", str(self.labelled)]


def agrees(slot: str, one: str, other: str) -> bool:
    """Tell if two values are the same, or one is in the other with the head of the longer kept."""
    shorter, longer = sorted((one, other), key=lambda value: len(_words(value)))
    few, many = _words(shorter), _words(longer)
    if slot in DIGITS and re.findall(r"\d+", shorter) != re.findall(r"\d+", longer):
        return False
    if not few or f" {' '.join(few)} " not in f" {' '.join(many)} ":
        return False
    if slot == "instruction":
        return len(few) >= LEAST_OF_ORDER * len(many)
    head = _words(_BEHIND_HEAD.split(longer, maxsplit=1)[0])
    return slot in DIGITS or not head or head[-1] in few


def _words(value: str) -> list[str]:
    return re.findall(r"\w+", re.sub("['\u2019]", "", value.lower()))


def sentences(part: str) -> Iterator[tuple[str, str, str, Sequence[Label]]]:
    """Yield the sentences of a part of slots.json: slot they were written about, register, text, labels."""
    for each in json.loads(SENTENCES.read_text("utf-8"))["sentences"]:
        if each["part"] == part:
            yield each["about"], each["register"], each["text"], [tuple(label) for label in each["slots"]]


def chat_sentences(part: str) -> Iterator[tuple[str, str, str, Sequence[Label]]]:
    """Yield the labelled English sentences that people say in the chats of a part."""
    for chat in read_chats(part):
        if chat.language != "en":
            continue
        for turn in chat.turns:
            for sentence in turn.sentences if turn.role == "user" else ():
                if sentence.labelled:
                    yield "", chat.register, sentence.text, sentence.slots


def measure(told: Iterator[tuple[str, str, str, Sequence[Label]]], failures: list[str]) -> dict[str, Score]:
    """Return the counts of each slot, and note what is wrong or missing."""
    scores: dict[str, Score] = defaultdict(Score)
    for about, register, text, labels in told:
        own_labels = [label for label in labels if label[1] == "self"]
        unmatched = list(own_labels)
        if about or own_labels:
            for slot in {about, *(label[0] for label in own_labels)} - {""}:
                scores[slot].statements += 1
                scores[slot].registers.add(register)
        for slot, count in Counter(label[0] for label in own_labels).items():
            scores[slot].labelled += count
        for value in slot_values(text):
            scores[value.slot].given += 1
            match = next(
                (label for label in unmatched if label[0] == value.slot and agrees(value.slot, label[2], value.value)),
                None,
            )
            if match is None:
                failures.append(f"WRONG {value.slot} [{value.value}] {register}: {text}")
            else:
                unmatched.remove(match)
                scores[value.slot].right += 1
        failures += [f"missed {label[0]} [{label[2]}] {register}: {text}" for label in unmatched]
    return scores


def main() -> None:
    """Print the tables."""
    console, part = Console(width=170), "held" if "--held-back" in sys.argv else "open"
    if part == "held":
        commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
        console.print(f"held back, commit {commit}")
    failures: list[str] = []
    written, chats = measure(sentences(part), failures), measure(chat_sentences(part), failures)
    table = Table("slot", "statements", "registers")
    for source in ("sentences", "chats", "together"):
        for column in ("precision", "recall", "right/given", "labels"):
            table.add_column(f"{source}\n{column}", justify="right")
    for slot in sorted({*written, *chats}):
        one, other = written.get(slot, Score()), chats.get(slot, Score())
        both = one + other
        table.add_row(slot, str(both.statements), str(len(both.registers)), *one.cells(), *other.cells(), *both.cells())
    console.print(table)
    if "--failures" in sys.argv and part == "open":
        print("\n".join(sorted(failures)))


if __name__ == "__main__":
    main()
