"""Relevance and its floor: `python benchmarks/floor.py [FILE] [--fit --longmemeval FILE] [--held-back] [--json OUT]`.

Questions on themes that no dialogue has (``benchmarks/data/foreign.json``) are asked of each dialogue of our own, in
English and in other languages (``foreign_languages.json``), and of each conversation of a LoCoMo FILE. Prints the share
of empty contexts for them and for questions that the dialogue tells of, the share of the evidence in a context with and
without the floor, and how often a turn of some relevance is evidence.

``--fit`` fits ``src/hmem/retrieval/relevance.json`` first: to our own dialogues, to simulated lives of seeds that no
test uses, and to LongMemEval (MIT) if its file is given; never to LoCoMo, which serves for evaluation only.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter, TextWriterOptions
from hmem.interfaces.formats import locomo, longmemeval
from hmem.interfaces.formats.conversations import Conversation
from hmem.language.analyst import analyst
from hmem.recipes import recipe
from hmem.retrieval.config import find
from hmem.retrieval.pipeline import RetrievalPipeline
from hmem.retrieval.relevance import FILE, JUDGED, TOLD, TURN, Relevance, Signs
from hmem.retrieval.sources import Sources
from hmem_evals.asking import gold_of
from hmem_evals.synthetic import generate

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.labelled import arguments, keep, labels, message

BUDGET: Final = 1_272
DEPTH: Final = 106
LIVES: Final = range(100, 106)
# Questions of a simulated life that are looked at, and conversations of LongMemEval: there are many, and all alike.
OF_A_LIFE: Final = 120
# Weight of each source, and how far coefficients are kept from growing.
WEIGHTS: Final = {"ours": 1.0, "languages": 0.1, "lives": 0.3, "lme": 1.0}
RIDGE: Final = 0.5
BINS: Final = (0.0, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0)


@dataclass(frozen=True, slots=True)
class Question:
    """Question with the ids (or message ids) of its evidence: None if a dialogue may or may not tell of it."""

    text: str
    at: datetime
    gold: frozenset[str] | None
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Asked:
    """What was found for a question: its signs, its relevance, what is evidence, and the shares of that in contexts."""

    question: Question
    told: Mapping[str, float]
    turns: Mapping[str, NDArray[Any]]
    right: NDArray[np.bool_]
    relevance: NDArray[Any]
    empty: bool | None = None
    kept: tuple[float, float] | None = None


@dataclass(slots=True)
class Source:
    """Dialogues of one kind, each with its questions."""

    name: str
    dialogues: list[tuple[str, list[Mapping[str, Any]], list[Question]]] = field(default_factory=list)


def ours(options: argparse.Namespace, strange: Sequence[str]) -> Iterator[Source]:
    """Yield our own dialogues, in English and in other languages."""
    for name, files in (("ours", ("questions", "yes_no")), ("languages", ("foreign_languages",))):
        source = Source(name)
        for file in files:
            for entry in labels(file, options):
                messages: list[Mapping[str, Any]] = [
                    {**message(turn, turn["at"]), "message_id": f"m{place}"}
                    for place, turn in enumerate(entry["turns"])
                ]
                at = datetime.fromisoformat(entry["turns"][-1]["at"]) + timedelta(days=1)
                asked = [_labelled(question, at, name) for question in entry["questions"]]
                more = [Question(text, at, frozenset(), foreign=True) for text in strange] if name == "ours" else []
                source.dialogues.append((f"{file}-{entry['id']}", messages, [*asked, *more]))
        yield source


def _labelled(question: Mapping[str, Any], at: datetime, source: str) -> Question:
    gold = frozenset(f"m{place}" for place in question["turns"])
    # A question near to what was said is no foreign one, nor is a request that an instruction applies to.
    open_ended = source == "ours" and (not gold or question.get("kind") == "instruction")
    return Question(question["ask"], at, None if open_ended else gold, foreign=source == "languages" and not gold)


def loaded(
    name: str, conversations: Iterable[Conversation], strange: Sequence[str], most: int = 10_000, every: int = 1
) -> Source:
    """Return conversations with their questions, at most so many and one in so many of them, and strange ones."""
    source = Source(name)
    for each in conversations:
        end = max(message["at"] for message in each.messages)
        asked = [
            Question(question.text, question.at or end, None if question.unanswerable else frozenset(gold.evidence))
            for question, gold in zip(each.questions, gold_of(each), strict=True)
            if question.unanswerable or gold.evidence
        ][:most:every]
        asked += [Question(text, end, frozenset(), foreign=True) for text in strange]
        source.dialogues.append(
            (each.id if each.id.startswith(name) else f"{name}-{each.id}", list(each.messages), asked)
        )
    return source


def look(source: Source, folder: Path, *, contexts: bool) -> Iterator[Asked]:
    """Yield what is found for each question of a source, and if wanted, what stands in its contexts."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, messages, asked in source.dialogues:
        file = folder / f"{name}.hmem"
        known = file.exists()
        with Memory(file) as memory, Memory(file, settings={"context.floor": "0"}) as without:
            if not known:
                memory.add(messages)
                memory.flush()
            rules = analyst("rules")
            held = DerivedState(memory.corpus, rules)
            with memory.corpus.reading():
                sources = Sources(
                    memory.corpus, held, TextWriter(memory.corpus, held, rules, TextWriterOptions()), rules
                )
                wanted = [question for question in asked if question.gold is not None]
                found = [each for question in wanted if (each := _signs(sources, question)) is not None]
            yield from (_in_contexts(each, memory, without) for each in found) if contexts else found


