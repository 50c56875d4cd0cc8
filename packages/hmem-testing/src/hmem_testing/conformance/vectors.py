# ruff: noqa: S101
"""Tests of vectors and their generations."""

from pathlib import Path

import numpy as np

from hmem.errors import EmbedderMismatch, HmemError
from hmem.storage.base import GENERATION
from hmem_testing.conformance.harness import (
    DIMENSION,
    Harness,
    cosines,
    erasure,
    failure,
    keep,
    keep_plain,
    make_turn,
    make_turns,
    sequence_numbers,
    state,
    unit_vectors,
)


class VectorConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_vectors_come_back_true_to_eight_bits(self, tmp_path: Path) -> None:
        rows = unit_vectors(2_000, 256)
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(len(rows)), rows)
            numbers = sequence_numbers(storage)
            seqs, vectors = storage.vectors(numbers[::-1], 1, 256)
        assert seqs.tolist() == numbers
        assert (vectors.dtype, vectors.shape) == (np.float32, rows.shape)
        assert cosines(rows, vectors).min() > 0.999
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)

    def test_vectors_of_one_large_component_come_back(self, tmp_path: Path) -> None:
        rows = np.eye(DIMENSION, dtype=np.float32) * np.where(np.arange(DIMENSION) % 2, -1, 1).astype(np.float32)
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(len(rows)), rows)
            _, vectors = storage.vectors(sequence_numbers(storage), 1, DIMENSION)
        assert cosines(rows, vectors).min() > 0.999

    def test_a_row_of_zeros_stays_one(self, tmp_path: Path) -> None:
        rows = unit_vectors(3)
        rows[1] = 0
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3), rows)
            _, vectors = storage.vectors(sequence_numbers(storage), 1, DIMENSION)
            assert storage.counts().vectors == 3
        assert not vectors[1].any()
        assert cosines(rows[[0, 2]], vectors[[0, 2]]).min() > 0.999

    def test_all_vectors_come_in_one_byte_a_component(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep_plain(storage, make_turns(2))
            keep(storage, make_turns(600), unit_vectors(600))
            numbers = sequence_numbers(storage)
            erasure(storage).forget([numbers[5], numbers[300]])
            codes_seqs, codes, scales = storage.vector_codes(1, DIMENSION)
            seqs, vectors = storage.vectors(numbers, 1, DIMENSION)
            assert codes_seqs.tolist() == seqs.tolist()
            assert (codes.dtype, codes.shape, scales.dtype) == (np.int8, vectors.shape, np.float32)
            assert np.allclose(codes * scales[:, None], vectors, atol=1e-6)
            assert [len(part_array) for part_array in storage.vector_codes(2, DIMENSION)] == [0, 0, 0]

    def test_what_has_no_vector_is_left_out(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep_plain(storage, make_turns(2))
            keep(storage, make_turns(2))
            numbers = sequence_numbers(storage)
            seqs, vectors = storage.vectors([*numbers, 999_999], 1, DIMENSION)
            assert seqs.tolist() == numbers[2:]
            assert vectors.shape == (2, DIMENSION)
            for requested, generation in (([], 1), (numbers[:2], 1), (numbers, 2)):
                seqs, vectors = storage.vectors(requested, generation, DIMENSION)
                assert (seqs.tolist(), vectors.shape) == ([], (0, DIMENSION))
            assert storage.counts().vectors == 2

    def test_vectors_of_another_dimension_are_a_named_error(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            failure(HmemError, lambda: storage.vectors(sequence_numbers(storage), 1, DIMENSION + 1))

    def test_turns_without_a_vector_are_told_oldest_first(self, tmp_path: Path) -> None:
        missing = make_turns(5)
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn()])
            keep_plain(storage, missing)
            assert [record.turn for record in storage.without_vector(1, 9)] == missing
            assert [record.turn for record in storage.without_vector(1, 2)] == missing[:2]
            assert len(storage.without_vector(2, 9)) == 6
            assert storage.without_vector(1, 0) == []

    def test_put_vectors_gives_turns_what_they_lack(self, tmp_path: Path) -> None:
        rows = unit_vectors(4, seed=1)
        with self.open_storage(tmp_path) as storage:
            keep_plain(storage, make_turns(4))
            numbers = sequence_numbers(storage)
            storage.put_vectors(numbers[:2], rows[:2], 1)
            assert [record.seq for record in storage.without_vector(1, 9)] == numbers[2:]
            storage.put_vectors(numbers[2:], rows[2:], 1)
            assert storage.without_vector(1, 9) == []
            assert cosines(rows, storage.vectors(numbers, 1, DIMENSION)[1]).min() > 0.999
            assert storage.counts().vectors == 4

    def test_put_vectors_replaces_and_passes_over_what_is_gone(self, tmp_path: Path) -> None:
        rows = unit_vectors(3, seed=1)
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            deleted, remaining = sequence_numbers(storage)
            erasure(storage).forget([deleted])
            storage.put_vectors([deleted, remaining, 999_999], rows, 1)
            seqs, vectors = storage.vectors([deleted, remaining, 999_999], 1, DIMENSION)
            assert seqs.tolist() == [remaining]
            assert cosines(rows[1:2], vectors).min() > 0.999
            storage.put_vectors([], unit_vectors(0), 1)
            assert storage.counts().vectors == 1
            assert storage.problems() == []

    def test_another_generation_is_filled_beside_the_present_one(self, tmp_path: Path) -> None:
        wider = unit_vectors(3, 2 * DIMENSION)
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            before = state(storage)
            numbers = sequence_numbers(storage)
            storage.put_vectors(numbers, wider, 2)
            assert state(storage) == before
            assert cosines(wider, storage.vectors(numbers, 2, 2 * DIMENSION)[1]).min() > 0.999
            assert storage.without_vector(2, 9) == []

    def test_an_incomplete_generation_is_not_switched_to(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            storage.put_vectors(sequence_numbers(storage)[:2], unit_vectors(2), 2)
            before = state(storage)
            assert not storage.switch_generation(2, {"name": "other"})
            assert state(storage) == before
            assert len(storage.without_vector(2, 9)) == 1

    def test_a_switch_sets_its_settings_and_drops_all_other_generations(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            storage.put_settings({"old": "1"})
            numbers, before = sequence_numbers(storage), storage.state().change
            for generation in (2, 3, 4):
                storage.put_vectors(numbers, unit_vectors(3, seed=generation), generation)
            assert storage.switch_generation(3, {"name": "other", "old": None})
            settings = storage.state().settings
            assert (settings[GENERATION], settings["name"], "old" in settings) == ("3", "other", False)
            assert storage.state().change > before
            assert [len(storage.vectors(numbers, n, DIMENSION)[0]) for n in (1, 2, 3, 4)] == [0, 0, 3, 0]
            assert cosines(unit_vectors(3, seed=3), storage.vectors(numbers, 3, DIMENSION)[1]).min() > 0.999
            assert storage.counts().vectors == 3
            failure(EmbedderMismatch, lambda: keep(storage, [make_turn()], generation=1))
            assert keep(storage, [make_turn()], generation=3)[0].fate == "stored"

    def test_an_empty_storage_can_switch(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            assert storage.switch_generation(2, {})
            assert keep(storage, [make_turn()], generation=2)[0].fate == "stored"
            assert storage.counts().vectors == 1
