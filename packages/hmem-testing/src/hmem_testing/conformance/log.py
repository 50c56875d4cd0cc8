# ruff: noqa: S101
"""Tests of the change log: it only grows, and forgotten text is redacted."""

from datetime import timedelta
from pathlib import Path

from hmem.model.span import to_stored
from hmem.storage.base import Chunk, FormationProgress, LogEntry
from hmem_testing.conformance.harness import START, Harness, erasure, keep, make_turns, sequence_numbers

_TIME = to_stored(START)[0]


class LogConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_entries_are_numbered_in_their_order_and_read_back_whole(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            assert (storage.state().recorded, storage.recorded()) == (0, [])
            first = LogEntry(_TIME, "Maria", "correct", "turn_1", "a slip", "Coco", "Cocoa", "turn_2")
            second = LogEntry(_TIME + 1, "rules", "revise", "note_1")
            numbers = storage.record([first, second])
            assert numbers == sorted(set(numbers))
            assert storage.recorded() == [
                entry._replace(number=number) for entry, number in zip([first, second], numbers, strict=True)
            ]
            assert storage.state().recorded == numbers[-1]
            assert storage.recorded(since=numbers[0]) == [second._replace(number=numbers[1])]
            assert len(storage.recorded(limit=1)) == 1

    def test_entries_are_found_by_what_they_changed_and_by_what_they_link(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            storage.record(
                [LogEntry(_TIME, "a", "correct", "one", link="two"), LogEntry(_TIME, "a", "retract", "three")]
            )
            assert [entry.target for entry in storage.recorded(item="one")] == ["one"]
            assert [entry.target for entry in storage.recorded(item="two")] == ["one"]
            assert storage.recorded(item="four") == []

    def test_an_entry_with_a_key_is_kept_once(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            entry = LogEntry(_TIME, "rules", "revise", "note_1", key="revise note_1 note_2")
            assert len(storage.record([entry, entry])) == 1
            assert storage.record([entry]) == []
            assert len(storage.recorded()) == 1

    def test_entries_come_with_a_step_of_formation_or_not_at_all(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            entry = LogEntry(_TIME, "rules", "revise", "note_1")
            start = FormationProgress(0, 0, 0)
            step = storage.form([Chunk("notes", 0, b"kept")], start, 1, None, [entry])
            assert step is not None
            assert storage.form([Chunk("notes", 0, b"late")], start, 1, None, [entry]) is None
            assert len(storage.recorded()) == 1

    def test_turns_that_expire_are_told_by_their_time(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            later = START + timedelta(days=30)
            keep(storage, [*make_turns(2), *make_turns(1, expires=later), *make_turns(1, expires=START)])
            _, _, third, fourth = sequence_numbers(storage)
            assert storage.expiring() == [(_TIME, fourth), (to_stored(later)[0], third)]
            assert storage.expiring(_TIME) == [(_TIME, fourth)]
            assert storage.expiring(_TIME - 1) == []
            assert storage.turns([third])[0].turn.expires == later
            erasure(storage).forget([fourth])
            assert storage.expiring(_TIME) == []

    def test_echoes_are_kept_with_their_turn(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(1, echoes=((0, 4, "turn_1"), (5, 11, "turn_2"))))
            assert storage.turns(sequence_numbers(storage))[0].turn.echoes == ((0, 4, "turn_1"), (5, 11, "turn_2"))

    def test_the_turns_that_repeat_something_are_told(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            echoes = ((0, 4, "turn_1"),)
            keep(
                storage, [*make_turns(1), *make_turns(1, echoes=echoes), *make_turns(1), *make_turns(1, echoes=echoes)]
            )
            seqs = sequence_numbers(storage)
            assert storage.matching(echoing=True).tolist() == [seqs[1], seqs[3]]
            assert storage.matching(echoing=True, session="s9").tolist() == []
            erasure(storage).forget([seqs[1]])
            assert storage.matching(echoing=True).tolist() == [seqs[3]]
