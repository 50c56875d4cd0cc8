"""Relevance and its cut: ``python benchmarks/floor.py [--fit] [--held-back] [--locomo FILE] [--recipe NAME]``.

Asks the questions and the cues of our own talks (benchmarks/data/talks), and what is unrelated to them, and prints what
comes by default: its precision, its recall, and how often nothing comes where nothing is relevant; for searches and for
contexts, of questions and of statements. ``--held-back`` opens the other half of the talks, for a final figure.
``--locomo`` adds the evidence in contexts of 1,272 tokens with the cut and without it.

``--fit`` fits ``src/hmem/retrieval/relevance.json`` first, to the talks of ``rank`` and of ``open``, and prints what
other cuts would give. Precision is that of all that came for queries to which something is relevant and of what came
for the others, together, as users see it.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.talks import Query as Labelled
from benchmarks.talks import Said, Talk, english

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter, TextWriterOptions
from hmem.language.analyst import analyst
from hmem.recipes import recipe
from hmem.retrieval.config import find
from hmem.retrieval.pipeline import RetrievalPipeline
from hmem.retrieval.relevance import FILE, MEMORY_SIGNS, TURN_SIGNS, WORD_SIGNS, Signs
from hmem.retrieval.sources import Sources
from hmem_evals import locomo
from hmem_evals.asking import gold_of

TARGET: Final = Path(__file__).parents[1] / "src" / "hmem" / "retrieval" / FILE
BUDGET: Final = 1_272
# Memories of several talks that coefficients are fitted to beside those of one.
_GROUPS: Final = 4
# Turns of a query that are looked at; and how far coefficients are kept from growing.
DEPTH: Final = 60
RIDGE: Final = 0.3
# What the best evidence has to reach, and what each piece has to, by default; and what else is tried.
CUT: Final = {"question": {"best": 0.15, "each": 0.05}, "statement": {"best": 0.07, "each": 0.02}}
CUTS: Final = ((0.05, 0.01), (0.05, 0.02), (0.07, 0.02), (0.1, 0.05), (0.15, 0.05), (0.2, 0.05), (0.2, 0.1), (0.3, 0.1))

Values = NDArray[np.float64]


class Asked(NamedTuple):
    """Signs of a query and of its best turns, and which of these are wanted; ``count`` turns are."""

    statement: bool
    told: Mapping[str, float]
    turns: Mapping[str, Any]
    wanted: NDArray[np.bool_]
    count: int
    dialogue: bool = False


class Came(NamedTuple):
    """What came for a query: how many turns, how many of them are wanted, and how many are."""

    statement: bool
    number: int
    right: int
    wanted: int


@contextmanager
def sources_of(memory: Memory) -> Iterator[Sources]:
    """Yield the sources of a memory, held still, with nothing formed."""
    language = analyst("verbatim")
    derived = DerivedState(memory.corpus, language)
    with memory.corpus.reading():
        writer = TextWriter(memory.corpus, derived, language, TextWriterOptions())
        yield Sources(memory.corpus, derived, writer, language)


def queries(talk: Talk) -> tuple[Labelled, ...]:
    return (*talk.questions, *talk.cues, *talk.unrelated)


def sitting(talk: Talk) -> Talk:
    """Return the sitting of a talk that tells of most queries, with these, as the memory of somebody who begins."""

    def within(turns: Sequence[Said], labelled: Sequence[Labelled]) -> tuple[Labelled, ...]:
        numbers = {turn.number for turn in turns}
        return tuple(each for each in labelled if numbers.issuperset(each.turns))

    sittings = [tuple(turn for turn in talk.turns if turn.session == name) for name in {t.session for t in talk.turns}]
    best = max(sittings, key=lambda turns: (len(within(turns, (*talk.questions, *talk.cues))), turns[0].number))
    return replace(talk, turns=best, questions=within(best, talk.questions), cues=within(best, talk.cues))


def signs_of(talks: Sequence[Talk], others: Sequence[Labelled], name: str) -> list[Asked]:
    """Return the signs of each query of some talks in one memory, and of unrelated ones of other talks."""
    made: list[Asked] = []
    with TemporaryDirectory() as folder, Memory(Path(folder) / "talk.hmem", recipe="flat") as memory:
        for talk in talks:
            prefix = f"{talk.name} "
            memory.add(
                [
                    {**each, **{key: f"{prefix}{each[key]}" for key in ("message_id", "session")}}
                    for each in talk.messages()
                ]
            )
        asked = [(talk, each) for talk in talks for each in queries(talk)] + [(talks[-1], each) for each in others]
        with sources_of(memory) as sources:
            reading = recipe(name).retrieval
            pipeline = RetrievalPipeline(sources, reading)
            turns = memory.corpus.turns(np.arange(len(memory.corpus.columns)))
            for talk, labelled in asked:
                _, query = pipeline.read(labelled.text, max(each.asked_at for each in talks))
                scored = find(sources, query, reading)[-1]
                rows = scored.rows[:DEPTH]
                signs = Signs(sources, query, scored.rows, scored.scores)
                wanted = {f"{talk.name} {number}" for number in labelled.turns}
                made.append(
                    Asked(
                        query.statement,
                        signs.memory_signs,
                        signs.turn_signs(rows, np.arange(len(rows))),
                        np.array([turns[row].message_id in wanted for row in rows.tolist()]),
                        len(wanted),
                    )
                )
    return made


def logistic(rows: Values, labels: Values, weights: Values) -> Values:
    """Return the coefficients of a logistic regression, by Newton's method; the first column is the bias."""
    found = np.zeros(rows.shape[1])
    penalty = np.full(rows.shape[1], RIDGE)
    penalty[0] = 1e-6
    for _ in range(50):
        chance = 1 / (1 + np.exp(-rows @ found))
        gradient = rows.T @ (weights * (labels - chance)) - penalty * found
        curvature = (rows * (weights * chance * (1 - chance))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        found += step
        if np.abs(step).max() < 1e-6:
            break
    return found


def fitted(asked: Sequence[Asked]) -> dict[str, dict[str, dict[str, float]]]:
    """Return the coefficients of questions and of statements."""
    made: dict[str, dict[str, dict[str, float]]] = {}
    for kind in ("question", "statement"):
        some = [each for each in asked if each.statement == (kind == "statement")]
        of_memory, of_turn = (
            [name for name in all_ if kind == "question" or name not in WORD_SIGNS]
            for all_ in (MEMORY_SIGNS, TURN_SIGNS)
        )
        told = np.array([[each.told[name] for name in of_memory] for each in some])
        answered = np.array([float(each.count > 0) for each in some])
        # As many tellings as there are of the other, in weight.
        weights = np.where(answered > 0, 1.0, answered.sum() / max((1 - answered).sum(), 1))
        right = [each for each in some if each.count]
        rows = np.concatenate(
            [
                np.stack([np.broadcast_to(each.turns[name], len(each.wanted)) for name in of_turn], axis=1)
                for each in right
            ]
        )
        labels = np.concatenate([each.wanted for each in right]).astype(float)
        made[kind] = {
            "cut": CUT[kind],
            "told": _named(of_memory, logistic(told, answered, weights)),
            "turn": _named(of_turn, logistic(rows.astype(float), labels, np.ones(len(labels)))),
        }
    return made


def _named(names: Iterable[str], values: Values) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in zip(names, values, strict=True)}


