"""Events and claims of the rules: `python benchmarks/events.py [LOCOMO] [--claims N] [--failures] [--json OUT]`.

It counts events and claims per turn, their kinds and their times; and, of LoCoMo's temporal questions with a date as
answer, those whose date lies in an event of an evidence turn. ``--claims`` prints some claims beside their statements,
for judging by hand; ``--failures`` prints the missed temporal questions.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from hmem.interfaces.formats.conversations import Conversation
from hmem.interfaces.formats.locomo import load
from hmem.language.analyst.base import Claim, Passage, Statement
from hmem.language.dates import find_dates
from hmem.language.english.curation import curate
from hmem.language.english.events import events
from hmem.language.english.notes import claims
from hmem.model.span import Span
from hmem.model.turn import Turn

LOCOMO = Path(__file__).parent.parent.parent / "shared" / "data" / "locomo-dev.json"
ROUNDS = 3

# "The week before 9 June 2023", "The Friday before 23 January 2022".
BEFORE = re.compile(r"(?P<unit>week|weekend|\w+day)s? (?:before|of|prior to) (?P<date>.*\d.*)", re.IGNORECASE)
PERIOD = re.compile(r"\b\d+ (?:year|month|week|day)s?\b|\b(?:one|two|three|four|five|six) (?:year|month|week|day)s?\b")


@dataclass(frozen=True, slots=True)
class Read:
    """Turn with its statements and claims."""

    turn: Turn
    memorable: bool
    statements: Sequence[Statement]
    claims: Sequence[Claim]


def passages_of(conversation: Conversation) -> Iterator[Passage]:
    """Yield a passage for each session."""
    sessions: dict[str, list[Turn]] = {}
    for message in conversation.messages:
        fields = {name: message.get(name) for name in ("speaker", "text", "at", "session", "caption")}
        sessions.setdefault(message["session"], []).append(Turn(id=str(message["message_id"]), **fields))
    for turns in sessions.values():
        yield Passage(tuple(turns), 0, tuple(dict.fromkeys(turn.speaker for turn in turns)))


def read(passage: Passage) -> list[Read]:
    statements = events(passage)
    rows = zip(passage.turns, curate(passage), statements, claims(passage, statements), strict=True)
    return [Read(turn, verdict.memorable, said, claimed) for turn, verdict, said, claimed in rows]


def seconds_of(passages: Sequence[Passage]) -> tuple[float, float]:
    """Return the best times over some rounds of all passages: for events, for claims."""

    def once() -> tuple[float, float]:
        start = perf_counter()
        said = [events(passage) for passage in passages]
        between = perf_counter()
        for passage, statements in zip(passages, said, strict=True):
            claims(passage, statements)
        return between - start, perf_counter() - between

    rounds = [once() for _ in range(ROUNDS)]
    return min(one for one, _ in rounds), min(two for _, two in rounds)


def share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def figures(reads: Sequence[Read]) -> dict[str, Any]:
    """Return the figures of events and claims per turn."""
    memorable = [one for one in reads if one.memorable]
    said = [statement for one in reads for statement in one.statements]
    claimed = [claim for one in memorable for claim in one.claims]
    return {
        "turns": len(reads),
        "memorable": len(memorable),
        "events": len(said),
        "events_per_memorable_turn": share(sum(len(one.statements) for one in memorable), len(memorable)),
        "memorable_without_event": share(sum(not one.statements for one in memorable), len(memorable)),
        "with_time": share(sum(statement.happened is not None for statement in said), len(said)),
        "joined_with_question": share(sum(statement.context > 0 for statement in said), len(said)),
        "pictures": share(sum(" shared a picture: " in statement.text for statement in said), len(said)),
        "longest": max(len(statement.text) for statement in said),
        "claims": len(claimed),
        "claims_per_memorable_turn": share(len(claimed), len(memorable)),
        "by_kind": dict(Counter(claim.kind for claim in claimed).most_common()),
        "by_slot": dict(Counter(slot_of(claim) for claim in claimed).most_common()),
    }


def slot_of(claim: Claim) -> str:
    return "favourite …" if claim.slot.startswith("favourite") else claim.slot


def gold(answer: str) -> Span | None:
    """Return the time that an answer names, a date or the week or day before one; None without one."""
    text = re.sub(r"(\d)([A-Z])", r"\1 \2", re.sub(r"[.,]", " ", answer))
    early = datetime(2025, 6, 15, tzinfo=UTC)
    if PERIOD.search(text) and not re.search(r"\d{4}", text):
        return None
    if found := BEFORE.search(text):
        mentions = find_dates(found["date"], early)
        if mentions:
            said = mentions[0].span.start
            before = find_dates(f"last {found['unit']}", said)
            return before[0].span if before else None
    mentions = [mention for mention in find_dates(text, early) if re.search(r"\d{4}", mention.text)]
    return mentions[0].span if mentions else None


def within(inner: Span, outer: Span) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def overlaps(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def temporal(conversations: Sequence[Conversation], found: Mapping[str, Read]) -> tuple[dict[str, Any], list[str]]:
    """Return figures of the temporal questions whose date is in an event of their evidence, and the missed ones."""
    asked = hit = near = unread = 0
    failures: list[str] = []
    for conversation in conversations:
        for question in conversation.questions:
            if question.category != "temporal":
                continue
            span = gold(question.answer)
            if span is None:
                unread += 1
                continue
            asked += 1
            turns = [one for turn in question.evidence if (one := found.get(f"{conversation.id}/{turn}"))]
            spans = [statement.happened for one in turns for statement in one.statements if statement.happened]
            contained = any(within(span, one) or within(one, span) for one in spans)
            hit += contained
            near += any(overlaps(one, span) for one in spans)
            if not contained:
                failures.append(f"{question.text} => {question.answer}\n" + "\n".join(map(shown, turns)))
    whole = {"questions": asked, "answer_is_no_date": unread, "hit": share(hit, asked), "overlap": share(near, asked)}
    return whole, failures


def shown(one: Read) -> str:
    lines = [f"    {one.turn.at:%Y-%m-%d} {one.turn.speaker}: {one.turn.text}"]
    for statement in one.statements:
        when = f" [{statement.happened.start:%Y-%m-%d} to {statement.happened.end:%Y-%m-%d}]" if statement.happened else ""  # fmt: skip # noqa: E501
        lines.append(f"      * {statement.text}{when}")
    return "\n".join(lines)


def sample(reads: Sequence[Read], count: int) -> None:
    """Print some claims beside their statements."""
    everything = [(one, claim) for one in reads for claim in one.claims]
    for one, claim in random.Random(7).sample(everything, min(count, len(everything))):
        sign = "+" if claim.positive else "-"
        print(f"{sign} {claim.subject} | {claim.slot} | {claim.value} | {claim.text}")
        print(f"      {one.statements[claim.statement].text}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("locomo", nargs="?", type=Path, default=LOCOMO)
    parser.add_argument("--claims", type=int, default=0)
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    conversations = load(options.locomo)
    passages = {conversation.id: list(passages_of(conversation)) for conversation in conversations}
    found = {
        f"{name}/{one.turn.id}": one for name, some in passages.items() for passage in some for one in read(passage)
    }
    report = figures(list(found.values()))
    report["temporal"], failures = temporal(conversations, found)
    everything = [passage for some in passages.values() for passage in some]
    of_events, of_claims = (seconds / len(found) * 1e6 for seconds in seconds_of(everything))
    report["microseconds_per_turn"] = {"events": round(of_events), "claims": round(of_claims)}
    table = Table("figure", "value", title="Events and claims", title_justify="left")
    for name, value in report.items():
        table.add_row(name, f"{value:.3f}" if isinstance(value, float) else str(value))
    Console(width=120).print(table)
    sample(list(found.values()), options.claims)
    if options.failures:
        print("\n".join(failures))
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
