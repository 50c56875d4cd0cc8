"""What a memory shows of three stories, for a reader: `python -m benchmarks.stories [--story NAME] [--model FOLDER]`.

Prints every line of every view and the answers to 20 questions on each story, with the expected ones beside them. No
rule, head or ranker was made with these stories (`benchmarks/data/README.md`).
"""

import argparse
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from hmem import Memory

STORIES = Path(__file__).parent / "data" / "stories"
NAMES = ("friends", "support", "agent")
TREES = ("topic", "layers", "evolution")

SITTING = re.compile(r"# (?P<day>\d{4}-\d\d-\d\d)(?: (?P<name>.+))?")
TURN = re.compile(r"(?P<tool>tool:)?(?P<speaker>\w+) (?P<time>\d\d:\d\d)(?P<assistant> assistant)?: (?P<text>.*)")


def messages(name: str) -> list[dict[str, Any]]:
    """Return the turns of a story as messages."""
    day, session = "", ""
    turns: list[dict[str, Any]] = []
    for line in (STORIES / f"{name}.txt").read_text("utf-8").splitlines():
        if sitting := SITTING.fullmatch(line):
            day, session = sitting["day"], line.removeprefix("# ")
        elif turn := TURN.fullmatch(line):
            role = "tool" if turn["tool"] else "assistant" if turn["assistant"] else "user"
            at = datetime.fromisoformat(f"{day}T{turn['time']}:00+00:00")
            turns.append({
                "speaker": turn["speaker"], "role": role, "text": turn["text"], "at": at, "session": session,
            })  # fmt: skip
        else:
            turns[-1]["text"] += f"\n{line}"
    return turns


def questions(name: str) -> list[tuple[str, str]]:
    """Return the questions on a story, each with the answer that a reader expects."""
    lines = (STORIES / f"{name}.questions.txt").read_text("utf-8").splitlines()
    return [(question, answer) for question, _, answer in (line.partition(" | ") for line in lines)]


def shown(memory: Memory, speakers: list[str]) -> Iterator[str]:
    """Yield the lines of every view."""
    for speaker in speakers:
        yield f"profile of {speaker}: {memory.profile(speaker)}"
    for note in memory.notes():
        earlier = "".join(f" | before: {sentence.text}" for sentence in note.earlier)
        value = note.value if note.positive else f"not {note.value}"
        yield f"note of {note.subject}, {note.slot} {value}: {note.text} ({note.status}){earlier}"
    graph = memory.graph(limit=1_000)
    names = {entity.id: entity.name for entity in graph.entities}
    for entity in graph.entities:
        yield f"entity {entity.name}, {entity.type}, {', '.join(entity.aliases)}"
    for relation in graph.relations:
        ends = names.get(relation.source), names.get(relation.target)
        told = f"{relation.at:%d %b %Y}{', past' if relation.past else ''}"
        yield f"relation {ends[0]} {relation.label} {ends[1]} ({told})"
    for profile in graph.profiles:
        yield f"profile of {names.get(profile.entity)}: {profile.persistent} | {profile.recent}"
    for event in memory.events(limit=1_000):
        yield f"event {event.text} | {event.happened}"
    for tree in TREES:
        branches = [(0, memory.tree(tree, summaries=True))]
        while branches:
            depth, branch = branches.pop()
            yield f"{tree} {'  ' * depth}{branch.node.label or '-'}: {branch.node.summary or ''}"
            branches += [(depth + 1, child) for child in reversed(branch.children)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--story", choices=NAMES, action="append", help="all by default")
    parser.add_argument("--model", type=Path, help="folder of recordings, one of the story's name for each")
    options = parser.parse_args()
    for name in options.story or NAMES:
        analyst = f"recorded:{options.model / name}" if options.model else None
        story = messages(name)
        with Memory(":memory:", analyst=analyst) as memory:
            memory.add(story)
            memory.flush()
            while analyst and memory.model.run_jobs().calls:
                pass
            print(f"# {name}: {len(story)} turns")
            for line in shown(memory, list(dict.fromkeys(turn["speaker"] for turn in story))):
                print(line)
            for question, expected in questions(name):
                print(f"? {question}\n  expected: {expected}\n  {memory.ask(question).text}")


if __name__ == "__main__":
    main()
