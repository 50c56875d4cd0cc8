"""Episode boundaries against labels: `python benchmarks/segmentation.py [--half HALF] [--set NAME=VALUE]…`.

`segmentation_labels.json` has the topic boundaries of 54 sessions of LoCoMo-dev and LongMemEval-dev, read and labelled
by hand. The constants were chosen on the half `development`; `held_back` is for the final figure. Precision, recall
and F1 match cuts to labels one to one, within one turn and exactly. Starts of sessions are neither cuts nor labels.

For comparison: cuts before every third turn, and as many cuts as the rules make at random places (mean of 200 draws).
The last column is the share of cuts that part a question from its answer: the turn before ends with a question mark
and somebody else speaks, or an assistant replies. The lines below count the cuts in all of LoCoMo-dev by reason.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from hmem.corpus.embedding import embedded
from hmem.formation.segment import RecentTurns, SegmentOptions, SegmentTurn, decide, see
from hmem.language.analyst.base import Passage
from hmem.language.embed import embedder
from hmem.language.verbatim import VerbatimAnalyst
from hmem.model.event import Cut
from hmem.model.turn import Turn
from hmem_evals import locomo, longmemeval

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data"
LABELS = HERE / "segmentation_labels.json"
HALVES = ("development", "held_back")
DRAWS = 200

Cutting = Callable[["Session"], Iterable[int]]


@dataclass(frozen=True)
class Session:
    """Turns of a session as segmentation sees them, with the labelled boundaries."""

    dataset: str
    half: str
    name: str
    turns: Sequence[Turn]
    seen: Sequence[SegmentTurn]
    labels: frozenset[int] = frozenset()


def turn_of(message: Any) -> Turn:
    return Turn(
        id=str(message["message_id"]),
        speaker=message["speaker"],
        text=message["text"],
        at=message["at"],
        session=message["session"],
        caption=message.get("caption"),
        role=message.get("role"),
    )


def read(dataset: str, name: str, messages: Iterable[Any], half: str = "", labels: Iterable[int] = ()) -> Session:
    turns = [turn_of(message) for message in messages]
    vectors = embedder("minilm").embed([embedded(turn) for turn in turns])
    found = VerbatimAnalyst().cues([Passage(tuple(turns))])[0]
    seen = [see(*each) for each in zip(turns, vectors, found, strict=True)]
    return Session(dataset, half, name, turns, seen, frozenset(labels))


def labelled(data: Path, halves: Sequence[str]) -> list[Session]:
    """Return the labelled sessions of the halves."""
    loaded = {
        "locomo": {each.id: each for each in locomo.load(data / "locomo-dev.json")},
        "longmemeval": {each.id: each for each in longmemeval.load(data / "longmemeval-s-dev.json.gz")},
    }
    sessions: list[Session] = []
    for label in json.loads(LABELS.read_text("utf-8"))["sessions"]:
        if label["half"] in halves:
            messages = loaded[label["dataset"]][label["conversation"]].messages
            here = [message for message in messages if message["session"] == label["session"]]
            assert len(here) == label["turns"], f"{label['conversation']} {label['session']} is another session"
            name = f"{label['conversation']}/{label['session']}"
            sessions.append(read(label["dataset"], name, here, label["half"], label["boundaries"]))
    return sessions


def all_of_locomo(data: Path) -> list[Session]:
    return [
        read("locomo", f"{each.id}/{session}", messages)
        for each in locomo.load(data / "locomo-dev.json")
        for session, messages in groupby(each.messages, key=lambda message: message["session"])
    ]


def reasons(options: SegmentOptions, session: Session) -> list[Cut | None]:
    """Return for each turn why an episode begins with it."""
    similarity = embedder("minilm").calibration
    recent, found = RecentTurns(), list[Cut | None]()
    for seen in session.seen:
        found.append(decide(options, recent, seen, similarity).cut)
        recent.add(options, seen, begins=found[-1] is not None)
    return found


def rules(options: SegmentOptions) -> Cutting:
    return lambda session: [place for place, cut in enumerate(reasons(options, session)) if place and cut]


def regular(step: int) -> Cutting:
    return lambda session: range(step, len(session.turns), step)


def scattered(share: float, draw: random.Random) -> Cutting:
    return lambda session: [place for place in range(1, len(session.turns)) if draw.random() < share]


def matched(found: Iterable[int], labels: Iterable[int], near: int) -> int:
    """Count the pairs of a cut and a label at most ``near`` turns apart, each in one pair."""
    free, pairs = sorted(labels), 0
    for place in sorted(found):
        label = next((label for label in free if abs(label - place) <= near), None)
        if label is not None:
            free.remove(label)
            pairs += 1
    return pairs


def scores(cutting: Cutting, sessions: Sequence[Session]) -> dict[str, float]:
    cuts = [list(cutting(session)) for session in sessions]
    made, labels = sum(map(len, cuts)), sum(len(session.labels) for session in sessions)
    report: dict[str, float] = {"labels": labels, "cuts": made}
    for name, near in (("", 1), ("exact_", 0)):
        pairs = sum(matched(each, session.labels, near) for each, session in zip(cuts, sessions, strict=True))
        report[f"{name}precision"], report[f"{name}recall"] = pairs / max(made, 1), pairs / max(labels, 1)
        report[f"{name}f1"] = 2 * pairs / max(made + labels, 1)
    parting = [parts(session, place) for each, session in zip(cuts, sessions, strict=True) for place in each]
    return {**report, "parting": sum(parting) / max(made, 1)}


def at_random(share: float, sessions: Sequence[Session]) -> dict[str, float]:
    draw = random.Random(13)
    drawn = [scores(scattered(share, draw), sessions) for _ in range(DRAWS)]
    return {name: sum(each[name] for each in drawn) / DRAWS for name in drawn[0]}


def parts(session: Session, place: int) -> bool:
    """Tell if a cut before a turn parts a question from its answer; simpler than the rule that it tests."""
    before, new = session.turns[place - 1], session.turns[place]
    asked = re.search(r"\?\W*$", before.text) is not None or new.role == "assistant"
    return asked and before.speaker != new.speaker


def against_labels(options: SegmentOptions, sessions: Sequence[Session]) -> dict[str, Any]:
    report: dict[str, Any] = {}
    for half in HALVES:
        for dataset in ("locomo", "longmemeval", "both"):
            here = [one for one in sessions if one.half == half and dataset in (one.dataset, "both")]
            if here:
                found = scores(rules(options), here)
                share = found["cuts"] / sum(len(session.turns) - 1 for session in here)
                report[f"{half} {dataset}"] = {
                    "rules": found, "every third": scores(regular(3), here), "random": at_random(share, here),
                }  # fmt: skip
    return report


def in_use(options: SegmentOptions, sessions: Sequence[Session]) -> dict[str, Any]:
    start = perf_counter()
    found = [reasons(options, session) for session in sessions]
    seconds = perf_counter() - start
    gaps = [(session, place) for session in sessions for place in range(1, len(session.turns))]
    cuts = [(session, place) for session, each in zip(sessions, found, strict=True)
            for place, cut in enumerate(each) if place and cut]  # fmt: skip
    return {
        "turns": len(gaps) + len(sessions),
        "sessions": len(sessions),
        "cuts": dict(Counter(str(cut) for each in found for cut in each[1:] if cut)),
        "parting": sum(parts(*each) for each in cuts) / max(len(cuts), 1),
        "parting_by_chance": sum(parts(*each) for each in gaps) / len(gaps),
        "microseconds_per_turn": seconds / (len(gaps) + len(sessions)) * 1e6,
    }


def print_report(report: dict[str, Any]) -> None:
    names = ("half", "cuts by", "labels", "cuts", "precision", "recall", "F1", "exact F1", "part Q from A")
    table = Table(*names, title="Within one turn")
    for half, methods in report["labels"].items():
        for method, found in methods.items():
            shares = [f"{found[name]:.2f}" for name in ("precision", "recall", "f1", "exact_f1", "parting")]
            table.add_row(half, method, f"{found['labels']:.0f}", f"{found['cuts']:.0f}", *shares)
        table.add_section()
    use = report["in_use"]
    console = Console(width=120)
    console.print(table)
    console.print(f"LoCoMo-dev, {use['turns']} turns in {use['sessions']} sessions: {use['cuts']}")
    console.print(f"part a question from its answer: {use['parting']:.1%}, by chance {use['parting_by_chance']:.1%}")
    console.print(f"{use['microseconds_per_turn']:.0f} µs a turn")


def show(options: SegmentOptions, sessions: Sequence[Session], name: str) -> None:
    """Print the turns of a labelled session, such as conv-26/session_6, with their cuts and labels."""
    for session in sessions:
        if session.name == name:
            for place, (turn, cut) in enumerate(zip(session.turns, reasons(options, session), strict=True)):
                print(f"{'label' if place in session.labels else '':6}{cut or '':9}{turn.speaker[:6]:7}{turn.content}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--half", choices=HALVES)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--show", metavar="SESSION")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    kinds = {field.name: type(field.default) for field in fields(SegmentOptions)}
    settings = dict(setting.split("=", 1) for setting in asked.set)
    options = SegmentOptions(**{name: kinds[name](json.loads(value)) for name, value in settings.items()})
    sessions = labelled(asked.data, [asked.half] if asked.half else HALVES)
    if asked.show:
        show(options, sessions, asked.show)
        return
    report = {"labels": against_labels(options, sessions), "in_use": in_use(options, all_of_locomo(asked.data))}
    print_report(report)
    if asked.json:
        asked.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
