"""Dates of sentences against labels: `python benchmarks/chat_dates.py [--part PART] [--failures]`.

The sentences are those of ``benchmarks/data/chats`` that are labelled with a date: a day, a month or a year. A date is
right if it is the labelled one, or begins or ends with it ("since August", "by 1 July", "2 to 16 August"), and is no
coarser. Whether a sentence is a plan is told by its label, as the head of the analyst tells it in a memory.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta

from benchmarks.chats import PARTS, Sentence, read_chats

from hmem.language.languages import language_rules
from hmem.model.span import Span

PLAN = "plan"
LONGEST = {4: 366, 7: 31, 10: 1}


def sentences(part: str) -> Iterator[tuple[Sentence, datetime]]:
    """Yield the sentences in English that are labelled with a date, with the time of saying."""
    for chat in read_chats(part):
        if chat.language == "en":
            yield from ((each, turn.at) for turn in chat.turns for each in turn.sentences if each.date)


def is_right(span: Span, label: str, text: str) -> bool:
    """Tell if a span is the labelled day, month or year, or one that begins or ends with it."""
    first = span.start.date().isoformat()[: len(label)]
    last = (span.end - timedelta(seconds=1)).date().isoformat()[: len(label)]
    if span.length.days <= LONGEST[len(label)]:
        return label in (first, last)
    since = any(word in text.lower().split() for word in ("since", "from", "to", "by", "until", "till", "over", "at"))
    whole = span.start.day == 1 and span.end.day == 1
    return label in (first, last) and since and not (whole and len(label) == len("2025-01-01"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=PARTS, default="open")
    parser.add_argument("--failures", action="store_true")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    for sentence, said in sentences(options.part):
        span = language_rules().main_date(sentence.text, said, is_plan=sentence.kind == PLAN)
        verdict = "none" if span is None else "right" if is_right(span, sentence.date, sentence.text) else "wrong"
        counts[verdict] += 1
        if options.failures and verdict != "right" and options.part == "open":
            print(verdict, sentence.date, span and span.start.date(), said.date(), sentence.text)
    found, every = counts["right"] + counts["wrong"], counts.total()
    print(f"{every} labelled dates: {counts['right']} right, {counts['wrong']} wrong, {counts['none']} not found")
    print(f"right of all {counts['right'] / every:.3f}, of those found {counts['right'] / found:.3f}")


if __name__ == "__main__":
    main()
