"""Figures of the trees of formed memories, and of their names and summaries.

python benchmarks/arranged.py [--locomo FILE] [--longmemeval FILE] [--haystacks 3,20] [--judged FILE] [--json OUT]

Without files, on our own example. For the evolution tree: nodes on each level, events a node, the largest node's share.
For the topic tree: one speaker's share of a category of three turns or more, weighted by turns. For the layers: events
a trace, the share of events in traces of 10 to 100, the largest domain's share and that of the catch-all. For
summaries: the mean similarity of a line to the sentence of the summary that it resembles most, the share of words of
two lines or more that the summary has, and the share of summaries with a courtesy.

``--sample OUT`` writes 60 names with the texts that they name, to be judged; ``--judged FILE`` prints the share of the
names that fit, by verdicts in lines of ``DIGEST yes|no`` (see ``CRITERION``). A digest is of the name and its
texts, so that a verdict counts only while both are the same.
"""

import argparse
import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from hmem import Memory
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.derived.trees.tree import ROOT, Tree
from hmem.interfaces.formats import locomo, longmemeval
from hmem.language.embed import embedder
from hmem.language.english.courtesies import is_courtesy
from hmem.language.english.labels import UNLIKE_ANY
from hmem.language.english.sentences import pieces
from hmem.language.english.wording import content_stems

CRITERION = """
A name fits if it tells a reader what most of the texts are about: at least half of them are about one of its terms, or
about what its terms together plainly stand for; no term is about none of them; and it can be read as a name (nouns, no
broken word, no speaker). A trace is read behind its category. Each text counts once; greetings and texts of three words
or fewer count for nothing.
"""

EXAMPLE = Path(__file__).parents[1] / "examples" / "ten_months.jsonl"
SEED = 20261123
NAMES = 60
SUMMARIES = 12
FEWEST = 4
NAMED = ("topic", "layers")
SHOWN = 14


@dataclass(frozen=True, slots=True)
class Formed:
    """Memory with everything formed."""

    name: str
    derived: DerivedState
    text_writer: TextWriter
    speakers: dict[int, str]


def conversations(options: argparse.Namespace) -> Iterator[tuple[str, Sequence[Any]]]:
    if options.locomo:
        for i, each in enumerate(locomo.load(options.locomo)):
            yield f"locomo {i}", each.messages
    if options.longmemeval:
        haystacks = longmemeval.load(options.longmemeval)
        for i in map(int, options.haystacks.split(",")):
            yield f"longmemeval {i}", haystacks[i].messages
    if not options.locomo and not options.longmemeval:
        turns = [json.loads(line) for line in EXAMPLE.read_text("utf-8").splitlines()]
        yield "example", [{("message_id" if key == "id" else key): turn[key] for key in turn} for turn in turns]


def figures(formed: Formed) -> dict[str, Any]:
    """Return the figures of one memory."""
    derived = formed.derived
    found: dict[str, Any] = {"conversation": formed.name, **_evolution(derived.trees["evolution"])}
    found |= _topics(derived.trees["topic"], formed.speakers)
    found |= _layers(derived.trees["layers"])
    return found | _summaries(formed)


def _sizes(tree: Tree, level: int) -> list[int]:
    return [tree.size(node) for node in tree.nodes(level) if node != ROOT]


def _evolution(tree: Tree) -> dict[str, Any]:
    levels = [sizes for level in range(1, tree.level(ROOT)) if (sizes := _sizes(tree, level))]
    return {
        "events": len(tree),
        "nodes": [len(sizes) for sizes in levels],
        "events_a_node": [round(len(tree) / len(sizes), 1) for sizes in levels],
        "median": [int(np.median(sizes)) for sizes in levels],
        "largest": max(max(sizes) for sizes in levels) / len(tree),
    }


def _topics(tree: Tree, speakers: dict[int, str]) -> dict[str, Any]:
    below = [tree.under(node) for node in tree.nodes(1) if node != ROOT]
    counted = [(Counter(speakers[seq] for seq in some), len(some)) for some in below if len(some) > 2]
    share = sum(each.most_common(1)[0][1] for each, _ in counted) / max(sum(size for _, size in counted), 1)
    return {"topics": len(below), "turns_a_topic": round(len(tree) / len(below), 1), "one_speaker": share}


def _layers(tree: Tree) -> dict[str, Any]:
    traces, domains = _sizes(tree, 1), Counter[str]()
    for node in tree.children(ROOT).tolist():
        domains[tree.label(node)] += tree.size(node)
    return {
        "traces": len(traces),
        "events_a_trace": round(len(tree) / len(traces), 1),
        "in_10_to_100": sum(size for size in traces if 10 <= size <= 100) / len(tree),
        "largest_domain": domains.most_common(1)[0],
        "domain_share": domains.most_common(1)[0][1] / len(tree),
        "catch_all": domains[UNLIKE_ANY.domain] / len(tree),
    }


# Summaries.


def _summaries(formed: Formed) -> dict[str, Any]:
    writer, scores = formed.text_writer, list[tuple[float, float, bool]]()
    words = frozenset(word for name in formed.speakers.values() for word in name.lower().split())
    for name, tree in formed.derived.trees.items():
        nodes = [node for node in tree.nodes() if node != ROOT and FEWEST <= tree.size(node) <= 200]
        for node in random.Random(SEED).sample(nodes, min(SUMMARIES, len(nodes))):
            lines = [line.text for line in writer.lines_below(name, node)]
            scores.append(_covered(lines, writer.summary(name, node).text, words))
    likeness, stems, courtesies = zip(*scores, strict=True)
    return {"like": np.mean(likeness), "words": np.mean(stems), "courtesies": np.mean(courtesies)}