def relevances(each: Asked, coefficients: Mapping[str, Mapping[str, Mapping[str, float]]]) -> Values:
    """Return the relevance of the best turns of a query."""
    own = coefficients["statement" if each.statement else "question"]
    told = 1 / (1 + np.exp(-sum(weight * each.told[name] for name, weight in own["told"].items())))
    return told / (
        1 + np.exp(-sum(weight * np.asarray(each.turns[name], float) for name, weight in own["turn"].items()))
    )


def tell(title: str, came: Sequence[Came]) -> None:
    """Print precision, recall and the share of nothing where nothing is relevant."""
    told = [each for each in came if each.wanted]
    none = [each for each in came if not each.wanted]
    number, right = sum(each.number for each in came), sum(each.right for each in came)
    alone = sum(each.number for each in told)
    empty = f"{np.mean([not each.number for each in none]):.3f} of {len(none)}" if none else "-"
    recall = float(np.mean([each.right / each.wanted for each in told])) if told else 0.0
    print(
        f"{title:<30} precision {right / max(number, 1):.3f} (of those with an answer {right / max(alone, 1):.3f}), "
        f"recall {recall:.3f} of {len(told)}, nothing where nothing is relevant {empty}, "
        f"{number / max(len(came), 1):.1f} turns a query",
        flush=True,
    )


