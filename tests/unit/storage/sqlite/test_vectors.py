"""Vectors in runs: what was written comes back, wherever it lies, and what is forgotten is gone."""

from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from hmem.model.vector import pack, to_bytes, unpack
from hmem.storage.capabilities import Vectors
from hmem.storage.copying import copy_memory
from hmem.storage.location import Location
from hmem.storage.sqlite.driver import Connection
from hmem.storage.sqlite.store import SQLiteStorage
from hmem_testing.conformance.harness import keep, keep_plain, make_turns, unit_vectors

RUN = 256
MANY = 2 * RUN + 100
DIMENSION = 64


@pytest.fixture
def storage(tmp_path: Path) -> Generator[SQLiteStorage]:
    with closing(SQLiteStorage(str(tmp_path / "a.hmem"))) as opened:
        opened.put_settings({"vectors.generation": "1"})
        yield opened


def lying(storage: SQLiteStorage) -> tuple[int, int]:
    """Return the number of vectors that have rows of their own, and of runs."""
    found = storage._connection.execute("SELECT (SELECT count(*) FROM vector), (SELECT count(*) FROM vector_run)")
    return found.fetchone()


def kept(storage: SQLiteStorage, seqs: list[int], generation: int = 1) -> Vectors:
    found, vectors = storage.vectors(seqs, generation, DIMENSION)
    assert found.tolist() == sorted(seqs)
    return vectors


def true(rows: Vectors) -> Vectors:
    return unpack(pack(rows))


@pytest.mark.parametrize("at_once", [1, 7, RUN, MANY])
def test_full_runs_are_written_however_many_turns_come_at_once(storage: SQLiteStorage, at_once: int) -> None:
    rows, turns = unit_vectors(MANY, DIMENSION), make_turns(MANY)
    for start in range(0, MANY, at_once):
        some = slice(start, start + at_once)
        keep(storage, turns[some], rows[some])
    seqs = storage.matching().tolist()
    # Numbers begin with 1, so the first run has one less.
    assert lying(storage) == (MANY - 2 * RUN + 1, 2)
    assert np.array_equal(kept(storage, seqs), true(rows))
    assert np.array_equal(kept(storage, seqs[::-37]), true(rows)[::-37][::-1])
    assert storage.counts().vectors == MANY
    assert storage.without_vector(1, 9) == []
    assert storage.problems() == []


def test_all_vectors_come_as_codes(storage: SQLiteStorage) -> None:
    rows = unit_vectors(MANY, DIMENSION)
    keep(storage, make_turns(MANY), rows)
    keep_plain(storage, make_turns(3))
    # One of a run was made anew and lies in a row of its own.
    other = unit_vectors(1, DIMENSION, seed=9)
    storage.put_vectors([5], other, 1)
    rows[4] = other[0]
    found = storage.vector_codes(1, DIMENSION)
    codes, scales = to_bytes(rows)
    assert found.seqs.tolist() == storage.matching().tolist()[:MANY]
    assert np.array_equal(found.codes, codes)
    assert np.array_equal(found.scales, scales)
    assert len(storage.vector_codes(2, DIMENSION).seqs) == 0


def test_a_vector_made_anew_replaces_that_of_a_run(storage: SQLiteStorage) -> None:
    keep(storage, make_turns(MANY), unit_vectors(MANY, DIMENSION))
    new = unit_vectors(2, DIMENSION, seed=5)
    storage.put_vectors([7, 600], new, 1)
    assert np.array_equal(kept(storage, [7, 600]), true(new))
    assert storage.counts().vectors == MANY


def test_what_is_forgotten_leaves_no_vector_in_a_run(storage: SQLiteStorage, tmp_path: Path) -> None:
    rows = unit_vectors(MANY, DIMENSION)
    keep(storage, make_turns(MANY), rows)
    gone = [1, 2, 200, 300, 600]
    deletion = storage.forget(gone)
    assert (deletion.turns, deletion.vectors) == (5, 5)
    assert storage.purge()
    file = (tmp_path / "a.hmem").read_bytes()
    packed = pack(rows)
    assert not any(packed[seq - 1].tobytes()[4:] in file for seq in gone)
    assert packed[9].tobytes()[4:] in file
    left = storage.matching().tolist()
    assert np.array_equal(kept(storage, left), true(rows)[[seq - 1 for seq in left]])
    assert storage.vectors(gone, 1, DIMENSION)[0].tolist() == []
    assert storage.counts().vectors == MANY - 5
    assert storage.problems() == []


def test_a_run_of_which_little_is_left_becomes_rows_again(storage: SQLiteStorage) -> None:
    rows = unit_vectors(MANY, DIMENSION)
    keep(storage, make_turns(MANY), rows)
    single, runs = lying(storage)
    storage.forget([*range(RUN + 1, 2 * RUN - 10)])
    assert lying(storage) == (single + 11, runs - 1)
    left = storage.matching().tolist()
    assert np.array_equal(kept(storage, left), true(rows)[[seq - 1 for seq in left]])
    storage.forget(left)
    assert lying(storage) == (0, 0)


