"""Episode boundaries: `python benchmarks/segmentation.py [LOCOMO] [--set NAME=VALUE]… [--show SESSION] [--json OUT]`.

First all sessions of a conversation form one run, and the boundaries are compared to the ends of sessions. Then the
sessions are known, as in use: episodes per session, their lengths, the reasons of their boundaries, and the share of
turns with a surprise above 0.8. The last row is the example.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from hmem.formation.segment import BoundaryDecision, RunningEpisode, Seen, SegmentOptions, decide
from hmem.interfaces.formats.locomo import load
from hmem.language.analyst.base import Passage
from hmem.language.embed import embedder
from hmem.language.english.topics import cues
from hmem.model.turn import Turn

ROOT = Path(__file__).parent.parent
LOCOMO = ROOT.parent / "shared" / "data" / "locomo-dev.json"
EXAMPLE = ROOT / "examples" / "ten_months.jsonl"


@dataclass(frozen=True)
class Read:
    """Turns of a conversation as segmentation sees them."""

    name: str
    turns: Sequence[Turn]
    seen: Sequence[Seen]


def turn_of(message: Any) -> Turn:
    return Turn(
        id=str(message.get("message_id") or message.get("id")),
        speaker=message["speaker"],
        text=message["text"],
        at=message["at"] if isinstance(message["at"], datetime) else datetime.fromisoformat(message["at"]),
        session=message["session"],
        caption=message.get("caption"),
    )


def read(name: str, messages: Iterable[Any]) -> Read:
    turns = [turn_of(message) for message in messages]
    vectors = embedder("wordllama").embed([turn.content for turn in turns])
    hints = cues(Passage(tuple(turns)))
    return Read(name, turns, [Seen(vector, hint) for vector, hint in zip(vectors, hints, strict=True)])


def judged(options: SegmentOptions, run: Read, *, sessions: bool) -> list[BoundaryDecision]:
    """Return the decision on each turn; ``sessions``: each session starts an episode."""
    similarity = embedder("wordllama").calibration
    episode = RunningEpisode()
    judgements: list[BoundaryDecision] = []
    for place, seen in enumerate(run.seen):
        if sessions and place and run.turns[place].session != run.turns[place - 1].session:
            episode = RunningEpisode()
        judgement = decide(options, episode, seen, similarity)
        if judgement.cut:
            episode = RunningEpisode()
        episode.add(seen)
        judgements.append(judgement)
    return judgements


def against_sessions(options: SegmentOptions, run: Read) -> dict[str, float]:
    """Compare the boundaries of one run to the first turns of sessions: exactly, and within one turn."""
    judgements = judged(options, run, sessions=False)
    found = {place for place, judgement in enumerate(judgements) if place and judgement.cut}
    true = {place for place in range(1, len(run.turns)) if run.turns[place].session != run.turns[place - 1].session}
    near = {place + step for place in true for step in (-1, 0, 1)}
    hit = {place for place in true if found & {place - 1, place, place + 1}}
    return {
        "found": len(found),
        "sessions": len(true),
        "exact": len(found & true),
        "precision": len(found & near) / max(len(found), 1),
        "recall": len(hit) / max(len(true), 1),
    }


def within_sessions(options: SegmentOptions, run: Read) -> dict[str, Any]:
    judgements = judged(options, run, sessions=True)
    starts = [place for place, judgement in enumerate(judgements) if judgement.cut]
    lengths = np.diff([*starts, len(judgements)])
    cuts = Counter(str(judgement.cut) for judgement in judgements if judgement.cut)
    inner = [judgement for judgement in judgements if judgement.cut != "session"]
    return {
        "turns": len(judgements),
        "episodes": len(starts),
        "episodes_per_session": len(starts) / cuts["session"],
        "length": {
            **{f"p{share}": float(np.quantile(lengths, share / 100)) for share in (10, 50, 90)},
            "mean": float(lengths.mean()),
            "single_share": float((lengths == 1).mean()),
        },
        "cuts": dict(cuts),
        "surprising": sum(judgement.surprise > options.surprise for judgement in inner) / len(inner),
    }


def measure(options: SegmentOptions, runs: Sequence[Read]) -> dict[str, Any]:
    report = {
        run.name: {"one_run": against_sessions(options, run), "in_use": within_sessions(options, run)} for run in runs
    }
    start = perf_counter()
    for run in runs:
        judged(options, run, sessions=True)
    total = sum(len(run.turns) for run in runs)
    return {"runs": report, "microseconds_per_turn": (perf_counter() - start) / total * 1e6}


def print_report(report: dict[str, Any]) -> None:
    ends = Table("run", "found", "sessions", "exact", "precision ±1", "recall ±1", title="As one run")
    use = Table("run", "turns", "a session", "p10", "p50", "p90", "single", "topic", "surprise", "length", "> 0.8")
    use.title = "Episodes, sessions known"
    for name, parts in report["runs"].items():
        one, now = parts["one_run"], parts["in_use"]
        shares = (f"{one['precision']:.2f}", f"{one['recall']:.2f}")
        ends.add_row(name, f"{one['found']}", f"{one['sessions']}", f"{one['exact']}", *shares)
        lengths = [f"{now['length'][share]:.0f}" for share in ("p10", "p50", "p90")]
        cuts = [f"{now['cuts'].get(cut, 0) / now['episodes']:.2f}" for cut in ("topic", "surprise", "length")]
        single = f"{now['length']['single_share']:.2f}"
        per_session = f"{now['episodes_per_session']:.2f}"
        use.add_row(name, f"{now['turns']}", per_session, *lengths, single, *cuts, f"{now['surprising']:.3f}")
    console = Console(width=120)
    console.print(ends, use)
    console.print(f"{report['microseconds_per_turn']:.0f} µs a turn")


def show(options: SegmentOptions, runs: Sequence[Read], session: str) -> None:
    """Print the turns of a session, such as conv-26/session_3, with their decisions."""
    name, _, wanted = session.partition("/")
    for run in runs:
        for turn, judgement in zip(run.turns, judged(options, run, sessions=True), strict=True):
            if run.name == name and turn.session == wanted:
                cut = f"--- {judgement.cut}" if judgement.cut else ""
                print(f"{cut:14} {judgement.surprise:.2f} {turn.speaker[:6]:6} {turn.content}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("locomo", nargs="?", type=Path, default=LOCOMO)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--show", metavar="SESSION")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    kinds = {field.name: type(field.default) for field in fields(SegmentOptions)}
    settings = dict(setting.split("=", 1) for setting in asked.set)
    options = SegmentOptions(**{name: kinds[name](json.loads(value)) for name, value in settings.items()})
    example = [json.loads(line) for line in EXAMPLE.read_text("utf-8").splitlines()]
    runs = [read(conversation.id, conversation.messages) for conversation in load(asked.locomo)]
    runs.append(read("ten_months", example))
    if asked.show:
        show(options, runs, asked.show)
        return
    report = measure(options, runs)
    print_report(report)
    if asked.json:
        asked.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
