# ruff: noqa: S101
"""Tests of deletion: a deleted turn is gone, with everything attached to it."""

from pathlib import Path

from hmem_testing.conformance.harness import (
    DIMENSION,
    Harness,
    all_turns,
    erasure,
    keep,
    keep_plain,
    make_turn,
    make_turns,
    sequence_numbers,
    state,
    unit_vectors,
)


class DeletionConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_a_deleted_turn_is_gone_from_every_answer(self, tmp_path: Path) -> None:
        turns = [make_turn(f"text {i}", message_id=f"m{i}") for i in range(5)]
        with self.open_storage(tmp_path) as storage:
            keep(storage, turns)
            deleted = sequence_numbers(storage)[2]
            deletion = erasure(storage).forget([deleted])
            blocks = [block.number for block in storage.changed_blocks(0)]
            assert (deletion.turns, deletion.vectors) == (1, 1)
            assert all_turns(storage) == [*turns[:2], *turns[3:]]
            assert storage.turns([deleted]) == []
            assert storage.locate([turns[2].id]) == {}
            assert deleted not in [member.seq for member in storage.members(blocks)]
            assert "text 2" not in [text for _, _, text in storage.contents(blocks)]
            assert storage.vectors([deleted], 1, DIMENSION)[0].tolist() == []
            assert (storage.counts().turns, storage.counts().vectors) == (4, 4)
            assert storage.sessions()[0].turns == 4

    def test_deleting_takes_vectors_of_every_generation(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            first, second = sequence_numbers(storage)
            storage.put_vectors([first, second], unit_vectors(2), 2)
            erasure(storage).forget([first])
            assert storage.vectors([first, second], 1, DIMENSION)[0].tolist() == [second]
            assert storage.vectors([first, second], 2, DIMENSION)[0].tolist() == [second]
            assert storage.counts().vectors == 1

    def test_a_turn_without_a_vector_can_be_deleted(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep_plain(storage, [make_turn()])
            deletion = erasure(storage).forget(sequence_numbers(storage))
            assert (deletion.turns, deletion.vectors) == (1, 0)

    def test_unknown_numbers_are_passed_over(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            before = state(storage)
            deletion = erasure(storage).forget([-1, 0, 999_999])
            assert (deletion.turns, deletion.vectors) == (0, 0)
            assert state(storage) == before

    def test_a_number_named_twice_is_deleted_once(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            first = sequence_numbers(storage)[0]
            deletion = erasure(storage).forget([first] * 2_500)
            assert (deletion.turns, deletion.vectors) == (1, 1)
            assert storage.changed_blocks(0)[0].turns == 2
            assert storage.problems() == []

    def test_a_session_whose_turns_are_all_deleted_is_not_listed(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn(session="a"), make_turn(session="b", speaker="Tom")])
            erasure(storage).forget(sequence_numbers(storage)[:1])
            counts = storage.counts()
            assert [session.id for session in storage.sessions()] == ["b"]
            assert (counts.turns, counts.sessions, counts.speakers) == (1, 1, 1)

    def test_many_turns_are_deleted_at_once_and_more_can_follow(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2_500))
            numbers = sequence_numbers(storage)
            assert erasure(storage).forget(numbers).turns == 2_500
            assert all_turns(storage) == []
            assert storage.counts().first is None
            keep(storage, turns := make_turns(3))
            assert all_turns(storage) == turns
            assert storage.problems() == []
