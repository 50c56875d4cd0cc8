"""Our own time for reading an episode by a language model: `python benchmarks/model_call.py`.

A local server in a separate process answers at once, with prepared responses. Clock time is the time of an episode with
such a server; CPU time is that of this process, over its threads.
"""

import argparse
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

from rich.console import Console
from rich.table import Table

from hmem.language.analyst import Passage
from hmem.language.llm.extraction import turns_data
from hmem.language.llm.model import load
from hmem.language.tokens import count_tokens
from hmem.model.span import parse_time, zone
from hmem.model.turn import Turn
from hmem_testing.fake_llm.tasks import TASKS

EXAMPLE = Path(__file__).parent.parent / "examples" / "ten_months.jsonl"
TURNS = 8
EPISODES = 60
ROUNDS = 3


def passages() -> Iterator[Passage]:
    lines = [json.loads(line) for line in EXAMPLE.read_text("utf-8").splitlines()]
    utc = zone("UTC")
    turns = [
        Turn(f"turn-{i}", line["speaker"], line["text"], parse_time(line["at"], utc), line["session"])
        for i, line in enumerate(lines)
    ]
    speakers = tuple(dict.fromkeys(turn.speaker for turn in turns))
    for start in range(0, min(len(turns), TURNS * EPISODES) - TURNS, TURNS):
        before = max(0, start - 4)
        yield Passage(tuple(turns[before : start + TURNS]), start - before, speakers)


def answer(passage: Passage) -> str:
    """Return a model's extraction of an episode, as the body of a response."""
    said = json.dumps(TASKS["read_turns"]({"task": "read_turns", **turns_data(passage, "")}))
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": said}}
    usage = {"prompt_tokens": 1, "completion_tokens": count_tokens(said), "total_tokens": 1}
    head = {"id": "x", "object": "chat.completion", "created": 1, "model": "m"}
    return json.dumps({**head, "choices": [choice], "usage": usage})


def serve(bodies: list[str], told: Connection) -> None:
    """Answer with the bodies in a cycle."""
    left = iter(range(10**9))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            body = bodies[next(left) % len(bodies)].encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        told.send(server.server_port)
        server.serve_forever()


def measure() -> dict[str, float]:
    read = list(passages())
    ours, theirs = get_context("spawn").Pipe(duplex=False)
    server = get_context("spawn").Process(
        target=serve, args=([answer(passage) for passage in read], theirs), daemon=True
    )
    server.start()
    model = load("openai", f"test@http://127.0.0.1:{ours.recv()}/v1").model
    wall, cpu, turns, statements = list[float](), list[float](), 0, 0
    first = perf_counter()
    for each in read:
        model.read(each)
    opened = perf_counter() - first
    before = model.usage
    for _ in range(ROUNDS):
        for passage in read:
            start, spent = perf_counter(), process_time()
            found = model.read(passage)
            wall.append((perf_counter() - start) / len(found) * 1_000)
            cpu.append((process_time() - spent) / len(found) * 1_000)
            turns += len(found)
            statements += sum(len(reading.statements) for reading in found)
    calls = model.usage.calls - before.calls
    model.close()
    server.terminate()
    server.join()
    return {
        "episodes": ROUNDS * len(read),
        "turns": turns,
        "statements": statements,
        "calls_per_episode": calls / (ROUNDS * len(read)),
        "wall_ms_per_turn": median(wall),
        "cpu_ms_per_turn": median(cpu),
        "first_round_s": opened,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    made = measure()
    table = Table("figure", "value")
    for name, value in made.items():
        table.add_row(name, f"{value:.3f}" if isinstance(value, float) else str(value))
    Console().print(table)
    if options.json:
        options.json.write_text(json.dumps(made, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
