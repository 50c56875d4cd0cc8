"""Accuracy of the rules' curation: `python benchmarks/curation.py [LOCOMO] [--failures] [--json OUT]`.

The labels are tests/acceptance/labels/curation.json. A third of them, by the checksum of the id, are held out:
their failures are counted and never listed. The share of memorable turns among the questions' evidence needs no
labels.
"""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any
from zlib import crc32

from rich.console import Console
from rich.table import Table

from hmem.interfaces.formats.conversations import Conversation
from hmem.interfaces.formats.locomo import load
from hmem.language.analyst.base import Curation, Passage
from hmem.language.english.curation import curate
from hmem.model.turn import Turn

ROOT = Path(__file__).parent.parent
LABELS = ROOT / "tests" / "acceptance" / "labels" / "curation.json"
LOCOMO = ROOT.parent / "shared" / "data" / "locomo-dev.json"
THIRD = 3

Judged = Mapping[str, Curation]


def turns_of(conversation: Conversation) -> list[Turn]:
    """Return a conversation's messages as turns, under the ids of its questions' evidence."""
    return [Turn(id=str(message["message_id"]), **_fields(message)) for message in conversation.messages]


def _fields(message: Mapping[str, Any]) -> dict[str, Any]:
    return {name: message[name] for name in ("speaker", "text", "at", "session", "caption")}


def passages_of(conversation: Conversation) -> list[Passage]:
    """Return a passage for each session."""
    sessions: dict[str, list[Turn]] = {}
    for turn in turns_of(conversation):
        sessions.setdefault(turn.session, []).append(turn)
    return [Passage(tuple(turns), 0, tuple(dict.fromkeys(t.speaker for t in turns))) for turns in sessions.values()]


def judged(conversations: tuple[Conversation, ...]) -> Judged:
    """Return the rules' verdict on every turn, by ``conversation/turn``."""
    return {
        f"{conversation.id}/{turn.id}": verdict
        for conversation in conversations
        for passage in passages_of(conversation)
        for turn, verdict in zip(passage.turns, curate(passage), strict=True)
    }


def held_out(turn: str) -> bool:
    return crc32(turn.encode()) % THIRD == 0


def figures(labels: Mapping[str, bool], verdicts: Judged) -> dict[str, float]:
    """Return precision and recall of the memorable turns."""
    found = [turn for turn in labels if verdicts[turn].memorable]
    right = sum(labels[turn] for turn in found)
    return {
        "turns": len(labels),
        "memorable": sum(labels.values()),
        "precision": right / len(found),
        "recall": right / sum(labels.values()),
    }


def measure(path: Path) -> tuple[dict[str, Any], dict[str, bool], Judged]:
    """Return the figures of both parts of the labels, the labels, and the verdicts."""
    conversations = load(path)
    start = perf_counter()
    verdicts = judged(conversations)
    seconds = perf_counter() - start
    labels: dict[str, bool] = json.loads(LABELS.read_text("utf-8"))
    evidence = {f"{c.id}/{turn}" for c in conversations for question in c.questions for turn in question.evidence}
    known = [turn for turn in evidence if turn in verdicts]
    report = {
        "seen": figures({turn: label for turn, label in labels.items() if not held_out(turn)}, verdicts),
        "held_out": figures({turn: label for turn, label in labels.items() if held_out(turn)}, verdicts),
        "memorable_share": sum(verdict.memorable for verdict in verdicts.values()) / len(verdicts),
        "evidence_memorable_share": sum(verdicts[turn].memorable for turn in known) / len(known),
        "microseconds_per_turn": seconds / len(verdicts) * 1e6,
    }
    return report, labels, verdicts


def list_failures(path: Path, labels: Mapping[str, bool], verdicts: Judged) -> None:
    texts = {f"{c.id}/{turn.id}": turn.content for c in load(path) for turn in turns_of(c)}
    for turn, label in labels.items():
        if verdicts[turn].memorable != label and not held_out(turn):
            print(f"{'missed' if label else 'extra '} {turn} {','.join(verdicts[turn].reasons)}: {texts[turn]}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("locomo", nargs="?", type=Path, default=LOCOMO)
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    report, labels, verdicts = measure(options.locomo)
    table = Table("labels", "turns", "memorable", "precision", "recall", title="Curation", title_justify="left")
    for part in ("seen", "held_out"):
        row = report[part]
        table.add_row(part, f"{row['turns']}", f"{row['memorable']}", f"{row['precision']:.3f}", f"{row['recall']:.3f}")
    Console(width=100).print(table)
    print(f"memorable: {report['memorable_share']:.3f} of turns, {report['evidence_memorable_share']:.3f} of evidence")
    print(f"{report['microseconds_per_turn']:.0f} µs a turn")
    if options.failures:
        list_failures(options.locomo, labels, verdicts)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
