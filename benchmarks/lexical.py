"""Speed of the lexical index alone, by the number of turns: ``python benchmarks/lexical.py [TURNS ...]``.

Turns of ten words drawn by Zipf's law, in blocks of forty; sixty questions of five rarer words, none asked before.
Processor time, one thread.
"""

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from hmem.corpus.index.columns import Columns
from hmem.corpus.index.lexical import BLOCK, TURN, WINDOW, LexicalIndex
from hmem.corpus.index.runs import postings_of

WORDS, QUESTIONS, BATCH = 60_000, 60, 8_192


class Turn(NamedTuple):
    """The numbers of a turn."""

    seq: int
    block: int
    session: int
    speaker: int = 1
    words: int = 10
    said: int = 0


def measured(turns: int) -> str:
    """Return a line of figures for an index of so many turns."""
    rng = np.random.default_rng(1)
    shares = 1 / np.arange(1, WORDS + 1)
    drawn = rng.choice(WORDS, size=(turns, 10), p=shares / shares.sum())
    words = np.array([f"w{i}" for i in range(WORDS)])
    columns = Columns()
    index = LexicalIndex(columns)
    seconds = 0.0
    for start in range(0, turns, BATCH):
        members = [Turn(i + 1, i // 40 + 1, i // 40 + 1) for i in range(start, min(start + BATCH, turns))]
        blocks = sorted({member.block for member in members})
        columns.update(blocks, [*_before(start, blocks[0]), *members])
        stems = [words[row].tolist() for row in drawn[start : start + BATCH]]
        began = time.process_time()
        index.add(len(stems), postings_of(stems))
        seconds += time.process_time() - began
    rare = np.exp(rng.uniform(np.log(50), np.log(WORDS / 3), (QUESTIONS, 5))).astype(int)
    rows = np.sort(rng.integers(0, turns, 450))
    searches, presences = list[float](), list[float]()
    for question in rare:
        terms = [f"w{rank}" for rank in question]
        began = time.process_time()
        for scale in (TURN, WINDOW, BLOCK):
            index.search(scale, terms)
        searches.append(time.process_time() - began)
        began = time.process_time()
        index.contains_terms(terms, rows)
        presences.append(time.process_time() - began)
    with TemporaryDirectory() as folder:
        index.save(Path(folder, "index"))
        size = Path(folder, "index").stat().st_size
        began = time.process_time()
        LexicalIndex.load(Path(folder, "index"), columns)
        loading = time.process_time() - began
    return (
        f"{turns:>9,} turns: build {seconds / turns * 1e6:.1f} us a turn; search at three scales, median "
        f"{np.median(searches) * 1e3:.2f} ms, p95 {np.quantile(searches, 0.95) * 1e3:.2f} ms; terms of 450 turns "
        f"{np.median(presences) * 1e3:.2f} ms; {size / turns:.0f} bytes a turn; load {loading * 1e3:.0f} ms"
    )


def _before(start: int, block: int) -> list[Turn]:
    """Return the turns of a block that came in the batch before."""
    return [Turn(i + 1, block, block) for i in range((block - 1) * 40, start)]


if __name__ == "__main__":
    for count in map(int, sys.argv[1:] or ("600", "20000", "100000", "1000000")):
        print(measured(count), flush=True)
