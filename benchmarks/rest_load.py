"""Load test of a REST server: recalls and adds per second, their times, and turns lost when it is killed.

    python benchmarks/rest_load.py FILE [--workers N] [--recipe R] [--seconds S] [--clients N] [--memories N]
        [--json OUT]

FILE is a LoCoMo file. Its conversations fill the memories, one for each client by default, and are consolidated. Each
client is a separate process with one connection, which sends a request as soon as the last one is answered: first
questions of its conversation, then single turns, then both, and at last turns until the server and its processes are
killed. ``server_cpu_ms`` is the processor time of the server and its processes per request, the best measure on a busy
machine. Then the server starts again, and every acknowledged turn is fetched by its id.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from multiprocessing import get_context
from pathlib import Path
from statistics import quantiles
from threading import Thread
from time import monotonic, perf_counter, sleep
from typing import Any
from urllib.parse import urlsplit

SPAWN = get_context("spawn")
WAIT = 120
HEAD = {"Content-Type": "application/json"}
Said = dict[str, Any]


def conversations(path: Path) -> list[tuple[list[Said], list[str]]]:
    """Return the turns and the questions of each conversation."""
    found: list[tuple[list[Said], list[str]]] = []
    for each in json.loads(path.read_text("utf-8")):
        said, turns = each["conversation"], []
        for number in range(1, 100):
            for turn in said.get(f"session_{number}") or []:
                at = f"2024-{1 + number // 28:02d}-{1 + number % 28:02d}T10:00:00Z"
                turns.append({"text": turn["text"], "speaker": turn["speaker"], "session": f"s{number}", "at": at})
        found.append((turns, [question["question"] for question in each["qa"]]))
    return found


@contextmanager
def server(root: Path, options: argparse.Namespace) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a server in a separate process; yield it and its address."""
    command = [sys.executable, "-m", "hmem", "serve", "--root", str(root), "--port", "0", "--rate", "100000"]
    command += ["--workers", str(options.workers), *(["--recipe", options.recipe] if options.recipe else [])]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    address = ""
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("serving "):
                address = line.rpartition(" on ")[2].strip()
            if '"ready"' in line:
                break
        # A full pipe would block the server.
        Thread(target=process.stderr.read, daemon=True).start()
        yield process, address
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(WAIT)


class Client:
    """One connection to the server."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.line = HTTPConnection(parts.hostname or "", parts.port, timeout=WAIT)

    def send(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request and return the status and the JSON of the answer."""
        self.line.request(method, f"/v1/memories{path}", None if body is None else json.dumps(body), HEAD)
        response = self.line.getresponse()
        return response.status, json.loads(response.read())


def work(line: Any, address: str, memory: str, kind: str, seconds: float, turns: list[Said], asked: list[str]) -> None:
    """Send recalls, adds or both for some seconds; send times, ids of stored turns and errors down the pipe."""
    client, times, kept, errors = Client(address), {"recall": [], "add": []}, [], 0
    line.send("ready")
    line.recv()
    until, number = perf_counter() + seconds, 0
    try:
        while perf_counter() < until:
            what = kind if kind != "both" else ("recall", "add")[number % 2]
            began = perf_counter()
            if what == "recall":
                status, _ = client.send("POST", f"/{memory}/search", {"question": asked[number % len(asked)], "k": 10})
            else:
                turn = {**turns[number % len(turns)], "session": f"more{number // 40}"}
                status, said = client.send("POST", f"/{memory}/turns", turn)
                if status == 200:
                    kept.append(said["id"])
            times[what].append(perf_counter() - began)
            errors += status != 200
            number += 1
    except (OSError, HTTPException):
        line.send("lost")
    line.send((times, kept, errors))


