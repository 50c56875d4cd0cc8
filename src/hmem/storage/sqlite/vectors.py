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
from hmem.storage.sqlite.driver import Connection, among

_BITS: Final = 8
_RUN: Final = 1 << _BITS
# Fewer vectors are not worth the room that a run leaves for the others.
_FEWEST: Final = _RUN // 2

Seqs = NDArray[np.int64]
Packed = NDArray[np.uint8]


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
    if codes is None or any(sealed != checksum(seq, generation, row) for seq, row, sealed in rows):
        # What was altered on the disk stays as it is, to be found and mended.
        return
    codes[[seq & (_RUN - 1) for seq, *_ in rows]] = np.stack([np.frombuffer(row, np.uint8) for _, row, _ in rows])
    if len(codes[_there(codes)]) >= _FEWEST:
        _write_run(connection, generation, number, codes)
        connection.execute("DELETE FROM vector WHERE generation = ? AND seq BETWEEN ? AND ?", values)


def _run(connection: Connection, generation: int, number: int, size: int) -> Packed | None:
    """Return the rows of a run, of zeros where it has none; None if it was altered on the disk."""
    found = connection.execute(
        "SELECT codes, checksum FROM vector_run WHERE generation = ? AND number = ?", (generation, number)
    ).fetchone()
    if found is None:
        return np.zeros((_RUN, size), np.uint8)
    data, sealed = found
    if sealed != checksum(number, generation, data) or len(data) != _RUN * size:
        return None
    return np.frombuffer(data, np.uint8).reshape(_RUN, size).copy()


def _write_run(connection: Connection, generation: int, number: int, codes: Packed, *, sound: bool = True) -> None:
    """Write a run; one that is not sound has no checksum, so that it is found and made anew."""
    data = codes.tobytes()
    connection.execute(
        "INSERT OR REPLACE INTO vector_run VALUES (?, ?, ?, ?)",
        (number, generation, data, checksum(number, generation, data) if sound else None),
    )


