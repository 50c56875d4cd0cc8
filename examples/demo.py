"""Demo on a conversation of ten months: what is formed with and without a language model, recall and figures.

`make demo`, or `python examples/demo.py`. The model's reading is the recording `ten_months.recording`: nobody is asked.
"""

import json
import shutil
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean, median
from textwrap import shorten
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from hmem import Evidence, Memory

HERE = Path(__file__).parent
FOLDER = Path("demo")
MEMORY = FOLDER / "ten_months.hmem"
READ = FOLDER / "ten_months_read.hmem"
RECORDING = HERE / "ten_months.recording"

# The questions are asked as of the day after the last turn, to get the same answers on any day.
ASKED = datetime(2025, 11, 5, 12, tzinfo=UTC)

K = 10
BATCH = 32
SHOWN_PER_CATEGORY = 2
SHOWN_EVIDENCE = 3
ENTITIES = 40
SHOWN_ENTITIES = 12
PROFILE_LINES = 8
CHANGES = 8
WIDTH_OF_A_FILE = 110

Question = Mapping[str, Any]


def read_example() -> tuple[list[dict[str, Any]], list[Question]]:
    """Return the turns for `Memory.add`, and the questions."""
    lines = (HERE / "ten_months.jsonl").read_text("utf-8").splitlines()
    turns = [json.loads(line) for line in lines]
    for turn in turns:
        turn["message_id"] = turn.pop("id")
    return turns, json.loads((HERE / "ten_months.questions.json").read_text("utf-8"))


