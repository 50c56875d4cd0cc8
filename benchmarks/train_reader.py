"""Training of the answer reader, whose weights it writes: `python benchmarks/train_reader.py [--longmemeval FILE]`.

It uses data with a free licence: the small talk of ``reader_dialogues.txt``, the example of ten months, LongMemEval
(MIT) if its file is given, and simulated lives for the probability of being right only (phrases learned from lives
transferred worse to LoCoMo: an F1 of 0.264 against 0.277 on its single-hop questions).
The phrase ranker is linear; it is trained question by question to weight phrases by their token F1 (cross-entropy
against a softmax of the F1), with shared features and a correction for each kind of question. Then two logistic
functions are fitted to features of the whole answer: whether the evidence supports the question, and whether the answer
is right. Everything is seeded, so the same data give the same weights.
"""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem import Memory
from hmem.interfaces.formats import longmemeval
from hmem.interfaces.formats.conversations import Conversation, Question
from hmem.retrieval.answer import candidates as ranking
from hmem.retrieval.answer.answering import candidates_of, draft, measured
from hmem.retrieval.answer.candidates import CATEGORIES, DENSE, GROUPS, names_of_features
from hmem.retrieval.answer.confidence import SIGNS
from hmem_evals.answers import RIGHT, canonical, simplify
from hmem_evals.metrics import token_f1
from hmem_evals.synthetic import generate

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
WEIGHTS = HERE.parent / "src/hmem/retrieval/answer/weights.json"
FOUND = 30
EPOCHS, BATCH, RATE, DECAY, SHARPNESS = 12, 16, 0.02, 1e-2, 0.2
# Sessions without the answer for each one of them that is read.
THINNED = 4
# Scale of the correction for each kind of question.
OWN = 0.3
# The dialogues are closest to real talk, and count twice.
TWICE = "dialogues"
# ``SUPPORTED_BY`` omits LongMemEval: its unanswerable questions differ in kind, not in speaker.
SEEDS = range(1, 5)
SUPPORTED_BY = ("dialogues", "ten_months")

Values = NDArray[np.float32]


class Row(NamedTuple):
    """Candidates of one question: categories, columns, and the F1 of each."""

    group: int
    ids: NDArray[np.int64]
    dense: Values
    f1: Values


def dialogues() -> Conversation:
    """Return the small talk with its questions."""
    messages: list[dict[str, Any]] = []
    questions: list[Question] = []
    session, at = "", datetime(2024, 1, 1, tzinfo=UTC)
    for number, line in enumerate((HERE / "reader_dialogues.txt").read_text("utf-8").splitlines()):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("@"):
            day = line[2:].partition(" ")[0]
            session, at = f"d{day}", datetime.fromisoformat(day).replace(hour=18, tzinfo=UTC)
        elif line.startswith("["):
            messages[-1]["caption"] = line.strip("[]")
        elif line.startswith("? "):
            text, _, answer = line[2:].partition(" = ")
            questions.append(Question(f"q{number}", text, answer, "told", ()))
        elif line.startswith("! "):
            questions.append(Question(f"q{number}", line[2:], "", "not told", (), unanswerable=True))
        else:
            speaker, _, text = line.partition(": ")
            at += timedelta(minutes=1)
            name = f"{session}:{len(messages)}"
            messages.append({"text": text, "speaker": speaker, "at": at, "session": session, "message_id": name})
    return Conversation("dialogues", tuple(messages), tuple(questions))


def ten_months() -> Conversation:
    """Return the bundled example."""
    lines = (EXAMPLES / "ten_months.jsonl").read_text("utf-8").splitlines()
    messages = [{("message_id" if k == "id" else k): v for k, v in json.loads(line).items()} for line in lines]
    asked = json.loads((EXAMPLES / "ten_months.questions.json").read_text("utf-8"))
    questions = [
        Question(q["id"], q["question"], q["answer"], q["category"], (), unanswerable=q["category"] == "adversarial")
        for q in asked
    ]
    return Conversation("ten_months", tuple(messages), tuple(questions))


def thinned(conversation: Conversation) -> Conversation:
    """Return a haystack with the sessions that hold the answer and some of the others, to save time."""
    gold = {session for question in conversation.questions for session in question.sessions}
    others = [name for name in dict.fromkeys(m["session"] for m in conversation.messages) if name not in gold]
    kept = gold | set(others[::THINNED])
    return replace(conversation, messages=tuple(m for m in conversation.messages if m["session"] in kept))


def opened(conversations: Iterable[Conversation], folder: Path) -> Iterator[tuple[Conversation, Memory]]:
    """Yield each conversation with its memory in a folder, filled on first use, which takes most of the time."""
    for number, conversation in enumerate(conversations):
        path = folder / f"{number}.hmem"
        filled = path.exists()
        with Memory(path) as memory:
            if not filled:
                memory.add(conversation.messages)
                memory.flush()
            yield conversation, memory


def f1_of(text: str, question: Question) -> float:
    return token_f1(canonical(simplify(text)), canonical(question.answer))


def row_of(memory: Memory, question: Question) -> Row | None:
    """Return the candidates of a question; None if it is answered in another way or no candidate comes near."""
    found = memory.search(question.text, FOUND)
    recall, sources = memory._components.retrieval.recall, memory._components.retrieval.sources
    with memory.corpus.reading():
        _, query = recall.read(question.text, question.at)
        reader = sources.analyst.answer_reader
        asked = reader.target(query.text, query.names, query.part)
        if question.unanswerable or asked.kind in ("when", "polar") or reader.asks_for_value(asked):
            return None
        candidates = candidates_of(sources, asked, measured(sources, query, asked, found.evidence))
    f1 = np.array([f1_of(candidates.text(i), question) for i in range(len(candidates))], np.float32)
    return Row(candidates.group, candidates.ids, candidates.dense, f1) if len(f1) and f1.max() > 0.3 else None


