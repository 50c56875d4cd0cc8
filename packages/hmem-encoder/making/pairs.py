"""What a head of pairs would be worth: ``python making/pairs.py``. None ships, see the README.

Learns from the labelled pairs of sentences of ``benchmarks/data/chats/open`` if the later one changes the earlier one,
adds to it, repeats it, or is of another matter, and prints it beside one threshold of the cosine, on each chat learned
from the other ones.
"""

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from benchmarks.chats import PAIRS, Chat
from numpy.typing import NDArray
from train_heads import Floats, Ints, classes, read_chats, softmax, spans_of, thresholds

from hmem_encoder import DIMENSION, encoder

PULL: Final = 0.003
# Least cosine of a pair on one matter, which is then said to change.
COSINE: Final = 0.3
VECTORS: Final = 0.1 * DIMENSION**0.5
NONE: Final = PAIRS.index("none")

WORD: Final = re.compile(r"[^\W_]{4,}")
NAME: Final = re.compile(r"(?<=\w )[A-Z]\w+")
NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")

Place = tuple[int, int]


def signs_of(chat: Chat, one: Place, other: Place) -> list[float]:
    """Return the signs of a pair: shared words and names, the same speaker, other and equal numbers."""
    older, newer = chat.sentence(one).text, chat.sentence(other).text
    words, later = ({word.lower()[:6] for word in WORD.findall(text)} for text in (older, newer))
    names, others = ({*NAME.findall(text)} for text in (older, newer))
    numbers, new = ({*NUMBER.findall(text)} for text in (older, newer))
    return [
        len(words & later) / max(min(len(words), len(later)), 1),
        float(np.log1p(len(words & later))),
        len(names & others) / max(min(len(names), len(others)), 1),
        float(chat.turns[one[0] - 1].speaker == chat.turns[other[0] - 1].speaker),
        float(bool(numbers and new and numbers != new)),
        float(bool(numbers & new)),
    ]


def read(chat: Chat) -> tuple[Floats, Ints, Floats]:
    """Return what is read of a chat's pairs, their kinds, and their cosines."""
    found = [spans_of(turn.speaker, turn.sentences) for turn in chat.turns]
    reads = encoder().read([text for text, _ in found], [spans for _, spans in found])
    older, newer = (
        np.array([reads[pair[side][0] - 1].sentences[pair[side][1] - 1] for pair in chat.pairs]) for side in (0, 1)
    )
    signs = np.array([signs_of(chat, one, other) for one, other, _ in chat.pairs], np.float32)
    cosine = (older * newer).sum(1, keepdims=True)
    apart, product = np.abs(older - newer) * VECTORS, older * newer * DIMENSION**0.5 * VECTORS / 20
    kinds = np.array([PAIRS.index(kind) for _, _, kind in chat.pairs])
    return np.hstack([signs, cosine, cosine * cosine, apart, product]), kinds, cosine[:, 0]


def area(scores: Floats, wanted: NDArray[np.bool_]) -> float:
    """Return the chance that a wanted one stands above another one."""
    higher = scores[wanted][:, None] - scores[~wanted]
    return float(((higher > 0) + 0.5 * (higher == 0)).mean())


def main() -> None:
    chats = list(read_chats("open"))
    reads = [read(chat) for chat in chats]
    rows: list[Sequence[float]] = []
    likely: list[Floats] = []
    for place, (features, kinds, cosines) in enumerate(reads):
        others = [each for i, each in enumerate(reads) if i != place]
        learned, labels = (np.concatenate([each[part] for each in others]) for part in (0, 1))
        weights, bias = classes(learned, labels, len(PAIRS), PULL, features.shape[1] - 2 * DIMENSION)
        likely.append(softmax(features @ weights + bias))
        plain = np.where(cosines >= COSINE, PAIRS.index("changes"), NONE)
        related = kinds != NONE
        right = (likely[-1].argmax(1) == kinds).mean(), (plain == kinds).mean()
        rows.append([*map(float, right), area(1 - likely[-1][:, NONE], related), area(cosines, related)])
    print(f"{'':28}   kind head / plain   same matter, AUC head / cosine")
    for name, row in [*((chat.name, row) for chat, row in zip(chats, rows, strict=True)), ("mean", np.mean(rows, 0))]:
        print(f"{name:28}      {row[0]:.3f} / {row[1]:.3f}                    {row[2]:.3f} / {row[3]:.3f}")
    kinds = np.concatenate([each[1] for each in reads])
    thresholds("same matter", 1 - np.concatenate(likely)[:, NONE], kinds != NONE)
    thresholds("changes", np.concatenate(likely)[:, PAIRS.index("changes")], kinds == PAIRS.index("changes"))


if __name__ == "__main__":
    main()
