"""Centres of the embedder `multilingual`: `python benchmarks/centre.py`, which writes them.

The vectors of e5 all point much the same way. What they share is the mean of the messages of
`benchmarks/data/languages.txt`, each language counting alike: as passages, and as questions.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from hmem.language.embed.multilingual import CENTRES, Role, load

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.detection import messages


def main() -> None:
    texts: dict[str, list[str]] = defaultdict(list)
    for message in (*messages(0), *messages(1)):
        texts[message.code].append(message.text)
    chosen = load("")
    roles: tuple[Role, ...] = ("passage", "query")
    means = {role: np.mean([chosen.raw(said, role).mean(axis=0) for said in texts.values()], axis=0) for role in roles}
    CENTRES.write_text(json.dumps({role: [round(float(x), 5) for x in mean] for role, mean in means.items()}), "utf-8")
    cosine = float(means["passage"] @ means["query"] / np.prod([np.linalg.norm(mean) for mean in means.values()]))
    lengths = ", ".join(f"{role} {np.linalg.norm(mean):.3f}" for role, mean in means.items())
    print(f"{sum(map(len, texts.values()))} messages in {len(texts)} languages; lengths {lengths}; cosine {cosine:.3f}")


if __name__ == "__main__":
    main()
