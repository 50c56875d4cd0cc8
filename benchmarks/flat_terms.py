"""Ablation of each term of flat recall: `python benchmarks/flat_terms.py LOCOMO [LONGMEMEVAL]`.

Prints a line for the whole recipe and one without each term, on the conversations of the files.
"""

import sys

from hmem.recipes import FLAT_WEIGHTS
from hmem_evals import locomo, longmemeval
from hmem_evals.run import evaluate

VARIANTS: dict[str, dict[str, str]] = {
    "as it is": {},
    **{f"without {term}": {f"flat.weights.{term}": "0"} for term in FLAT_WEIGHTS},
    "words only": {"flat.weights.semantic.turn": "0", "flat.weights.semantic.window": "0"},
    "meaning only": {f"flat.weights.lexical.{scale}": "0" for scale in ("turn", "window", "session")},
}


def main(files: list[str]) -> None:
    conversations = locomo.load(files[0])
    haystacks = longmemeval.load(files[1]) if len(files) > 1 else ()
    print(f"{'':26} LoCoMo R@5  R@10  in 1,272 tokens" + ("   LongMemEval all@5  NDCG@5" if haystacks else ""))
    for name, settings in VARIANTS.items():
        one = evaluate("locomo", conversations, settings=settings)
        line = f"{name:26} {one['recall']['5']:10.3f} {one['recall']['10']:5.3f} {one['budget']['recall']:16.3f}"
        if haystacks:
            two = evaluate("longmemeval", haystacks, settings=settings)["session"]
            line += f" {two['recall_all']['5']:19.3f} {two['ndcg']['5']:7.3f}"
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
