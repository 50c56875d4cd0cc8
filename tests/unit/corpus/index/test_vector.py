import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hmem.corpus.index import vector
from hmem.corpus.index.vector import VectorIndex
from hmem.errors import IndexDamaged
from hmem.model.vector import from_bytes, to_bytes

DIMENSION = 32


def unit(count: int, seed: int = 0) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture(params=["floats", "bytes", "coarse", "scanned"])
def forms(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The forms, brought within reach of a small test; ``scanned`` is where FAISS is not installed."""
    monkeypatch.setattr(vector, "EXACT", 5_000 if request.param == "floats" else 100)
    monkeypatch.setattr(vector, "COARSE_ABOVE", 400 if request.param == "coarse" else 100_000)
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


def test_saved_and_loaded_it_answers_the_same(forms: str, tmp_path: Path) -> None:
    index, query = VectorIndex(DIMENSION), unit(1, seed=3)[0]
    # Vectors come from the truth, rounded to bytes, and the floats are made from those.
    stored = to_bytes(unit(1_000))
    index.add(from_bytes(*stored))
    index.save(tmp_path, "name")
    loaded = VectorIndex.load(tmp_path, "name", *stored)
    np.testing.assert_array_equal(loaded.search(query, 5)[0], index.search(query, 5)[0])
    loaded.add(unit(500, seed=4))
    assert len(loaded) == 1_500


def test_keep_drops_the_other_rows_and_renumbers(forms: str) -> None:
    rows, index = unit(1_000), VectorIndex(DIMENSION)
    index.add(rows)
    index.keep(np.arange(0, 1_000, 2))
    assert len(index) == 500
    np.testing.assert_allclose(index.reconstruct(np.array([1])), rows[[2]], atol=0.03)


def test_vectors_unlike_the_first_ones_are_kept_true() -> None:
    small, index = unit(200) * np.float32(0.05), VectorIndex(DIMENSION)
    index.add(small)
    far = np.eye(DIMENSION, dtype=np.float32)
    index.add(np.repeat(far, 200, axis=0))
    assert index.search(far[3], 1)[1][0] > 0.95


@pytest.mark.parametrize("saved_with", [True, False])
@pytest.mark.parametrize("form", ["bytes", "coarse"])
def test_an_index_is_read_with_faiss_and_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, *, saved_with: bool
) -> None:
    monkeypatch.setattr(vector, "EXACT", 100)
    monkeypatch.setattr(vector, "COARSE_ABOVE", 400 if form == "coarse" else 100_000)
    faiss, stored = vector._faiss(), to_bytes(unit(1_000))
    rows = from_bytes(*stored)
    present = {True: lambda: faiss, False: lambda: None}
    monkeypatch.setattr(vector, "_faiss", present[saved_with])
    index = VectorIndex(DIMENSION)
    index.add(rows)
    index.save(tmp_path, "name")
    assert (tmp_path / "name.faiss").exists() is (saved_with and form == "coarse")
    monkeypatch.setattr(vector, "_faiss", present[not saved_with])
    loaded = VectorIndex.load(tmp_path, "name", *stored)
    query = unit(1, seed=5)[0]
    assert loaded.search(query, 1)[0].tolist() == [int(np.argmax(rows @ query))]
    loaded.add(unit(2_000, seed=6))
    assert len(loaded) == 3_000
    np.testing.assert_allclose(loaded.reconstruct(np.array([7])), rows[[7]], atol=0.01)


def test_equal_vectors_are_found_in_their_order(forms: str) -> None:
    index = VectorIndex(DIMENSION)
    index.add(np.repeat(unit(1), 300, axis=0))
    assert index.search(unit(1)[0], 3)[0].tolist() == [0, 1, 2] or forms in ("bytes", "coarse")


def test_a_small_memory_does_not_load_faiss() -> None:
    code = (
        "import sys, hmem; m = hmem.Memory(':memory:'); m.add('I live in Lisbon.', speaker='Maria'); "
        "assert m.search('Where does Maria live?'); print('faiss' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_an_empty_index_finds_nothing() -> None:
    rows, cosines = VectorIndex(DIMENSION).search(unit(1)[0], 5)
    assert len(rows) == len(cosines) == 0


def test_truncated_missing_and_foreign_files_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector, "EXACT", 100)
    monkeypatch.setattr(vector, "COARSE_ABOVE", 400)
    rows, index = unit(1_000), VectorIndex(DIMENSION)
    index.add(rows)
    index.save(tmp_path, "name")
    for foreign in (to_bytes(rows[:, :16]), to_bytes(rows[:999])):
        with pytest.raises(IndexDamaged):
            VectorIndex.load(tmp_path, "name", *foreign)
    with pytest.raises(IndexDamaged):
        VectorIndex.load(tmp_path, "other", *to_bytes(rows))
    for file in ("name.npz", "name.faiss"):
        whole = (tmp_path / file).read_bytes()
        (tmp_path / file).write_bytes(whole[:40])
        with pytest.raises(IndexDamaged):
            VectorIndex.load(tmp_path, "name", *to_bytes(rows))
        (tmp_path / file).write_bytes(whole)
    assert len(VectorIndex.load(tmp_path, "name", *to_bytes(rows))) == 1_000


def test_files_have_no_bytes_of_the_vectors(forms: str, tmp_path: Path) -> None:
    rows, index = unit(1_000), VectorIndex(DIMENSION)
    index.add(rows)
    index.save(tmp_path, "name")
    codes, _ = to_bytes(rows)
    assert not any(codes[7].tobytes() in file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize("scanned", [0, 10_000])
def test_the_nearest_among_some_rows_are_the_best_of_them(
    forms: str, monkeypatch: pytest.MonkeyPatch, scanned: int
) -> None:
    monkeypatch.setattr(vector, "_SCANNED", scanned)
    rows, index = unit(1_500), VectorIndex(DIMENSION)
    index.add(rows)
    for step, k in ((1, 3), (2, 10), (500, 10), (1_499, 1)):
        among, query = np.arange(0, 1_500, step), unit(1, seed=step)[0]
        found, cosines = index.search_among(query, k, among)
        assert np.isin(found, among).all()
        assert len(found) == min(k, len(among))
        np.testing.assert_allclose(cosines, np.sort(rows[among] @ query)[::-1][: len(found)], atol=0.03)
    found, cosines = index.search_among(unit(1)[0], 5, np.empty(0, np.int64))
    assert len(found) == len(cosines) == 0
