# ruff: noqa: S101
"""Tests of the use counts of turns and the times of last use."""

from datetime import timedelta
from pathlib import Path

from hmem.model.span import to_stored
from hmem.storage.base import Chunk, FormationProgress
from hmem_testing.conformance.harness import (
    START,
    Harness,
    erasure,
    keep,
    make_turns,
    sequence_numbers,
    state,
    unit_vectors,
)

_LATER = START + timedelta(days=3)


class UseConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_what_was_never_of_use_has_no_uses(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            assert storage.uses() == []
            keep(storage, make_turns(2))
            assert storage.uses() == []
            assert storage.uses(seqs=sequence_numbers(storage)) == []
            storage.record_uses([([], START)])
            assert storage.uses() == []

    def test_uses_are_counted_and_the_latest_time_is_kept(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            first, second, third = sequence_numbers(storage)
            storage.record_uses([([third, first], START)])
            storage.record_uses([([first, second], _LATER)])
            storage.record_uses([([first], START - timedelta(days=9))])
            counts = [(use.seq, use.uses, use.last) for use in storage.uses()]
            early, late = to_stored(START)[0], to_stored(_LATER)[0]
            assert counts == [(first, 3, late), (second, 1, late), (third, 1, early)]
            assert [use.seq for use in storage.uses(seqs=[third, 999_999, first])] == [first, third]

    def test_what_was_only_shown_gets_a_step_and_no_use(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            first, second = sequence_numbers(storage)
            storage.record_uses([([first, second], None)])
            assert [(use.seq, use.uses, use.last) for use in storage.uses()] == [(first, 0, 0), (second, 0, 0)]
            step = max(use.step for use in storage.uses())
            storage.record_uses([([first], START), ([first], None)])
            (known,) = storage.uses(since=step)
            assert (known.seq, known.uses, known.last) == (first, 1, to_stored(START)[0])

    def test_several_recalls_are_recorded_together_as_they_are_one_by_one(self, tmp_path: Path) -> None:
        counts: list[list[tuple[int, int, int, int]]] = []
        for together in (True, False):
            folder = tmp_path / str(together)
            folder.mkdir()
            with self.open_storage(folder) as storage:
                keep(storage, make_turns(3))
                first, second, third = sequence_numbers(storage)
                uses = [([third, first, first], START), ([999_999], START), ([first, second], _LATER), ([first], START)]
                if together:
                    storage.record_uses(uses)
                else:
                    for seqs, time in uses:
                        storage.record_uses([(seqs, time)])
                counts.append([(use.seq, use.uses, use.last, use.step) for use in storage.uses()])
        assert counts[0] == counts[1]
        assert [(seq, uses) for seq, uses, _, _ in counts[0]] == [(first, 3), (second, 1), (third, 1)]

    def test_the_latest_uses_are_those_recorded_last(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(4))
            first, second, third, fourth = sequence_numbers(storage)
            for seq in (fourth, first, third, second, fourth):
                storage.record_uses([([seq], START)])
            assert [use.seq for use in storage.uses(latest=2)] == [second, fourth]
            assert [use.seq for use in storage.uses(latest=9)] == [first, second, third, fourth]
            assert [use.seq for use in storage.uses(latest=9, since=3)] == [second, fourth]
            assert storage.uses(latest=0) == []

    def test_a_turn_named_twice_was_of_use_once_and_unknown_ones_are_passed_over(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            first, second = sequence_numbers(storage)
            erasure(storage).forget([second])
            storage.record_uses([([first, first, second, -1, 999_999], START)])
            assert [(use.seq, use.uses) for use in storage.uses()] == [(first, 1)]
            storage.record_uses([([second], START)])
            assert len(storage.uses()) == 1

    def test_what_is_new_since_a_step_can_be_asked_for_whatever_was_deleted(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            first, second, third = sequence_numbers(storage)
            storage.record_uses([([first], START)])
            storage.record_uses([([second], START)])
            step = storage.uses()[-1].step
            assert step > storage.uses()[0].step
            assert storage.uses(since=step) == []
            erasure(storage).forget([second])
            storage.record_uses([([third], START)])
            assert [use.seq for use in storage.uses(since=step)] == [third]
            assert [use.seq for use in storage.uses(since=step, seqs=[first, third])] == [third]

    def test_uses_go_with_their_turn(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2_500))
            numbers = sequence_numbers(storage)
            storage.record_uses([(numbers, START)])
            assert len(storage.uses(seqs=numbers)) == 2_500
            erasure(storage).forget(numbers[1:])
            assert [use.seq for use in storage.uses()] == numbers[:1]
            assert storage.problems() == []

    def test_a_use_is_no_change_of_the_turns(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            before = state(storage)
            storage.record_uses([(sequence_numbers(storage), START)])
            assert state(storage) == before

    def test_uses_outlast_forming_anew_and_another_embedder(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2))
            numbers = sequence_numbers(storage)
            storage.record_uses([(numbers, START)])
            before = storage.uses()
            storage.form([Chunk("a", 1, b"one")], FormationProgress(0, 0, 0), 1)
            storage.clear_formed()
            storage.put_vectors(numbers, unit_vectors(2), 2)
            assert storage.switch_generation(2, {})
            assert storage.uses() == before

    def test_uses_are_seen_by_others_and_outlast_closing(self, tmp_path: Path) -> None:
        self.needs_durability()
        with self.open_storage(tmp_path) as storage, self.open_storage(tmp_path) as second:
            keep(storage, make_turns(2))
            numbers = sequence_numbers(storage)
            storage.record_uses([(numbers[:1], START)])
            second.record_uses([(numbers, START)])
            assert [use.uses for use in storage.uses()] == [2, 1]
        with self.open_storage(tmp_path) as storage:
            assert [use.uses for use in storage.uses()] == [2, 1]
            storage.record_uses([(numbers[1:], START)])
            assert storage.uses()[1].step == 3
