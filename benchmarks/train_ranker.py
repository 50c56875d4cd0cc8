"""Training of ``fusion``'s ranker: ``python benchmarks/train_ranker.py --longmemeval FILE [--locomo FILE]``.

It uses data with a free licence: simulated lives of seeds that no test uses, and LongMemEval (MIT) if its file is
given: about half of its questions (``held_out`` tells which not), without the sessions that the other half has too. The
trees correct a fixed weighting; their share and the weights were chosen among a few settings on LoCoMo's development
part, which serves for evaluation only (CC BY-NC). Needs ``pip install lightgbm``.

Writes ``src/hmem/retrieval/scoring/ranker.json``; ``--kept`` keeps the features of each conversation between runs.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter, TextWriterOptions
from hmem.interfaces.formats import locomo, longmemeval
from hmem.interfaces.formats.conversations import Conversation
from hmem.language.analyst import analyst
from hmem.recipes import recipe
from hmem.retrieval.fuse import candidates
from hmem.retrieval.pipeline import RetrievalPipeline
from hmem.retrieval.scoring.ranker import FILE, read
from hmem.retrieval.sources import Sources
from hmem_evals.asking import gold_of
from hmem_evals.synthetic import generate

# No test and no figure uses these.
FRIENDS = range(100, 124)
ASSISTANTS = range(100, 112)

WEIGHTS = {
    "flat": 1.0, "semantic.event": 0.5, "brief_type_match": 0.3, "time.near": 0.7, "time.said": 0.2,
    "time.happened": 0.3, "generality": -0.9, "term_carryover": 0.45, "lexical.related": 0.3, "shared.topic": 0.2,
}  # fmt: skip
# Hidden from the trees: the likeness, topics and lengths of simulated lives, and the way their replies drop the topic,
# are artefacts.
UNSEEN = (
    "centroid_similarity", "generality", "term_carryover", "shared.topic", "brief_talk", "brief_type_match",
)  # fmt: skip
SHARE = 0.15
LIMIT = 150
# Weight of a real question: there are fifty simulated ones for each.
REAL = 2
DEPTH = 4
SETTINGS: dict[str, Any] = {
    "n_estimators": 120,
    "learning_rate": 0.08,
    "num_leaves": 10,
    "max_depth": DEPTH,
    "min_child_samples": 60,
    "subsample": 0.8,
    "subsample_freq": 1,
    "colsample_bytree": 0.5,
    "lambdarank_truncation_level": 15,
    "random_state": 0,
    "verbose": -1,
}


class Asked(NamedTuple):
    """Candidates of a question: their features, their gold labels, and the number of gold turns."""

    category: str
    features: NDArray[np.float32]
    gold: NDArray[np.int8]
    golds: int


Names = list[str]


def held_out(question: str) -> bool:
    """Tell if a question of LongMemEval, by its id, is one that nothing is learned from: about half of them."""
    return bool(blake2b(question.encode(), digest_size=1).digest()[0] % 2)


def asked_of(conversation: Conversation, without: AbstractSet[str] = frozenset()) -> tuple[Names, list[Asked]]:
    """Return the candidates of every answerable question of a conversation, without turns of some texts."""
    made: list[Asked] = []
    names: Names = []
    end = max(message["at"] for message in conversation.messages)
    with TemporaryDirectory() as folder, Memory(Path(folder) / "lives.hmem") as memory:
        memory.add(list(conversation.messages))
        rules = analyst("rules")
        held = DerivedState(memory.corpus, rules)
        with memory.corpus.reading():
            text_writer = TextWriter(memory.corpus, held, rules, TextWriterOptions())
            sources = Sources(memory.corpus, held, text_writer, rules)
            reading = recipe("fusion").retrieval
            turns = memory.corpus.turns(np.arange(len(memory.corpus.columns)))
            for question, gold in zip(conversation.questions, gold_of(conversation), strict=True):
                if question.unanswerable or not gold.evidence:
                    continue
                _, query = RetrievalPipeline(sources, reading).read(question.text, question.at or end)
                found = candidates(sources, query, reading.flat, LIMIT)
                names = list(found.features)
                right = [turns[row].message_id in gold.evidence for row in found.rows.tolist()]
                allowed = [turns[row].text not in without for row in found.rows.tolist()]
                rows = np.stack(list(found.features.values()), axis=1)[allowed]
                made.append(Asked(question.category, rows, np.array(right, np.int8)[allowed], len(gold.evidence)))
    return names, made


def kept(
    folder: Path, name: str, make: Callable[[], Conversation], without: AbstractSet[str] = frozenset()
) -> tuple[Names, list[Asked]]:
    """Return the candidates of a conversation, from the folder if it has them."""
    file = folder / f"{name}.npz"
    if not file.exists():
        names, made = asked_of(make(), without)
        folder.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(
            file,
            names=np.array(names),
            categories=np.array([each.category for each in made]),
            sizes=np.array([len(each.gold) for each in made]),
            golds=np.array([each.golds for each in made]),
            features=np.concatenate([each.features for each in made]) if made else np.zeros((0, 0)),
            gold=np.concatenate([each.gold for each in made]) if made else np.zeros(0),
        )
    # Each look into the file decompresses an array anew.
    held = dict(np.load(file))
    ends = np.cumsum(held["sizes"])
    return held["names"].tolist(), [
        Asked(str(category), held["features"][end - size : end], held["gold"][end - size : end], int(golds))
        for category, size, golds, end in zip(held["categories"], held["sizes"], held["golds"], ends, strict=True)
    ]


def all_of(
    folder: Path, named: Iterable[tuple[str, Callable[[], Conversation]]], without: AbstractSet[str] = frozenset()
) -> tuple[Names, list[Asked]]:
    """Return the candidates of several conversations, without turns of some texts."""
    names: Names = []
    asked: list[Asked] = []
    for name, make in named:
        found, made = kept(folder, name, make, without)
        names = found or names
        asked += made
        print(f"\r{name:<40}", end="", flush=True)
    print("\r" + " " * 40 + "\r", end="")
    return names, asked


def lives() -> Iterator[tuple[str, Callable[[], Conversation]]]:
    """Yield the simulated lives for training."""
    for seed in FRIENDS:
        yield f"friends-{seed}", lambda seed=seed: generate(seed, kind="friends")
    for seed in ASSISTANTS:
        yield f"assistant-{seed}", lambda seed=seed: generate(seed, kind="assistant")


def loaded(conversations: Sequence[Conversation]) -> Iterator[tuple[str, Callable[[], Conversation]]]:
    """Yield the conversations of a file."""
    for conversation in conversations:
        yield conversation.id, lambda conversation=conversation: conversation


def learn(names: Names, asked: Sequence[Asked], questions: Sequence[str]) -> dict[str, Any]:
    """Return the ranker's file: weights, trees padded to one depth, and the ids of the ``questions`` learned from."""
    from lightgbm import LGBMRanker  # noqa: PLC0415 - only to learn

    useful = [each for each in asked if each.gold.any()]
    seen = [place for place, name in enumerate(names) if name not in UNSEEN]
    model = LGBMRanker(**SETTINGS)
    model.fit(
        np.concatenate([each.features[:, seen] for each in useful]),
        np.concatenate([each.gold for each in useful]),
        group=[len(each.gold) for each in useful],
    )
    trees = [_filled(tree["tree_structure"]) for tree in model.booster_.dump_model()["tree_info"]]
    return {
        "made_by": "benchmarks/train_ranker.py",
        "learned_from": sorted(questions),
        "features": [names[place] for place in seen],
        "weights": WEIGHTS,
        "splits": [[split for split, _, _ in tree if split is not None] for tree in trees],
        "thresholds": [[_rounded(threshold) for split, threshold, _ in tree if split is not None] for tree in trees],
        "values": [[round(SHARE * value, 6) for _, _, value in tree] for tree in trees],
    }


