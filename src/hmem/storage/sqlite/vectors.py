"""Vectors of turns in SQLite: the latest have a row each, the others lie in runs of 256 sequence numbers.

A run is written when its numbers are all given out. A vector that has a row of its own, too, is that of the row. Call
what writes inside a transaction.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.model.vector import SCALE_BYTES, pack, rows_of
from hmem.storage.capabilities import VectorCodes, Vectors
from hmem.storage.sqlite.checksums import checksum
from hmem.storage.sqlite.driver import Connection, select_in

_BITS: Final = 8
_RUN: Final = 1 << _BITS
# Fewer vectors are not worth the room that a run leaves for the others.
_FEWEST: Final = _RUN // 2

Seqs = NDArray[np.int64]
PackedRows = NDArray[np.uint8]


def write(connection: Connection, seqs: Sequence[int], vectors: Vectors, generation: int) -> None:
    """Store the vectors of kept turns, in the place of earlier ones; turns that are gone are skipped."""
    rows = [(seq, row.tobytes()) for seq, row in zip(seqs, pack(vectors), strict=True)]
    _write_rows(connection, rows, generation)


def _write_rows(connection: Connection, rows: Iterable[tuple[int, bytes]], generation: int) -> None:
    connection.executemany(
        """INSERT OR REPLACE INTO vector (seq, generation, codes, checksum)
           SELECT ?1, ?2, ?3, ?4 WHERE EXISTS (SELECT 1 FROM turn WHERE seq = ?1)""",
        [(seq, generation, codes, checksum(seq, generation, codes)) for seq, codes in rows],
    )


def fill_runs(connection: Connection, generation: int, first: int, last: int) -> None:
    """Move the vectors of all runs that begin before a number and end before another from their rows into the runs."""
    for number in range(first >> _BITS, (last + 1) >> _BITS):
        _fill_run(connection, generation, number)


def fill_all_runs(connection: Connection) -> None:
    """Move all vectors that can be into runs, for a memory that had none."""
    last: int = connection.execute("SELECT value FROM counter").fetchone()[0]
    generations = connection.execute("SELECT DISTINCT generation FROM vector").fetchall()
    for (generation,) in generations:
        fill_runs(connection, generation, 0, last)


def _fill_run(connection: Connection, generation: int, number: int) -> None:
    values = (generation, number << _BITS, (number + 1 << _BITS) - 1)
    rows = connection.execute(
        "SELECT seq, codes, checksum FROM vector WHERE generation = ? AND seq BETWEEN ? AND ?", values
    ).fetchall()
    sizes = {len(codes) for _, codes, _ in rows}
    codes = _run(connection, generation, number, sizes.pop()) if len(sizes) == 1 else None
    if codes is None or any(stored_checksum != checksum(seq, generation, row) for seq, row, stored_checksum in rows):
        # What was altered on the disk stays as it is, to be found and mended.
        return
    codes[[seq & (_RUN - 1) for seq, *_ in rows]] = np.stack([np.frombuffer(row, np.uint8) for _, row, _ in rows])
    if len(codes[_has_vector(codes)]) >= _FEWEST:
        _write_run(connection, generation, number, codes)
        connection.execute("DELETE FROM vector WHERE generation = ? AND seq BETWEEN ? AND ?", values)


def _run(connection: Connection, generation: int, number: int, size: int) -> PackedRows | None:
    """Return the rows of a run, of zeros where it has none; None if it was altered on the disk."""
    row = connection.execute(
        "SELECT codes, checksum FROM vector_run WHERE generation = ? AND number = ?", (generation, number)
    ).fetchone()
    if row is None:
        return np.zeros((_RUN, size), np.uint8)
    data, stored_checksum = row
    if stored_checksum != checksum(number, generation, data) or len(data) != _RUN * size:
        return None
    return np.frombuffer(data, np.uint8).reshape(_RUN, size).copy()


def _write_run(connection: Connection, generation: int, number: int, codes: PackedRows, *, sound: bool = True) -> None:
    """Write a run; one that is not sound has no checksum, so that it is found and made anew."""
    data = codes.tobytes()
    connection.execute(
        "INSERT OR REPLACE INTO vector_run VALUES (?, ?, ?, ?)",
        (number, generation, data, checksum(number, generation, data) if sound else None),
    )


def _shaped(data: bytes) -> PackedRows:
    """Return the rows of a run, whatever their dimension."""
    return np.frombuffer(data, np.uint8)[: len(data) // _RUN * _RUN].reshape(_RUN, -1)


def _has_vector(codes: PackedRows) -> NDArray[np.bool_]:
    """Return a mask of the rows that are a vector: no scale is zero."""
    return np.any(codes[:, :SCALE_BYTES], axis=1)


def take(connection: Connection, seqs: Sequence[int]) -> int:
    """Delete the vectors of turns from the runs; return how many vectors they had, in runs or in rows of their own.

    Those in rows of their own go with their turns.
    """
    vectors = {(seq, generation) for seq, generation in _single_rows(connection, seqs)}
    offsets: dict[int, list[int]] = {}
    for seq in seqs:
        offsets.setdefault(seq >> _BITS, []).append(seq & (_RUN - 1))
    query = "SELECT number, generation, codes, checksum FROM vector_run WHERE number IN ({})"
    for number, generation, data, stored_checksum in select_in(connection, query, list(offsets)):
        sound = stored_checksum == checksum(number, generation, data)
        codes = _shaped(data).copy()
        run_offsets = np.array(offsets[number])
        vectors |= {
            ((number << _BITS) + int(offset), generation) for offset in run_offsets[_has_vector(codes[run_offsets])]
        }
        codes[run_offsets] = 0
        remaining = np.flatnonzero(_has_vector(codes))
        if len(remaining) >= _FEWEST or not sound:
            _write_run(connection, generation, number, codes, sound=sound)
            continue
        connection.execute("DELETE FROM vector_run WHERE number = ? AND generation = ?", (number, generation))
        # A row of its own is newer than what the run had.
        remaining_seqs = [(number << _BITS) + int(offset) for offset in remaining]
        newer = {
            seq for seq, row_generation in _single_rows(connection, remaining_seqs) if row_generation == generation
        }
        rows = ((seq, codes[seq & (_RUN - 1)].tobytes()) for seq in remaining_seqs if seq not in newer)
        _write_rows(connection, rows, generation)
    return len(vectors)


def _single_rows(connection: Connection, seqs: Sequence[int]) -> list[tuple[int, int]]:
    """Return number and generation of the vectors of turns that have rows of their own."""
    return select_in(connection, "SELECT seq, generation FROM vector WHERE seq IN ({})", seqs)


def drop_others(connection: Connection, generation: int) -> None:
    """Delete the vectors of all other generations."""
    for table in ("vector", "vector_run"):
        connection.execute(f"DELETE FROM {table} WHERE generation <> ?", (generation,))


def read(connection: Connection, seqs: Sequence[int], generation: int, dimension: int) -> tuple[Seqs, PackedRows]:
    """Return the turns that have a vector, ascending, and these, packed.

    Raises:
        ValueError: a vector is of another dimension.
    """
    single = f"SELECT seq, codes FROM vector WHERE generation = {int(generation)} AND seq IN ({{}})"
    rows = sorted(select_in(connection, single, seqs))
    single_seqs, all_seqs = np.array([seq for seq, _ in rows], np.int64), np.array(seqs, np.int64)
    batches = [(single_seqs, _join([codes for _, codes in rows], dimension))]
    run_seqs = all_seqs[~np.isin(all_seqs, single_seqs)]
    query = f"SELECT number, codes FROM vector_run WHERE generation = {int(generation)} AND number IN ({{}})"
    for number, codes in select_in(connection, query, np.unique(run_seqs >> _BITS).tolist()):
        numbers, packed_rows = _spread(number, codes, dimension)
        mask = np.isin(numbers, run_seqs)
        batches.append((numbers[mask], packed_rows[mask]))
    vector_seqs = np.concatenate([numbers for numbers, _ in batches])
    packed_rows = np.concatenate([batch for _, batch in batches])
    order = np.argsort(vector_seqs)
    return vector_seqs[order], packed_rows[order]


def _spread(number: int, codes: bytes, dimension: int) -> tuple[Seqs, PackedRows]:
    """Return the turns of a run that have a vector, and these."""
    packed_rows = rows_of(codes, _RUN, dimension)
    mask = _has_vector(packed_rows)
    numbers = np.arange(number << _BITS, (number + 1) << _BITS)
    return (numbers, packed_rows) if mask.all() else (numbers[mask], packed_rows[mask])


def _join(blobs: Sequence[bytes], dimension: int) -> PackedRows:
    if set(map(len, blobs)) - {dimension + SCALE_BYTES}:
        raise ValueError(f"a vector is not of dimension {dimension}")
    return rows_of(b"".join(blobs), len(blobs), dimension)


def read_all(connection: Connection, generation: int, dimension: int) -> VectorCodes:
    """Return all vectors of a generation as codes, a run at a time.

    Raises:
        ValueError: a vector is of another dimension.
    """
    of_generation = f"WHERE generation = {int(generation)}"
    rows = connection.execute(f"SELECT seq, codes FROM vector {of_generation} ORDER BY seq").fetchall()
    single_seqs = np.array([seq for seq, _ in rows], np.int64)
    runs: int = connection.execute(f"SELECT count(*) FROM vector_run {of_generation}").fetchone()[0]
    room = runs * _RUN + len(single_seqs)
    seqs, scales = np.empty(room, np.int64), np.empty(room, np.float32)
    codes = np.empty((room, dimension), np.int8)
    end = 0
    for batch_seqs, packed_rows in _batches(connection, of_generation, single_seqs, rows, dimension):
        start, end = end, end + len(batch_seqs)
        seqs[start:end], codes[start:end] = batch_seqs, packed_rows[:, SCALE_BYTES:].view(np.int8)
        scales[start:end] = packed_rows[:, :SCALE_BYTES].copy().view("<f4")[:, 0]
    if (seqs[1:end] > seqs[: max(end - 1, 0)]).all():
        return VectorCodes(seqs[:end], codes[:end], scales[:end])
    order = np.argsort(seqs[:end])
    return VectorCodes(seqs[order], codes[order], scales[order])


def _batches(
    connection: Connection, of_generation: str, single_seqs: Seqs, rows: Sequence[tuple[int, bytes]], dimension: int
) -> Iterator[tuple[Seqs, PackedRows]]:
    """Yield the vectors of each run that have no row of their own, and at last those that have one."""
    query = f"SELECT number, codes FROM vector_run {of_generation} ORDER BY number"
    for number, codes in connection.walk(query):
        run_seqs, packed_rows = _spread(number, codes, dimension)
        if len(single_seqs):
            mask = ~np.isin(run_seqs, single_seqs)
            run_seqs, packed_rows = run_seqs[mask], packed_rows[mask]
        yield run_seqs, packed_rows
    yield single_seqs, _join([codes for _, codes in rows], dimension)


def with_vector(connection: Connection, generation: int) -> Seqs:
    """Return the sequence numbers that have a vector in a generation, ascending."""
    rows = connection.execute("SELECT seq FROM vector WHERE generation = ?", (generation,)).fetchall()
    seqs = [np.array([seq for (seq,) in rows], np.int64)]
    for number, codes in connection.walk(f"SELECT number, codes FROM vector_run WHERE generation = {int(generation)}"):
        seqs.append(np.flatnonzero(_has_vector(_shaped(codes))) + (number << _BITS))
    return np.unique(np.concatenate(seqs))


def without_vector(connection: Connection, generation: int, limit: int | None = None) -> list[int]:
    """Return the turns that have no vector in a generation, ascending, at most ``limit``."""
    turns = np.array([seq for (seq,) in connection.execute("SELECT seq FROM turn ORDER BY seq").fetchall()], np.int64)
    return turns[~np.isin(turns, with_vector(connection, generation))][:limit].tolist()
