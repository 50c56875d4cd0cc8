"""Cost for hmem of reading by a model that answers at once; prints a table, and writes JSON.

    python benchmarks/model_cost.py [--turns 200] [--json OUT] [--recorded]

``own ms a turn`` is the processor time of this process for the reading of a turn by a model: queue, call, checks,
storing, forming again. In ``wire`` the calls go to the stand-in, a separate process, over the OpenAI protocol; in
``engine`` a model in this process answers with prepared extractions, which leaves hmem's part alone. Texts are counted
apart. ``calls a session`` and ``calls a consolidation`` are counts of calls; ``engine`` counts no tokens. The lines
``reading`` and ``all`` tell the tokens of a message, and the money for 1,000 messages, without and with the texts. In
``sessions`` the turns come session by session, each followed by a consolidation, over the wire: ``texts in`` and
``texts out`` are their tokens in total, by the stand-in's count, prompt and schema included. With ``--recorded``
only the recorded readings of our own conversations are counted, by hmem's count, prompts included and schemas not.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.formation import example
from tests.models import Derived, open_with

from hmem import Memory
from hmem.language.analyst.base import Passage, TurnExtraction
from hmem.language.llm.prices import describe_price
from hmem_evals import talks
from hmem_evals.talks.reading import RECORDINGS


class Replay(Derived):
    """Model that repeats its earlier extraction of the same turns."""

    def __init__(self) -> None:
        super().__init__()
        self.said: dict[tuple[str, ...], list[TurnExtraction]] = {}

    def read(self, passage: Passage, persona: str = "") -> list[TurnExtraction]:
        key = tuple(turn.text for turn in passage.turns)
        if key not in self.said:
            self.said[key] = super().read(passage, persona)
        else:
            self._called(passage)
        return self.said[key]


def worked(memory: Memory, turns: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the cost of reading turns by a model: processor time per turn, and per text."""
    memory.add(turns)
    sessions = memory.stats().sessions
    work, text_writer = memory._model_work, memory._components.formation.text_writer
    text_writer.options = type(text_writer.options)(summaries=False, profiles=False, persona=False)
    compose, work._compose = work._compose, lambda *_: 0  # type: ignore[method-assign]
    # The garbage of the imports is not part of the work.
    gc.collect()
    spent, clock = process_time(), perf_counter()
    done = memory.model.run_jobs()
    own, wall = process_time() - spent, perf_counter() - clock
    work._compose = compose  # type: ignore[method-assign]
    text_writer.options = memory._components.formation.config.text_options
    spent = process_time()
    texts = memory.model.run_jobs()
    took = process_time() - spent
    reads, writes = spent_on(memory, "read"), spent_on(memory, "write")
    return {
        "turns": done.turns, "sessions": sessions, "own ms a turn": 1_000 * own / done.turns,
        "wall ms a turn": 1_000 * wall / done.turns, "calls a session": reads[0] / sessions,
        "turns in": reads[1], "turns out": reads[2],
        "texts": texts.texts, "calls a consolidation": writes[0], "texts in": writes[1], "texts out": writes[2],
        "own ms a text": 1_000 * took / max(texts.texts, 1),
    }  # fmt: skip


def spent_on(memory: Memory, purpose: str) -> tuple[int, int, int]:
    """Return calls, tokens in and tokens out of one purpose."""
    told = memory.stats().model
    assert told is not None
    some = [each for each in told.spent if each.purpose == purpose]
    return (
        sum(each.calls for each in some),
        sum(each.input_tokens for each in some),
        sum(each.output_tokens for each in some),
    )


def by_session(memory: Memory, turns: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the calls and tokens of consolidations, one after each session."""
    calls: list[int] = []
    for _, session in groupby(turns, key=lambda turn: turn["session"]):
        before = spent_on(memory, "write")[0]
        memory.add(list(session))
        memory.model.run_jobs()
        calls.append(spent_on(memory, "write")[0] - before)
    writes = spent_on(memory, "write")
    return {
        "consolidations": len(calls), "calls a consolidation": writes[0] / len(calls), "most calls": max(calls),
        "texts in": writes[1], "texts out": writes[2],
    }  # fmt: skip


def engine(folder: Path, turns: list[dict[str, Any]]) -> dict[str, Any]:
    model = Replay()
    with open_with(folder / "first.hmem", model) as memory:
        memory.add(turns)
        memory.model.run_jobs()
    with open_with(folder / "second.hmem", model) as memory:
        return worked(memory, turns)


def wire(folder: Path, turns: list[dict[str, Any]]) -> dict[str, Any]:
    found = over_the_wire(folder, turns, worked)
    read = [found[f"turns {way}"] / len(turns) for way in ("in", "out")]
    whole = [found[f"texts {way}"] / len(turns) + tokens for way, tokens in zip(("in", "out"), read, strict=True)]
    return found | {"reading": describe_price(*read), "all": describe_price(*whole)}


def sessions(folder: Path, turns: list[dict[str, Any]]) -> dict[str, Any]:
    return over_the_wire(folder, turns, by_session)


def over_the_wire(
    folder: Path, turns: list[dict[str, Any]], measured: Callable[[Memory, list[dict[str, Any]]], dict[str, Any]]
) -> dict[str, Any]:
    os.environ["OPENAI_API_KEY"] = "any"
    command = [sys.executable, "-m", "hmem", "standin", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = json.loads(server.stdout.readline())["url"]
        try:
            with Memory(folder / "warm.hmem", analyst=f"openai:stand-in@{url}") as memory:
                memory.add("Hello", wait=True)
            with Memory(folder / f"{measured.__name__}.hmem", analyst=f"openai:stand-in@{url}") as memory:
                return measured(memory, turns)
        finally:
            server.terminate()


def recorded() -> None:
    """Print the tokens of a message in each recording of our conversations, and in all."""
    total = [0] * 5
    for conversation in talks.load():
        if not (folder := RECORDINGS / conversation.id).is_dir():
            continue
        with Memory(":memory:", analyst=f"recorded:{folder}") as memory:
            memory.add(conversation.messages)
            while memory.model.run_jobs().calls:
                pass
            spent = [len(conversation.messages), *spent_on(memory, "read")[1:], *spent_on(memory, "write")[1:]]
        print_spent(conversation.id, *spent)
        total = [one + other for one, other in zip(total, spent, strict=True)]
    print_spent("all", *total)


def print_spent(name: str, turns: int, read_in: int, read_out: int, written_in: int, written_out: int) -> None:
    print(f"{name}: {turns:,} messages")
    print(f"  reading: {describe_price(read_in / turns, read_out / turns)}")
    print(f"  with texts: {describe_price((read_in + written_in) / turns, (read_out + written_out) / turns)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=200)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--recorded", action="store_true")
    options = parser.parse_args()
    if options.recorded:
        recorded()
        return
    turns = example(options.turns)
    with tempfile.TemporaryDirectory() as folder:
        figures = {kind.__name__: kind(Path(folder), turns) for kind in (engine, wire, sessions)}
    for name, row in figures.items():
        print(name)
        for figure, value in row.items():
            shown = (
                f"{value:10.2f}" if isinstance(value, float) else value if isinstance(value, str) else f"{value:10,}"
            )
            print(f"  {figure:24} {shown}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
