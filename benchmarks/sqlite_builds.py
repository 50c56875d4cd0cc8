"""Builds of SQLite compared: the interpreter's, ``apsw-sqlite3mc`` and ``sqlcipher3-wheels``, plain and encrypted.

    python benchmarks/sqlite_builds.py [--turns 20000] [--adds 300] [--rounds 3] [--json OUT]

Each build makes a file by this library's own schema and pragmas, and does what a memory does: single durable adds
of a turn with its vector, one large batch, reading 50 turns by number, a walk over all texts, a copy, and opening.
Every figure is the best of the rounds, in milliseconds. ``pip install sqlcipher3-wheels`` for its rows.
"""

import argparse
import json
import random
import sqlite3
import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import files
from pathlib import Path
from time import perf_counter
from typing import Any

import apsw

from hmem.storage.sqlite.connection import statements

KEY = "69" * 32
VECTOR = "INSERT INTO vector (generation, seq, codes) VALUES (1, ?, ?)"
WORDS = ("the", "garden", "puppy", "sofa", "concert", "Lisbon", "sister", "violin", "bread", "harbour", "Monday")

# Name, distribution, version of SQLite, and how a connection is opened.
Build = tuple[str, str, str, Callable[[str], Any]]


def keyed(connection: Any, *statements: str) -> Any:
    """Return the connection after its statements about the key."""
    for statement in statements:
        connection.execute(statement).fetchall()
    return connection


def builds() -> list[Build]:
    """Return the builds that are installed here."""

    def plain(path: str) -> Any:
        return sqlite3.connect(path, isolation_level=None)

    def ciphers(path: str) -> Any:
        return keyed(apsw.Connection(path), "PRAGMA cipher = 'chacha20'", f"PRAGMA key = 'raw:{KEY}'")

    here: list[Build] = [
        ("sqlite3 (interpreter)", "", sqlite3.sqlite_version, plain),
        ("apsw-sqlite3mc", "apsw-sqlite3mc", apsw.sqlite_lib_version(), apsw.Connection),
        ("apsw-sqlite3mc, encrypted", "apsw-sqlite3mc", apsw.sqlite_lib_version(), ciphers),
    ]
    try:
        other = import_module("sqlcipher3.dbapi2")
    except ImportError:
        return here

    def other_plain(path: str) -> Any:
        return other.connect(path, isolation_level=None)

    def other_cipher(path: str) -> Any:
        return keyed(other_plain(path), f"PRAGMA key = \"x'{KEY}'\"")

    return [
        *here,
        ("sqlcipher3-wheels", "sqlcipher3-wheels", other.sqlite_version, other_plain),
        ("sqlcipher3-wheels, encrypted", "sqlcipher3-wheels", other.sqlite_version, other_cipher),
    ]  # fmt: skip


def made(connection: Any) -> Any:
    """Return the connection with a memory's pragmas and schema."""
    for statement in ("foreign_keys = ON", "secure_delete = ON", "cache_size = -32000", "journal_mode = WAL"):
        connection.execute(f"PRAGMA {statement}")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("BEGIN")
    for statement in statements("schema.sql"):
        connection.execute(statement)
    connection.execute("INSERT INTO session VALUES (1, 's')")
    connection.execute("INSERT INTO speaker VALUES (1, 'Maria', NULL)")
    connection.execute("INSERT INTO block VALUES (1, 1, 0, 0, 0)")
    connection.execute("COMMIT")
    return connection


def turn(seq: int, columns: int) -> tuple[Any, ...]:
    """Return the row of a turn of about 20 words."""
    drawn = random.Random(seq)
    text = " ".join(drawn.choices(WORDS, k=20))
    row = (
        seq,
        drawn.randbytes(16),
        1,
        1,
        1,
        seq,
        0,
        20,
        text,
        None,
        "user",
        None,
        None,
        None,
        None,
        None,
        None,
        None,
        1,
    )
    return (*row, *[0] * (columns - len(row)))


def measured(path: Path, opened: Callable[[str], Any], turns: int, adds: int) -> dict[str, float]:
    """Return milliseconds by what was done."""
    connection = made(opened(str(path)))
    columns = len(connection.execute("PRAGMA table_info(turn)").fetchall())
    insert = f"INSERT INTO turn VALUES ({', '.join('?' * columns)})"
    codes = random.Random(1).randbytes(260)
    found: dict[str, float] = {}

    def within(name: str, done: Callable[[], object], times: int = 1) -> None:
        begun = perf_counter()
        done()
        found[name] = (perf_counter() - begun) * 1000 / times

    def batch(seqs: range) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(insert, [turn(seq, columns) for seq in seqs])
        connection.executemany(VECTOR, [(seq, codes) for seq in seqs])
        connection.execute("COMMIT")

    rows = [turn(seq, columns) for seq in range(turns)]

    def fill() -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(insert, rows)
        connection.executemany(VECTOR, [(seq, codes) for seq in range(turns)])
        connection.execute("COMMIT")

    within("batch, 1,000 turns", fill, turns // 1000)
    within("add", lambda: [batch(range(seq, seq + 1)) for seq in range(turns, turns + adds)], adds)
    drawn = random.Random(2)
    asked = [[drawn.randrange(turns) for _ in range(50)] for _ in range(200)]
    places = ",".join("?" * 50)
    within(
        "read 50 turns",
        lambda: [connection.execute(f"SELECT * FROM turn WHERE seq IN ({places})", some).fetchall() for some in asked],
        len(asked),
    )
    within("walk, 1,000 texts", lambda: connection.execute("SELECT seq, text FROM turn").fetchall(), turns // 1000)
    copy = path.with_suffix(".copy")
    within("VACUUM INTO", lambda: connection.execute(f"VACUUM INTO '{copy}'"))
    copy.unlink()
    connection.close()

    def again() -> None:
        one = opened(str(path))
        one.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        one.close()

    within("open", lambda: [again() for _ in range(20)], 20)
    return found


def installed(distribution: str) -> float:
    """Return the installed size of a distribution in megabytes."""
    return sum(Path(file.locate()).stat().st_size for file in files(distribution) or () if file.locate()) / 1e6


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=20_000)
    parser.add_argument("--adds", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--folder", type=Path, help="where the files are made; a real disk tells of durable adds")
    options = parser.parse_args()
    best: dict[str, dict[str, float]] = {}
    all_builds = builds()
    for _ in range(options.rounds):
        for name, _, _, opened in all_builds:
            with tempfile.TemporaryDirectory(dir=options.folder) as folder:
                now = measured(Path(folder, "a.db"), opened, options.turns, options.adds)
            kept = best.setdefault(name, now)
            best[name] = {what: min(kept[what], value) for what, value in now.items()}
    names = list(next(iter(best.values())))
    print(f"| build | SQLite | MB installed | {' | '.join(names)} |")
    print(f"|---|---|---|{'---|' * len(names)}")
    for name, distribution, version, _ in all_builds:
        size = f"{installed(distribution):.1f}" if distribution else "0"
        print(f"| {name} | {version} | {size} | {' | '.join(f'{best[name][what]:.2f}' for what in names)} |")
    if options.json:
        options.json.write_text(json.dumps(best, indent=1))


if __name__ == "__main__":
    main()