def _covered(lines: Sequence[str], summary: str, speakers: frozenset[str]) -> tuple[float, float, bool]:
    model, body = embedder("wordllama"), re.sub(r"(?m)^\d+ \w+ \d{4} -", "", summary)
    told = [" ".join(piece.text.split()) for piece in pieces(body)]
    like = (model.embed(lines) @ model.embed(told or [" "]).T).max(axis=1).mean()
    counts = Counter(root for line in lines for root in set(content_stems(line)))
    shared, kept = {root: count for root, count in counts.items() if count > 1}, set(content_stems(summary))
    stems = sum(count for root, count in shared.items() if root in kept) / max(sum(shared.values()), 1)
    return float(like), stems, any(is_courtesy(re.sub(r"^\w+: ", "", each), speakers) for each in told)


# Names.


def names(formed: Formed) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the names of nodes of at least four leaves, with a digest and the texts that they name."""
    for name in NAMED:
        tree = formed.derived.trees[name]
        for node in tree.nodes(1):
            if node != ROOT and tree.size(node) >= FEWEST:
                label, texts = formed.text_writer.name(name, node), formed.text_writer.texts_below(name, node)
                digest = hashlib.sha256("\n".join([label, *texts]).encode()).hexdigest()[:12]
                above = tree.label(tree.parent(node) or ROOT)
                yield digest, f"{above} > {label}" if above else label, texts


def sampled(every: Sequence[tuple[str, str, list[str]]]) -> list[tuple[str, str, list[str]]]:
    return random.Random(SEED).sample(every, min(NAMES, len(every)))


def write_sample(file: Path, sample: Sequence[tuple[str, str, list[str]]]) -> None:
    blocks = [
        "\n".join([f"{digest} ? {label}", *(f"    {' '.join(text.split())[:140]}" for text in texts[:SHOWN])])
        for digest, label, texts in sample
    ]
    file.write_text(CRITERION.strip() + "\n\n" + "\n\n".join(blocks) + "\n", "utf-8")


def judged(file: Path, sample: Sequence[tuple[str, str, list[str]]]) -> tuple[int, int]:
    """Return how many names of the sample fit, and how many were judged."""
    lines = [line.split() for line in file.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    verdicts = {digest: verdict == "yes" for digest, verdict in lines}
    found = [verdicts[digest] for digest, _, _ in sample if digest in verdicts]
    return sum(found), len(found)


def form(name: str, messages: Sequence[Any], folder: Path, every: list[tuple[str, str, list[str]]]) -> dict[str, Any]:
    """Form a conversation's memory; return its figures, and add its names to ``every``."""
    with Memory(folder / f"{name.replace(' ', '-')}.hmem") as memory:
        memory.add(list(messages))
        speakers = {int(seq): turn.speaker for seq, turn in enumerate(memory.list(limit=len(messages)), 1)}
        components = memory._opened.components  # pyright: ignore[reportPrivateUsage] - a figure is of the inside
        with components.corpus.reading():
            derived = components.derived()
            writer = TextWriter(
                components.corpus, derived, components.analyst, components.formation.config.text_options
            )
            formed = Formed(name, derived, writer, speakers)
            every += names(formed)
            return figures(formed)


def print_figures(rows: Sequence[dict[str, Any]]) -> None:
    table = Table(title="trees of formed memories", title_justify="left")
    headings = (
        "conversation", "events", "evolution: nodes", "events a node", "largest", "turns a topic", "one speaker",
        "traces", "events a trace", "in 10-100", "largest domain", "catch-all", "summary: like", "words", "courtesies",
    )  # fmt: skip
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "conversation" else "right")
    for row in rows:
        table.add_row(
            row["conversation"], str(row["events"]), " ".join(map(str, row["nodes"])),
            " ".join(map(str, row["events_a_node"])), f"{row['largest']:.2f}", str(row["turns_a_topic"]),
            f"{row['one_speaker']:.2f}", str(row["traces"]), str(row["events_a_trace"]), f"{row['in_10_to_100']:.2f}",
            f"{row['largest_domain'][0]} {row['domain_share']:.2f}", f"{row['catch_all']:.3f}", f"{row['like']:.3f}",
            f"{row['words']:.3f}", f"{row['courtesies']:.3f}",
        )  # fmt: skip
    Console(width=190).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--locomo", type=Path, help="a LoCoMo file")
    parser.add_argument("--longmemeval", type=Path, help="a LongMemEval file")
    parser.add_argument("--haystacks", default="3,20,47,80", help="the places of haystacks in it")
    parser.add_argument("--only", help="the conversations to take, by name, between commas")
    parser.add_argument("--sample", type=Path, help="write names to be judged to this file")
    parser.add_argument("--judged", type=Path, help="print the share of names that fit by the verdicts in this file")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args()
    every, rows = list[tuple[str, str, list[str]]](), list[dict[str, Any]]()
    with TemporaryDirectory() as folder:
        for name, messages in conversations(options):
            if not options.only or name in options.only.split(","):
                rows.append(form(name, messages, Path(folder), every))
    print_figures(rows)
    sample = sampled(every)
    if options.sample:
        write_sample(options.sample, sample)
    if options.judged:
        fit, count = judged(options.judged, sample)
        print(f"names that fit: {fit} of {count} judged ({fit / max(count, 1):.0%}), {len(sample)} in the sample")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2, default=float) + "\n", "utf-8")


if __name__ == "__main__":
    main()