def test_a_run_with_turns_that_have_no_vector_tells_them(storage: SQLiteStorage) -> None:
    keep(storage, make_turns(200), unit_vectors(200, DIMENSION))
    lacking = make_turns(60)
    keep_plain(storage, lacking)
    keep(storage, make_turns(300), unit_vectors(300, DIMENSION))
    assert [stored.turn for stored in storage.without_vector(1, 99)] == lacking
    assert not storage.switch_generation(1, {})
    numbers = [stored.seq for stored in storage.without_vector(1, 99)]
    new = unit_vectors(60, DIMENSION, seed=3)
    storage.put_vectors(numbers, new, 1)
    assert storage.without_vector(1, 99) == []
    assert np.array_equal(kept(storage, numbers), true(new))
    assert storage.counts().vectors == 560
    # The last numbers are not all given out, so they have rows.
    assert lying(storage)[1] == 2


def test_another_generation_has_runs_of_its_own(storage: SQLiteStorage) -> None:
    keep(storage, make_turns(MANY), unit_vectors(MANY, DIMENSION))
    seqs, new = storage.matching().tolist(), unit_vectors(MANY, DIMENSION, seed=8)
    for start in range(0, MANY, 100):
        storage.put_vectors(seqs[start : start + 100], new[start : start + 100], 2)
    assert storage.switch_generation(2, {})
    assert np.array_equal(kept(storage, seqs, 2), true(new))
    assert storage.vectors(seqs, 1, DIMENSION)[0].tolist() == []
    assert lying(storage) == (MANY - 2 * RUN + 1, 2)


def test_an_altered_run_is_mended_or_its_vectors_are_missing(storage: SQLiteStorage, tmp_path: Path) -> None:
    keep(storage, make_turns(MANY), unit_vectors(MANY, DIMENSION))
    before = kept(storage, [1, 2, 3])
    with closing(Connection(str(tmp_path / "a.hmem"))) as behind:
        data = bytearray(behind.execute("SELECT codes FROM vector_run WHERE number = 0").fetchone()[0])
        data[DIMENSION * 2 + 20] ^= 4
        behind.execute("UPDATE vector_run SET codes = ? WHERE number = 0", (bytes(data),))
    assert any("vector_run" in problem for problem in storage.problems())
    # Forgetting one of its turns does not hide that.
    storage.forget([100])
    assert any("vector_run" in problem for problem in storage.problems())
    assert storage.repair() == 1
    assert storage.problems() == []
    assert len(storage.without_vector(1, 999)) == RUN - 2
    assert before.any()


def test_an_altered_row_is_not_hidden_in_a_run(storage: SQLiteStorage, tmp_path: Path) -> None:
    keep(storage, make_turns(10), unit_vectors(10, DIMENSION))
    with closing(Connection(str(tmp_path / "a.hmem"))) as behind:
        behind.execute("UPDATE vector SET codes = zeroblob(length(codes)) WHERE seq = 4")
    keep(storage, make_turns(MANY), unit_vectors(MANY, DIMENSION))
    assert any("of vector altered" in problem for problem in storage.problems())
    storage.repair()
    assert [stored.seq for stored in storage.without_vector(1, 9)] == [4]


def test_a_memory_of_the_schema_before_gets_runs(storage: SQLiteStorage, tmp_path: Path) -> None:
    rows = unit_vectors(MANY, DIMENSION)
    keep(storage, make_turns(MANY), rows)
    seqs, path = storage.matching().tolist(), tmp_path / "older.hmem"
    storage.backup(path)
    with closing(Connection(str(path))) as older:
        older.execute("DELETE FROM vector")
        older.executemany(
            "INSERT INTO vector (seq, generation, codes) VALUES (?, 1, ?)",
            [(seq, row.tobytes()) for seq, row in zip(seqs, pack(rows), strict=True)],
        )
        older.execute("DROP TABLE vector_run")
        older.execute("ALTER TABLE turn DROP COLUMN analysis")
        older.execute("PRAGMA user_version = 6")
        for table in ("turn", "log", "setting", "vector", "chunk"):
            older.execute(f"ALTER TABLE {table} DROP COLUMN checksum")
    with closing(SQLiteStorage(str(path), create=False)) as opened:
        assert lying(opened) == (MANY - 2 * RUN + 1, 2)
        assert np.array_equal(kept(opened, seqs), true(rows))
        assert opened.problems() == []


def test_a_copy_has_runs_too(storage: SQLiteStorage, tmp_path: Path) -> None:
    rows = unit_vectors(MANY, DIMENSION)
    keep(storage, make_turns(MANY), rows)
    storage.put_settings({"embedder.fingerprint": f"test/{DIMENSION}/0"})
    target = Location.parse(tmp_path / "b.hmem")
    copy_memory(storage.location, target)
    with closing(SQLiteStorage(target, create=False)) as copy:
        assert lying(copy)[1] == 2
        assert np.array_equal(kept(copy, storage.matching().tolist()), true(rows))
