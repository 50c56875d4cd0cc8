"""Training of the answer reader, whose weights it writes: `python benchmarks/train_reader.py [--longmemeval FILE]`.

It uses data with a free licence: the small talk of ``reader_dialogues.txt``, the talk of many kinds of
``reader_talk.txt``, the development part of ``questions.json``, the example of ten months, and LongMemEval (MIT) if
its file is given. ``--memories FOLDER`` keeps
the memories for the next time; ``--unseen`` prints how the talk is answered that is kept unseen, and trains nothing.
The phrase ranker is linear; it is trained question by question to weight phrases by their token F1 (cross-entropy
against a softmax of the F1), with shared features and a correction for each kind of question. Then two logistic
functions are fitted to features of the whole answer: whether the memory holds the answer, and whether the reply is
right. The replies that they learn from are of questions that their ranker did not see: one ranker is trained on each
half of the questions. Everything is seeded, so the same data give the same weights.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.asked import right
from benchmarks.labelled import DATA, DEVELOPMENT, Phrase, message

from hmem import Memory
from hmem.interfaces.formats import longmemeval
from hmem.interfaces.formats.conversations import Conversation, Question
from hmem.retrieval.answer import candidates as ranking
from hmem.retrieval.answer.answering import by_rule, candidates_of, draft, measured, target_of
from hmem.retrieval.answer.candidates import CATEGORIES, DENSE, GROUPS, names_of_features
from hmem.retrieval.answer.confidence import SIGNS
from hmem_evals.answers import RIGHT, AnswerScore, calibration, canonical, simplify
from hmem_evals.metrics import token_f1

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
WEIGHTS = HERE.parent / "src/hmem/retrieval/answer/weights.json"
FOUND = 30
EPOCHS, BATCH, RATE, DECAY, SHARPNESS = 20, 16, 0.02, 1e-2, 0.2
# Sessions without the answer for each one of them that is read.
THINNED = 4
# Scale of the correction for each kind of question.
OWN = 0.3
# Number of questions of a conversation that are kept together.
BLOCK = 40
# Penalty of the logistic functions.
PENALTY = 0.01
# LongMemEval has too few unanswerable questions to learn from whether the memory holds an answer.
TOLD_BY = ("dialogues", "ten_months", "talk", "questions")
# Spellings of an answer are parted by this.
OR = " | "
ASSISTANTS = frozenset({"assistant", "tutor", "coach", "agent", "helpdesk"})

Values = NDArray[np.float32]


class Row(NamedTuple):
    """Candidates of one question: categories, columns, and the F1 of each."""

    group: int
    ids: NDArray[np.int64]
    dense: Values
    f1: Values


def dialogues() -> Conversation:
    """Return the small talk with its questions."""
    lines = (HERE / "reader_dialogues.txt").read_text("utf-8").splitlines()
    return written("dialogues", [*enumerate(lines)])


def talks(opening: str = "%") -> list[Conversation]:
    """Return the talk of many kinds, a conversation each: that to train on, or (``~``) that which is kept unseen."""
    held: list[tuple[str, list[tuple[int, str]]]] = []
    for number, line in enumerate((HERE / "reader_talk.txt").read_text("utf-8").splitlines()):
        if line.startswith(("% ", "~ ")):
            held.append((line, []))
        elif held:
            held[-1][1].append((number, line))
    return [written(f"talk {name[2:]}", lines) for name, lines in held if name.startswith(opening)]


def written(name: str, lines: Sequence[tuple[int, str]]) -> Conversation:
    """Return the conversation of numbered lines in the form that ``reader_dialogues.txt`` tells; a day is a session."""
    messages: list[dict[str, Any]] = []
    questions: list[Question] = []
    session, at = "", datetime(2024, 1, 1, tzinfo=UTC)
    for number, line in lines:
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
            message = {"text": text, "speaker": speaker, "at": at, "session": session}
            role = {"role": "assistant"} if speaker in ASSISTANTS else {}
            messages.append({**message, **role, "message_id": f"{session}:{len(messages)}"})
    end = at + timedelta(days=1)
    return Conversation(name, tuple(messages), tuple(replace(each, at=end) for each in questions))


def other_talk() -> list[Conversation]:
    """Return the dialogues of ``questions.json`` that are for development; without yes-or-no questions."""
    held = json.loads((DATA / "questions.json").read_text("utf-8"))
    return [_other(entry) for entry in held if entry["split"] == DEVELOPMENT]


def _other(entry: dict[str, Any]) -> Conversation:
    messages = [message(turn, turn["at"]) | {"message_id": str(place)} for place, turn in enumerate(entry["turns"])]
    end = datetime.fromisoformat(entry["turns"][-1]["at"]) + timedelta(days=1)
    questions: list[Question] = []
    for place, each in enumerate(entry["questions"]):
        if each["kind"] not in ("instruction", "yes-no"):
            gold = OR.join(_spellings(each["gold"]))
            questions.append(Question(f"q{place}", each["ask"], gold, each["kind"], (), unanswerable=not gold, at=end))
    return Conversation(f"questions {entry['id']}", tuple(messages), tuple(questions))


def _spellings(gold: Sequence[Phrase]) -> list[str]:
    """Return all spellings of an answer of several parts, each of which may have some."""
    parts = [[part] if isinstance(part, str) else part for part in gold]
    return [", ".join(each) for each in product(*parts)] if parts else []


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
    for conversation in conversations:
        path = folder / f"{conversation.id.replace(' ', '-')}.hmem"
        filled = path.exists()
        with Memory(path) as memory:
            if not filled:
                memory.add(conversation.messages)
                memory.flush()
            yield conversation, memory


def f1_of(text: str, question: Question) -> float:
    """Return the token F1 of an answer with the spelling of the gold that is nearest to it."""
    return max(token_f1(canonical(simplify(text)), canonical(gold)) for gold in question.answer.split(OR))


def row_of(memory: Memory, question: Question) -> Row | None:
    """Return the candidates of a question; None if it is answered in another way or no candidate comes near."""
    found = memory.search(question.text, FOUND, at=question.at, min_score=0.0)
    recall, sources = memory._components.retrieval.recall, memory._components.retrieval.sources
    with memory.corpus.reading():
        _, query = recall.read(question.text, question.at)
        asked = target_of(sources, query)
        statements = measured(sources, query, asked, found.evidence)
        if question.unanswerable or not statements or asked.kind in ("when", "polar", "choice"):
            return None
        candidates = candidates_of(sources, asked, statements, by_rule(sources, asked, statements))
    f1 = np.array([f1_of(candidates.text(i), question) for i in range(len(candidates))], np.float32)
    return Row(candidates.group, candidates.ids, candidates.dense, f1) if len(f1) and f1.max() > 0.3 else None


def signs_of(memory: Memory, question: Question) -> tuple[list[float], bool, bool] | None:
    """Return the features of a reply, whether the question is answerable, and whether the reply is right."""
    found = memory.search(question.text, FOUND, at=question.at, min_score=0.0)
    recall, sources = memory._components.retrieval.recall, memory._components.retrieval.sources
    with memory.corpus.reading():
        drafted = draft(sources, recall.read(question.text, question.at)[1], found.evidence)
    if drafted is None:
        return None
    reply, values = drafted
    told = not question.unanswerable
    return [values[name] for name in SIGNS], told, told and is_right(reply.text, question)


def is_right(text: str, question: Question) -> bool:
    """Tell if an answer is right: by its F1, or as ``asked.py`` tells."""
    gold = question.answer.split(OR)
    return f1_of(text, question) >= RIGHT or (bool(text) and right({"gold": [gold], "kind": question.category}, text))


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


def logistic(signs: NDArray[np.float64], true: NDArray[np.bool_]) -> dict[str, float]:
    """Return the coefficients of a logistic function, with a small penalty; of the bias without one."""
    scale = signs.std(0)
    # A sign that never varies tells nothing.
    varies = (scale > 1e-6) | (np.arange(signs.shape[1]) == 0)
    scale = np.where(varies, np.maximum(scale, 1e-6), 1.0)
    scale[0] = 1.0
    scaled, wanted = signs * varies / scale, true.astype(float)
    found = np.zeros(signs.shape[1])
    penalty = PENALTY * (np.arange(len(found)) > 0)
    for _ in range(50):
        shares = 1 / (1 + np.exp(-scaled @ found))
        slope = scaled.T @ (wanted - shares) / len(true) - penalty * found
        bend = (scaled.T * (shares * (1 - shares))) @ scaled / len(true) + np.diag(penalty + 1e-6)
        found += np.linalg.solve(bend, slope)
    return {name: round(float(value), 3) for name, value in zip(SIGNS, found * varies / scale, strict=True)}


def write(content: dict[str, dict[str, float]]) -> None:
    WEIGHTS.write_text(json.dumps(content, indent=0, sort_keys=True) + "\n", "utf-8")
    ranking.forget()


def spans(rows: Sequence[Row]) -> dict[str, float]:
    """Return the weights of a ranker that is trained on some questions, by name."""
    named = zip(names_of_features(), train(rows).tolist(), strict=True)
    return {name: round(value, 3) for name, value in named if abs(value) >= 0.0005}


def fitted(conversations: Sequence[Conversation], folder: Path) -> str:
    """Write the weights of the ranker, then the coefficients that depend on them; return the numbers of cases."""
    write({"spans": {}, "told": {}, "right": {}})
    halves: tuple[list[Row], list[Row]] = ([], [])
    for conversation, memory in opened(conversations, folder):
        for number, question in enumerate(conversation.questions):
            row = row_of(memory, question)
            if row is not None:
                halves[half(conversation, number)].append(row)
    held = replies(conversations, folder, (spans(halves[1]), spans(halves[0])))
    sure = [row for row in held if row[0].startswith(TOLD_BY)]
    chances = {
        "told": logistic(np.array([row[1] for row in sure]), np.array([row[2] for row in sure])),
        "right": logistic(np.array([row[1] for row in held]), np.array([row[3] for row in held])),
    }
    weights = spans([*halves[0], *halves[1]])
    write({"spans": weights, **chances})
    cases = f"{sum(map(len, halves))} questions with candidates, {len(held)} replies"
    return f"{cases}; {len(weights)} weights in {WEIGHTS.name}"


def replies(
    conversations: Sequence[Conversation], folder: Path, rankers: Sequence[dict[str, float]]
) -> list[tuple[str, list[float], bool, bool]]:
    """Return the signs of all replies with their conversations; each half of the questions has its ranker."""
    held: list[tuple[str, list[float], bool, bool]] = []
    written_for = -1
    for conversation, memory in opened(conversations, folder):
        for number, question in enumerate(conversation.questions):
            if half(conversation, number) != written_for:
                written_for = half(conversation, number)
                write({"spans": rankers[written_for], "told": {}, "right": {}})
            found = signs_of(memory, question)
            held += [] if found is None else [(conversation.id, *found)]
    return held


def half(conversation: Conversation, number: int) -> int:
    """Return the half of a question: a short conversation is not parted, a long one by blocks."""
    return (crc32(conversation.id.encode()) + number // BLOCK) % 2


def unseen(folder: Path) -> None:
    """Print how the talk that is kept unseen is answered: right, wrong and not abstained, and calibration error."""
    scores: list[AnswerScore] = []
    for conversation, memory in opened(talks("~"), folder):
        for question in conversation.questions:
            said = memory.ask(question.text, at=question.at)
            gold = question.unanswerable
            f1 = float(gold) if said.abstained else 0.0 if gold else f1_of(said.text, question)
            scores.append(AnswerScore("talk", said.confidence, f1, f1, gold, said.abstained))
    share = np.mean([each.right for each in scores])
    wrong = np.mean([not each.right and not each.abstained for each in scores])
    error = calibration(scores)["ece"]
    print(
        f"{len(scores)} questions on unseen talk: right {share:.3f}, wrong {wrong:.3f}, calibration error {error:.3f}"
    )


def main() -> None:
    """Train on all given data and write the weights, or print how unseen talk is answered."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--longmemeval", type=Path, help="LongMemEval-S, to train on as well")
    parser.add_argument("--memories", type=Path, help="a folder to keep the memories in")
    parser.add_argument("--unseen", action="store_true", help="print how unseen talk is answered, and train nothing")
    given = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = given.memories or Path(temporary)
        if given.unseen:
            unseen(folder)
            return
        conversations = [dialogues(), ten_months(), *talks(), *other_talk()]
        if given.longmemeval:
            conversations += [thinned(each) for each in longmemeval.load(given.longmemeval)]
        print(fitted(conversations, folder))


if __name__ == "__main__":
    main()