def _rounded(threshold: float) -> float:
    """Return a threshold rounded to single precision, so that each feature stays on its side."""
    return float(np.float32(threshold)) if abs(threshold) < 1e30 else 1e30


def _filled(root: dict[str, Any]) -> list[tuple[int | None, float, float]]:
    """Return a tree's nodes level by level down to the full depth: split feature, threshold, value."""
    made: list[tuple[int | None, float, float]] = []
    level = [root]
    for depth in range(DEPTH + 1):
        for node in level:
            leaf = "leaf_value" in node
            value = node["leaf_value"] if leaf else node["internal_value"]
            if depth == DEPTH:
                made.append((None, 0.0, value))
            else:
                made.append((0, 1e30, value) if leaf else (node["split_feature"], node["threshold"], value))
        level = [
            child
            for node in level
            for child in ((node, node) if "leaf_value" in node else (node["left_child"], node["right_child"]))
        ]
    return made


def recall(asked: Sequence[Asked], score: Callable[[NDArray[np.float32]], NDArray[Any]], k: int) -> dict[str, float]:
    """Return the mean recall of the ranked candidates by category, and over all questions."""
    found: dict[str, list[float]] = {}
    for each in asked:
        order = np.argsort(-score(each.features), kind="stable")[:k]
        for name in (each.category, "all"):
            found.setdefault(name, []).append(each.gold[order].sum() / each.golds)
    return {name: float(np.mean(values)) for name, values in sorted(found.items())}


def tell(title: str, names: Names, asked: Sequence[Asked], file: dict[str, Any]) -> None:
    """Print the recall of the weights alone and of the whole ranker."""
    ranker = read(file)
    for what, learned in (("weights alone", False), ("with the trees", True)):

        def score(rows: NDArray[np.float32], learned: bool = learned) -> NDArray[Any]:
            return ranker.rank({name: rows[:, i] for i, name in enumerate(names)}, learned=learned).scores

        for k in (5, 10, 20):
            parts = " ".join(f"{name} {value:.3f}" for name, value in recall(asked, score, k).items())
            print(f"{title:<22} {what:<15} @{k:<3} {parts}")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--longmemeval", type=Path)
    arguments.add_argument("--locomo", type=Path, help="To validate on; never learned from.")
    arguments.add_argument("--kept", type=Path, default=Path("out/ranker"))
    arguments.add_argument("--dry", action="store_true", help="Measure, and write nothing.")
    chosen = arguments.parse_args()
    names, asked = all_of(chosen.kept, lives())
    real = longmemeval.load(chosen.longmemeval) if chosen.longmemeval else ()
    seen = [conversation for conversation in real if not held_out(conversation.id)]
    unseen = [conversation for conversation in real if held_out(conversation.id)]
    _, more = all_of(chosen.kept, loaded(seen), {message["text"] for each in unseen for message in each.messages})
    file = learn(names, [*asked, *(more * REAL)], [conversation.id for conversation in seen])
    tell("lives", names, asked, file)
    if real:
        tell("LongMemEval, held out", *all_of(chosen.kept, loaded(unseen)), file)
    if chosen.locomo:
        tell("LoCoMo", *all_of(chosen.kept, loaded(locomo.load(chosen.locomo))), file)
    if not chosen.dry:
        target = Path(__file__).parents[1] / "src" / "hmem" / "retrieval" / "scoring" / FILE
        target.write_text(json.dumps(file, separators=(",", ":")) + "\n", "utf-8")
        print(f"{target.stat().st_size / 1000:.0f} kB written to {target.name}")


if __name__ == "__main__":
    main()
