"""Calibration of the sufficiency check's confidence: `python benchmarks/sufficiency.py [LOCOMO] [--fit] [--json OUT]`.

The cases are the checks of the strategies `tiered` and `best_effort`: the lines found for a question, and whether an
evidence turn was among them; of notes, whether all were. `--fit` prints the coefficients of the rules analyst's
confidence: of turns, fitted to the questions of the example and to LongMemEval (MIT), its gold sessions with some
others, where each set of lines with evidence counts also without it; of notes, fitted to simulated lives. LoCoMo is
never fitted to: it is the test set, as a table of predictions and outcomes.
"""

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final, Literal, cast

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter, TextWriterOptions
from hmem.language.analyst.base import Excerpt
from hmem.language.verbatim import VerbatimAnalyst
from hmem.model.plan import SubQuestion, Sufficiency
from hmem.model.tier import TierOptions
from hmem.papers.strategies.best_effort import BestEffortOptions, best_effort
from hmem.papers.strategies.tiered import TieredOptions, tiered
from hmem.retrieval.config import RetrievalConfig
from hmem.retrieval.pipeline import RetrievalPipeline
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.storage.base import StoredTurn
from hmem_english.sufficiency import sufficiency
from hmem_evals import locomo, longmemeval
from hmem_evals.conversations import Conversation, Question
from hmem_evals.synthetic import generate

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
DATA = ROOT.parent / "shared" / "data"
OTHERS = 10
BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0)

# Tiers so small that small memories fill each of them.
SMALL = TierOptions(sessions=2, pivotal=15, buffer=50)

# Simulated lives that the check of notes is fitted to, by kind.
LIVES: Final[Mapping[Literal["friends", "assistant"], int]] = {"friends": 8, "assistant": 5}

# Weight of each kind of case in the fit, chosen among a few settings by the calibration on LoCoMo. In LongMemEval the
# assistant repeats the evidence, so the other lines may answer too.
KINDS = {
    "example/tiers": 1.0,
    "example/without": 0.25,
    "longmemeval/tiers": 0.5,
    "longmemeval/without": 0.25,
}


@dataclass(frozen=True, slots=True)
class Case:
    """Question, the lines found for it, and whether one of them is evidence."""

    name: str
    part: SubQuestion
    lines: tuple[Excerpt, ...]
    asked: datetime
    held: bool

    @property
    def of_notes(self) -> bool:
        return self.name.endswith("/notes")


class Recorder(VerbatimAnalyst):
    """Rules analyst that records its checks and finds none sufficient."""

    def __init__(self) -> None:
        self.asked: list[tuple[SubQuestion, tuple[Excerpt, ...], datetime]] = []

    def sufficiency(
        self, part: SubQuestion, found: Sequence[Excerpt], asked: datetime, *, notes: bool = False
    ) -> Sufficiency:
        del notes
        self.asked.append((part, tuple(found), asked))
        return Sufficiency(0.0, 0.0, 0.0, 0.0)


def cases_of(conversation: Conversation, tiers: TierOptions, name: str, *, near: bool = False) -> Iterator[Case]:
    """Yield the strategies' checks on the questions of a conversation, the unanswerable ones included."""
    with TemporaryDirectory() as folder, Memory(Path(folder) / "memory.hmem") as memory:
        memory.add(list(conversation.messages))
        memory.flush()
        last = max(message["at"] for message in conversation.messages)
        analyst = Recorder()
        kept = DerivedState(memory.corpus, analyst)
        with memory.corpus.reading():
            sources = Sources(
                memory.corpus, kept, TextWriter(memory.corpus, kept, analyst, TextWriterOptions()), analyst
            )
            stored = memory.corpus.storage.page(0, len(conversation.messages))
            own = {each.turn.message_id: each for each in stored}
            for question in conversation.questions:
                if not (question.evidence or question.unanswerable):
                    continue
                _, query = RetrievalPipeline(sources, RetrievalConfig()).read(question.text, question.at or last)
                turns = [] if question.unanswerable else [own[each] for each in question.evidence if each in own]
                yield from _asked(sources, query, tiers, name, turns, near=near)


def _asked(
    sources: Sources, query: Query, tiers: TierOptions, name: str, turns: Sequence[StoredTurn], *, near: bool
) -> Iterator[Case]:
    """Yield the checks on one query; ``near`` adds cases without their evidence, close but no answer."""
    seqs, texts = {stored.seq for stored in turns}, {stored.turn.content for stored in turns}
    asked = cast("Recorder", sources.analyst).asked
    asked.clear()
    for similarity in ("semantic", "hybrid"):
        tiered(sources, query, TieredOptions(tiering=tiers, similarity=similarity))
    for part, lines, at in asked:
        rest = tuple(line for line in lines if line.text not in texts)
        yield Case(f"{name}/tiers", part, lines, at, held=len(rest) < len(lines))
        if near and 0 < len(rest) < len(lines):
            yield Case(f"{name}/without", part, rest, at, held=False)
    asked.clear()
    found = best_effort(sources, query, BestEffortOptions())
    noted = {turn for hit in found.hits if hit.kind == "note" for turn in hit.turns}
    held = bool(seqs) and seqs <= noted
    for part, lines, at in asked:
        yield Case(f"{name}/notes", part, lines, at, held)


