"""Distribution of an embedder's cosines, and its calibration: `python benchmarks/calibrate.py [EMBEDDER]...`.

Four anchors, from triples of sentences: on the common scale 0.1 is the median of unrelated pairs and 0.3 their 95th
percentile; 0.7 is the 10th percentile of pairs of paraphrases, and 0.85 their median.
"""

import sys

import numpy as np

from hmem.language.embed import embedder
from hmem.language.embed.measured import ANCHORS, calibrating_texts, quantiles, triples


def main(names: list[str]) -> None:
    for name in names or ["wordllama", "wordllama:128", "wordllama:64"]:
        rows = embedder(name).embed(calibrating_texts())
        related = embedder(name).embed([each[2] for each in triples()])
        raw = quantiles(rows)
        topic = np.median((rows[: len(related)] * related).sum(axis=1))
        points = ", ".join(f"({x:.3f}, {y})" for x, y in zip(raw, ANCHORS, strict=True))
        print(f"{name:14} unrelated p50 {raw[0]:.3f} p95 {raw[1]:.3f}, one topic p50 {topic:.3f}", end=", ")
        print(f"the same p10 {raw[2]:.3f} p50 {raw[3]:.3f}: ({points})")


if __name__ == "__main__":
    main(sys.argv[1:])
