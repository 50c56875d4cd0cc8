"""The shipped encoder beside another one: ``python making/compare.py FOLDER [--held-back]``.

FOLDER holds what ``python making/make_model.py --target FOLDER`` wrote, the published weights in 8 bits. Prints, for
each kind of talk of benchmarks/data/talks, the recall at ten of the cosine alone, of questions and of statements.
``--held-back`` opens the talks that are held back, for a final figure.
"""

import argparse
import sys
from pathlib import Path
from typing import Final

import numpy as np

from hmem_encoder import Encoder, encoder

ROOT: Final = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from benchmarks.talks import Query, Talk, english  # noqa: E402


def recall(model: Encoder, talk: Talk, queries: tuple[Query, ...]) -> float:
    """Return the mean share of the wanted turns among the ten nearest ones."""
    turns = model.vectors([f"{turn.speaker}: {turn.text}" for turn in talk.turns])
    shares: list[float] = []
    for row, query in zip(model.vectors([each.text for each in queries]) @ turns.T, queries, strict=True):
        nearest = {talk.turns[place].number for place in np.argsort(-row)[:10].tolist()}
        shares.append(len(nearest & set(query.turns)) / len(set(query.turns)))
    return float(np.mean(shares))


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--held-back", action="store_true")
    chosen = arguments.parse_args()
    other, rows = Encoder(folder=chosen.folder), list[tuple[float, ...]]()
    print("| talk | questions: other, shipped | statements: other, shipped |\n|---|---|---|")
    for talk in english("held" if chosen.held_back else "open"):
        found = [
            recall(model, talk, queries) for queries in (talk.questions, talk.cues) for model in (other, encoder())
        ]
        rows.append(tuple(found))
        print(f"| {talk.kind} | {found[0]:.3f}, {found[1]:.3f} | {found[2]:.3f}, {found[3]:.3f} |")
    means = np.mean(rows, axis=0)
    print(f"| mean | {means[0]:.3f}, {means[1]:.3f} | {means[2]:.3f}, {means[3]:.3f} |")


if __name__ == "__main__":
    main()
