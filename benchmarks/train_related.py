"""Training of related words: ``python benchmarks/train_related.py LONGMEMEVAL``.

Two words are related if they are said near the same words. The sessions of LongMemEval (MIT) give the counts: those of
the questions that training may see only (``train_ranker.held_out``), so that figures of the others are of what nothing
was learned from. Needs ``pip install scipy``. Writes ``src/hmem/language/english/data/related.npz``.
"""

import argparse
import io
import sys
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.train_ranker import held_out

from hmem.corpus.index.analyzer import stems
from hmem.interfaces.formats import longmemeval
from hmem.interfaces.formats.conversations import Conversation

TARGET: Final = Path(__file__).parents[1] / "src" / "hmem" / "language" / "english" / "data" / "related.npz"

# Characters of a turn that are read; the rest of a pasted text is of one kind.
CHARACTERS: Final = 4_000
# A word counts from so many uses on; the most frequent ones tell nothing of their neighbours.
LEAST_USES: Final = 10
TOO_FREQUENT: Final = 100
# Neighbours are words at most so far away in one turn.
REACH: Final = 10
# Exponent that keeps rare neighbours from counting too much (Levy, Goldberg, Dagan 2015).
SMOOTHING: Final = 0.75
DIMENSIONS: Final = 100
# Ties kept for each word, and the least cosine of one.
TIES: Final = 50
LEAST: Final = 0.3


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("longmemeval", type=Path)
    said = [list(stems(text[:CHARACTERS])) for text in texts(longmemeval.load(arguments.parse_args().longmemeval))]
    uses = Counter(word for turn in said for word in turn)
    known = [word for word, count in uses.most_common() if count >= LEAST_USES and len(word) > 1 and not word.isdigit()]
    numbers = {word: number for number, word in enumerate(known)}
    frequent = set(known[:TOO_FREQUENT])
    turns = [[numbers[word] for word in turn if word in numbers and word not in frequent] for turn in said]
    vectors = vectors_of(turns, len(known))
    ties, strengths = nearest(vectors)
    write(TARGET, {"stems": np.frombuffer("\n".join(known).encode(), np.uint8), "ties": ties, "strengths": strengths})
    print(f"{len(known):,} words of {len(said):,} turns; {TARGET.stat().st_size / 1_000:.0f} kB written")


def texts(conversations: Iterable[Conversation]) -> list[str]:
    """Return each text of the sessions that no held-out question has, once."""
    learned, held = dict[str, None](), set[str]()
    for conversation in conversations:
        own = {message["text"] for message in conversation.messages}
        if held_out(conversation.id):
            held |= own
        else:
            learned |= dict.fromkeys(message["text"] for message in conversation.messages)
    return [text for text in learned if text not in held]


def vectors_of(turns: Sequence[Sequence[int]], count: int) -> NDArray[np.float32]:
    """Return a unit vector for each word: singular vectors of the positive pointwise mutual information."""
    from scipy.sparse import csr_matrix  # noqa: PLC0415 - only to learn
    from scipy.sparse.linalg import svds  # noqa: PLC0415 - only to learn

    gap = [-1] * REACH
    line = np.array([word for turn in turns for word in (*turn, *gap)], np.int64)
    near: Any = csr_matrix((count, count))
    for distance in range(1, REACH + 1):
        first, second = line[:-distance], line[distance:]
        both = (first >= 0) & (second >= 0)
        pairs, times = np.unique(first[both] * count + second[both], return_counts=True)
        near = near + csr_matrix((times.astype(float), (pairs // count, pairs % count)), shape=(count, count))
    near = (near + near.T).tocoo()
    totals = np.asarray(near.sum(axis=1)).ravel()
    chance = totals**SMOOTHING / (totals**SMOOTHING).sum()
    information = np.log(near.data / totals[near.row] / chance[near.col])
    kept = information > 0
    matrix = csr_matrix((information[kept], (near.row[kept], near.col[kept])), shape=(count, count))
    vectors = svds(matrix, k=DIMENSIONS, random_state=0)[0].astype(np.float32)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-9))


def nearest(vectors: NDArray[np.float32]) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """Return for each word the numbers of its ties, strongest first, and their strengths in 1/255."""
    ties = np.zeros((len(vectors), TIES), np.uint16)
    strengths = np.zeros((len(vectors), TIES), np.uint8)
    for word, vector in enumerate(vectors):
        cosines = vectors @ vector
        cosines[word] = 0
        best = np.argsort(-cosines, kind="stable")[:TIES]
        ties[word] = best
        strengths[word] = np.where(cosines[best] >= LEAST, np.clip(cosines[best], 0, 1) * 255, 0).astype(np.uint8)
    return ties, strengths


def write(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """Write arrays as a compressed npz, the same bytes for the same arrays."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, array in arrays.items():
            kept = io.BytesIO()
            np.save(kept, array)
            file.writestr(zipfile.ZipInfo(f"{name}.npy"), kept.getvalue(), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    main()
