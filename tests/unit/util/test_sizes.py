"""The measured size of objects: what they alone reach, with what libraries keep."""

import gc

import numpy as np
import pytest

from hmem import Memory
from hmem.corpus.index.vector import VectorIndex
from hmem.language.embed import embedder
from hmem.util.sizes import collection_paused, release_memory, resident_bytes


class Holder:
    def __init__(self, *held: object) -> None:
        self.held = held


Holder.__module__ = "hmem.tests"


def test_what_is_reached_counts_once() -> None:
    text = "x" * 100_000
    assert 100_000 < resident_bytes([text, [text, {"a": text}]]) < 101_000
    array = np.zeros(100_000, np.uint8)
    assert 100_000 < resident_bytes(Holder(array[:10], array[5:])) < 101_000


def test_a_large_collection_is_measured_by_a_sample() -> None:
    many = {number: "x" * (500 + number % 3) for number in range(20_000)}
    exact = sum(map(len, many.values()))
    assert 0.95 * exact < resident_bytes(many) < 1.35 * exact
    assert 0.95 * exact < resident_bytes(list(many.values())) < 1.35 * exact
    assert 0.95 * exact < resident_bytes({f"{value}{key}" for key, value in many.items()}) < 1.45 * exact


def test_what_belongs_to_the_process_does_not_count() -> None:
    shared = embedder("wordllama")
    assert resident_bytes(shared, Holder, resident_bytes, np) == 0
    with Memory(":memory:") as memory:
        memory.add("The kiln is hot.")
        assert 10_000 < resident_bytes(memory) < 1_000_000


def test_vectors_count_with_the_searcher_that_lies_outside_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hmem.corpus.index.vector.EXACT", 100)
    monkeypatch.setattr("hmem.corpus.index.vector.RESCORED", 10)
    index = VectorIndex(256)
    index.add(np.eye(256, dtype=np.float32))
    before = resident_bytes(index)
    index.search(np.eye(256, dtype=np.float32)[0], 1)
    assert resident_bytes(index) - before >= 256 * 256 // 4


def test_pages_are_given_back_or_nothing_happens() -> None:
    release_memory()


def test_no_garbage_is_collected_while_that_is_paused() -> None:
    with collection_paused():
        assert not gc.isenabled()
        with collection_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