def remember(memory: Memory, turns: list[dict[str, Any]], console: Console) -> float:
    """Add all turns in batches; return the seconds that it took."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    start = perf_counter()
    with Progress(*columns, console=console) as progress:
        task = progress.add_task("Remembering turns", total=len(turns))
        for first in range(0, len(turns), BATCH):
            receipts = memory.add(turns[first : first + BATCH])
            refused = [receipt.error for receipt in receipts if not receipt]
            if refused:
                raise SystemExit(f"a turn of the example was refused: {refused[0]}")
            progress.advance(task, len(receipts))
        memory.flush()
    return perf_counter() - start


def show_timeline(memory: Memory, console: Console) -> None:
    """Print the months and days with their summaries, in a sentence or two."""
    tree = Tree(Text("Timeline", "bold"))
    for year in memory.tree("calendar", summaries=True).children:
        for month in year.children:
            branch = tree.add(Text(f"{month.node.span.start:%B %Y}"))
            for day in month.children:
                # A summary begins with its day.
                summary = day.node.summary.partition(" - ")[2] or day.node.summary
                line = Text(f"{day.node.span.start:%a %d %b}  {day.node.size} memorable turns  ")
                branch.add(line.append(shorten(summary, console.width - 48, placeholder=" …"), "dim"))
    console.print(tree)


def show_entities(memory: Memory, console: Console) -> None:
    """Print the entities that most turns name, and their relations to others."""
    graph = memory.graph(limit=ENTITIES)
    names = {entity.id: entity.name for entity in graph.entities}
    table = Table(
        title="Who and what it is about, by the recorded reading",
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="dim",
    )
    for heading in ("name", "type", "turns", "relations"):
        table.add_column(heading, no_wrap=True, justify="right" if heading == "turns" else "left")
    for entity in graph.entities[:SHOWN_ENTITIES]:
        own = [relation for relation in graph.relations if relation.source == entity.id]
        said = ", ".join(f"{relation.label.replace('_', ' ')} {names[relation.target]}" for relation in own)
        relations = shorten(said, console.width - 50, placeholder=" …")
        table.add_row(entity.name, entity.type, str(graph.mentions[entity.id]), Text(relations, "dim"))
    console.print()
    console.print(table)


def ask(memory: Memory, questions: list[Question]) -> tuple[dict[str, tuple[Evidence, ...]], list[float]]:
    """Return the evidence found for each question, by its id, and the milliseconds of each search."""
    found: dict[str, tuple[Evidence, ...]] = {}
    milliseconds: list[float] = []
    for question in questions:
        start = perf_counter()
        found[question["id"]] = memory.search(question["question"], k=K, at=ASKED, min_score=0).evidence
        milliseconds.append((perf_counter() - start) * 1_000)
    return found, milliseconds


def sample(questions: list[Question]) -> list[Question]:
    """Return the first questions of each category, in the order of the file."""
    counts: defaultdict[str, int] = defaultdict(int)
    chosen: list[Question] = []
    for question in questions:
        counts[question["category"]] += 1
        if counts[question["category"]] <= SHOWN_PER_CATEGORY:
            chosen.append(question)
    return chosen


def show_answers(questions: list[Question], found: Mapping[str, tuple[Evidence, ...]], console: Console) -> None:
    """Print each question with its best evidence: speaker, time and reasons. A star marks gold evidence."""
    for question in questions:
        console.print(Text(f"\n? {question['question']}", "bold"))
        answer = shorten(question["answer"] or "none, it was never said", 80, placeholder=" …")
        console.print(Text(f"  {question['category']}; answer: {answer}", "dim"))
        for rank, item in enumerate(found[question["id"]][:SHOWN_EVIDENCE], 1):
            gold = "*" if item.message_id in question["evidence"] else " "
            photo = f" [photo: {item.caption}]" if item.caption else ""
            console.print(Text(f"  {rank}{gold} {item.when:%a %d %b %Y %H:%M}  {item.speaker}, {item.score:.2f}"))
            console.print(Text(f"     {shorten(item.text + photo, console.width - 5, placeholder=' …')}", "cyan"))
            console.print(Text(f"     {shorten(str(item.why), console.width - 5, placeholder=' …')}", "dim"))


def read(turns: list[dict[str, Any]]) -> Memory:
    """Return a memory of the turns with the recorded reading of a language model."""
    memory = Memory(READ, analyst=f"recorded:{RECORDING}")
    memory.add(turns)
    memory.flush()
    while memory.model.run_jobs().calls:
        pass
    return memory


def show_formed(heading: str, memory: Memory, console: Console) -> None:
    """Print what is known of the person, and what changed: the older sentence and the one that took its place."""
    console.print(Text(f"\n{heading}", "bold"))
    for line in memory.profile("Nadia").text.splitlines()[1 : PROFILE_LINES + 1]:
        console.print(Text(f"  {shorten(line, console.width - 4, placeholder=' …')}", "cyan"))
    notes = {note.id: note for note in memory.notes(limit=10_000)}
    changed = [note for note in notes.values() if note.status == "superseded" and note.successor in notes]
    console.print(Text(f"  {len(notes)} notes, of which {len(changed)} were superseded:", "dim"))
    for note in changed[-CHANGES:]:
        newer = notes[note.successor or ""]
        half = console.width // 2 - 18
        older, later = (shorten(each.text, half, placeholder=" …") for each in (note, newer))
        console.print(Text(f"  {note.recorded:%d %b} {older}  >  {newer.recorded:%d %b} {later}", "cyan"))


def recall_by_category(questions: list[Question], found: Mapping[str, tuple[Evidence, ...]]) -> dict[str, list[float]]:
    """Return the share of the gold evidence among the first `K`, for each question that has some, by category."""
    recalls: defaultdict[str, list[float]] = defaultdict(list)
    for question in questions:
        gold = set(question["evidence"])
        if gold:
            hits = gold.intersection(item.message_id for item in found[question["id"]][:K])
            recalls[question["category"]].append(len(hits) / len(gold))
    return dict(recalls)


def show_recall(recalls: Mapping[str, Mapping[str, list[float]]], console: Console) -> None:
    """Print the mean recall by category, with a column for each memory.

    The gold turns of an adversarial question are those that tempt to answer.
    """
    console.print()
    table = Table(title=f"Evidence found among the first {K}", title_justify="left", box=None, pad_edge=False)
    table.add_column("category")
    for heading in ("questions", *recalls):
        table.add_column(heading, justify="right")
    first = next(iter(recalls.values()))
    for category in sorted(set(first) - {"adversarial"}):
        table.add_row(
            category, str(len(first[category])), *(f"{mean(each[category]):.3f}" for each in recalls.values())
        )
    together = [
        [value for name, some in each.items() if name != "adversarial" for value in some] for each in recalls.values()
    ]
    table.add_row("all of these", str(len(together[0])), *(f"{mean(each):.3f}" for each in together), style="bold")
    if tempting := first.get("adversarial"):
        shares = (f"{mean(each['adversarial']):.3f}" for each in recalls.values())
        table.add_row("adversarial (tempting turns)", str(len(tempting)), *shares, style="dim")
    console.print(table)


def show_costs(seconds: float, milliseconds: list[float], console: Console) -> None:
    """Print the times and the size on disk, with the memory opened again."""
    start = perf_counter()
    with Memory(MEMORY, create=False) as memory:
        memory.search("Who is Nadia?")
        opening = perf_counter() - start
        stats = memory.stats()
    console.print(
        f"\nTime: {stats.turns} turns remembered in {seconds:.2f} s, each batch of {BATCH} durable; "
        f"median search {median(milliseconds):.1f} ms;\nopened again to the first answer in {opening * 1_000:.0f} ms."
    )
    console.print(f"Disk: {stats.truth_bytes / 1e3:,.0f} kB truth, {stats.index_bytes / 1e3:,.0f} kB derived indices.")


def main() -> None:
    """Run the demo in the current folder."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=WIDTH_OF_A_FILE)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    turns, questions = read_example()
    with Memory(MEMORY) as memory:
        seconds = remember(memory, turns, console)
        show_timeline(memory, console)
        found, milliseconds = ask(memory, questions)
        show_answers(sample(questions), found, console)
        show_formed("What is known of Nadia without a model", memory, console)
    with read(turns) as memory:
        show_formed("What is known of Nadia from a recorded reading by a language model", memory, console)
        show_entities(memory, console)
        found_read, _ = ask(memory, questions)
    columns = {"without a model": found, "recorded reading": found_read}
    show_recall({name: recall_by_category(questions, each) for name, each in columns.items()}, console)
    show_costs(seconds, milliseconds, console)
    console.print(f"\nThe memory is {MEMORY}. Go on with:")
    console.print(f'  .venv/bin/hmem search "Which races did Nadia run?" --memory {MEMORY}')
    console.print(f'  .venv/bin/hmem context "What does Nadia drink in the morning?" --memory {MEMORY}')
    console.print(f"  .venv/bin/hmem show tree calendar --memory {MEMORY}")
    console.print(f"  .venv/bin/hmem show graph --entity Tomas --memory {MEMORY}")


if __name__ == "__main__":
    main()
