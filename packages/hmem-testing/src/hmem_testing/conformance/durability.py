# ruff: noqa: S101
"""Tests of durability: acknowledged writes are there for every handle, open now or later."""

from pathlib import Path

from hmem.errors import HmemError
from hmem_testing.conformance.harness import (
    DIMENSION,
    START,
    Harness,
    all_turns,
    erasure,
    failure,
    keep,
    make_turn,
    make_turns,
    sequence_numbers,
    state,
    unit_vectors,
)


class DurabilityConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_everything_is_there_after_closing_and_opening(self, tmp_path: Path) -> None:
        self.needs_durability()
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(100))
            keep(storage, [make_turn(session="s2", metadata={"a": [1]}, message_id="m1", caption="c")])
            erasure(storage).forget(sequence_numbers(storage)[:3])
            storage.put_settings({"a": "1"})
            before = storage.memory, storage.schema, state(storage)
        with self.open_storage(tmp_path) as storage:
            assert (storage.memory, storage.schema, state(storage)) == before
            assert storage.problems() == []
            assert keep(storage, [make_turn(message_id="m1")])[0].fate == "duplicate"

    def test_numbers_grow_on_after_opening_again(self, tmp_path: Path) -> None:
        self.needs_durability()
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            last = sequence_numbers(storage)[-1]
            erasure(storage).forget([last])
            change = storage.state().change
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn()])
            assert sequence_numbers(storage)[-1] > last
            assert storage.state().change > change

    def test_two_memories_have_two_ids(self, tmp_path: Path) -> None:
        self.needs_durability()
        (tmp_path / "one").mkdir()
        (tmp_path / "two").mkdir()
        with self.open_storage(tmp_path / "one") as first, self.open_storage(tmp_path / "two") as two:
            assert first.memory != two.memory
            keep(first, [make_turn()])
            assert (first.counts().turns, two.counts().turns) == (1, 0)

    def test_who_has_it_open_too_sees_every_write(self, tmp_path: Path) -> None:
        self.needs_durability()
        with self.open_storage(tmp_path) as writer, self.open_storage(tmp_path) as reader:
            keep(writer, turns := make_turns(3))
            assert all_turns(reader) == turns
            assert reader.state().change == writer.state().change
            erasure(writer).forget(sequence_numbers(writer)[:1])
            writer.put_settings({"a": "1"})
            assert all_turns(reader) == turns[1:]
            assert state(reader) == state(writer)

    def test_two_who_write_in_turn_lose_nothing(self, tmp_path: Path) -> None:
        self.needs_durability()
        with self.open_storage(tmp_path) as first, self.open_storage(tmp_path) as second:
            turns = [make_turn(session=f"s{i % 3}", message_id=f"m{i % 30}") for i in range(40)]
            for i, turn in enumerate(turns):
                keep(first if i % 2 else second, [turn])
            assert all_turns(first) == all_turns(second) == turns[:30]
            assert first.problems() == second.problems() == []

    def test_the_generation_that_another_switched_to_is_noticed(self, tmp_path: Path) -> None:
        self.needs_durability()
        with self.open_storage(tmp_path) as first, self.open_storage(tmp_path) as second:
            keep(first, [make_turn()])
            second.put_vectors(sequence_numbers(second), unit_vectors(1), 2)
            assert second.switch_generation(2, {})
            failure(HmemError, lambda: keep(first, [make_turn()]))
            assert first.counts().turns == 1
            assert len(first.vectors(sequence_numbers(first), 2, DIMENSION)[0]) == 1

    def test_a_closed_storage_takes_no_more_calls(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            storage.close()
            failure(HmemError, storage.state)
            failure(HmemError, lambda: keep(storage, [make_turn()]))
            failure(HmemError, storage.counts)
            failure(HmemError, lambda: storage.record_uses([([1], START)]))