def signs_of(memory: Memory, question: Question) -> tuple[list[float], bool, bool] | None:
    """Return the features of an answer, whether the question is answerable, and whether the answer is right."""
    found = memory.search(question.text, FOUND)
    recall, sources = memory._components.retrieval.recall, memory._components.retrieval.sources
    with memory.corpus.reading():
        drafted = draft(sources, recall.read(question.text, question.at)[1], found.evidence)
    if drafted is None or not drafted[0].text:
        return None
    reply, values = drafted
    told = not question.unanswerable
    return [values[name] for name in SIGNS], told, told and f1_of(reply.text, question) >= RIGHT


def train(rows: Sequence[Row]) -> NDArray[np.float64]:
    """Return the weights of the ranker, trained by Adam with weight decay."""
    size = len(names_of_features())
    weights, first, second = np.zeros(size), np.zeros(size), np.zeros(size)
    dice, step = np.random.default_rng(0), 0
    for _ in range(EPOCHS):
        order = dice.permutation(len(rows))
        for start in range(0, len(order), BATCH):
            gradient = np.zeros(size)
            for i in order[start : start + BATCH]:
                add_gradient(weights, rows[i], gradient)
            gradient = gradient / BATCH - DECAY * weights
            step += 1
            first = 0.9 * first + 0.1 * gradient
            second = 0.999 * second + 0.001 * gradient**2
            weights += RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-6)
    return weights


def add_gradient(weights: NDArray[np.float64], row: Row, gradient: NDArray[np.float64]) -> None:
    """Add the gradient of a question: the target shares of its candidates less the predicted ones."""
    width = len(names_of_features()) // (len(GROUPS) + 1)
    plain, shift = width - len(DENSE), width * (1 + row.group)
    both = weights[plain:width] + weights[plain + shift : width + shift]
    scores = weights[row.ids].sum(1) + weights[row.ids + shift].sum(1) + row.dense @ both
    shares = np.exp(scores - scores.max())
    wanted = np.exp(row.f1 / SHARPNESS) - 1
    pull = wanted / wanted.sum() - shares / shares.sum()
    for column in range(len(CATEGORIES)):
        counted = np.bincount(row.ids[:, column], weights=pull, minlength=plain)[:plain]
        gradient[:plain] += counted
        gradient[shift : shift + plain] += OWN * counted
    gradient[plain:width] += pull @ row.dense
    gradient[plain + shift : width + shift] += OWN * (pull @ row.dense)


def logistic(signs: NDArray[np.float64], true: NDArray[np.bool_], *, balanced: bool) -> dict[str, float]:
    """Return the coefficients of a logistic function, with a small penalty; ``balanced``: equal weight per outcome."""
    scale = signs.std(0) + 1e-6
    scale[0] = 1.0
    scaled, wanted = signs / scale, true.astype(float)
    weight = np.where(true, 1 / true.sum(), 1 / (~true).sum()) if balanced else np.ones(len(true))
    weight /= weight.mean()
    found = np.zeros(signs.shape[1])
    penalty = 0.01 * (np.arange(len(found)) > 0)
    for _ in range(50):
        shares = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (weight * (wanted - shares)) / len(true) - penalty * found
        bend = (scaled.T * (weight * shares * (1 - shares))) @ scaled / len(true) + np.diag(penalty + 1e-6)
        found += np.linalg.solve(bend, slope)
    return {name: round(float(value), 3) for name, value in zip(SIGNS, found / scale, strict=True)}


def write(content: dict[str, dict[str, float]]) -> None:
    WEIGHTS.write_text(json.dumps(content, indent=0, sort_keys=True) + "\n", "utf-8")
    ranking.forget()


def main() -> None:
    """Train on all given data and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--longmemeval", type=Path, help="LongMemEval-S, to train on as well")
    given = parser.parse_args()
    conversations = [dialogues(), ten_months()]
    if given.longmemeval:
        conversations += [thinned(each) for each in longmemeval.load(given.longmemeval)]
    with TemporaryDirectory() as folder:
        print(fitted(conversations, Path(folder)))


def fitted(conversations: Sequence[Conversation], folder: Path) -> str:
    """Write the weights of the ranker, then the coefficients that depend on them; return the numbers of cases."""
    write({"spans": {}, "supported": {}, "right": {}})
    rows: list[Row] = []
    for conversation, memory in opened(conversations, folder):
        for question in conversation.questions:
            row = row_of(memory, question)
            rows += [row] * (0 if row is None else 2 if conversation.id == TWICE else 1)
    named = zip(names_of_features(), train(rows).tolist(), strict=True)
    spans = {name: round(value, 3) for name, value in named if abs(value) >= 0.0005}
    write({"spans": spans, "supported": {}, "right": {}})
    held: list[tuple[str, list[float], bool, bool]] = []
    for conversation, memory in opened([*conversations, *(generate(seed) for seed in SEEDS)], folder):
        for question in conversation.questions:
            found = signs_of(memory, question)
            held += [] if found is None else [(conversation.id, *found)]
    chosen = [row for row in held if row[0] in SUPPORTED_BY]
    supported = logistic(np.array([row[1] for row in chosen]), np.array([row[2] for row in chosen]), balanced=True)
    right = logistic(np.array([row[1] for row in held]), np.array([row[3] for row in held]), balanced=False)
    write({"spans": spans, "supported": supported, "right": right})
    return f"{len(rows)} questions with candidates, {len(held)} answers; {len(spans)} weights in {WEIGHTS.name}"


if __name__ == "__main__":
    main()
