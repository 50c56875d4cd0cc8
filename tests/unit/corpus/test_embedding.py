from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hmem import Memory
from hmem.corpus.embedding import reembed
from hmem.language.embed import Embedder
from hmem.language.embed.base import Calibration
from hmem.storage.sqlite.store import SQLiteStorage


class Asked(Embedder):
    """One that remembers what it was asked at once."""

    name, version, dimension, calibration = "asked", "1", 4, Calibration()

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.batches.append(list(texts))
        return np.tile(np.array([1, 0, 0, 0], np.float32), (len(texts), 1))


def batches(path: Path, texts: Sequence[str]) -> list[list[int]]:
    """The lengths of the texts that are embedded together when a memory goes over to another embedder."""
    chosen = Asked()
    with Memory(path, recipe="flat") as memory:
        memory.add([{"text": text, "speaker": "A"} for text in texts])
    with closing(SQLiteStorage(str(path))) as storage:
        assert reembed(storage, chosen) == len(texts)
    return [[len(text) for text in batch] for batch in chosen.batches if batch[0].startswith("A: ")]


@pytest.mark.parametrize(
    ("lengths", "together"),
    [
        ([40_000, 40_000, 20_000, 7], [[40_000, 40_000, 20_000], [7]]),
        ([40_000, 40_000, 20_001, 7], [[40_000, 40_000], [20_001, 7]]),
        ([150_000, 7], [[150_000], [7]]),
        ([10] * 300, [[10] * 256, [10] * 44]),
    ],
)
def test_a_batch_has_256_texts_and_100_000_characters_at_most(
    path: Path, lengths: list[int], together: list[list[int]]
) -> None:
    assert batches(path, ["x" * (length - len("A: ")) for length in lengths]) == together
