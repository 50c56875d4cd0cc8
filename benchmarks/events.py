"""Events as they are formed: `python benchmarks/events.py [FILE] [--sample N] [--judgements FILE] [--json OUT]`.

It counts events per turn, and, of LoCoMo's temporal questions with a date as answer, those whose date lies in an event
of an evidence turn; ``--failures`` prints the others. ``--sample`` prints events by chance under the turns that they
were made of, for reading by hand: good is what is self-contained, right, useful and well-formed. ``--write`` keeps the
sample for the verdicts, and ``--judgements`` scores it.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.reading import EVERY, arguments, deliver, judged, memories, said

from hmem import Memory
from hmem.interfaces.formats.conversations import Conversation
from hmem.interfaces.formats.locomo import load
from hmem.language.dates import find_dates
from hmem.model.event import Event
from hmem.model.span import Span

# "The week before 9 June 2023", "The Friday before 23 January 2022".
BEFORE = re.compile(r"(?P<unit>week|weekend|\w+day)s? (?:before|of|prior to) (?P<date>.*\d.*)", re.IGNORECASE)
PERIOD = re.compile(r"\b\d+ (?:year|month|week|day)s?\b|\b(?:one|two|three|four|five|six) (?:year|month|week|day)s?\b")

Formed = tuple[Event, list[str]]


def formed(memory: Memory) -> list[Formed]:
    """Return the events of a memory, each with the turns that it was made of."""
    return [(event, said(memory, event.sources)) for event in memory.events(limit=EVERY)]


def row(event: Event, turns: Sequence[str]) -> dict[str, Any]:
    when = f"{event.happened.start:%Y-%m-%d} to {event.happened.end:%Y-%m-%d}" if event.happened else ""
    return {"text": event.text, "when": when, "said": list(turns)}


def share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def figures(turns: int, events: Sequence[Event]) -> dict[str, Any]:
    """Return the figures of events per turn."""
    return {
        "turns": turns,
        "events": len(events),
        "events per turn": share(len(events), turns),
        "turns with an event": share(len({source for event in events for source in event.sources}), turns),
        "with a time": share(sum(event.happened is not None for event in events), len(events)),
        "of several turns": share(sum(len(event.sources) > 1 for event in events), len(events)),
        "pictures": share(sum(" shared a picture: " in event.text for event in events), len(events)),
        "longest": max((len(event.text) for event in events), default=0),
    }


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


def temporal(
    conversation: Conversation, memory: Memory, events: Sequence[Formed], counted: Counter[str]
) -> Iterator[str]:
    """Count the temporal questions whose date is in an event of their evidence, and yield the missed ones."""
    ids = {turn.message_id: turn.id for turn in memory.list(limit=EVERY)}
    for question in conversation.questions:
        span = gold(question.answer) if question.category == "temporal" else None
        if span is None:
            counted["answer is no date"] += question.category == "temporal"
            continue
        sources = {ids[turn] for turn in question.evidence if turn in ids}
        found = [(event, turns) for event, turns in events if sources.intersection(event.sources)]
        spans = [event.happened for event, _ in found if event.happened]
        contained = any(within(span, one) or within(one, span) for one in spans)
        counted["questions"] += 1
        counted["hit"] += contained
        counted["overlap"] += any(overlaps(one, span) for one in spans)
        if not contained:
            yield "\n".join([f"{question.text} => {question.answer}", *(f"    {shown(*each)}" for each in found)])


def shown(event: Event, turns: Sequence[str]) -> str:
    when = row(event, turns)["when"]
    return f"* {event.text}{f' [{when}]' if when else ''}"


def measure(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]], list[str]]:
    """Return the figures, every event as a row for reading, and the missed temporal questions."""
    conversations: Mapping[int, Conversation] = {} if path.suffix == ".jsonl" else dict(enumerate(load(path)))
    turns, every, missed, counted = 0, list[Formed](), list[str](), Counter[str]()
    for place, memory in enumerate(memories(path)):
        events = formed(memory)
        turns += len(memory.list(limit=EVERY))
        every += events
        if place in conversations:
            missed += temporal(conversations[place], memory, events, counted)
    report = figures(turns, [event for event, _ in every])
    if asked := counted["questions"]:
        report |= {"temporal questions": asked, "answer is no date": counted["answer is no date"]}
        report |= {f"their date is in an event: {name}": counted[name] / asked for name in ("hit", "overlap")}
    return report, [row(*each) for each in every], missed


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--failures", action="store_true")
    options = parser.parse_args()
    if options.judgements:
        deliver(options, (), judged(options.judgements))
        return
    report, rows, missed = measure(options.file)
    deliver(options, rows, report)
    if options.failures:
        print("\n".join(missed))


if __name__ == "__main__":
    main()