def _signs(sources: Sources, question: Question) -> Asked | None:
    config = recipe("fusion").retrieval
    _, query = RetrievalPipeline(sources, config).read(question.text, question.at)
    ranked = find(sources, query, config)[-1].rows
    rows, ranks = ranked[:DEPTH], np.arange(len(ranked[:DEPTH]))
    if not len(rows):
        return None
    signs, turns, gold = (
        Signs(sources, query, ranked[:JUDGED]),
        sources.corpus.turns(rows),
        question.gold or frozenset(),
    )
    right = np.array([row in turns and turns[row].message_id in gold for row in rows.tolist()])
    relevance = Relevance(sources, query, ranked).of(rows, ranks)
    return Asked(question, signs.told, signs.turns(rows, ranks), right, relevance)


def _in_contexts(found: Asked, memory: Memory, without: Memory) -> Asked:
    question = found.question
    written = [each.context(question.text, BUDGET, at=question.at) for each in (memory, without)]
    gold = question.gold or frozenset()
    kept = [len(gold & {item.message_id for item in each.evidence}) / max(len(gold), 1) for each in written]
    return replace(found, empty=not written[0].text, kept=(kept[0], kept[1]))


# Fitting.


def fit(sources: Mapping[str, Sequence[Asked]]) -> dict[str, Any]:
    """Return the coefficients: of the memory telling of a question, and of a turn doing so if it does."""
    rows, right, weights = [], [], []
    for name, asked in sources.items():
        told = np.array([bool(each.question.gold) for each in asked])
        rows += [[each.told[sign] for sign in TOLD] for each in asked]
        right += told.tolist()
        # Both answers weigh alike: how often people ask what nobody told is not known.
        weights += (WEIGHTS[name] * np.where(told, 0.5 / max(told.sum(), 1), 0.5 / max((~told).sum(), 1))).tolist()
    about = _logistic(np.array(rows), np.array(right, np.float64), np.array(weights))
    answered = [(WEIGHTS[name], [each for each in asked if each.question.gold]) for name, asked in sources.items()]
    every = [(weight / len(asked), each) for weight, asked in answered for each in asked]
    turns = _logistic(
        np.concatenate([np.stack([each.turns[sign] for sign in TURN], axis=1) for _, each in every]),
        np.concatenate([each.right for _, each in every]).astype(np.float64),
        np.concatenate([np.full(len(each.right), weight) for weight, each in every]),
    )
    return {
        "made_by": "benchmarks/floor.py",
        "told": dict(zip(TOLD, about, strict=True)),
        "turn": dict(zip(TURN, turns, strict=True)),
    }


