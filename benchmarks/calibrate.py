"""Where an embedder's cosines lie, and the calibration that follows: `python benchmarks/calibrate.py [EMBEDDER]...`

Four anchors, from triples of sentences: on the common scale 0.1 is the median of unrelated pairs and 0.3 their 95th
percentile; 0.7 is the 10th percentile of pairs that say the same in other words, and 0.85 their median.
"""

import json
import sys
from itertools import permutations
from pathlib import Path

import numpy as np

from hmem.language.embed import embedder

ANCHORS = (0.1, 0.3, 0.7, 0.85)


def cosines(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Unrelated, related and same: the cosines of each kind of pair."""
    triples = json.loads((Path(__file__).parent / "similarity_triples.json").read_text("utf-8"))
    texts, same, related = (
        embedder(name).embed([triple[part] for triple in triples]) for part in ("text", "same", "related")
    )
    apart = np.array([texts[i] @ texts[j] for i, j in permutations(range(len(texts)), 2)])
    return apart, (texts * related).sum(axis=1), (texts * same).sum(axis=1)


def main(names: list[str]) -> None:
    for name in names or ["wordllama", "wordllama:128", "wordllama:64"]:
        apart, related, same = cosines(name)
        raw = (np.median(apart), np.quantile(apart, 0.95), np.quantile(same, 0.1), np.median(same))
        points = ", ".join(f"({x:.3f}, {y})" for x, y in zip(raw, ANCHORS, strict=True))
        print(
            f"{name:14} unrelated p50 {raw[0]:.3f} p95 {raw[1]:.3f}, one topic p50 {np.median(related):.3f}", end=", "
        )
        print(f"the same p10 {raw[2]:.3f} p50 {raw[3]:.3f}: ({points})")


if __name__ == "__main__":
    main(sys.argv[1:])
