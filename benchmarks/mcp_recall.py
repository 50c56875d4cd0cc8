"""Waiting times of a client over stdio: the start of the MCP server, the first recall, and later recalls.

    python benchmarks/mcp_recall.py [--file LOCOMO.json] [--recalls 200] [--mode auto]
        [--against SRC] [--json OUT]

The memory is the first conversation of a LoCoMo file, else the example of ten months; its questions are recalled with
the tool's defaults, in a cycle. "In process" is the same search in a memory of this process, and "tool" is the tool
without a client, which shows the cost of the protocol. Each has a process of its own, as the server does: a question
costs less once a process has read what answers it. Processor time per recall stands beside the clock; over stdio it is
the server's and the client's. Before that it starts the server alone a few times: seconds, also of the processor
(Linux), until it has greeted a client and until it has answered a recall; with --against in turns with the `src` of
another checkout.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from hmem import Memory
from hmem.interfaces.mcp.memories import Locations, Memories
from hmem.interfaces.mcp.reading import Reading
from hmem_evals import locomo

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "ten_months"
STARTS = 5
WARM = 10


def analysis(file: Path | None) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the messages to store and the questions to recall."""
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
    """Return the median and the 95th percentile."""
    return {"p50": round(median(milliseconds), 2), "p95": round(quantiles(milliseconds, n=20)[-1], 2)}


def timed(call: Callable[[str], object], questions: list[str]) -> dict[str, float]:
    """Return the milliseconds of a call over the questions, after a warm-up; the processor's are a mean."""
    for question in questions[:WARM]:
        call(question)
    taken: list[float] = []
    used = process_time()
    for question in questions:
        started = perf_counter()
        call(question)
        taken.append((perf_counter() - started) * 1_000)
    return spread(taken) | {"cpu": each(process_time() - used, questions)}


def search(path: Path, questions: list[str]) -> dict[str, float]:
    """Return the milliseconds of a search in this process."""
    with Memory(path) as memory:
        return timed(lambda question: memory.search(question, 11), questions)


def recall(path: Path, questions: list[str]) -> dict[str, float]:
    """Return the milliseconds of the tool in this process."""
    memories = Memories(Locations(project=path))
    try:
        return timed(Reading(memories).recall, questions)
    finally:
        memories.close()


def each(seconds: float, questions: list[str]) -> float:
    """Return the milliseconds of each question."""
    return round(seconds * 1_000 / len(questions), 2)


def started(path: Path, question: str, source: Path | None) -> dict[str, float]:
    """Return the seconds, also of the processor, until the server has greeted a client and has answered a recall."""
    environment = dict(os.environ) | ({} if source is None else {"PYTHONPATH": str(source)})
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
    requests = [
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "recall", "arguments": {"question": question}}},
    ]
    began, told = perf_counter(), dict[str, float]()
    command = [sys.executable, "-m", "hmem", "mcp", "--memory", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for request in requests:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n")
            server.stdin.flush()
            if (number := request.get("id")) is not None:
                assert b'"result"' in server.stdout.readline()
                name = "greeted" if number == 1 else "answered"
                told |= {f"{name}_s": perf_counter() - began, f"{name}_cpu_s": spent(server.pid)}
        server.stdin.close()
    return told


def spent(process: int) -> float:
    """Return the processor seconds of a process; zero elsewhere than on Linux."""
    file = Path(f"/proc/{process}/stat")
    if not file.exists():
        return 0.0
    fields = file.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def starts(path: Path, question: str, against: Path | None) -> dict[str, dict[str, float]]:
    """Return the medians of several starts of this checkout, in turns with another one on a copy if given."""
    sources: dict[str, tuple[Path, Path | None]] = {"start": (path, None)}
    if against is not None:
        # A later version carries its file over to a form that this one does not know.
        sources["start_against"] = (Path(shutil.copy(path, path.with_name("other.hmem"))), against)
    told = {name: list[dict[str, float]]() for name in sources}
    for _ in range(STARTS):
        for name, (file, source) in sources.items():
            told[name].append(started(file, question, source))
    return {
        name: {each: round(median(one[each] for one in some), 2) for each in some[0]} for name, some in told.items()
    }


async def over_stdio(path: Path, questions: list[str], mode: str) -> dict[str, Any]:
    """Return the seconds until the server is up and has answered once, and the milliseconds of later recalls."""
    arguments = ["-m", "hmem", "mcp", "--memory", str(path)]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    up: list[float] = []
    first: list[float] = []
    taken: list[float] = []
    cpu: dict[str, float] = {}
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
            used, ours = children(), process_time()
            for question in questions:
                started = perf_counter()
                result = await client.call_tool("recall", {"question": question})
                taken.append((perf_counter() - started) * 1_000)
                assert not result.is_error, result.content
            cpu["server_cpu"] = each(children() - used, questions)
            cpu["client_cpu"] = each(process_time() - ours, questions)
    return {"up_s": round(min(up), 2), "first_recall_s": round(min(first), 2), "recall_ms": spread(taken) | cpu}


def children() -> float:
    """Return the processor seconds of this process's children; zero elsewhere than on Linux."""
    file = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    return sum(spent(int(child)) for child in file.read_text().split()) if file.exists() else 0.0


def measure(file: Path | None, recalls: int, mode: str, against: Path | None) -> dict[str, Any]:
    """Return all figures."""
    messages, asked = analysis(file)
    questions = list(islice(cycle(asked), recalls))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "me.hmem"
        with Memory(path) as memory:
            memory.add(messages)
            memory.search(asked[0], kinds=("note",))
        with get_context("spawn").Pool(1, maxtasksperchild=1) as apart:
            in_process = apart.apply(search, (path, questions))
            tool = apart.apply(recall, (path, questions))
        alone = starts(path, questions[0], against)
        stdio = anyio.run(over_stdio, path, questions, mode)
    return {"turns": len(messages), "recalls": recalls, **alone, "in_process_ms": in_process, "tool_ms": tool, **stdio}


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--recalls", type=int, default=200)
    parser.add_argument("--mode", default="auto", help="auto, legacy or a version of the protocol")
    parser.add_argument("--against", type=Path, metavar="SRC", help="the src of another checkout, to compare starts")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    figures = measure(given.file, given.recalls, given.mode, given.against)
    for name, value in figures.items():
        shown = ", ".join(f"{part} {amount}" for part, amount in value.items()) if isinstance(value, dict) else value
        print(f"{name:16} {shown}")
    if given.json is not None:
        given.json.write_text(json.dumps(figures), "utf-8")


if __name__ == "__main__":
    main()