def swept(asked: Sequence[Asked], coefficients: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
    """Print what each cut would give."""
    for kind in ("question", "statement"):
        some = [each for each in asked if each.statement == (kind == "statement")]
        for best, least in CUTS:
            came: list[Came] = []
            for each in some:
                found = relevances(each, coefficients)[:10]
                kept = (found >= least) & (found.max(initial=0.0) >= best)
                came.append(Came(each.statement, int(kept.sum()), int((kept & each.wanted[:10]).sum()), each.count))
            tell(f"{kind}s, cut {best}, {least}", came)


def measured(talks: Sequence[Talk], name: str, k: int) -> None:
    """Print what comes by default, for the queries of some talks."""
    searched: list[Came] = []
    contexts: list[Came] = []
    for talk in talks:
        with TemporaryDirectory() as folder, Memory(Path(folder) / "talk.hmem", recipe=name) as memory:
            memory.add(talk.messages())
            for query in queries(talk):
                wanted = {str(number) for number in query.turns}
                for found, into in (
                    (memory.search(query.text, k, at=talk.asked_at), searched),
                    (memory.context(query.text, 600, at=talk.asked_at).evidence, contexts),
                ):
                    ids = {item.message_id for item in found if item.kind == "turn"}
                    into.append(Came(query.statement, len(ids), len(ids & wanted), len(wanted)))
    for what, came in (("search", searched), ("context of 600 tokens", contexts)):
        for kind in (False, True):
            some = [each for each in came if each.statement == kind]
            tell(f"{what}, {'statements' if kind else 'questions'}", some)
        tell(f"{what}, all", came)


def bounded(file: Path, name: str) -> None:
    """Print the evidence in contexts with the cut and without it."""
    shares: dict[str, list[float]] = {"with the cut": [], "without": []}
    for conversation in locomo.load(file):
        end = max(message["at"] for message in conversation.messages)
        with (
            TemporaryDirectory() as folder,
            Memory(Path(folder) / "talk.hmem", recipe=name) as memory,
            Memory(Path(folder) / "talk.hmem", recipe=name, settings={"context.floor": "0"}) as uncut,
        ):
            memory.add(list(conversation.messages))
            for question, gold in zip(conversation.questions, gold_of(conversation), strict=True):
                if question.unanswerable or not gold.evidence:
                    continue
                for title, asked in (("with the cut", memory), ("without", uncut)):
                    found = asked.context(question.text, BUDGET, at=question.at or end).evidence
                    ids = {item.message_id for item in found}
                    shares[title].append(len(ids & set(gold.evidence)) / len(set(gold.evidence)))
    print(f"{file.name}, {BUDGET} tokens:", *(f"{title} {np.mean(each):.4f}" for title, each in shares.items()))


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--fit", action="store_true")
    arguments.add_argument("--held-back", action="store_true")
    arguments.add_argument("--locomo", type=Path)
    arguments.add_argument("--recipe", default="fusion")
    arguments.add_argument("--k", type=int, default=10)
    chosen = arguments.parse_args()
    if chosen.fit:
        fit(chosen.recipe)
    if chosen.held_back:
        commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout
        print("commit", commit.strip())
    measured(english("held" if chosen.held_back else "open"), chosen.recipe, chosen.k)
    if chosen.locomo:
        bounded(chosen.locomo, chosen.recipe)


def fit(name: str) -> None:
    """Fit the coefficients, write them, and print what cuts would give on talks that were not fitted to."""
    talks = [*english("rank"), *english("open")]
    asked: list[list[Asked]] = []
    for place, talk in enumerate(talks):
        # What people ask of another memory is unrelated to this one, as a rule.
        other = talks[(place + 5) % len(talks)]
        asked.append(signs_of([talk], other.unrelated, name))
        asked[-1] += signs_of([sitting(talk)], (), name)
    # A larger memory has something near to any question: several talks in one tell how much nearer.
    asked += [signs_of(talks[place::_GROUPS], (), name) for place in range(_GROUPS)]
    halves = [[each for own in asked[half::2] for each in own] for half in (0, 1)]
    for half in (0, 1):
        print(f"Half {half + 1}, fitted to the other:")
        swept(halves[half], fitted(halves[1 - half]))
    TARGET.write_text(json.dumps(fitted([*halves[0], *halves[1]]), indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