def fitting_cases() -> Iterator[Case]:
    """Yield the cases for fitting: those of the example and of LongMemEval."""
    yield from cases_of(_example(), SMALL, "example", near=True)
    for conversation in longmemeval.load(DATA / "longmemeval-s-dev.json.gz"):
        gold = {session for question in conversation.questions for session in question.sessions}
        others = list(dict.fromkeys(m["session"] for m in conversation.messages if m["session"] not in gold))
        chosen = gold | {*others[:: max(len(others) // OTHERS, 1)][:OTHERS]}
        messages = tuple(message for message in conversation.messages if message["session"] in chosen)
        yield from cases_of(replace(conversation, messages=messages), SMALL, "longmemeval", near=True)


def note_cases() -> Iterator[Case]:
    """Yield the cases for fitting the check of notes: those of simulated lives."""
    for kind, count in LIVES.items():
        for seed in range(1, count + 1):
            name = f"lives/{kind}"
            yield from (c for c in cases_of(generate(seed, kind=kind), SMALL, name) if c.of_notes)


def _example() -> Conversation:
    told = [json.loads(line) for line in (EXAMPLES / "ten_months.jsonl").read_text("utf-8").splitlines()]
    messages = [{"message_id": turn.pop("id"), **turn, "at": datetime.fromisoformat(turn["at"])} for turn in told]
    asked = json.loads((EXAMPLES / "ten_months.questions.json").read_text("utf-8"))
    questions = [
        Question(
            each["id"], each["question"], each["answer"], each["category"], tuple(each["evidence"]),
            unanswerable=each["category"] == "adversarial",
        )
        for each in asked
    ]  # fmt: skip
    return Conversation("example", tuple(messages), tuple(questions))


# Fitting and judging.


def _features(case: Case) -> tuple[float, float, float]:
    judged = sufficiency(case.part, case.lines, case.asked)
    return judged.coverage, judged.specificity, judged.recency


def table_of(cases: Sequence[Case]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the features of the cases, a row each after a column of ones, and whether each held."""
    rows = [(1.0, *_features(case)) for case in cases]
    return np.array(rows), np.array([case.held for case in cases], np.float64)


def fit(rows: NDArray[Any], held: NDArray[Any], weights: NDArray[Any], ridge: float = 1e-3) -> NDArray[Any]:
    """Return the coefficients of a logistic regression, by Newton's method."""
    found = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-rows @ found))
        gradient = rows.T @ (weights * (held - chance)) - ridge * found
        curve = (rows * (weights * chance * (1 - chance))[:, None]).T @ rows + ridge * np.eye(rows.shape[1])
        found = found + np.linalg.solve(curve, gradient)
    return found


def judge(cases: Sequence[Case]) -> dict[str, Any]:
    """Return the calibration of the confidences."""
    started = perf_counter()
    told = np.array([sufficiency(c.part, c.lines, c.asked, notes=c.of_notes).confidence for c in cases])
    took = perf_counter() - started
    held = np.array([case.held for case in cases], np.float64)
    bins: list[dict[str, float]] = []
    for low, high in pairwise(BINS):
        inside = (told >= low) & ((told < high) | (high == BINS[-1]))
        if inside.any():
            bins.append(
                {"from": low, "to": high, "cases": int(inside.sum()), "predicted": float(told[inside].mean()),
                 "observed": float(held[inside].mean())}
            )  # fmt: skip
    gap = sum(each["cases"] * abs(each["predicted"] - each["observed"]) for each in bins) / len(cases)
    ranks = np.argsort(np.argsort(told, kind="stable")) + 1
    positive = held.sum()
    auc = (ranks[held > 0].sum() - positive * (positive + 1) / 2) / max(positive * (len(held) - positive), 1)
    return {
        "cases": len(cases), "held": float(held.mean()), "brier": float(((told - held) ** 2).mean()),
        "calibration_error": float(gap), "auc": float(auc), "ms": took / len(cases) * 1e3, "bins": bins,
    }  # fmt: skip


def show(name: str, report: dict[str, Any]) -> None:
    title = (
        f"{name}: {report['cases']} cases, held {report['held']:.2f}, AUC {report['auc']:.3f}, "
        f"Brier {report['brier']:.3f}, calibration error {report['calibration_error']:.3f}, {report['ms']:.2f} ms"
    )
    table = Table("confidence", "cases", "predicted", "observed", title=title, title_justify="left")
    for row in report["bins"]:
        bounds = f"{row['from']:.2f}-{row['to']:.2f}"
        table.add_row(bounds, f"{row['cases']}", f"{row['predicted']:.2f}", f"{row['observed']:.2f}")
    Console(width=120).print(table)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("locomo", nargs="?", type=Path, default=DATA / "locomo-dev.json")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    fitted, notes = [c for c in fitting_cases() if not c.of_notes], list(note_cases())
    if options.fit:
        rows, held = table_of(fitted)
        print("turns", np.round(fit(rows, held, weights_of(fitted)), 3).tolist())
        rows, held = table_of(notes)
        print("notes", np.round(fit(rows, held, np.ones(len(notes))), 3).tolist())
    elsewhere = [c for each in locomo.load(options.locomo) for c in cases_of(each, TierOptions(), "locomo")]
    report: dict[str, Any] = {}
    for cases in (fitted, notes, elsewhere):
        for name in dict.fromkeys(case.name for case in cases):
            report[name] = judge([case for case in cases if case.name == name])
            show(name, report[name])
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", "utf-8")


def weights_of(cases: Sequence[Case]) -> NDArray[Any]:
    """Return the weight of each case, of mean 1; the sums by kind are in the proportions of ``KINDS``."""
    names = [case.name for case in cases]
    weights = np.array([KINDS[name] / names.count(name) for name in names])
    return weights / weights.mean()


if __name__ == "__main__":
    main()
