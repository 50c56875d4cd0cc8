import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hmem.corpus.index import vector
from hmem.corpus.index.vector import VectorIndex
from hmem.model.vector import from_bytes, to_bytes

DIMENSION = 32


def unit(count: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture(params=["exact", "chosen", "scanned"])
def forms(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The ways of a search, within reach of a small test: exact, chosen by FAISS, and as where it is not installed."""
    monkeypatch.setattr(vector, "EXACT", 5_000 if request.param == "exact" else 100)
    monkeypatch.setattr(vector, "RESCORED", 200)
    if request.param == "scanned":
        monkeypatch.setattr(vector, "_faiss", lambda: None)
    return request.param


def test_the_nearest_are_found_in_every_form(forms: str) -> None:
    rows, index = unit(2_000), VectorIndex(DIMENSION)
    for start in range(0, 2_000, 300):
        index.add(rows[start : start + 300])
    recalled = 0
    for query in unit(20, seed=1):
        found, cosines = index.search(query, 10)
        exact = rows @ query
        recalled += len(set(found.tolist()) & set(np.argsort(-exact)[:10].tolist()))
        np.testing.assert_allclose(cosines, exact[found], atol=0.02)
        assert (np.diff(cosines) <= 1e-6).all()
    assert recalled >= 190


def test_cosines_are_those_of_the_vectors(forms: str) -> None:
    rows, index = unit(1_000), VectorIndex(DIMENSION)
    index.add(rows)
    query, chosen = unit(1, seed=2)[0], np.array([5, 0, 999, 5])
    np.testing.assert_allclose(index.cosines(query, chosen), rows[chosen] @ query, atol=0.005)
    np.testing.assert_allclose(index.reconstruct(chosen), rows[chosen], atol=0.005)


@pytest.mark.parametrize("dimension", [32, 384, 1_032])
def test_a_cosine_is_the_same_to_the_last_digit_among_any_rows(forms: str, dimension: int) -> None:
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(901, dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    stored = from_bytes(*to_bytes(rows))
    at_once, one_by_one = VectorIndex(dimension), VectorIndex(dimension)
    at_once.add(stored)
    for start in range(0, 901, 53):
        one_by_one.add(stored[start : start + 53])
    query = stored[5] + stored[6]
    query /= np.linalg.norm(query)
    every = at_once.cosines(query)
    np.testing.assert_array_equal(every, one_by_one.cosines(query))
    for count in (1, 2, 7, 64, 333):
        chosen = rng.choice(901, count, replace=False)
        np.testing.assert_array_equal(at_once.cosines(query, chosen), every[chosen])
    for found, other in zip(at_once.search(query, 40), one_by_one.search(query, 40), strict=True):
        np.testing.assert_array_equal(found, other)


def test_keep_drops_the_other_rows_and_renumbers(forms: str) -> None:
    rows, index = unit(1_000), VectorIndex(DIMENSION)
    index.add(rows)
    index.keep(np.arange(0, 1_000, 2))
    assert len(index) == 500
    np.testing.assert_allclose(index.reconstruct(np.array([1])), rows[[2]], atol=0.03)


def test_an_index_of_stored_bytes_is_that_of_their_vectors(forms: str) -> None:
    stored, query = to_bytes(unit(1_000)), unit(1, seed=3)[0]
    added, loaded = VectorIndex(DIMENSION), VectorIndex.from_codes(*stored)
    added.add(from_bytes(*stored))
    np.testing.assert_array_equal(loaded.search(query, 50), added.search(query, 50))
    for index in (added, loaded):
        index.add(unit(500, seed=4))
    assert len(loaded) == 1_500
    np.testing.assert_array_equal(loaded.search(query, 50), added.search(query, 50))


def test_of_stored_bytes_only_the_first_may_be_taken_and_others_come_later(forms: str) -> None:
    stored, query = to_bytes(unit(1_000)), unit(1, seed=3)[0]
    whole, part = VectorIndex.from_codes(*stored), VectorIndex.from_codes(*to_bytes(unit(1_000)), 600)
    assert len(part) == 600
    assert part.search(query, 50)[0].max() < 600
    part.add(from_bytes(*stored)[600:])
    np.testing.assert_array_equal(part.search(query, 50), whole.search(query, 50))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(seed=st.integers(0, 10_000), k=st.sampled_from([1, 10, 60]), distinct=st.sampled_from([3, 40, 600]))
def test_what_is_found_depends_on_the_living_vectors_alone(forms: str, seed: int, k: int, distinct: int) -> None:
    """However they came, and whatever was deleted since; vectors that are equal, too."""
    chance = np.random.default_rng(seed)
    stored = from_bytes(*to_bytes(unit(distinct, seed)[chance.integers(distinct, size=600)]))
    living = chance.random(600) < 0.7
    rows, query = np.flatnonzero(living), unit(1, seed)[0]
    pure, mixed, dropped = (VectorIndex(DIMENSION) for _ in range(3))
    pure.add(stored[living])
    expected, cosines = pure.search(query, k)
    for start in range(0, 600, 150):
        mixed.add(stored[start : start + 150])
        # The searcher is made, or takes what came since.
        mixed.search(query, k)
    dropped.add(stored)
    dropped.keep(rows)
    for found, index_rows, same in (
        (mixed.search(query, k, living), rows, cosines),
        (dropped.search(query, k), np.arange(len(rows)), cosines),
    ):
        np.testing.assert_array_equal(found[0], index_rows[expected])
        np.testing.assert_array_equal(found[1], same)
    among = rows[chance.random(len(rows)) < 0.5]
    renumbered = np.searchsorted(rows, among)
    several = np.stack([query, *unit(2, seed + 1)])
    found = mixed.search_among(several, k, np.tile(np.isin(np.arange(600), among), (3, 1)), living)
    for found_rows, alone in zip(found, several, strict=True):
        (expected,) = pure.search_among(alone[None, :], k, np.isin(np.arange(len(rows)), renumbered)[None, :])
        np.testing.assert_array_equal(found_rows, rows[expected])


def test_vectors_unlike_the_first_ones_are_kept_true() -> None:
    small, index = unit(200) * np.float32(0.05), VectorIndex(DIMENSION)
    index.add(small)
    far = np.eye(DIMENSION, dtype=np.float32)
    index.add(np.repeat(far, 200, axis=0))
    assert index.search(far[3], 1)[1][0] > 0.95


def test_equal_vectors_are_found_in_their_order(forms: str) -> None:
    index = VectorIndex(DIMENSION)
    index.add(np.repeat(unit(1), 300, axis=0))
    assert index.search(unit(1)[0], 3)[0].tolist() == [0, 1, 2]


def test_a_small_memory_does_not_load_faiss() -> None:
    code = (
        "import sys, hmem; m = hmem.Memory(':memory:'); m.add('I live in Lisbon.', speaker='Maria'); "
        "assert m.search('Where does Maria live?'); print('faiss' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_an_empty_index_finds_nothing() -> None:
    rows, cosines = VectorIndex(DIMENSION).search(unit(1)[0], 5)
    assert len(rows) == len(cosines) == 0


@pytest.mark.parametrize("scanned", [0, 10_000])
def test_the_nearest_among_some_rows_are_the_best_of_them(
    forms: str, monkeypatch: pytest.MonkeyPatch, scanned: int
) -> None:
    monkeypatch.setattr(vector, "_SCANNED", scanned)
    rows, index = unit(1_500), VectorIndex(DIMENSION)
    index.add(rows)
    steps = (1, 2, 500, 1_499)
    masks, queries = np.zeros((4, 1_500), np.bool_), unit(4, seed=5)
    for mask, step in zip(masks, steps, strict=True):
        mask[::step] = True
    for k in (1, 3, 10):
        for found, mask, query in zip(index.search_among(queries, k, masks), masks, queries, strict=True):
            assert mask[found].all()
            assert len(found) == min(k, mask.sum())
            cosines = rows @ query
            np.testing.assert_allclose(cosines[found], np.sort(cosines[mask])[::-1][: len(found)], atol=0.03)
    assert [len(found) for found in index.search_among(queries[:1], 5, np.zeros((1, 1_500), np.bool_))] == [0]
    assert index.search_among(queries[:0], 5, masks[:0]) == []
