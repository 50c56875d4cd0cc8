"""Training of the heads: ``python making/train_heads.py [--dry] [--held-back]``, or ``make heads``.

Learns from the labelled chats of ``benchmarks/data/chats/open``, and from short sentences (``sentences.txt``, and the
open half of ``slots.json``), and writes ``heads.npz``. Prints of each head, and of a
few lines of plain rules, what they are worth on each chat, learned from the other ones. ``--held-back`` measures what
ships on the closed half, and logs it with the commit: for a final figure, not while something is being chosen.

Needs numpy, and hmem for what tells a language.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

ROOT: Final = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from benchmarks.chats import Chat, Sentence, Turn, read_chats  # noqa: E402

from hmem.language.stemming import reads_as_english  # noqa: E402
from hmem_encoder import heads  # noqa: E402
from hmem_encoder.heads import KINDS, MEMORABLE, TYPES, Name, Words, chances, linear_scores, names_of  # noqa: E402
from hmem_encoder.signs import SENTENCE_SIGNS, WORD_SIGNS, is_question, names_by_signs, word_signs  # noqa: E402

SENTENCES: Final = ROOT / "benchmarks" / "data" / "sentences.txt"
SLOTS: Final = ROOT / "benchmarks" / "data" / "slots.json"
# A name in a sentence that stands alone, as it is marked there.
MARKED: Final = re.compile(r"\[([^|]+)\|(\w+)\]")
# Who says the sentences that stand alone, and the parts that they are measured in.
SPEAKERS: Final = ("user", "Maria", "Tom", "Priya", "Jun")
FOLDS: Final = 5

OUT: Final = Path(heads.__file__).parent / "heads.npz"
LOG: Final = Path(__file__).parent / "held_back.log"

STEPS: Final = 200
RATE: Final = 0.05
# Pull of the weights towards zero, by head; the least loss on chats that were not learned from.
PULL: Final = {"memorable": 0.01, "importance": 0.01, "kind": 0.003, "names": 0.001}
IMPORTANCE_NEAR: Final = 2
WANTED_RECALL: Final = 0.6
WANTED_PRECISION: Final = 0.9

FIRST_PERSON: Final = re.compile(r"\b(i|my|me|we|our|us|ich|mein\w*|wir|mir|yo|mi|me|nos|मैं|मेर\w*|हम)\b", re.IGNORECASE)

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Weights = dict[str, Floats]


@dataclass(frozen=True)
class Told:
    """A labelled sentence with what the heads read of it, within its turn and as a turn of its own (``alone``)."""

    label: Sentence
    text: str
    span: tuple[int, int]
    known: bool
    features: Floats
    words: Words
    alone: Floats


@dataclass(frozen=True)
class Read:
    """A chat with its labelled sentences."""

    name: str
    told: list[Told]


# What is read.


def spans_of(speaker: str, sentences: Sequence[Sentence]) -> tuple[str, list[tuple[int, int]]]:
    """Return the text of a turn as it is embedded, and the spans of its sentences."""
    text, spans = f"{speaker}:", []
    for sentence in sentences:
        spans.append((len(text) + 1, len(text) + 1 + len(sentence.text)))
        text += f" {sentence.text}"
    return text, spans


def alone(sentence: Sentence, turn: Turn) -> Floats:
    text, spans = spans_of(turn.speaker, [sentence])
    (found,) = heads.read_texts([text], [spans], [turn.role], [reads_as_english(sentence.text)])
    return found.features[0]


def read(chat: Chat) -> Read:
    found = [spans_of(turn.speaker, turn.sentences) for turn in chat.turns]
    texts, spans = [text for text, _ in found], [own for _, own in found]
    known = [reads_as_english(text.partition(": ")[2]) for text in texts]
    reads = heads.read_texts(texts, spans, [turn.role for turn in chat.turns], known)
    told = [
        Told(sentence, text, own[i], knows, one.features[i], one.words[i], alone(sentence, turn))
        for turn, text, own, knows, one in zip(chat.turns, texts, spans, known, reads, strict=True)
        for i, sentence in enumerate(turn.sentences)
        if sentence.labelled
    ]
    return Read(chat.name, told)


def short_sentences() -> list[Told]:
    """Return labelled sentences that stand alone, as turns of their own: chats have few plain ones.

    The number of a sentence's turn is 0 if its names are labelled, else 1.
    """
    labels = [_labelled(line) for line in SENTENCES.read_text("utf-8").splitlines() if line[:1] in "01"]
    labels += [
        Sentence(
            1,
            each["text"],
            labelled=True,
            memorable=True,
            importance=7,
            kind="instruction" if each["about"] == "instruction" else "statement",
        )
        for each in json.loads(SLOTS.read_text("utf-8"))["sentences"]
        if each["part"] == "open" and any(whose == "self" for _, whose, _ in each["slots"])
    ]
    found = [spans_of(SPEAKERS[i % len(SPEAKERS)], [label]) for i, label in enumerate(labels)]
    known = [reads_as_english(label.text) for label in labels]
    reads = heads.read_texts([text for text, _ in found], [own for _, own in found], ["user"] * len(labels), known)
    return [
        # Only some have their names marked.
        Told(
            label,
            text,
            own[0],
            knows,
            one.features[0],
            one.words[0] if label.turn == 0 else Words([], one.features),
            one.features[0],
        )
        for label, (text, own), knows, one in zip(labels, found, known, reads, strict=True)
    ]


def _labelled(line: str) -> Sentence:
    memorable, importance, kind, marked = line.split(" ", 3)
    names = tuple((name, sort) for name, sort in MARKED.findall(marked))
    text = MARKED.sub(r"\1", marked)
    return Sentence(
        0, text, labelled=True, memorable=memorable == "1", importance=int(importance), kind=kind, names=names
    )


# Learning.


def classes(features: Floats, labels: Ints, count: int, pull: float, signs: int) -> tuple[Floats, Floats]:
    """Return weights and bias of a softmax layer; the first ``signs`` features are brought to one scale."""
    mean, scale = scales(features, signs)
    x, wanted = (features - mean) / scale, np.eye(count, dtype=np.float32)[labels]
    parts = [np.zeros((x.shape[1], count), np.float32), np.log(wanted.mean(0) + 1e-6)]
    first, second = ([np.zeros_like(part) for part in parts] for _ in range(2))
    for step in range(1, STEPS + 1):
        likely = softmax(x @ parts[0] + parts[1])
        error = (likely - wanted) / len(x)
        for i, slope in enumerate((x.T @ error + pull * parts[0], error.sum(0))):
            first[i] += 0.1 * (slope - first[i])
            second[i] += 0.001 * (slope * slope - second[i])
            parts[i] -= RATE * (first[i] / (1 - 0.9**step)) / (np.sqrt(second[i] / (1 - 0.999**step)) + 1e-9)
    return unscaled(parts[0], parts[1], mean, scale)


def line(features: Floats, wanted: Floats, pull: float, signs: int) -> tuple[Floats, Floats]:
    """Return weights and bias of a ridge regression."""
    mean, scale = scales(features, signs)
    x, middle = (features - mean) / scale, wanted.mean()
    weights = np.linalg.solve(x.T @ x + pull * len(x) * np.eye(x.shape[1]), x.T @ (wanted - middle))
    return unscaled(weights[:, None].astype(np.float32), np.array([middle], np.float32), mean, scale)


def scales(features: Floats, signs: int) -> tuple[Floats, Floats]:
    scale = np.ones(features.shape[1], np.float32)
    scale[:signs] = features[:, :signs].std(0) + 1e-3
    return features.mean(0), scale


def unscaled(weights: Floats, bias: Floats, mean: Floats, scale: Floats) -> tuple[Floats, Floats]:
    own = (weights / scale[:, None]).astype(np.float32)
    return own, (bias - mean @ own).astype(np.float32)


def softmax(scores: Floats) -> Floats:
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)


def learn(chats: Sequence[Read], short: Sequence[Told]) -> Weights:
    """Return the weights of all heads, learned from chats and from sentences that stand alone."""
    told = [*(each for chat in chats for each in chat.told), *short]
    features = np.array([each.features for each in told] + [each.alone for each in told])
    told_twice = told + told
    labels = {
        "memorable": np.array([int(each.label.memorable) for each in told_twice]),
        "kind": np.array([KINDS.index(each.label.kind) for each in told_twice]),
    }
    importance = np.array([each.label.importance for each in told_twice], np.float32)
    with_words = [each for each in told if each.words.spans]
    words = np.concatenate([each.words.features for each in with_words] + [lowered(each) for each in with_words[::2]])
    marks = np.concatenate([marks_of(each) for each in [*with_words, *with_words[::2]]])
    found = {
        "memorable": classes(features, labels["memorable"], 2, PULL["memorable"], SENTENCE_SIGNS),
        "importance": line(features, importance, PULL["importance"], SENTENCE_SIGNS),
        "kind": classes(features, labels["kind"], len(KINDS), PULL["kind"], SENTENCE_SIGNS),
        "names": classes(words, marks, 1 + 2 * len(TYPES), PULL["names"], WORD_SIGNS),
    }
    return {name: part for head, own in found.items() for name, part in zip((head, f"{head}_bias"), own, strict=True)}


def names_told(told: Told) -> list[tuple[int, int, str]]:
    """Return where the labelled names of a sentence stand in its text; of names within others the longest."""
    found: list[tuple[int, int, str]] = []
    for name, sort in sorted(told.label.names, key=lambda each: -len(each[0])):
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", told.label.text):
            start, end = (told.span[0] + place for place in match.span())
            if all(end <= other[0] or start >= other[1] for other in found):
                found.append((start, end, sort))
    return sorted(found)


def lowered(told: Told) -> Floats:
    """Return what is read of the words of a sentence in lower case; the encoder reads all in lower case anyway."""
    found = told.words.features.copy()
    found[:, :WORD_SIGNS] = word_signs(told.text.lower(), told.words.spans)
    return found


def marks_of(told: Told) -> Ints:
    """Return the class of each word of a sentence: no name, or it begins or goes on with one of a type."""
    marks = np.zeros(len(told.words.spans), np.int64)
    for first, last, sort in names_told(told):
        inside = [i for i, (start, end) in enumerate(told.words.spans) if start < last and end > first]
        for i in inside:
            marks[i] = 1 + TYPES.index(sort) + len(TYPES) * (i != inside[0])
    return marks


# What it is measured against: a few lines each.


PLAINLY: Final = 0.25


def plainly_memorable(told: Told) -> float:
    text = told.label.text
    length = min(len(text.split()), 12) / 12
    signs = any(map(str.isdigit, text)), bool(names_by_signs(told.text, told.span)), bool(FIRST_PERSON.search(text))
    return 0.0 if is_question(text) else (length + sum(signs)) / 4


def plain_importance(memorable: float) -> float:
    return 5.0 if memorable >= PLAINLY else 2.0


def plain_kind(told: Told) -> str:
    return "question" if is_question(told.label.text) else "statement"


# What it is worth.


@dataclass(frozen=True)
class Judged:
    """What is judged of a chat that was not learned from, by the heads or plainly."""

    memorable: Floats
    importance: Floats
    kinds: list[str]
    names: list[tuple[Name, ...]]


def by_heads(chat: Read, weights: Weights) -> Judged:
    features = np.array([each.features for each in chat.told])
    return Judged(
        chances(features, "memorable", weights)[:, 1],
        np.clip(linear_scores(features, "importance", weights)[:, 0], 1, 10),
        [KINDS[place] for place in linear_scores(features, "kind", weights).argmax(axis=1)],
        [names_by_head(each, weights) for each in chat.told],
    )


def names_by_head(told: Told, weights: Weights) -> tuple[Name, ...]:
    if not told.known:
        return names_plainly(told, "other")
    return names_of(told.text, told.words, chances(told.words.features, "names", weights))


def names_plainly(told: Told, sort: str) -> tuple[Name, ...]:
    return tuple(Name(*name, sort, certain=True, likely_type="other") for name in names_by_signs(told.text, told.span))


def plainly(chat: Read) -> Judged:
    memorable = np.array([plainly_memorable(each) for each in chat.told], np.float32)
    return Judged(
        memorable,
        np.array([plain_importance(each) for each in memorable], np.float32),
        [plain_kind(each) for each in chat.told],
        [names_plainly(each, "person") for each in chat.told],
    )


def f1(found: int, judged: int, wanted: int) -> float:
    return 2 * found / max(judged + wanted, 1)


def worth(chat: Read, judged: Judged, threshold: float) -> list[float]:
    """Return the figures of the table: memorable, importance, kind, names and typed names."""
    labels = [each.label for each in chat.told]
    wanted, taken = np.array([each.memorable for each in labels]), judged.memorable >= threshold
    importance = np.array([each.importance for each in labels])
    names = [names_told(each) for each in chat.told]
    typed = [sum(len({name[:3] for name in own} & {*told}) for own, told in zip(judged.names, names, strict=True))]
    plain = [
        sum(
            len({name[:2] for name in own} & {name[:2] for name in told})
            for own, told in zip(judged.names, names, strict=True)
        )
    ]
    counts = sum(map(len, judged.names)), sum(map(len, names))
    return [
        f1(int((taken & wanted).sum()), int(taken.sum()), int(wanted.sum())),
        float((np.abs(judged.importance - importance) <= IMPORTANCE_NEAR).mean()),
        float(np.abs(judged.importance - importance).mean()),
        float(np.mean([own == each.kind for own, each in zip(judged.kinds, labels, strict=True)])),
        f1(plain[0], *counts),
        f1(typed[0], *counts),
    ]


COLUMNS: Final = (
    "memorable F1", "importance near", "importance off", "kind", "names F1", "typed F1",
)  # fmt: skip


def thresholds(name: str, scores: Floats, wanted: NDArray[np.bool_]) -> None:
    """Print where the F1 is best, the most precise one of enough recall, and the lowest one that is precise enough."""
    rows = []
    for threshold in np.linspace(0.02, 0.98, 97):
        taken = scores >= threshold
        right = int((taken & wanted).sum())
        rows.append((float(threshold), right / max(int(taken.sum()), 1), right / int(wanted.sum())))
    best = max(rows, key=lambda row: 2 * row[1] * row[2] / max(row[1] + row[2], 1e-9))
    precise = max((row for row in rows if row[2] >= WANTED_RECALL), key=lambda row: row[1])
    enough = next((row for row in rows if row[1] >= WANTED_PRECISION), rows[-1])
    for what, row in (("best F1", best), ("recall >= .6", precise), ("precision >= .9", enough)):
        print(f"{name}, {what:16} from {row[0]:.2f}: precision {row[1]:.3f}, recall {row[2]:.3f}")


def table(chats: Sequence[Read], learned: Callable[[Read], Weights]) -> list[Judged]:
    """Print what heads and plain rules are worth on each chat, and return what the heads judge."""
    print(f"{'':32}" + "".join(f"{column:>17}" for column in COLUMNS))
    judged = [by_heads(chat, learned(chat)) for chat in chats]
    rows = [
        (worth(chat, own, MEMORABLE), worth(chat, plainly(chat), PLAINLY))
        for chat, own in zip(chats, judged, strict=True)
    ]
    means = [[sum(column) / len(rows) for column in zip(*side, strict=True)] for side in zip(*rows, strict=True)]
    for name, (own, plain) in [*zip((chat.name for chat in chats), rows, strict=True), ("mean", means)]:
        cells = (f"{one:9.3f} / {other:.3f}" for one, other in zip(own, plain, strict=True))
        print(f"{name:32}" + "".join(f"{cell:>17}" for cell in cells))
    wanted = np.array([each.label.memorable for chat in chats for each in chat.told])
    thresholds("memorable", np.concatenate([own.memorable for own in judged]), wanted)
    thresholds("plainly", np.concatenate([plainly(chat).memorable for chat in chats]), wanted)
    types(chats, judged)
    return judged


def types(chats: Sequence[Read], judged: Sequence[Judged]) -> None:
    """Print how many names that the head judges are certain, how many have a type, and how often these are right."""
    found: list[tuple[Name, bool, bool]] = []
    for chat, own in zip(chats, judged, strict=True):
        for names, told in zip(own.names, chat.told, strict=True):
            if not told.known:
                continue
            labelled = names_told(told)
            found += (
                (
                    name,
                    any(name.start < end and start < name.end for start, end, _ in labelled),
                    name[:3] in labelled,
                )
                for name in names
            )
    print(
        f"names: {len(found)}, {np.mean([named for _, named, _ in found]):.3f} of them part of a labelled one", end=""
    )
    certain = [named for name, named, _ in found if name.certain]
    print(f"; certain: {len(certain)}, {np.mean(certain):.3f}", end="")
    typed = [right for name, _, right in found if name.type != "other"]
    print(f"; with a type: {len(typed)}, right in {np.mean(typed):.3f}")


def of_short(chats: Sequence[Read], short: Sequence[Told]) -> None:
    """Print what the heads are worth on sentences that stand alone, a fifth at a time, learned from all others."""
    right, near, kinds = list[tuple[bool, bool]](), list[bool](), list[bool]()
    for fold in range(FOLDS):
        weights = learn(chats, [each for i, each in enumerate(short) if i % FOLDS != fold])
        own = [each for i, each in enumerate(short) if i % FOLDS == fold and each.known]
        features = np.array([each.features for each in own])
        memorable = chances(features, "memorable", weights)[:, 1] >= MEMORABLE
        importance = np.clip(linear_scores(features, "importance", weights)[:, 0], 1, 10)
        found = [KINDS[place] for place in linear_scores(features, "kind", weights).argmax(axis=1)]
        right += zip(memorable.tolist(), (each.label.memorable for each in own), strict=True)
        near += (abs(one - each.label.importance) <= IMPORTANCE_NEAR for one, each in zip(importance, own, strict=True))
        kinds += (one == each.label.kind for one, each in zip(found, own, strict=True))
    taken = [wanted for judged, wanted in right if judged]
    caught = sum(taken) / sum(wanted for _, wanted in right)
    print(f"short: memorable precision {np.mean(taken):.3f}, recall {caught:.3f};", end=" ")
    print(f"importance near {np.mean(near):.3f}; kind {np.mean(kinds):.3f}; of {len(right)}")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--dry", action="store_true", help="print the table only")
    asked.add_argument("--held-back", action="store_true", help="measure what ships on the closed half, once")
    told = asked.parse_args()
    if told.held_back:
        commit = subprocess.run(
            ["git", "rev-parse", "HEAD"],  # noqa: S607
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        with LOG.open("a", encoding="utf-8") as log:
            log.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M} {commit} {heads.version()}\n")
        with np.load(OUT) as kept:
            shipped = {name: kept[name].astype(np.float32) for name in kept.files}
        table([read(chat) for chat in read_chats("held")], lambda _: shipped)
        return
    chats = [read(chat) for chat in read_chats("open")]
    short = short_sentences()
    table(chats, lambda chat: learn([other for other in chats if other is not chat], short))
    of_short(chats, short)
    if not told.dry:
        np.savez(OUT, **{name: part.astype(np.float16) for name, part in learn(chats, short).items()})


if __name__ == "__main__":
    main()
