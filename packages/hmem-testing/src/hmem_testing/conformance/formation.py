# ruff: noqa: S101
"""Tests of formation's data: chunks, steps and their watermark."""

from pathlib import Path

from hmem.storage.base import Chunk, FormationProgress
from hmem_testing.conformance.harness import Harness, keep_plain, make_turns

_UNFORMED = FormationProgress(0, 0, 0)


class FormationConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_in_a_new_memory_nothing_is_formed(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            assert storage.state().progress == _UNFORMED
            assert storage.chunks() == []

    def test_chunks_come_back_in_the_order_of_part_and_number(self, tmp_path: Path) -> None:
        chunks = [Chunk("a", 0, b"first"), Chunk("a", 2**40 - 1, bytes(range(256))), Chunk("b", 7, b"")]
        with self.open_storage(tmp_path) as storage:
            assert storage.form(chunks[::-1], _UNFORMED, 3) == FormationProgress(1, 3, 0)
            assert storage.state().progress == FormationProgress(1, 3, 0)
            assert sorted(storage.chunks()) == chunks
            assert storage.chunks(since=1) == []
            assert storage.chunks(since=1, also=[("a", 5), ("a", 2**40 - 1), ("c", 0)]) == [chunks[1]]
            assert sorted(storage.chunks(since=1, also=[("b", 7), ("a", 0)])) == [chunks[0], chunks[2]]

    def test_some_parts_can_be_read_alone(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            chunks = [Chunk("a", 1, b"one"), Chunk("a", 5, None), Chunk("b", 7, b"two"), Chunk("c", 0, b"three")]
            first = storage.form(chunks, _UNFORMED, 1)
            assert first is not None
            assert storage.chunks(parts=["a"]) == chunks[:2]
            assert sorted(storage.chunks(parts=["c", "b", "unknown"])) == chunks[2:]
            assert storage.chunks(parts=[]) == []
            assert sorted(storage.chunks(parts=["c"], also=[("a", 1)])) == [chunks[0], chunks[3]]
            storage.form([Chunk("a", 2, b"four")], first, 2)
            assert storage.chunks(since=first.step, parts=["b"]) == []
            assert storage.chunks(since=first.step, parts=["a", "b"]) == [Chunk("a", 2, b"four")]

    def test_a_step_that_was_taken_is_refused_and_changes_nothing(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            first = storage.form([Chunk("a", 1, b"one")], _UNFORMED, 1)
            assert first is not None
            assert storage.form([Chunk("a", 1, b"other")], _UNFORMED, 9, {"zone": "Asia/Tokyo"}) is None
            assert storage.chunks() == [Chunk("a", 1, b"one")]
            assert storage.state().progress == first
            assert "zone" not in storage.state().settings

    def test_what_is_new_since_a_step_can_be_asked_for_what_is_gone_too(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            first = storage.form([Chunk("a", 1, b"one"), Chunk("a", 2, b"two")], _UNFORMED, 1)
            assert first is not None
            second = storage.form([Chunk("a", 2, None), Chunk("b", 1, b"three")], first, 2)
            assert second is not None
            assert storage.chunks(since=first.step) == [Chunk("a", 2, None), Chunk("b", 1, b"three")]
            assert sorted(storage.chunks(since=first.step, also=[("a", 1), ("a", 2)])) == [
                Chunk("a", 1, b"one"),
                Chunk("a", 2, None),
                Chunk("b", 1, b"three"),
            ]
            assert storage.chunks(since=second.step) == []

    def test_clearing_is_a_step_that_begins_anew(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            first = storage.form([Chunk("a", 1, b"one")], _UNFORMED, 5, {"formation.x": "1"})
            storage.clear_formed({"formation.x": None, "formation.y": "2"})
            assert storage.chunks() == []
            assert storage.state().progress == FormationProgress(2, 0, 2)
            assert "formation.x" not in storage.state().settings
            assert storage.state().settings["formation.y"] == "2"
            assert storage.form([Chunk("a", 1, b"one")], first or _UNFORMED, 5) is None

    def test_forming_is_no_change_of_the_turns(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep_plain(storage, make_turns(2))
            before = storage.state().change
            storage.form([Chunk("a", 1, b"one")], _UNFORMED, before)
            assert storage.state().change == before
            assert storage.problems() == []

    def test_what_was_formed_outlasts_closing(self, tmp_path: Path) -> None:
        self.needs_durability()
        with self.open_storage(tmp_path) as storage:
            storage.form([Chunk("a", 1, b"one")], _UNFORMED, 4)
        with self.open_storage(tmp_path) as storage:
            assert storage.state().progress == FormationProgress(1, 4, 0)
            assert storage.chunks() == [Chunk("a", 1, b"one")]
