"""Answers without a model on LoCoMo: `python benchmarks/answers.py FILE [--turns N] [--failures N] [--json OUT]`.

Prints token F1 and BLEU-1 by category, abstention with its curve, calibration, milliseconds, and why answers fail.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from hmem import Memory
from hmem.interfaces.formats.conversations import Conversation, Question
from hmem.interfaces.formats.locomo import load
from hmem.model.evidence import Evidence
from hmem.retrieval.answer.answering import LEAST, ExtractedAnswer, answer
from hmem_evals.answers import AnswerScore, by_category, calibration, score, summary
from hmem_evals.metrics import mean, percentile, token_f1

LEASTS = (0.0, 0.2, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.7)


class Asked(NamedTuple):
    """Question with its evidence, its answer at each threshold of abstaining, and the time of one answer."""

    question: Question
    found: Sequence[Evidence]
    answers: dict[float, ExtractedAnswer]
    milliseconds: float


def asked(conversation: Conversation, turns: int, default: float) -> Iterator[Asked]:
    """Yield every question of a conversation, answered by a memory of it."""
    with TemporaryDirectory() as folder, Memory(Path(folder) / "memory.hmem") as memory:
        memory.add(conversation.messages)
        memory.flush()
        recall, sources = memory._components.retrieval.recall, memory._components.retrieval.sources
        for question in conversation.questions:
            found = memory.search(question.text, turns, min_score=0.0).evidence
            with memory.corpus.reading():
                plan, query = recall.read(question.text, question.at)
                started = perf_counter()
                first = answer(sources, query, plan, found, least=default)
                took = (perf_counter() - started) * 1_000
                rest = {least: answer(sources, query, plan, found, least=least) for least in LEASTS}
            yield Asked(question, found, rest | {default: first}, took)


def scored(row: Asked, least: float) -> AnswerScore:
    question, said = row.question, row.answers[least]
    return score(
        said.text, question.answer, category=question.category, abstained=said.abstained, confidence=said.confidence,
        unanswerable=question.unanswerable,
    )  # fmt: skip


def means(rows: Sequence[Asked], least: float) -> dict[str, float | None]:
    """Return F1 over the answerable categories and questions, and abstention, at a threshold."""
    held = [scored(row, least) for row in rows]
    answerable = [s for s in held if not s.unanswerable]
    named = {name: value["f1"] for name, value in by_category(answerable).items()}
    return {
        "of categories": mean(value for value in named.values() if value is not None),
        "plain": plain(rows, least),
        "of questions": mean(s.f1 for s in answerable),
        "adversarial": mean(s.f1 for s in held if s.unanswerable),
        "answered": mean(float(not s.abstained) for s in answerable),
    }


def plain(rows: Sequence[Asked], least: float) -> float | None:
    """Return F1 over the answerable categories without rewriting answer or gold."""
    held: dict[str, list[float]] = {}
    for row in rows:
        if not row.question.unanswerable:
            said = row.answers[least]
            f1 = 0.0 if said.abstained else token_f1(said.text, row.question.answer)
            held.setdefault(row.question.category, []).append(f1)
    return mean(value for values in held.values() if (value := mean(values)) is not None)


def why(row: Asked, least: float) -> str:
    """Return the reason why an answer is wrong."""
    question, said, result = row.question, row.answers[least], scored(row, least)
    if result.right:
        return "right"
    if question.unanswerable:
        return "answered what is not told"
    if said.abstained:
        return "abstained"
    names = {evidence.id: evidence.message_id for evidence in row.found}
    if question.evidence and not set(question.evidence) & set(names.values()):
        return "evidence not found"
    if question.evidence and not {names.get(name) for name in said.evidence} & set(question.evidence):
        return "other turn taken"
    return "wrong words of the right turn" if result.f1 == 0 else "partly right"


def show(title: str, rows: Sequence[Sequence[Any]]) -> None:
    print(f"\n{title}")
    for row in rows:
        print("  ".join(f"{x:.3f}" if isinstance(x, float) else f"{x!s:>14}" for x in row))


def main() -> None:
    """Ask all questions and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("file", type=Path)
    parser.add_argument("--turns", type=int, default=30, help="how many turns the answer is read from")
    parser.add_argument("--least", type=float, default=LEAST, help="the chance of support below which it abstains")
    parser.add_argument("--failures", type=int, default=0, help="how many failures to print")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = [row for conversation in load(given.file) for row in asked(conversation, given.turns, given.least)]
    held = [scored(row, given.least) for row in rows]
    reliability = calibration(held)
    show("category: F1, BLEU-1", [(name, *value.values()) for name, value in by_category(held).items()])
    curve = {least: means(rows, least) for least in sorted({*LEASTS, given.least})}
    show("least: " + ", ".join(curve[given.least]), [(least, *value.values()) for least, value in curve.items()])
    show("calibration: from, to, answers, confidence, right", [tuple(row.values()) for row in reliability["bins"]])
    print(f"expected calibration error {reliability['ece']:.3f}")
    times = [row.milliseconds for row in rows]
    print(f"milliseconds p50 {percentile(times, 50):.1f}, p95 {percentile(times, 95):.1f}")
    reasons = Counter((row.question.category, why(row, given.least)) for row in rows)
    show(
        "why", [(*names, number) for names, number in sorted(reasons.items(), key=lambda item: (item[0][0], -item[1]))]
    )
    failures = [row for row in rows if why(row, given.least) != "right"]
    for i in np.random.default_rng(0).permutation(len(failures))[: given.failures].tolist():
        row = failures[i]
        print(f"{row.question.id} {why(row, given.least)}: {row.question.text}\n  gold {row.question.answer}")
        print(f"  said {row.answers[given.least].text}")
    if given.json:
        given.json.write_text(json.dumps({**summary(held), "curve": curve}, indent=1), "utf-8")


if __name__ == "__main__":
    main()
