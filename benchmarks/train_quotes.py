"""Training of quotation and of what is newer: `python benchmarks/train_quotes.py [--dry]`.

Fits ``src/hmem/retrieval/answer/quoting.json`` and ``src/hmem/retrieval/later.json`` to the labelled chats of ``open``
(benchmarks/data/chats), by regressions with a fixed order, so that the same labels give the same weights. It prints how
each fares on a chat that was left out: the share of questions whose answer stands in the best sentences, the share of
changes whose newer turn is the likeliest, and what different thresholds of abstaining give. ``--dry`` writes nothing.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.chats import Chat, Question, read_chats
from benchmarks.floor import logistic, sources_of
from benchmarks.quoted import holds

from hmem import Memory
from hmem.recipes import recipe
from hmem.retrieval.answer.candidates import FILE, SIGNS, Candidate, candidates_of
from hmem.retrieval.answer.quoting import ANSWER_SIGNS, QuestionFit, answer_signs, best_of, excerpt, question_fit
from hmem.retrieval.later import CHANCE, chance_signs, signs_of
from hmem.retrieval.later import SIGNS as LATER
from hmem.retrieval.passes import StageClock
from hmem.retrieval.pipeline import ANSWERED_FROM, RetrievalPipeline
from hmem.retrieval.stages import relevance_of

PLACE: Final = Path(__file__).parents[1] / "src" / "hmem" / "retrieval"
STEPS: Final = 200
RATE: Final = 1.0
RIDGE: Final = 0.02
# Chance of being right below which a quotation is an abstention.
LEAST: Final = 0.6
# Chance of being about the same from which on a later turn may say otherwise than what is quoted.
NEWER: Final = 0.1

Values = NDArray[np.float64]


class Asked(NamedTuple):
    """A question with its candidates, and what of it tells if one of them has the answer."""

    chat: str
    question: Question
    candidates: list[Candidate]
    signs: QuestionFit


class Followed(NamedTuple):
    """Signs of the turns behind a turn (turns, signs); which change what it says, and which are about the same."""

    chat: str
    signs: Values
    changes: NDArray[np.bool_]
    same: NDArray[np.bool_]


class Choice(NamedTuple):
    """Options (options, signs), and which of them are right."""

    signs: Values
    right: NDArray[np.bool_]


def observed(chat: Chat) -> tuple[list[Asked], list[Followed]]:
    """Return what there is to learn from a chat."""
    asked: list[Asked] = []
    followed: list[Followed] = []
    with TemporaryDirectory() as folder, Memory(Path(folder) / "chat.hmem", recipe="flat") as memory:
        memory.add(chat.messages())
        with sources_of(memory) as sources:
            pipeline = RetrievalPipeline(sources, recipe("fusion").retrieval)
            sources.begin(ANSWERED_FROM)
            for question in chat.questions:
                recalled = pipeline._recall(question.text, chat.asked_at, None, StageClock(), None)
                found = list(pipeline._informative_evidence(recalled, ANSWERED_FROM).values())
                query = recalled.query
                candidates = candidates_of(sources, query, found).entries
                above = relevance_of(sources, recalled).similarity_margin
                asked.append(Asked(chat.name, question, candidates, question_fit(sources, query, candidates, above)))
            turns = sources.corpus.turns(np.arange(len(sources.corpus.columns)))
            numbers = {row: int(turn.message_id or 0) for row, turn in turns.items()}
            for row, turn in turns.items():
                if chat.turns[numbers[row] - 1].role != "user":
                    continue
                ((rows, signs),) = signs_of(sources, pipeline.read(turn.text)[1], {row: turn})
                later = [numbers[each] for each in rows.tolist()]
                pairs = [(a[0], b[0], kind) for a, b, kind in chat.pairs if a[0] == numbers[row]]
                changes = {b for _, b, kind in pairs if kind == "changes"}
                same = {b for _, b, kind in pairs if kind != "none"}
                followed.append(Followed(chat.name, signs.T, np.isin(later, [*changes]), np.isin(later, [*same])))
    return asked, followed


def chosen(choices: Sequence[Choice]) -> Values:
    """Return the weights that make the right options likeliest: a softmax over the options of each choice."""
    useful = [each for each in choices if each.right.any()]
    stacked = np.concatenate([each.signs for each in useful])
    mean, spread = stacked.mean(axis=0), stacked.std(axis=0) + 1e-9
    weights = np.zeros(stacked.shape[1])
    for _ in range(STEPS):
        step = np.zeros_like(weights)
        for each in useful:
            signs = (each.signs - mean) / spread
            worth = signs @ weights
            chance = np.exp(worth - worth.max())
            chance /= chance.sum()
            target = chance * each.right
            step += signs.T @ (target / target.sum() - chance)
        weights += RATE * (step / len(useful) - RIDGE * weights)
    return weights / spread


def turns_of(asked: Asked) -> Choice:
    signs = np.array([each.signs for each in asked.candidates], np.float64)
    return Choice(signs, np.array([holds(excerpt(each), asked.question) for each in asked.candidates]))


def quotation(asked: Asked, weights: Values) -> tuple[str, list[float]]:
    """Return what is quoted, and the signs that it tells."""
    scores = (np.array([each.signs for each in asked.candidates]) @ weights).astype(np.float32)
    text = "\n".join(excerpt(each) for each in best_of(asked.candidates, scores))
    signs = answer_signs(asked.signs, asked.candidates, scores)
    return text, [signs[name] for name in ANSWER_SIGNS]


def main() -> None:
    asked: list[Asked] = []
    followed: list[Followed] = []
    for chat in read_chats("open"):
        found = observed(chat)
        asked += found[0]
        followed += found[1]
        print(chat.name, file=sys.stderr)
    asked = [each for each in asked if each.candidates]
    names = list(dict.fromkeys(each.chat for each in asked))
    told: list[tuple[Asked, str, list[float]]] = []
    for name in names:
        weights = chosen([turns_of(each) for each in asked if each.chat != name and each.question.kind != "never"])
        told += [(each, *quotation(each, weights)) for each in asked if each.chat == name]
    for kind in ("plain", "now", "then"):
        some = [holds(text, each.question) for each, text, _ in told if each.question.kind == kind]
        print(f"{kind}: the answer stands in what is quoted: {np.mean(some):.3f} of {len(some)}")
    signs = np.array([each[2] for each in told])
    right = np.array([holds(text, each.question) for each, text, _ in told], float)
    kinds = np.array([each.question.kind for each, _, _ in told])
    chances = np.zeros(len(told))
    for name in names:
        out = np.array([each.chat == name for each, _, _ in told])
        found = logistic(signs[~out], right[~out], np.ones(int((~out).sum())))
        chances[out] = 1 / (1 + np.exp(-signs[out] @ found))
    print("least: never abstained; plain holds, wrong; now; then")
    for least in (0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7):
        row = [f"{np.mean(chances[kinds == 'never'] < least):.3f}"]
        for kind in ("plain", "now", "then"):
            of, said = kinds == kind, chances >= least
            row.append(f"{np.mean(right[of] * said[of]):.3f}, {np.mean((1 - right[of]) * said[of]):.3f}")
        print(f"{least}: {'; '.join(row)}")
    later = chosen_later(followed, names)
    weights = chosen([turns_of(each) for each in asked if each.question.kind != "never"])
    final = np.array([quotation(each, weights)[1] for each in asked])
    coefficients = logistic(final, right_of(asked, weights), np.ones(len(asked)))
    if "--dry" in sys.argv:
        return
    usual = {f"usual_{name}": round(float(final[:, ANSWER_SIGNS.index(name)].mean()), 4) for name in ("lead", "above")}
    write(
        PLACE / "answer" / FILE,
        {
            "turn": named(SIGNS, weights),
            "told": {**named(ANSWER_SIGNS, coefficients), **usual, "least": LEAST, "newer": NEWER},
        },
    )
    write(PLACE / "later.json", later)


def right_of(asked: Sequence[Asked], weights: Values) -> Values:
    return np.array([holds(quotation(each, weights)[0], each.question) for each in asked], float)


def chosen_later(followed: Sequence[Followed], names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Fit what is newer, print how it fares on a chat left out, and return the weights."""
    some = [each for each in followed if len(each.signs)]
    first: list[bool] = []
    likeliest: list[tuple[str, Values, bool, bool]] = []
    for name in names:
        weights = chosen([Choice(each.signs, each.changes) for each in some if each.chat != name])
        own = [(each, *likeliest_of(each, weights)) for each in some if each.chat == name]
        likeliest += [(name, signs, bool(each.changes[best]), bool(each.same[best])) for each, best, signs in own]
        first += [bool(each.changes[best]) for each, best, _ in own if each.changes.any()]
    print(f"the likeliest later turn is the change: {np.mean(first):.3f} of {len(first)}")
    signs, chats = np.array([each[1] for each in likeliest]), np.array([each[0] for each in likeliest])
    changes, same = np.array([each[2] for each in likeliest]), np.array([each[3] for each in likeliest], float)
    chances = np.zeros(len(same))
    for name in names:
        out = chats == name
        found = logistic(signs[~out], same[~out], np.ones(int((~out).sum())))
        chances[out] = 1 / (1 + np.exp(-signs[out] @ found))
    for least in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6):
        over = chances >= least
        share, caught = np.mean(same[over]) if over.any() else 0.0, changes[over].sum() / max(len(first), 1)
        print(f"newer from {least}: {over.mean():.2f} of turns, same matter {share:.2f}, changes {caught:.2f}")
    weights = chosen([Choice(each.signs, each.changes) for each in some])
    final = [likeliest_of(each, weights) for each in some]
    told = np.array([float(each.same[best]) for each, (best, _) in zip(some, final, strict=True)])
    coefficients = logistic(np.array([signs for _, signs in final]), told, np.ones(len(told)))
    return {"later": named(LATER, weights), "chance": named(CHANCE, coefficients)}


def likeliest_of(followed: Followed, weights: Values) -> tuple[int, Values]:
    """Return the place of the likeliest later turn, and its signs that it is about the same."""
    worth = followed.signs @ weights
    best = int(np.argmax(worth))
    return best, chance_signs(followed.signs.T, worth)[:, best]


def named(names: Sequence[str], values: Values) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in zip(names, values, strict=True)}


def write(file: Path, told: Any) -> None:
    file.write_text(json.dumps(told, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
