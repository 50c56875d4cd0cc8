"""Figures of the four trees: `python benchmarks/trees.py [--leaves N] [--json OUT]`.

Or `python benchmarks/trees.py --topics [LOCOMO]`, or `--schedules [LOCOMO]`; without a file, on our own example.

With ``--leaves``: microseconds to place a leaf in each tree, over all leaves and over the last 2,000; bytes per stored
leaf, and the time of loading. Leaves are seeded vectors in clusters, spread over three years; a tenth of them begin a
new session.

With ``--topics``: the topic tree of a conversation under several options (docs/decisions/0043): nodes on each level,
the share of the widest topic, facts per category, and the probability that two turns share a category: two evidence
turns of one question, two neighbours in a session, and two random turns.

With ``--schedules``: the evolution tree under the paper's schedules of thresholds (docs/decisions/0043): leaves, nodes
on each level, and how often a node joined one on the next level. Here each turn is an event.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from hmem.derived.chunks import EVENT_BITS, decode, encode
from hmem.derived.trees.calendar import CalendarPlacement
from hmem.derived.trees.evolution import ALPHAS, EvolutionOptions, EvolutionPlacement
from hmem.derived.trees.layers import LayersOptions, LayersPlacement
from hmem.derived.trees.placement import Leaf, Placement
from hmem.derived.trees.topic import TopicOptions, TopicPlacement
from hmem.derived.trees.tree import LEAF_BITS, ROOT, Tree
from hmem.language.analyst.base import Labels
from hmem.language.embed import embedder
from hmem.language.embed.base import Calibration
from hmem.model.vector import from_bytes, to_bytes
from hmem_evals import locomo

DIMENSION = 256
CLUSTERS = 2_000
SEED = 20261121
YEARS = 3
LAST = 2_000
PAIRS = 20_000

EXAMPLE = Path(__file__).parents[1] / "examples" / "ten_months.jsonl"
BEGIN = datetime(2023, 1, 1, tzinfo=UTC)

Values = NDArray[np.float32]


# Speed.


def make(leaves: int) -> list[Leaf]:
    """Return leaves that are events, one per turn."""
    chance = np.random.default_rng(SEED)
    centres = chance.standard_normal((CLUSTERS, DIMENSION), np.float32)
    which = chance.integers(CLUSTERS, size=leaves)
    rows = centres[which] + 0.8 * chance.standard_normal((leaves, DIMENSION), np.float32)
    vectors = from_bytes(*to_bytes((rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)))
    seconds = np.where(chance.random(leaves) < 0.1, 1.0, 0.0).cumsum()
    days = seconds / max(seconds[-1], 1.0) * YEARS * 365
    return [
        Leaf(
            (i + 1) << EVENT_BITS,
            BEGIN + timedelta(days=float(days[i]), seconds=20 * (i % 10)),
            vectors[i],
            Labels(f"domain {which[i] % 12}", f"category {which[i] % 240}", f"trace {which[i]} {i % 7}"),
        )
        for i in range(leaves)
    ]


def grow(name: str, placement: Placement, leaves: Sequence[Leaf]) -> dict[str, Any]:
    """Grow one tree and return its figures."""
    vectors = np.stack([leaf.vector for leaf in leaves])

    def vectors_of(numbers: Sequence[int]) -> Values:
        return vectors[(np.array(numbers, np.int64) >> EVENT_BITS) - 1]

    tree = Tree(name, vectors_of, LEAF_BITS + EVENT_BITS)
    start = perf_counter()
    for leaf in leaves[:-LAST]:
        placement.insert(tree, leaf)
    middle = perf_counter()
    for leaf in leaves[-LAST:]:
        placement.insert(tree, leaf)
    end = perf_counter()
    stored = {number: encode(tree.dump(number)) for number in sorted(tree.changed)}
    loaded = Tree(name, vectors_of, LEAF_BITS + EVENT_BITS)
    contents = {number: decode(content) for number, content in stored.items()}
    loading = perf_counter()
    for number, content in contents.items():
        loaded.load(number, content)
    assert len(loaded) == len(leaves)
    loading_end = perf_counter()
    return {
        "tree": name,
        "us_a_leaf": (end - start) / len(leaves) * 1e6,
        "us_a_leaf_at_the_end": (end - middle) / min(LAST, len(leaves)) * 1e6,
        "bytes_a_leaf": sum(map(len, stored.values())) / len(leaves),
        "load_s": loading_end - loading,
        "levels": {level: len(tree.nodes(level)) for level in range(1, tree.level(ROOT))},
    }


def speed(count: int) -> list[dict[str, Any]]:
    leaves = make(count)
    placements: dict[str, Placement] = {
        "calendar": CalendarPlacement(),
        "topic": TopicPlacement(TopicOptions(), embedder("wordllama").calibration),
        "evolution": EvolutionPlacement(EvolutionOptions(), Calibration()),
        "layers": LayersPlacement(LayersOptions(), Calibration()),
    }
    return [grow(name, placement, leaves) for name, placement in placements.items()]


def print_speed(rows: Sequence[dict[str, Any]], count: int) -> None:
    table = Table(title=f"{count:,} leaves", title_justify="left")
    for heading in ("tree", "µs a leaf", "at the end", "bytes a leaf", "load s", "nodes by level"):
        table.add_column(heading, justify="left" if heading == "tree" else "right")
    for row in rows:
        figures = (f"{row['us_a_leaf']:.0f}", f"{row['us_a_leaf_at_the_end']:.0f}", f"{row['bytes_a_leaf']:.1f}")
        levels = " ".join(str(count) for count in row["levels"].values())
        table.add_row(row["tree"], *figures, f"{row['load_s']:.3f}", levels)
    sums = [sum(row[name] for row in rows) for name in ("us_a_leaf", "us_a_leaf_at_the_end", "bytes_a_leaf", "load_s")]
    table.add_row("together", f"{sums[0]:.0f}", f"{sums[1]:.0f}", f"{sums[2]:.1f}", f"{sums[3]:.3f}", "")
    Console(width=120).print(table)


# Topics.


@dataclass(frozen=True, slots=True)
class Talk:
    """Conversation: a vector, a time and a session for each turn, and the evidence turns of each question."""

    vectors: Values
    times: list[datetime]
    sessions: list[str]
    evidence: list[list[int]]


def talks(file: Path | None) -> list[Talk]:
    model = embedder("wordllama")

    def talk(
        texts: list[str], times: list[datetime], ids: list[str], sessions: list[str], evidence: Sequence[Sequence[str]]
    ) -> Talk:
        places = {name: i for i, name in enumerate(ids)}
        found = [[places[name] for name in names if name in places] for names in evidence]
        return Talk(
            from_bytes(*to_bytes(model.embed(texts))), times, sessions, [some for some in found if len(some) > 1]
        )

    if file is None:
        turns = [json.loads(line) for line in EXAMPLE.read_text("utf-8").splitlines()]
        asked = json.loads(EXAMPLE.with_name("ten_months.questions.json").read_text("utf-8"))
        evidence = [question.get("evidence", ()) for question in asked]
        texts, ids, sessions = ([turn[name] for turn in turns] for name in ("text", "id", "session"))
        return [talk(texts, [datetime.fromisoformat(turn["at"]) for turn in turns], ids, sessions, evidence)]
    return [
        talk(
            [" ".join(filter(None, (said["text"], said["caption"]))) for said in each.messages],
            [said["at"] for said in each.messages],
            [said["message_id"] for said in each.messages],
            [said["session"] for said in each.messages],
            [question.evidence for question in each.questions],
        )
        for each in locomo.load(file)
    ]


def topic_figures(talk: Talk, placement: Callable[[], Placement]) -> dict[str, Any]:
    """Return the figures of one conversation's topic tree."""
    tree = Tree("topic", lambda numbers: talk.vectors[np.array(numbers, np.int64)])
    for i, vector in enumerate(talk.vectors):
        placement().insert(tree, Leaf(i, BEGIN, vector))
    levels = {level: len(tree.nodes(level)) for level in range(1, tree.level(ROOT))}
    inner = [len(tree.children(node)) for node in tree.nodes() if len(tree.children(node))]
    chance, count = random.Random(SEED), len(talk.vectors)
    pairs = {
        "evidence": [(a, b) for some in talk.evidence for a in some for b in some if a < b],
        "session": [(i, i + 1) for i in range(count - 1) if talk.sessions[i] == talk.sessions[i + 1]],
        "random": [
            (a, b) for a, b in ((chance.randrange(count), chance.randrange(count)) for _ in range(PAIRS)) if a != b
        ],
    }
    lowest = {i: tree.node_of(i) for i in range(count)}
    highest = {i: tree.path(i)[1] for i in range(count)}
    return {
        "levels": levels,
        "widest": max(tree.size(node) for node in tree.children(ROOT).tolist()) / count,
        "branching": float(np.mean(inner)),
        "facts_a_category": count / levels[1],
        "lowest": {name: _share(some, lowest) for name, some in pairs.items()},
        "highest": {name: _share(some, highest) for name, some in pairs.items()},
    }


