"""Bits that flip on the disk: found, and flipped back where it can be told which they were."""

import random
from contextlib import closing
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem import Memory
from hmem.errors import HmemError, MemoryDamaged
from hmem.storage.base import Chunk, FormationProgress, LogEntry
from hmem.storage.sqlite.checksums import _encode, _undo_flip
from hmem.storage.sqlite.connection import SCHEMA
from hmem.storage.sqlite.driver import Connection
from hmem.storage.sqlite.store import SQLiteStorage
from hmem_testing.conformance.harness import all_turns, keep, make_turn, make_turns

TABLES = ("turn", "log", "setting", "vector", "chunk", "session", "speaker", "block", "part", "turn_use")


def make(path: Path) -> None:
    with closing(SQLiteStorage(str(path))) as storage:
        storage.put_settings({"vectors.generation": "1", "zone": "Europe/Lisbon"})
        turns = [make_turn(f"The spare key is under pot {i}", speaker="Maria", session=f"s{i // 9}") for i in range(40)]
        keep(storage, turns, np.random.default_rng(1).standard_normal((40, 64)).astype(np.float32))
        storage.record([LogEntry(1, "Maria", "correct", turns[0].id, "a slip", "pot 1", "pot 2")])
        storage.form([Chunk("notes", 0, b"\0kept" * 99)], FormationProgress(0, 0, 0), 40)


def rows(storage: SQLiteStorage) -> list[Any]:
    return [storage._connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES]


def changed(path: Path, statement: str) -> None:
    """Change a row behind the back of the library."""
    with closing(Connection(str(path))) as connection:
        connection.execute(statement)


ALTERED = [
    ("turn", "UPDATE turn SET text = replace(text, 'under', 'ender') WHERE seq = 3"),  # 0x75 and 0x65: one bit
    ("turn", "UPDATE turn SET said = (said | 1024) - (said & 1024) WHERE seq = 3"),
    ("turn", "UPDATE session SET id = 'q1' WHERE id = 's1'"),
    ("turn", "UPDATE speaker SET name = 'Mcria'"),
    ("turn", "UPDATE turn SET checksum = (checksum | 16) - (checksum & 16) WHERE seq = 5"),
    ("log", "UPDATE log SET after = 'pot 3'"),
    ("setting", "UPDATE setting SET value = 'Europe/Lisboo' WHERE name = 'zone'"),
]


@pytest.mark.parametrize(("table", "statement"), ALTERED)
def test_a_flipped_bit_is_found_and_flipped_back(path: Path, table: str, statement: str) -> None:
    make(path)
    with closing(SQLiteStorage(str(path))) as storage:
        before = rows(storage)
    changed(path, statement)
    with closing(SQLiteStorage(str(path))) as storage:
        assert rows(storage) != before
        (problem,) = storage.problems()
        assert f"of {table} altered" in problem
        assert storage.repair() >= 1
        assert storage.problems() == []
        assert rows(storage) == before


@pytest.mark.parametrize("statement", ["UPDATE turn SET text = 'another' WHERE seq = 3", "UPDATE log SET why = NULL"])
def test_what_cannot_be_told_is_named_and_stays(path: Path, statement: str) -> None:
    make(path)
    changed(path, statement)
    with closing(SQLiteStorage(str(path))) as storage:
        before = rows(storage)
        assert storage.repair() == 0
        (problem,) = storage.problems()
        assert "1 row of" in problem
        assert rows(storage) == before


def test_what_is_derived_is_made_anew(path: Path) -> None:
    with Memory(path) as memory:
        memory.add([{"text": f"The spare key is under pot {i}", "speaker": "Maria"} for i in range(9)])
        memory.consolidate()
    changed(path, "UPDATE vector SET codes = zeroblob(length(codes))")
    with Memory(path) as memory:
        assert any("of vector altered" in problem for problem in memory.verify().problems)
    changed(path, "UPDATE chunk SET content = zeroblob(length(content))")
    with Memory(path) as memory:
        with pytest.raises(MemoryDamaged, match="hmem rebuild"):
            memory.verify()
        memory.rebuild()
        assert memory.verify().problems == ()
        assert memory.search("Where is the spare key?")