def load(address: str, group: int, kind: str, options: argparse.Namespace, told: Any, then: Any = None) -> Said:
    """Run all clients at once and return the figures; ``then`` is called halfway."""
    running, seconds = [], options.seconds
    for number in range(options.clients):
        ours, theirs = SPAWN.Pipe()
        turns, asked = told[number % len(told)]
        arguments = (theirs, address, f"m{number % options.memories}", kind, seconds, turns, asked)
        process = SPAWN.Process(target=work, args=arguments)
        process.start()
        theirs.close()
        running.append((process, ours, number % options.memories))
    for _, line, _ in running:
        assert line.recv() == "ready"
    before, spent = processor(), server_seconds(group)
    began = perf_counter()
    for _, line, _ in running:
        line.send("go")
    if then is not None:
        sleep(seconds / 2)
        then()
    times: dict[str, list[float]] = {"recall": [], "add": []}
    kept: dict[int, list[str]] = {}
    errors = 0
    for process, line, memory in running:
        said = line.recv()
        said = line.recv() if said == "lost" else said
        for name in times:
            times[name] += said[0][name]
        kept.setdefault(memory, []).extend(said[1])
        errors += said[2]
        process.join(WAIT)
    elapsed = perf_counter() - began
    done = max(sum(map(len, times.values())), 1)
    cpu = round((server_seconds(group) - spent) / done * 1e3, 2)
    rates = {name: figures(found, elapsed) for name, found in times.items() if found}
    return {**rates, "errors": errors, "kept": kept, "server_cpu_ms": cpu, "machine_busy": round(busy(before), 2)}


def figures(times: list[float], elapsed: float) -> Said:
    """Return the rate per second, and milliseconds."""
    cuts = quantiles(times, n=100)
    return {
        "per_s": round(len(times) / elapsed, 1),
        "p50_ms": round(cuts[49] * 1e3, 1),
        "p95_ms": round(cuts[94] * 1e3, 1),
    }


def server_seconds(group: int) -> float:
    """Return the processor seconds of a process group, from Linux's /proc; zero elsewhere."""
    spent = 0
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = each.read_text("utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group:
            spent += int(fields[11]) + int(fields[12])
    return spent / os.sysconf("SC_CLK_TCK")


def processor() -> tuple[float, float]:
    """Return the machine's busy and total ticks, from Linux's /proc; 0 and 1 elsewhere."""
    try:
        spent = [float(each) for each in Path("/proc/stat").read_text("utf-8").split("\n")[0].split()[1:]]
    except OSError:
        return 0.0, 1.0
    return sum(spent) - spent[3] - spent[4], sum(spent)


def busy(before: tuple[float, float]) -> float:
    """Return the machine's load since ``before``, as a share of its processors."""
    now = processor()
    return (now[0] - before[0]) / max(now[1] - before[1], 1e-9)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--recipe")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--memories", type=int, default=8)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    told = conversations(options.file)
    made: Said = {"workers": options.workers, "recipe": options.recipe or "fusion", "cores": os.cpu_count()}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        with server(root, options) as (process, address):
            client, group = Client(address), os.getpgid(process.pid)
            for number in range(options.memories):
                assert client.send("POST", "", {"name": f"m{number}"})[0] == 201
                messages = told[number % len(told)][0]
                assert client.send("POST", f"/m{number}/turns/batch", {"messages": messages})[0] == 200
                assert client.send("POST", f"/m{number}/consolidate", {})[0] == 200
                assert client.send("POST", f"/m{number}/search", {"question": "Who?"})[0] == 200
            for kind in ("recall", "add", "both"):
                made[kind] = load(address, group, kind, options, told)
                del made[kind]["kept"]
                print(f"{kind}: {made[kind]}")
            killed = load(address, group, "add", options, told, lambda: os.killpg(group, signal.SIGKILL))
        with server(root, options) as (_, address):
            began = monotonic()
            made["kill"] = {"kept": sum(map(len, killed["kept"].values())), "lost": lost(address, killed["kept"])}
            made["kill"]["checked_s"] = round(monotonic() - began, 1)
        print(f"kill -9: {made['kill']}")
    if options.json:
        options.json.write_text(json.dumps(made, indent=1), "utf-8")


def lost(address: str, kept: dict[int, list[str]]) -> int:
    """Count the acknowledged turns that are missing."""
    client = Client(address)
    return sum(
        client.send("GET", f"/m{memory}/items?id={each}")[0] != 200 for memory, ids in kept.items() for each in ids
    )


if __name__ == "__main__":
    main()