def _share(pairs: Sequence[tuple[int, int]], node: dict[int, int | None]) -> float:
    return float(np.mean([node[a] == node[b] for a, b in pairs])) if pairs else float("nan")


def topics(file: Path | None) -> list[dict[str, Any]]:
    calibration = embedder("wordllama").calibration
    variants = [TopicOptions(), TopicOptions(theta=0.8)]
    variants += [TopicOptions(theta=theta) for theta in (0.0, 0.35, 0.4, 0.5)]
    variants += [TopicOptions(capacity=capacity) for capacity in (12, 24)]
    variants += [TopicOptions(branching=branching) for branching in (12, 24)]
    found: list[dict[str, Any]] = []
    everything = talks(file)
    for options in variants:
        figures = [
            topic_figures(talk, lambda options=options: TopicPlacement(options, calibration)) for talk in everything
        ]
        found.append({"options": str(options), "conversations": figures})
    return found


def print_topics(rows: Sequence[dict[str, Any]]) -> None:
    table = Table(title="topics: chance that two turns share a node", title_justify="left")
    headings = (
        "options",
        "levels",
        "widest",
        "branching",
        "facts",
        "evidence",
        "session",
        "random",
        "top: ev.",
        "random",
    )
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "options" else "right")
    for row in rows:
        each = row["conversations"]

        def mean(get: Callable[[dict[str, Any]], float], each: list[dict[str, Any]] = each) -> float:
            return float(np.mean([get(figures) for figures in each]))

        heights = Counter(len(figures["levels"]) for figures in each)
        table.add_row(
            row["options"].removeprefix("TopicOptions"),
            "/".join(str(height) for height in sorted(heights)),
            f"{mean(lambda figures: figures['widest']):.2f}",
            f"{mean(lambda figures: figures['branching']):.1f}",
            f"{mean(lambda figures: figures['facts_a_category']):.1f}",
            *(
                f"{mean(lambda figures, name=name: figures['lowest'][name]):.3f}"
                for name in ("evidence", "session", "random")
            ),
            *(f"{mean(lambda figures, name=name: figures['highest'][name]):.3f}" for name in ("evidence", "random")),
        )
    Console(width=150).print(table)