def _shaped(data: bytes) -> Packed:
    """Return the rows of a run, whatever their dimension."""
    return np.frombuffer(data, np.uint8)[: len(data) // _RUN * _RUN].reshape(_RUN, -1)


def _there(codes: Packed) -> NDArray[np.bool_]:
    """Return a mask of the rows that are a vector: no scale is zero."""
    return np.any(codes[:, :SCALE_BYTES], axis=1)


def take(connection: Connection, seqs: Sequence[int]) -> int:
    """Delete the vectors of turns from the runs; return the number of vectors that they have, anywhere.

    Those in rows of their own go with their turns.
    """
    taken = {(seq, generation) for seq, generation in _all_of(connection, seqs)}
    wanted: dict[int, list[int]] = {}
    for seq in seqs:
        wanted.setdefault(seq >> _BITS, []).append(seq & (_RUN - 1))
    query = "SELECT number, generation, codes, checksum FROM vector_run WHERE number IN ({})"
    for number, generation, data, sealed in among(connection, query, list(wanted)):
        sound = sealed == checksum(number, generation, data)
        codes = _shaped(data).copy()
        places = np.array(wanted[number])
        taken |= {((number << _BITS) + int(place), generation) for place in places[_there(codes[places])]}
        codes[places] = 0
        left = np.flatnonzero(_there(codes))
        if len(left) >= _FEWEST or not sound:
            _write_run(connection, generation, number, codes, sound=sound)
            continue
        connection.execute("DELETE FROM vector_run WHERE number = ? AND generation = ?", (number, generation))
        # A row of its own is newer than what the run had.
        here = [(number << _BITS) + int(place) for place in left]
        newer = {seq for seq, other in _all_of(connection, here) if other == generation}
        rows = ((seq, codes[seq & (_RUN - 1)].tobytes()) for seq in here if seq not in newer)
        _write_rows(connection, rows, generation)
    return len(taken)


def _all_of(connection: Connection, seqs: Sequence[int]) -> list[tuple[int, int]]:
    """Return number and generation of the vectors of turns that have rows of their own."""
    return among(connection, "SELECT seq, generation FROM vector WHERE seq IN ({})", seqs)


def drop_others(connection: Connection, generation: int) -> None:
    """Delete the vectors of all other generations."""
    for table in ("vector", "vector_run"):
        connection.execute(f"DELETE FROM {table} WHERE generation <> ?", (generation,))


def read(connection: Connection, seqs: Sequence[int], generation: int, dimension: int) -> tuple[Seqs, Packed]:
    """Return the turns that have a vector, ascending, and these, packed.

    Raises:
        ValueError: a vector is of another dimension.
    """
    single = f"SELECT seq, codes FROM vector WHERE generation = {int(generation)} AND seq IN ({{}})"
    rows = sorted(among(connection, single, seqs))
    own, wanted = np.array([seq for seq, _ in rows], np.int64), np.array(seqs, np.int64)
    pieces = [(own, _joined([codes for _, codes in rows], dimension))]
    rest = wanted[~np.isin(wanted, own)]
    query = f"SELECT number, codes FROM vector_run WHERE generation = {int(generation)} AND number IN ({{}})"
    for number, codes in among(connection, query, np.unique(rest >> _BITS).tolist()):
        numbers, packed = _spread(number, codes, dimension)
        inside = np.isin(numbers, rest)
        pieces.append((numbers[inside], packed[inside]))
    found = np.concatenate([numbers for numbers, _ in pieces])
    packed = np.concatenate([each for _, each in pieces])
    order = np.argsort(found)
    return found[order], packed[order]


def _spread(number: int, codes: bytes, dimension: int) -> tuple[Seqs, Packed]:
    """Return the turns of a run that have a vector, and these."""
    packed = rows_of(codes, _RUN, dimension)
    there = _there(packed)
    numbers = np.arange(number << _BITS, (number + 1) << _BITS)
    return (numbers, packed) if there.all() else (numbers[there], packed[there])


def _joined(blobs: Sequence[bytes], dimension: int) -> Packed:
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
    own = np.array([seq for seq, _ in rows], np.int64)
    runs: int = connection.execute(f"SELECT count(*) FROM vector_run {of_generation}").fetchone()[0]
    room = runs * _RUN + len(own)
    seqs, scales = np.empty(room, np.int64), np.empty(room, np.float32)
    codes = np.empty((room, dimension), np.int8)
    end = 0
    for found, packed in _pieces(connection, of_generation, own, rows, dimension):
        start, end = end, end + len(found)
        seqs[start:end], codes[start:end] = found, packed[:, SCALE_BYTES:].view(np.int8)
        scales[start:end] = packed[:, :SCALE_BYTES].copy().view("<f4")[:, 0]
    if (seqs[1:end] > seqs[: max(end - 1, 0)]).all():
        return VectorCodes(seqs[:end], codes[:end], scales[:end])
    order = np.argsort(seqs[:end])
    return VectorCodes(seqs[order], codes[order], scales[order])


def _pieces(
    connection: Connection, of_generation: str, own: Seqs, rows: Sequence[tuple[int, bytes]], dimension: int
) -> Iterator[tuple[Seqs, Packed]]:
    """Yield the vectors of each run that have no row of their own, and at last those that have one."""
    query = f"SELECT number, codes FROM vector_run {of_generation} ORDER BY number"
    for number, codes in connection.walk(query):
        found, packed = _spread(number, codes, dimension)
        if len(own):
            alone = ~np.isin(found, own)
            found, packed = found[alone], packed[alone]
        yield found, packed
    yield own, _joined([codes for _, codes in rows], dimension)


def with_vector(connection: Connection, generation: int) -> Seqs:
    """Return the sequence numbers that have a vector in a generation, ascending."""
    own = connection.execute("SELECT seq FROM vector WHERE generation = ?", (generation,)).fetchall()
    found = [np.array([seq for (seq,) in own], np.int64)]
    for number, codes in connection.walk(f"SELECT number, codes FROM vector_run WHERE generation = {int(generation)}"):
        found.append(np.flatnonzero(_there(_shaped(codes))) + (number << _BITS))
    return np.unique(np.concatenate(found))


def without_vector(connection: Connection, generation: int, limit: int | None = None) -> list[int]:
    """Return the turns that have no vector in a generation, ascending, at most ``limit``."""
    turns = np.array([seq for (seq,) in connection.execute("SELECT seq FROM turn ORDER BY seq").fetchall()], np.int64)
    return turns[~np.isin(turns, with_vector(connection, generation))][:limit].tolist()
