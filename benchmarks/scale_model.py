"""What a million memories need: machines, bytes and money, from parts that were measured.

    python -m benchmarks.scale_model [--measure FILE] [--memories N] [--recalls R] [--adds A] [--machine-cores C] …

With ``--measure`` the parts are measured first, with a memory of 5,000 turns (FILE, or one made of a LoCoMo file) in a
Postgres of the test's own, and written to ``benchmarks/data/scale_parts.json``; without, they are read from there. The
model is arithmetic: who is recalled or told something follows Zipf's law, so a cache of the K most used memories serves
H(K)/H(N) of the calls; a miss loads a memory from Postgres. Each recall encodes its question, each add its turn, which
is then formed. It takes the K at which machines cost least.
"""

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import process_time
from typing import Any

import psutil
import psycopg
from benchmarks.resident import make, resident
from tests.formation import example
from tests.postgres import Postgres, of_its_own

from hmem import Memory
from hmem.model.plain import plain, to_bytes
from hmem.storage.copying import copy_memory
from hmem.util.sizes import resident_bytes

PARTS = Path(__file__).parent / "data" / "scale_parts.json"
QUESTIONS = ("Where does Maria live?", "Who adopted a dog?", "What did they do in spring?", "When was the concert?")
ADDS = 200
_GAMMA = 0.5772156649
_MONTH = 730.0


@dataclass(frozen=True, slots=True)
class Parts:
    """Measured parts for a memory of ``turns`` turns: processor milliseconds and bytes.

    ``recall`` is in the server with a loaded memory and the question's vector, ``encode`` a text's vector, ``add`` a
    turn without that, ``form`` its formation, ``http`` what HTTP adds to a call, ``load`` the server's part of loading
    a memory; ``db_recall``, ``db_add`` (with formation) and ``db_load`` are the database's parts. ``loaded`` are the
    bytes that a loaded memory holds, ``base`` those of a server without any, ``stored`` the bytes in the database,
    ``log`` those of its write-ahead log by a turn.
    """

    turns: int
    recall_ms: float
    http_ms: float
    load_ms: float
    encode_ms: float
    add_ms: float
    form_ms: float
    db_recall_ms: float
    db_add_ms: float
    db_load_ms: float
    loaded_bytes: float
    base_bytes: float
    stored_bytes: float
    log_bytes: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be served, on which machines, at which prices (US dollars; list prices of clouds are near these).

    ``busy`` is the share of a processor that may be used.
    """

    memories: int = 1_000_000
    recalls: float = 10_000.0
    adds: float = 1_000.0
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
    calls = wanted.recalls + wanted.adds
    misses = calls * (1 - hits)
    writing = wanted.adds * (parts.add_ms + parts.form_ms)
    server = calls * (parts.http_ms + parts.encode_ms) + wanted.recalls * parts.recall_ms + writing
    server += misses * parts.load_ms
    database = wanted.recalls * parts.db_recall_ms + wanted.adds * parts.db_add_ms + misses * parts.db_load_ms
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
        "log_mb_s": wanted.adds * parts.log_bytes / 1e6,
        "forming_core_days": wanted.memories * parts.turns * (parts.form_ms + parts.encode_ms) / 1e3 / 86_400,
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

            with Memory(postgres.location("m0")) as memory:
                memory.search(QUESTIONS[0])
                turns = memory.stats().turns
            base = resident()
            with timed(postgres) as loading:
                memories = [Memory(postgres.location(f"m{number}")) for number in range(count)]
                for memory in memories:
                    memory.search(QUESTIONS[0])
            recalls = 100
            with timed(postgres) as recalling:
                for number in range(recalls):
                    to_bytes(plain(memories[number % count].search(QUESTIONS[number % len(QUESTIONS)])))
            held = sum(map(resident_bytes, memories)) / count
            for memory in memories:
                memory.close()
            writes = written(postgres, Path(folder))
        return Parts(
            turns=turns,
            recall_ms=round(recalling.ours / recalls, 2),
            # Decision 0031: what the front takes for a request.
            http_ms=1.0,
            load_ms=round(loading.ours / count, 1),
            db_recall_ms=round(recalling.database / recalls, 3),
            db_load_ms=round(loading.database / count, 1),
            loaded_bytes=round(held),
            base_bytes=base,
            stored_bytes=round(bytes_each),
            **writes,
        )


def written(postgres: Postgres, folder: Path) -> dict[str, float]:
    """Measure adds of single turns, their vectors and their formation; return parts by name."""
    turns = example(2 * ADDS)
    with Memory(folder / "written.hmem", form_later=len(turns)) as memory:
        memory.add(turns[:ADDS])
        memory.notes(limit=1)
        embedder = memory.corpus.embedder
        with timed(postgres) as encoding:
            for turn in turns[ADDS:]:
                embedder.embed([f"{turn['speaker']}: {turn['text']}"])
    with Memory(postgres.location("written"), form_later=len(turns)) as memory:
        memory.add(turns[:ADDS])
        memory.notes(limit=1)
        before = log_position(postgres)
        with timed(postgres) as adding:
            for turn in turns[ADDS:]:
                memory.add(turn)
        with timed(postgres) as forming:
            memory.notes(limit=1)
        log = log_position(postgres) - before
    return {
        "encode_ms": round(encoding.ours / ADDS, 2),
        "add_ms": round((adding.ours - encoding.ours) / ADDS, 2),
        "form_ms": round(forming.ours / ADDS, 2),
        "db_add_ms": round((adding.database + forming.database) / ADDS, 3),
        "log_bytes": round(log / ADDS),
    }


@dataclass(slots=True)
class Spent:
    """Processor milliseconds of this process and of a database's."""

    ours: float = 0.0
    database: float = 0.0


@contextmanager
def timed(postgres: Postgres) -> Iterator[Spent]:
    """Yield what a block spends, known at its end."""

    def database() -> float:
        main = psutil.Process(postgres.server.get_pid())
        # Those that ended count too.
        seconds = sum(main.cpu_times()[2:4])
        for each in main.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                seconds += sum(each.cpu_times()[:2])
        return seconds * 1e3

    spent, began, before = Spent(), process_time(), database()
    yield spent
    spent.ours, spent.database = (process_time() - began) * 1e3, database() - before


def log_position(postgres: Postgres) -> int:
    """Return how many bytes the write-ahead log has had."""
    with psycopg.connect(postgres.admin()) as connection:
        ((position,),) = connection.execute("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')").fetchall()
    return int(position)


def table(parts: Parts, wanted: Wanted, made: dict[str, float]) -> str:
    """Return the model as a table."""
    rows: list[tuple[str, Any]] = [
        ("memories, turns each", f"{wanted.memories:,}, {parts.turns:,}"),
        ("recalls, adds a second", f"{wanted.recalls:,.0f}, {wanted.adds:,.0f}"),
        ("loaded memories, and calls that meet one", f"{made['loaded']:,.0f}, {made['hits']:.1%}"),
        ("servers: cores, GB", f"{made['server_cores']:,.0f}, {made['server_gb']:,.0f}"),
        (f"servers of {wanted.machine_cores} cores and {wanted.machine_gb:g} GB", f"{made['servers']:,.0f}"),
        ("database: cores, GB stored", f"{made['database_cores']:,.1f}, {made['stored_gb']:,.0f}"),
        (f"database machines, {wanted.copies} of each", f"{made['databases']:,.0f}"),
        ("write-ahead log, MB a second", f"{made['log_mb_s']:,.1f}"),
        ("to encode and form all turns once, core-days", f"{made['forming_core_days']:,.0f}"),
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
