"""Training of ``fusion``'s ranker: ``python benchmarks/train_ranker.py [--locomo FILE] [--table] [--dry]``.

A weighted sum of few features, one for questions and one for statements. It learns from talks of our own (the parts
``rank`` and ``open`` of benchmarks/data/talks), which the encoder was not tuned on, and from our own dialogues of
twelve kinds (``questions.json``, the half that is open). Each wanted turn is to score above all that are not wanted;
weights are held near the prior, those of flat recall and a few set by hand. LoCoMo serves to validate (CC BY-NC), never
to learn.

Writes ``src/hmem/retrieval/scoring/ranker.json``; ``--table`` prints what each feature is worth: the recall at ten with
all features less that without it, learned anew, over several kinds of talk; ``--dry`` writes nothing. Needs scipy.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.talks import RELATIONS, english

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter, TextWriterOptions
from hmem.language.analyst import analyst
from hmem.recipes import recipe
from hmem.retrieval.fuse import candidates
from hmem.retrieval.pipeline import RetrievalPipeline
from hmem.retrieval.scoring.ranker import FILE
from hmem.retrieval.sources import Sources
from hmem_evals import locomo, longmemeval
from hmem_evals.asking import gold_of
from hmem_evals.conversations import Conversation, Question

TARGET: Final = Path(__file__).parents[1] / "src" / "hmem" / "retrieval" / "scoring" / FILE
QUESTIONS: Final = Path(__file__).parent / "data" / "questions.json"
LIMIT: Final = 150
# How near the weights are held to the prior, in standard deviations of a feature.
RIDGE: Final = {"question": 0.3, "statement": 0.3}
# Least weight of a lexical feature, since our cues share no word with what they follow from, as others do; and the most
# of words that only the turns before have, or a reply to the turn that has a keyword would rank before it.
LEAST_LEXICAL: Final = 1.0
CARRIED: Final = "lexical.carried"
MOST_CARRIED: Final = 1.2

FLAT: Final = {
    "lexical.turn": 2.0, "lexical.window": 1.6, "lexical.session": 1.1, "semantic.turn": 2.8, "semantic.window": 2.0,
    "speaker": 0.5, "log_length": 0.55,
}  # fmt: skip
FEATURES: Final = (
    *FLAT, "lexical.carried", "pseudo_relevance", "time.near", "asks", "follows_question", "answer_type",
)  # fmt: skip
# Few of the talks are with an assistant whose answers are long, so these cannot tell how much better the user knows.
PRIOR: Final = {**FLAT, "speaker": 1.0, "time.near": 1.5, "lexical.carried": 1.2, "answer_type": 0.3}


class Asked(NamedTuple):
    """Candidates of a query: their features, which of them are wanted, and how many turns are."""

    talk: str
    category: str
    features: dict[str, NDArray[np.float32]]
    wanted: NDArray[np.bool_]
    count: int


def asked_of(conversation: Conversation) -> list[Asked]:
    """Return the candidates of every answerable query of a conversation."""
    end = max(message["at"] for message in conversation.messages)
    made: list[Asked] = []
    with TemporaryDirectory() as folder, Memory(Path(folder) / "talk.hmem", recipe="flat") as memory:
        memory.add(list(conversation.messages))
        rules, reading = analyst("verbatim"), recipe("fusion").retrieval
        derived = DerivedState(memory.corpus, rules)
        with memory.corpus.reading():
            sources = Sources(
                memory.corpus, derived, TextWriter(memory.corpus, derived, rules, TextWriterOptions()), rules
            )
            pipeline = RetrievalPipeline(sources, reading)
            turns = memory.corpus.turns(np.arange(len(memory.corpus.columns)))
            for question, gold in zip(conversation.questions, gold_of(conversation), strict=True):
                if question.unanswerable or not gold.evidence:
                    continue
                _, query = pipeline.read(question.text, question.at or end)
                found = candidates(sources, query, reading.flat, LIMIT)
                wanted = [turns[row].message_id in gold.evidence for row in found.rows.tolist()]
                features = found.features | {"cosine": memory.corpus.vectors_at(found.rows) @ query.vector}
                made.append(Asked(conversation.id, question.category, features, np.array(wanted), len(gold.evidence)))
    return made


def dialogues() -> Iterable[Conversation]:
    """Yield our own dialogues of twelve kinds, the half that is open."""
    for entry in json.loads(QUESTIONS.read_text("utf-8")):
        if entry["split"] != "development":
            continue
        messages = [
            {**turn, "at": datetime.fromisoformat(turn["at"]), "message_id": f"m{place}", "session": "one"}
            for place, turn in enumerate(entry["turns"])
        ]
        at = messages[-1]["at"] + timedelta(days=1)
        asked = [
            Question(
                f"{entry['id']}-{place}",
                each["ask"],
                "",
                "question",
                tuple(f"m{turn}" for turn in each["turns"]),
                at=at,
            )
            for place, each in enumerate(entry["questions"])
            if each["turns"] and each.get("kind") != "instruction"
        ]
        yield Conversation(entry["id"], tuple(messages), tuple(asked))


def learn(
    asked: Sequence[Asked], features: Sequence[str], prior: Mapping[str, float], ridge: float
) -> dict[str, float]:
    """Return the weights by which wanted turns score best (the softmax loss of each against all not wanted)."""
    from scipy.optimize import minimize  # noqa: PLC0415 - only to learn

    useful = [each for each in asked if each.wanted.any()]
    rows = [np.stack([each.features[name] for name in features], axis=1).astype(np.float64) for each in useful]
    scale = np.concatenate(rows).std(axis=0) + 1e-6
    first = np.array([prior.get(name, 0.0) for name in features]) * scale

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total, gradient = 0.0, np.zeros_like(weights)
        for values, each in zip(rows, useful, strict=True):
            scaled = values / scale
            scores = scaled @ weights
            others = np.where(each.wanted, -np.inf, scores)
            raised = np.exp(others - others.max())
            short = others.max() + np.log(raised.sum()) - scores[each.wanted]
            total += np.logaddexp(0, short).mean()
            chance = 1 / (1 + np.exp(-short)) / len(short)
            gradient += chance.sum() * (raised / raised.sum()) @ scaled - chance @ scaled[each.wanted]
        away = weights - first
        return total / len(rows) + ridge * (away**2).sum(), gradient / len(rows) + 2 * ridge * away

    # Our cues were written to share no word with their triggers: that words speak against a turn is an artefact of it.
    limits = [
        (
            LEAST_LEXICAL * size if name.startswith("lexical.") else None,
            MOST_CARRIED * size if name == CARRIED else None,
        )
        for name, size in zip(features, scale, strict=True)
    ]
    found = minimize(loss, first, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": 300}).x / scale
    return {name: round(float(weight), 4) for name, weight in zip(features, found, strict=True)}


def recall(asked: Sequence[Asked], weights: Mapping[str, float], k: int = 10) -> dict[str, float]:
    """Return the mean recall at ``k`` by category, and over all."""
    found: dict[str, list[float]] = {}
    for each in asked:
        scores = sum(each.features[name] * weight for name, weight in weights.items())
        share = each.wanted[np.argsort(-scores, kind="stable")[:k]].sum() / each.count
        for name in (each.category, "all"):
            found.setdefault(name, []).append(float(share))
    return {name: float(np.mean(values)) for name, values in sorted(found.items())}


def tell(title: str, shares: Mapping[str, float]) -> None:
    """Print recalls in a line."""
    print(f"{title:<34}", *(f"{name} {value:.4f}" for name, value in shares.items()), flush=True)


def kinds_of(asked: Mapping[str, Sequence[Asked]]) -> dict[str, tuple[str, Sequence[Asked]]]:
    """Return the kinds of talk of the table: by name, the kind of query, and its queries."""
    return {
        f"{name}, {kind}s": (kind, some)
        for name, every in asked.items()
        for kind in ("question", "statement")
        if (some := [each for each in every if (each.category in RELATIONS) == (kind == "statement")])
    }


def main() -> None:
    arguments = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    arguments.add_argument("--locomo", type=Path, help="To validate on; never learned from.")
    arguments.add_argument(
        "--longmemeval", type=Path, help="To validate on, every sixth conversation; not learned from."
    )
    arguments.add_argument("--table", action="store_true", help="Print what each feature is worth.")
    arguments.add_argument("--dry", action="store_true", help="Measure, and write nothing.")
    arguments.add_argument(
        "--held-back",
        action="store_true",
        help="Tell, for a final figure, what ships on the talks held back; learn nothing.",
    )
    chosen = arguments.parse_args()
    if chosen.held_back:
        held_back()
        return
    asked = {
        part: [each for talk in english(part) for each in asked_of(talk.conversation())] for part in ("rank", "open")
    }
    asked["dialogues"] = [each for conversation in dialogues() for each in asked_of(conversation)]
    learned_from = [each for every in asked.values() for each in every]
    parts: dict[str, list[Asked]] = {
        "question": [each for each in learned_from if each.category not in RELATIONS],
        "statement": [each for each in learned_from if each.category in RELATIONS],
    }

    def weights_of(kind: str, without: str = "") -> dict[str, float]:
        features = [name for name in FEATURES if name != without]
        return learn(parts[kind], features, PRIOR, RIDGE[kind])

    if chosen.locomo:
        asked["LoCoMo"] = [each for one in locomo.load(chosen.locomo) for each in asked_of(one)]
    if chosen.longmemeval:
        asked["LongMemEval"] = [
            each for one in list(longmemeval.load(chosen.longmemeval))[::6] for each in asked_of(one)
        ]
    weights = {kind: weights_of(kind) for kind in parts}
    for name, (kind, some) in kinds_of(asked).items():
        tell(f"{name}: flat", recall(some, FLAT))
        tell(f"{name}: learned", recall(some, weights[kind]))
        tell(f"{name}: the cosine alone", recall(some, {"cosine": 1.0}))
    # Learned from every second talk and told of the others, so that what is told was not learned from.
    for kind, some in parts.items():
        names = sorted({each.talk for each in some})
        halves = [[each for each in some if names.index(each.talk) % 2 == half] for half in (0, 1)]
        crossed = [recall(halves[1 - half], learn(halves[half], FEATURES, PRIOR, RIDGE[kind])) for half in (0, 1)]
        tell(f"{kind}s, talks not learned from", {"all": (crossed[0]["all"] + crossed[1]["all"]) / 2})
    if chosen.table:
        table(asked, weights, weights_of)
    if not chosen.dry:
        file: dict[str, Any] = {"made_by": "benchmarks/train_ranker.py", "learned_from": [], **weights}
        TARGET.write_text(json.dumps(file, indent=1) + "\n", "utf-8")


def held_back() -> None:
    """Print the recall of the weights that ship on the talks that are held back, with the commit."""
    print(
        "commit",
        subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip(),
    )
    shipped = json.loads(TARGET.read_text("utf-8"))
    asked = {"held back": [each for talk in english("held") for each in asked_of(talk.conversation())]}
    for name, (kind, some) in kinds_of(asked).items():
        tell(f"{name}: flat", recall(some, FLAT))
        tell(f"{name}: learned", recall(some, shipped[kind]))
        tell(f"{name}: the cosine alone", recall(some, {"cosine": 1.0}))


def table(
    asked: Mapping[str, Sequence[Asked]],
    weights: Mapping[str, Mapping[str, float]],
    weights_of: Callable[[str, str], dict[str, float]],
) -> None:
    """Print a row for each feature: what recall at ten loses without it, by kind of talk, and the mean."""
    kinds = kinds_of(asked)
    whole = {name: recall(some, weights[kind])["all"] for name, (kind, some) in kinds.items()}
    print("| feature |", " | ".join(kinds), "| mean |")
    print("|---|" + "---|" * (len(kinds) + 1))
    for feature in FEATURES:
        without = {kind: weights_of(kind, feature) for kind in weights}
        worth = [whole[name] - recall(some, without[kind])["all"] for name, (kind, some) in kinds.items()]
        print(f"| {feature} |", " | ".join(f"{each:+.4f}" for each in (*worth, float(np.mean(worth)))), "|", flush=True)


if __name__ == "__main__":
    main()
