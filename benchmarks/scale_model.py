"""What a million memories need: machines, bytes and money, from parts that were measured.

    python -m benchmarks.scale_model [--measure FILE] [--memories N] [--recalls R] [--machine-cores C] …

With ``--measure`` the parts are measured first, with a memory of 5,000 turns (FILE, or one made of a LoCoMo file) in a
Postgres of the test's own, and written to ``benchmarks/data/scale_parts.json``; without, they are read from there. The
model is arithmetic: who is recalled follows Zipf's law, so a cache of the K most recalled memories serves H(K)/H(N) of
the recalls; a miss loads a memory from Postgres. It takes the K at which machines cost least.
"""

import argparse
import json
import math
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any

import psutil
import psycopg
from benchmarks.resident import make, resident
from tests.postgres import of_its_own

from hmem import Memory
from hmem.model.plain import plain, to_bytes
from hmem.storage.copying import copy_memory
from hmem.util.sizes import resident_bytes

PARTS = Path(__file__).parent / "data" / "scale_parts.json"
QUESTIONS = ("Where does Maria live?", "Who adopted a dog?", "What did they do in spring?", "When was the concert?")
_GAMMA = 0.5772156649
_MONTH = 730.0


@dataclass(frozen=True, slots=True)
class Parts:
    """Measured parts for a memory of ``turns`` turns: processor milliseconds and bytes.

    ``recall`` is in the server with a loaded memory, ``http`` what HTTP adds to it, ``load`` the server's part of
    loading one, ``db_recall`` and ``db_load`` the database's parts. ``loaded`` are the bytes that a loaded memory
    holds, ``base`` those of a server without any, ``stored`` the bytes in the database.
    """

    turns: int
    recall_ms: float
    http_ms: float
    load_ms: float
    db_recall_ms: float
    db_load_ms: float
    loaded_bytes: float
    base_bytes: float
    stored_bytes: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be served, on which machines, at which prices (US dollars; list prices of clouds are near these).

    ``busy`` is the share of a processor that may be used.
    """

    memories: int = 1_000_000
    recalls: float = 10_000.0
    zipf: float = 1.0
    machine_cores: int = 16
    machine_gb: float = 64.0
    core_hour: float = 0.035
    gb_hour: float = 0.004
    disk_gb_month: float = 0.10
    copies: int = 2
    busy: float = 0.6


def harmonic(count: float, exponent: float) -> float:
    """Return the generalised harmonic number, nearly."""
    if count < 1:
        return 0.0
    if abs(exponent - 1) < 1e-9:
        return math.log(count) + _GAMMA
    return (count ** (1 - exponent) - 1) / (1 - exponent) + _GAMMA


def fleet(parts: Parts, wanted: Wanted, loaded: float) -> dict[str, float]:
    """Return the machines and their cost by the hour with so many memories loaded."""
    hits = min(harmonic(loaded, wanted.zipf) / harmonic(wanted.memories, wanted.zipf), 1.0)
    misses = wanted.recalls * (1 - hits)
    server = wanted.recalls * (parts.recall_ms + parts.http_ms) + misses * parts.load_ms
    database = wanted.recalls * parts.db_recall_ms + misses * parts.db_load_ms
    server_cores, database_cores = (each / 1e3 / wanted.busy for each in (server, database))
    memory = loaded * parts.loaded_bytes + server_cores * parts.base_bytes
    machines = math.ceil(max(server_cores / wanted.machine_cores, memory / 1e9 / wanted.machine_gb))
    databases = max(math.ceil(database_cores / wanted.machine_cores), 1)
    hour = wanted.machine_cores * wanted.core_hour + wanted.machine_gb * wanted.gb_hour
    stored = wanted.memories * parts.stored_bytes / 1e9
    disk = stored * wanted.copies * wanted.disk_gb_month / _MONTH
    return {
        "loaded": loaded,
        "hits": hits,
        "server_cores": server_cores,
        "server_gb": memory / 1e9,
        "servers": machines,
        "database_cores": database_cores,
        "databases": databases * wanted.copies,
        "stored_gb": stored,
        "hour": (machines + databases * wanted.copies) * hour + disk,
    }


def cheapest(parts: Parts, wanted: Wanted) -> dict[str, float]:
    """Return the fleet that costs least, over numbers of loaded memories."""
    steps = 200
    tried = [wanted.memories ** (step / steps) for step in range(1, steps + 1)]
    return min((fleet(parts, wanted, loaded) for loaded in tried), key=lambda made: (made["hour"], made["loaded"]))


# Measuring.


def measured(source: Path) -> Parts:
    """Measure the parts with a memory of many turns in a Postgres of its own."""
    with tempfile.TemporaryDirectory() as folder, of_its_own(Path(folder) / "pg") as postgres:
        if source.suffix == ".json":
            made = Path(folder) / "source.hmem"
            make(source, made)
            source = made
        count = 4
        with psycopg.connect(postgres.admin()) as connection:

            def stored() -> int:
                told = connection.execute("SELECT pg_database_size(current_database())").fetchone()
                connection.commit()
                return told[0] if told else 0

            before = stored()
            for number in range(count):
                copy_memory(source, postgres.location(f"m{number}"))
            bytes_each = (stored() - before) / count

            def database_ms() -> float:
                every = psutil.Process(postgres.server.get_pid()).children(recursive=True)
                return sum(sum(each.cpu_times()[:2]) for each in every) * 1e3

            with Memory(postgres.location("m0")) as memory:
                memory.search(QUESTIONS[0])
                turns = memory.stats().turns
            base = resident()
            began, spent = process_time(), database_ms()
            memories = [Memory(postgres.location(f"m{number}")) for number in range(count)]
            for memory in memories:
                memory.search(QUESTIONS[0])
            load = (process_time() - began) * 1e3 / count
            db_load = (database_ms() - spent) / count
            recalls = 100
            began, spent = process_time(), database_ms()
            for number in range(recalls):
                to_bytes(plain(memories[number % count].search(QUESTIONS[number % len(QUESTIONS)])))
            recall = (process_time() - began) * 1e3 / recalls
            db_recall = (database_ms() - spent) / recalls
            held = sum(map(resident_bytes, memories)) / count
            for memory in memories:
                memory.close()
        return Parts(
            turns=turns,
            recall_ms=round(recall, 2),
            # Decision 0031: what the front takes for a request.
            http_ms=1.0,
            load_ms=round(load, 1),
            db_recall_ms=round(db_recall, 3),
            db_load_ms=round(db_load, 1),
            loaded_bytes=round(held),
            base_bytes=base,
            stored_bytes=round(bytes_each),
        )


def table(parts: Parts, wanted: Wanted, made: dict[str, float]) -> str:
    """Return the model as a table."""
    rows: list[tuple[str, Any]] = [
        ("memories, turns each, recalls a second", f"{wanted.memories:,}, {parts.turns:,}, {wanted.recalls:,.0f}"),
        ("loaded memories, and recalls that meet one", f"{made['loaded']:,.0f}, {made['hits']:.1%}"),
        ("servers: cores, GB", f"{made['server_cores']:,.0f}, {made['server_gb']:,.0f}"),
        (f"servers of {wanted.machine_cores} cores and {wanted.machine_gb:g} GB", f"{made['servers']:,.0f}"),
        ("database: cores, GB stored", f"{made['database_cores']:,.1f}, {made['stored_gb']:,.0f}"),
        (f"database machines, {wanted.copies} of each", f"{made['databases']:,.0f}"),
        ("dollars a month", f"{made['hour'] * _MONTH:,.0f}"),
        ("dollars a memory and year", f"{made['hour'] * _MONTH * 12 / wanted.memories:.3f}"),
        ("dollars a million recalls", f"{made['hour'] / (wanted.recalls * 3_600) * 1e6:.2f}"),
    ]
    return "\n".join(f"| {name} | {value} |" for name, value in [("", ""), ("---", "---:"), *rows])


def main() -> int:
    """Measure if that is asked for, and print the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", type=Path, metavar="FILE")
    for name, value in asdict(Wanted()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    options = vars(parser.parse_args())
    file = options.pop("measure")
    if file is not None:
        PARTS.write_text(json.dumps(asdict(measured(file)), indent=1) + "\n", "utf-8")
    parts, wanted = Parts(**json.loads(PARTS.read_text("utf-8"))), Wanted(**options)
    print(json.dumps(asdict(parts), indent=1))
    print(table(parts, wanted, cheapest(parts, wanted)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
