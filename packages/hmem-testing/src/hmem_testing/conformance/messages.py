# ruff: noqa: S101
"""Tests of storing turns: their order, their fates, and atomic batches."""

from itertools import pairwise
from pathlib import Path

from hmem.errors import EmbedderMismatch, HmemError
from hmem_testing.conformance.harness import (
    ANALYSIS,
    Harness,
    all_turns,
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


class MessageConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_a_new_storage_is_empty(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            counts = storage.counts()
            assert storage.state().change == 0
            assert (counts.turns, counts.sessions, counts.speakers, counts.vectors) == (0, 0, 0, 0)
            assert (counts.first, counts.last) == (None, None)
            assert storage.page(0, 10) == []
            assert storage.changed_blocks(0) == []
            assert storage.sessions() == []
            assert storage.speakers() == []
            assert storage.problems() == []
            assert storage.memory.startswith("memory_")
            assert storage.schema >= 1

    def test_turns_arrive_in_order_and_their_numbers_only_grow(self, tmp_path: Path) -> None:
        batches = [make_turns(3), make_turns(1, session="s2"), make_turns(70)]
        with self.open_storage(tmp_path) as storage:
            for batch in batches:
                assert [result.id for result in keep(storage, batch)] == [turn.id for turn in batch]
            numbers = sequence_numbers(storage)
            assert all_turns(storage) == [turn for batch in batches for turn in batch]
            assert numbers[0] > 0
            assert all(earlier < later for earlier, later in pairwise(numbers))

    def test_the_number_of_a_deleted_turn_is_not_used_again(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            last = sequence_numbers(storage)[-1]
            erasure(storage).forget([last])
            keep(storage, [make_turn()])
            assert sequence_numbers(storage)[-1] > last

    def test_a_kept_message_id_with_the_same_text_is_a_duplicate(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [first := make_turn(message_id="m1")])
            before = state(storage)
            receipts = keep(storage, [make_turn(message_id="m1", session="elsewhere")])
            assert [(result.fate, result.id, result.error) for result in receipts] == [("duplicate", first.id, None)]
            assert state(storage) == before

    def test_a_kept_message_id_with_another_text_or_speaker_is_rejected(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn(message_id="m1")])
            before = state(storage)
            for turn in (make_turn("another text", message_id="m1"), make_turn(message_id="m1", speaker="Tom")):
                (result,) = keep(storage, [turn])
                assert (result.fate, result.id) == ("rejected", None)
                assert "m1" in (result.error or "")
            assert state(storage) == before

    def test_a_message_id_counts_within_one_batch_too(self, tmp_path: Path) -> None:
        first, repeated = make_turn(message_id="m1"), make_turn(message_id="m1")
        conflicting, unnamed = make_turn("another text", message_id="m1"), make_turn()
        with self.open_storage(tmp_path) as storage:
            results = keep(storage, [first, unnamed, repeated, conflicting])
            assert [result.fate for result in results] == ["stored", "stored", "duplicate", "rejected"]
            assert [result.id for result in results] == [first.id, unnamed.id, first.id, None]
            assert all_turns(storage) == [first, unnamed]

    def test_a_batch_keeps_what_is_new_with_its_own_vectors(self, tmp_path: Path) -> None:
        rows = unit_vectors(3)
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn(message_id="m1")], rows[:1])
            new = [make_turn(message_id="m1"), make_turn("new", message_id="m2"), make_turn("newer", message_id="m3")]
            keep(storage, new, rows[[2, 1, 2]])
            numbers = sequence_numbers(storage)
            seqs, vectors = storage.vectors(numbers, 1, rows.shape[1])
        assert seqs.tolist() == numbers
        assert ((vectors * rows).sum(axis=1) > 0.999).all()

    def test_the_message_id_of_a_deleted_turn_is_free_again(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn(message_id="m1")])
            erasure(storage).forget(sequence_numbers(storage))
            assert keep(storage, [make_turn("another text", message_id="m1")])[0].fate == "stored"

    def test_an_empty_batch_changes_nothing(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn()])
            before = state(storage)
            assert storage.append([], [], unit_vectors(0), 1, analysis=ANALYSIS) == []
            assert storage.append([], [], None, 1, analysis=ANALYSIS) == []
            assert state(storage) == before

    def test_another_generation_of_vectors_is_refused_whole(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn()])
            before = state(storage)
            for generation in (0, 2):
                vectors = unit_vectors(1)
                error = failure(
                    EmbedderMismatch, lambda v=vectors, g=generation: keep(storage, [make_turn(session="s9")], v, g)
                )
                assert str(error)
            assert state(storage) == before

    def test_a_batch_that_fails_leaves_nothing(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [existing := make_turn()])
            before = state(storage)
            batch = [*make_turns(100, session="s9", speaker="Tom"), existing]
            failure(HmemError, lambda: keep(storage, batch))
            failure(HmemError, lambda: keep_plain(storage, batch))
            assert state(storage) == before
            keep(storage, batch[:-1])
            assert storage.counts().turns == 100 + 1
            assert storage.problems() == []