def test_a_text_that_is_no_text_any_more_is_damage_by_name_and_mended(path: Path) -> None:
    make(path)
    changed(path, "UPDATE turn SET text = CAST(x'54E8' || substr(CAST(text AS BLOB), 3) AS TEXT) WHERE seq = 1")
    with closing(SQLiteStorage(str(path))) as storage:
        with pytest.raises(MemoryDamaged, match="hmem rebuild"):
            all_turns(storage)
        assert len(storage.problems()) == 1
    changed(path, "UPDATE turn SET text = CAST(x'54E865' || substr(CAST(text AS BLOB), 4) AS TEXT) WHERE seq = 1")
    with closing(SQLiteStorage(str(path))) as storage:
        assert storage.repair() == 1
        assert all_turns(storage)[0].text == "The spare key is under pot 0"


def test_any_bit_is_told_or_alters_nothing(path: Path) -> None:
    make(path)
    content, chance = path.read_bytes(), random.Random(1)
    with closing(SQLiteStorage(str(path))) as storage:
        before = rows(storage)
    told = 0
    for number in range(60):
        bit = chance.randrange(len(content) * 8)
        altered = bytearray(content)
        altered[bit // 8] ^= 1 << bit % 8
        (file := path.with_name(f"{number}.hmem")).write_bytes(altered)
        try:
            with closing(SQLiteStorage(str(file))) as storage:
                if storage.problems():
                    told += 1
                else:
                    assert rows(storage) == before, f"bit {bit}"
        except HmemError:
            told += 1
    assert told


VALUES = st.lists(
    st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.binary(max_size=40)), min_size=1, max_size=6
)


@given(VALUES, st.data())
def test_each_flipped_bit_is_told_by_the_checksum(values: list[Any], data: st.DataObject) -> None:
    checksum = crc32(_encode(values))
    assert _undo_flip(values, checksum) is None
    flippable = [i for i, value in enumerate(values) if isinstance(value, int) or value]
    if not flippable:
        return
    at = data.draw(st.sampled_from(flippable))
    value = values[at]
    as_bytes = bytearray(value.to_bytes(8, signed=True) if isinstance(value, int) else value)
    bit = data.draw(st.integers(0, len(as_bytes) * 8 - 1))
    as_bytes[bit // 8] ^= 1 << bit % 8
    wrong = [*values]
    wrong[at] = int.from_bytes(as_bytes, signed=True) if isinstance(value, int) else bytes(as_bytes)
    assert _undo_flip(wrong, checksum) == (at, value)


def test_a_memory_without_checksums_gets_them(path: Path) -> None:
    make(path)
    with closing(Connection(str(path))) as connection:
        for table in ("turn", "log", "setting", "vector", "chunk"):
            connection.execute(f"ALTER TABLE {table} DROP COLUMN checksum")
        connection.execute("DROP TABLE vector_run")
        connection.execute("ALTER TABLE turn DROP COLUMN analysis")
        connection.execute("PRAGMA user_version = 6")
    with closing(SQLiteStorage(str(path))) as storage:
        assert storage.schema == SCHEMA
        assert storage.problems() == []
        assert None not in [row[0] for row in storage._connection.execute("SELECT checksum FROM turn").fetchall()]
    changed(path, "UPDATE turn SET text = 'another' WHERE seq = 3")
    with closing(SQLiteStorage(str(path))) as storage:
        assert len(storage.problems()) == 1


def test_what_is_written_in_any_way_is_sealed(path: Path) -> None:
    make(path)
    with closing(SQLiteStorage(str(path))) as storage:
        keep(storage, make_turns(3))
        storage.put_vectors([1, 2], np.ones((2, 64), np.float32), 2)
        entry = storage.recorded()[0]
        storage.forget([2], [LogEntry(2, "Ada", "forget", "turn_1")], [entry._replace(why=None, before=None)])
        storage.form([Chunk("notes", 0, None), Chunk("texts", 1, b"more")], storage.state().progress, 41)
        storage.put_settings({"zone": "UTC"})
        assert storage.problems() == []
