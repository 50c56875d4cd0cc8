"""Shared base and helpers of the suite: opening a storage, and making turns and vectors for it."""

import unittest
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hmem.errors import HmemError
from hmem.model.ids import new_key, to_id
from hmem.model.turn import Turn
from hmem.storage.base import GENERATION, AppendResult, Storage, Vectors
from hmem.storage.capabilities import ErasureStore
from hmem.storage.model_queue import ModelQueue

DIMENSION = 8
ANALYSIS = 3
START = datetime(2025, 3, 14, 19, 2, tzinfo=UTC)


class Harness:
    """Base of all parts of the suite."""

    durable = True

    def open(self, location: str) -> Storage:
        """Open the storage at a location, and create it if it is missing. A backend overrides this."""
        raise NotImplementedError

    def location(self, tmp_path: Path) -> str:
        """Return an unused location, the same for the same ``tmp_path``."""
        return str(tmp_path / "conformance.hmem")

    @contextmanager
    def open_storage(self, tmp_path: Path) -> Generator[Storage]:
        """Yield the storage of a test, with vectors of generation 1; close it at the end."""
        storage = self.open(self.location(tmp_path))
        try:
            if GENERATION not in storage.state().settings:
                storage.put_settings({GENERATION: "1"})
            yield storage
        finally:
            storage.close()

    def needs_durability(self) -> None:
        """Skip the test for a storage that ends with its process."""
        if not self.durable:
            raise unittest.SkipTest("this storage ends with its process")


def queue(storage: Storage) -> ModelQueue:
    """Return the storage's queue of model work, or skip the test if there is none."""
    if storage.model_queue is None:
        raise unittest.SkipTest("this storage keeps no work of language models")
    return storage.model_queue


def erasure(storage: Storage) -> ErasureStore:
    """Return the storage's erasure, or skip the test if there is none."""
    if storage.erasure is None:
        raise unittest.SkipTest("this storage does not forget")
    return storage.erasure


def make_turn(text: str = "I adopted a puppy", **fields: Any) -> Turn:
    """Return a turn with a new id; ``fields`` are those of ``Turn``."""
    values: dict[str, Any] = {"speaker": "Maria", "at": START, "session": "s1"} | fields
    return Turn(id=to_id("turn", new_key()), text=text, **values)


def make_turns(count: int, **fields: Any) -> list[Turn]:
    """Return turns with different texts, a minute apart."""
    return [make_turn(f"turn number {i}", **({"at": START + timedelta(minutes=i)} | fields)) for i in range(count)]


def unit_vectors(count: int, dimension: int = DIMENSION, seed: int = 0) -> Vectors:
    """Return seeded random unit rows, of shape (count, dimension)."""
    rows = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def keep(
    storage: Storage, turns: Sequence[Turn], vectors: Vectors | None = None, generation: int = 1
) -> list[AppendResult]:
    """Append turns, by default with random vectors."""
    rows = unit_vectors(len(turns)) if vectors is None else vectors
    return storage.append(turns, [len(turn.content.split()) for turn in turns], rows, generation, analysis=ANALYSIS)


def keep_plain(storage: Storage, turns: Sequence[Turn]) -> list[AppendResult]:
    """Append turns without vectors."""
    return storage.append(turns, [1] * len(turns), None, 1, analysis=ANALYSIS)


def all_turns(storage: Storage) -> list[Turn]:
    """Return all turns in order of arrival."""
    return [stored.turn for stored in storage.page(0, 1_000_000)]


def sequence_numbers(storage: Storage) -> list[int]:
    """Return the sequence numbers of all turns, in order of arrival."""
    return [record.seq for record in storage.page(0, 1_000_000)]


def state(storage: Storage) -> tuple[Any, ...]:
    """Return everything that a write could change, to compare before and after."""
    blocks = storage.changed_blocks(0)
    numbers = [block.number for block in blocks]
    seqs = sequence_numbers(storage)
    counts = storage.counts()
    vector_seqs, rows = storage.vectors(seqs, 1, DIMENSION)
    return (
        storage.state().change,
        blocks,
        storage.members(numbers),
        storage.contents(numbers),
        all_turns(storage),
        (vector_seqs.tolist(), rows.tobytes()),
        storage.sessions(),
        storage.speakers() if counts.turns else [],
        (counts.turns, counts.sessions, counts.speakers, counts.vectors, counts.first, counts.last),
        storage.state().settings,
    )


def cosines(first: NDArray[np.float32], second: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the cosine of each pair of rows."""
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return (first * second).sum(axis=1) / lengths


def failure(kind: type[HmemError], call: Callable[[], object]) -> HmemError:
    """Return the error that a call raises, which must be of this kind."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")
