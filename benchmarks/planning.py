"""Accuracy of the rules' plans: `python benchmarks/planning.py [LOCOMO] [--failures] [--json OUT]`.

The labels are tests/acceptance/labels/plans.json: questions of LoCoMo's development part by id, and those of
examples/ten_months.questions.json. Half of them, by the checksum of the id, are held out: their failures are counted
and never listed. A span is right if the hull of the spans is the labelled one, to the day. The time is that of the
fastest of three passes.
"""

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple
from zlib import crc32

from rich.console import Console
from rich.table import Table

from hmem.model.plan import Plan
from hmem_english.questions import plan
from hmem_evals.locomo import load

ROOT = Path(__file__).parent.parent
LABELS = ROOT / "tests" / "acceptance" / "labels" / "plans.json"
EXAMPLE = ROOT / "examples" / "ten_months"
LOCOMO = ROOT.parent / "shared" / "data" / "locomo-dev.json"
PASSES = 3
MEASURES = ("scope", "mode", "span", "coverage", "answer_type")

Label = Mapping[str, Any]


class Posed(NamedTuple):
    """Question with its time of asking and the speakers in the memory."""

    text: str
    asked: datetime
    people: tuple[str, ...]


def locomo(path: Path) -> dict[str, Posed]:
    """Return LoCoMo's questions by id, asked at the end of the conversation."""
    return {
        question.id: Posed(question.text, conversation.messages[-1]["at"], _people(conversation.messages))
        for conversation in load(path)
        for question in conversation.questions
    }


def example() -> dict[str, Posed]:
    """Return the example's questions by id, asked at its end."""
    messages = [json.loads(line) for line in EXAMPLE.with_suffix(".jsonl").read_text("utf-8").splitlines()]
    asked, people = datetime.fromisoformat(messages[-1]["at"]), _people(messages)
    questions = json.loads(EXAMPLE.with_suffix(".questions.json").read_text("utf-8"))
    return {question["id"]: Posed(question["question"], asked, people) for question in questions}


def _people(messages: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(message["speaker"] for message in messages))


def held_out(question: str) -> bool:
    return crc32(question.encode()) % 2 == 0


def verdict(planned: Plan, label: Label) -> dict[str, bool]:
    """Return for each field of a label if the plan has it right."""
    last = planned.parts[-1]
    bounds = [
        None if not last.spans else min(span.start for span in last.spans).date().isoformat(),
        None if not last.spans else max(span.end for span in last.spans).date().isoformat(),
    ]
    wanted: Sequence[str | None] = label["span"] or [None, None]
    return {
        "scope": last.scope == label["scope"],
        "mode": last.mode == label["mode"],
        "span": bounds[1] == wanted[1] and (bounds[0] == wanted[0] or (wanted[0] is None and wanted[1] is not None)),
        "coverage": last.coverage == label["coverage"],
        "answer_type": last.answer_type in label["answer_type"].split("/"),
    }


def figures(labels: Mapping[str, Label], plans: Mapping[str, Plan]) -> dict[str, float]:
    """Return the accuracy of plans by field; ``span_named`` is that over the labels with a span."""
    right: Counter[str] = Counter()
    for question, label in labels.items():
        judged = verdict(plans[question], label)
        right.update(name for name, good in judged.items() if good)
        right["span_named"] += judged["span"] and label["span"] is not None
        right["all"] += all(judged.values())
    named = sum(label["span"] is not None for label in labels.values())
    count = len(labels)
    return {
        "questions": count,
        **{name: right[name] / count for name in (*MEASURES, "all")},
        "with_span": named,
        "span_named": right["span_named"] / named if named else 0.0,
    }


def measure(path: Path) -> tuple[dict[str, Any], dict[str, Label], dict[str, Plan]]:
    """Return the figures, the labels and the plans."""
    written: dict[str, dict[str, Label]] = json.loads(LABELS.read_text("utf-8"))
    posed = {**locomo(path), **example()}
    plans: dict[str, Plan] = {}
    seconds = float("inf")
    for _ in range(PASSES):
        start = perf_counter()
        plans = {question: plan(*one) for question, one in posed.items()}
        seconds = min(seconds, perf_counter() - start)
    labels = {**written["locomo"], **written["ten_months"]}
    tuned = {question: label for question, label in labels.items() if not held_out(question)}
    report = {
        "tuned_on": figures(tuned, plans),
        "held_out": figures({question: label for question, label in labels.items() if question not in tuned}, plans),
        "scopes": dict(Counter(planned.parts[-1].scope for planned in plans.values())),
        "microseconds_per_question": seconds / len(plans) * 1e6,
    }
    return report, labels, plans


def list_failures(labels: Mapping[str, Label], plans: Mapping[str, Plan]) -> None:
    for question, label in labels.items():
        wrong = [name for name, good in verdict(plans[question], label).items() if not good]
        if wrong and not held_out(question):
            last = plans[question].parts[-1]
            got = {name: getattr(last, name, None) for name in wrong if name != "span"}
            print(f"{question} {wrong} {got} wanted {[label[name] for name in wrong]}: {plans[question].question}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("locomo", nargs="?", type=Path, default=LOCOMO)
    parser.add_argument("--failures", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    report, labels, plans = measure(options.locomo)
    columns = ("questions", *MEASURES, "all", "with_span", "span_named")
    table = Table("labels", *columns, title="Planning", title_justify="left")
    for part in ("tuned_on", "held_out"):
        row = report[part]
        cells = (f"{row[name]}" if isinstance(row[name], int) else f"{row[name]:.3f}" for name in columns)
        table.add_row(part, *cells)
    Console(width=120).print(table)
    print(f"scopes: {report['scopes']}")
    print(f"{report['microseconds_per_question']:.0f} µs a question")
    if options.failures:
        list_failures(labels, plans)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