def _logistic(rows: NDArray[Any], right: NDArray[Any], weights: NDArray[Any]) -> list[float]:
    """Return the coefficients of a logistic regression, the first a bias, by Newton's method."""
    weights, found = weights * 1_000, np.zeros(rows.shape[1])
    ridge = RIDGE * np.array([1e-6, *[1.0] * (len(found) - 1)])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (weights * (right - chance)) - ridge * found
        bend = (rows * (weights * chance * (1 - chance))[:, None]).T @ rows + np.diag(ridge)
        found += np.linalg.solve(bend, slope)
    return [round(float(each), 3) for each in found]


# Measuring.


def report(asked: Sequence[Asked]) -> dict[str, Any]:
    """Return the figures of a source."""
    told = [each for each in asked if each.question.gold]
    strange = [each for each in asked if each.question.foreign]
    chance = np.concatenate([each.relevance for each in told])
    right = np.concatenate([each.right for each in told])
    places = np.digitize(chance, BINS[1:-1])
    bins = [
        (float(chance[places == at].mean()), float(right[places == at].mean()), int((places == at).sum()))
        for at in sorted(set(places.tolist()))
    ]
    return {
        "told": len(told),
        "strange": len(strange),
        "empty of strange": _mean([each.empty for each in strange]),
        "empty of told": _mean([each.empty for each in told]),
        "in context": _mean([each.kept[0] for each in told if each.kept]),
        "without the floor": _mean([each.kept[1] for each in told if each.kept]),
        "calibration error": sum(abs(said - was) * count for said, was, count in bins) / max(len(chance), 1),
        "relevance: said, right, turns": bins,
    }


def _mean(values: Iterable[Any]) -> float:
    held = [float(each) for each in values if each is not None]
    return sum(held) / len(held) if held else 0.0


def show(reports: Mapping[str, Mapping[str, Any]]) -> None:
    names = [name for name in next(iter(reports.values())) if not name.startswith("relevance")]
    table = Table("", *names)
    for source, figures in reports.items():
        table.add_row(
            source,
            *(f"{figures[name]:.4f}" if isinstance(figures[name], float) else str(figures[name]) for name in names),
        )
    Console(width=140).print(table)
    for source, figures in reports.items():
        said = " ".join(
            f"{said:.2f}/{right:.2f} ({count})" for said, right, count in figures["relevance: said, right, turns"]
        )
        print(f"{source}: relevance said/right (turns): {said}")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("file", nargs="?", type=Path, help="LoCoMo, to validate on")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--longmemeval", type=Path)
    parser.add_argument("--most", type=int, default=101, help="how many conversations of LongMemEval")
    parser.add_argument("--every", type=int, default=1, help="look at one in so many questions of LoCoMo")
    parser.add_argument("--kept", type=Path, default=Path("out/floor"), help="memories, kept between runs")
    options = parser.parse_args()
    strange = [each["ask"] for each in labels("foreign", options)]
    known = list(ours(options, strange))
    if options.fit:
        known += _to_fit(options, strange)
        fitted = fit({source.name: list(look(source, options.kept, contexts=False)) for source in known})
        target = Path(__file__).parents[1] / "src" / "hmem" / "retrieval" / FILE
        target.write_text(json.dumps(fitted, indent=1) + "\n", "utf-8")
        print(f"fitted: {json.dumps(fitted)}")
        return
    if options.file:
        known.append(loaded("locomo", locomo.load(options.file), strange, every=options.every))
    reports = {source.name: report(list(look(source, options.kept, contexts=True))) for source in known}
    show(reports)
    keep(reports, options)


def _to_fit(options: argparse.Namespace, strange: Sequence[str]) -> Iterator[Source]:
    lives = (generate(seed, kind=kind) for seed in LIVES for kind in ("friends", "assistant"))
    yield loaded("lives", lives, strange, OF_A_LIFE)
    if options.longmemeval:
        # Of a history of talk with an assistant, what is asked of it, a fact of the world may well be a part.
        personal = [each["ask"] for each in labels("foreign", options) if each["kind"] == "personal"]
        yield loaded("lme", longmemeval.load(options.longmemeval)[: options.most], personal)


if __name__ == "__main__":
    main()
