"""What a client waits for over stdio: the start of the server, the first recall, and recalls after that.

    python benchmarks/mcp_recall.py [--file LOCOMO.json] [--recalls 200] [--mode auto] [--json OUT]

The memory is the first conversation of a LoCoMo file, else the example of ten months; its questions are recalled with
the tool's own defaults, each once or round and round. "In process" is the same search in a memory of this process, and
"tool" is the tool without a client; so what the protocol adds shows.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from hmem import Memory
from hmem.evals import locomo
from hmem.interfaces.mcp.memories import Memories, Places
from hmem.interfaces.mcp.reading import Reading

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "ten_months"
STARTS = 3
WARM = 10


def material(file: Path | None) -> tuple[list[dict[str, Any]], list[str]]:
    """Messages to keep and questions to recall."""
    if file is not None:
        conversation = locomo.load(file)[0]
        return [dict(message) for message in conversation.messages], [each.text for each in conversation.questions]
    lines = EXAMPLE.with_suffix(".jsonl").read_text("utf-8").splitlines()
    messages = [json.loads(line) for line in lines]
    for message in messages:
        message["message_id"] = message.pop("id")
    questions = json.loads(EXAMPLE.with_suffix(".questions.json").read_text("utf-8"))
    return messages, [each["question"] for each in questions]


def spread(milliseconds: list[float]) -> dict[str, float]:
    """The median and the 95th of a hundred."""
    return {"p50": round(median(milliseconds), 2), "p95": round(quantiles(milliseconds, n=20)[-1], 2)}


def timed(call: Callable[[str], object], questions: list[str]) -> dict[str, float]:
    """Milliseconds of a call for each question, after some to warm it up."""
    for question in questions[:WARM]:
        call(question)
    taken: list[float] = []
    for question in questions:
        started = perf_counter()
        call(question)
        taken.append((perf_counter() - started) * 1_000)
    return spread(taken)


async def over_stdio(path: Path, questions: list[str], mode: str) -> dict[str, Any]:
    """Seconds until the server is up and has answered once, and milliseconds of each recall after."""
    arguments = ["-m", "hmem", "mcp", "--memory", str(path)]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    up: list[float] = []
    first: list[float] = []
    taken: list[float] = []
    for start in range(STARTS):
        began = perf_counter()
        async with Client(server, mode=mode) as client:
            up.append(perf_counter() - began)
            await client.call_tool("recall", {"question": questions[0]})
            first.append(perf_counter() - began)
            if start < STARTS - 1:
                continue
            for question in questions[:WARM]:
                await client.call_tool("recall", {"question": question})
            for question in questions:
                started = perf_counter()
                result = await client.call_tool("recall", {"question": question})
                taken.append((perf_counter() - started) * 1_000)
                assert not result.is_error
    return {"up_s": round(min(up), 2), "first_recall_s": round(min(first), 2), "recall_ms": spread(taken)}


def measure(file: Path | None, recalls: int, mode: str) -> dict[str, Any]:
    """All figures."""
    messages, asked = material(file)
    questions = list(islice(cycle(asked), recalls))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "me.hmem"
        with Memory(path) as memory:
            memory.add(messages)
            memory.search(asked[0], kinds=("note",))
        memories = Memories(Places(project=path))
        memory, tools = memories.of(), Reading(memories)
        in_process = timed(lambda question: memory.search(question, 11), questions)
        tool = timed(tools.recall, questions)
        memories.close()
        stdio = anyio.run(over_stdio, path, questions, mode)
    return {"turns": len(messages), "recalls": recalls, "in_process_ms": in_process, "tool_ms": tool, **stdio}


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--recalls", type=int, default=200)
    parser.add_argument("--mode", default="auto", help="auto, legacy or a version of the protocol")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    figures = measure(given.file, given.recalls, given.mode)
    for name, value in figures.items():
        shown = ", ".join(f"{part} {amount}" for part, amount in value.items()) if isinstance(value, dict) else value
        print(f"{name:16} {shown}")
    if given.json is not None:
        given.json.write_text(json.dumps(figures), "utf-8")


if __name__ == "__main__":
    main()