# Schedules.


def schedules(file: Path | None) -> list[dict[str, Any]]:
    calibration = embedder("wordllama").calibration
    everything = talks(file)
    found: list[dict[str, Any]] = []
    for name, alpha in ALPHAS.items():
        leaves, levels, joined = 0, Counter[int](), Counter[int]()
        for talk in everything:
            tree = Tree("evolution", lambda numbers, talk=talk: talk.vectors[np.array(numbers, np.int64)])
            placement = EvolutionPlacement(EvolutionOptions(alpha), calibration)
            for i, (vector, said) in enumerate(zip(talk.vectors, talk.times, strict=True)):
                placement.insert(tree, Leaf(i, said, vector))
            leaves += len(tree)
            for node in tree.nodes()[1:]:
                levels[tree.level(node)] += 1
                joined[tree.level(node)] += tree.merges(node)
        found.append({"schedule": name, "leaves": leaves, "nodes": dict(levels), "joined": dict(joined)})
    return found


def print_schedules(rows: Sequence[dict[str, Any]]) -> None:
    table = Table(title="evolution: nodes on a level, and how often one was joined", title_justify="left")
    for heading in ("schedule", "leaves", "weeks'", "joined", "months'", "joined", "years'", "joined"):
        table.add_column(heading, justify="left" if heading == "schedule" else "right")
    for row in rows:
        figures = (str(row[name].get(level, 0)) for level in (1, 2, 3) for name in ("nodes", "joined"))
        table.add_row(row["schedule"], str(row["leaves"]), *figures)
    Console(width=120).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--leaves", type=int, default=3_000)
    parser.add_argument("--topics", action="store_true", help="compare the topic tree's options")
    parser.add_argument("--schedules", action="store_true", help="compare the evolution tree's schedules")
    parser.add_argument("file", nargs="?", type=Path, help="a LoCoMo file, for --topics or --schedules")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args()
    if options.topics:
        rows = topics(options.file)
        print_topics(rows)
    elif options.schedules:
        rows = schedules(options.file)
        print_schedules(rows)
    else:
        rows = speed(options.leaves)
        print_speed(rows, options.leaves)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
