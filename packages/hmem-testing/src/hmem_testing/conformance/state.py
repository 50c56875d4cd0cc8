# ruff: noqa: S101
"""Tests of a storage's state: versions, changes since a version, and location."""

from datetime import timedelta
from pathlib import Path

from hmem.model.span import to_stored
from hmem.storage.base import MAX_TEXT_BLOCKS, Chunk, FormationProgress, LogEntry, Watermarks
from hmem.storage.location import Location
from hmem_testing.conformance.harness import (
    ANALYSIS,
    DIMENSION,
    START,
    Harness,
    keep,
    keep_plain,
    make_turn,
    make_turns,
    sequence_numbers,
)


class StateConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_one_reading_of_the_state_tells_how_far_everything_is(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            state = storage.state()
            assert (state.change, state.progress, state.recorded, state.used, state.expires) == (
                0, FormationProgress(0, 0, 0), 0, 0, None,
            )  # fmt: skip
            keep(storage, [make_turn(expires=START), make_turn(expires=START - timedelta(days=1)), make_turn()])
            storage.record_uses([(sequence_numbers(storage)[:1], START)])
            storage.form(
                [Chunk("a", 1, b"one")], FormationProgress(0, 0, 0), 2, {"a": "1"}, [LogEntry(1, "a", "retract", "one")]
            )
            state = storage.state()
            assert state.change == sequence_numbers(storage)[-1]
            assert state.progress == FormationProgress(1, 2, 0)
            assert state.recorded == storage.recorded()[-1].number
            assert state.used == storage.uses()[-1].step
            assert state.expires == to_stored(START - timedelta(days=1))[0]
            assert state.settings["a"] == "1"

    def test_whoever_writes_knows_without_asking(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            writes = storage.writes
            for write in (
                lambda: keep(storage, [make_turn()]),
                lambda: storage.put_settings({"a": "1"}),
                lambda: storage.record([LogEntry(1, "a", "retract", "one")]),
                lambda: storage.form([Chunk("a", 1, b"one")], FormationProgress(0, 0, 0), 1),
                storage.clear_formed,
                lambda: storage.record_uses([(sequence_numbers(storage), START)]),
                lambda: storage.switch_generation(1, {"b": "2"}),
            ):
                write()
                assert storage.writes != writes
                writes = storage.writes
            storage.state()
            storage.page(0, 9)
            assert storage.writes == writes

    def test_what_changed_comes_in_one_answer(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [*make_turns(3, session="a"), *make_turns(2, session="b")])
            change = storage.state().change
            keep_plain(storage, make_turns(1, session="a"))
            keep(storage, [*make_turns(2, session="a"), *make_turns(1, session="c", speaker="Tom")])
            changes = storage.changes(change, 1, 1, DIMENSION, texts=True)
            blocks = storage.changed_blocks(change)
            assert [*changes.blocks] == blocks
            assert [*changes.members] == storage.members([blocks[0].number])
            fresh = sorted(member.seq for member in changes.members if member.seq > change)
            seqs, rows = storage.vectors(fresh, 1, DIMENSION)
            assert (changes.seqs.tolist(), changes.vectors.tobytes()) == (seqs.tolist(), rows.tobytes())
            assert [*changes.speakers] == storage.speakers()
            assert [*changes.turns] == storage.turns(fresh)
            untold = storage.changes(change, 1, 1, DIMENSION)
            assert ([*untold.members], [*untold.turns]) == ([*changes.members], [])

    def test_of_a_large_change_no_texts_come(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn(session=str(number)) for number in range(MAX_TEXT_BLOCKS)])
            small = storage.changes(0, 100, 1, DIMENSION, texts=True)
            assert len(small.turns) == MAX_TEXT_BLOCKS
            keep(storage, [make_turn(session="one more")])
            large = storage.changes(0, 100, 1, DIMENSION, texts=True)
            assert (len(large.members), [*large.turns]) == (MAX_TEXT_BLOCKS + 1, [])

    def test_all_news_come_in_one_answer(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(2, session="a"))
            baseline = Watermarks(storage.state().change, 1, DIMENSION, 1, step=0, recorded=0, used=0)
            unchanged = storage.news(baseline)
            assert unchanged.state == storage.state()
            assert unchanged.changes is None
            assert [*unchanged.chunks, *unchanged.entries, *unchanged.uses] == []
            keep(storage, make_turns(1, session="b"))
            storage.record_uses([(sequence_numbers(storage)[:1], START)])
            storage.form(
                [Chunk("a", 1, b"one")], FormationProgress(0, 0, 0), 2, None, [LogEntry(1, "a", "retract", "one")]
            )
            news = storage.news(baseline)
            assert news.state == storage.state()
            assert news.changes is not None
            assert [*news.changes.blocks] == storage.changed_blocks(baseline.change)
            assert [*news.changes.turns] == storage.turns(sequence_numbers(storage)[2:])
            assert [*news.chunks] == storage.chunks()
            assert [*news.entries] == storage.recorded()
            assert [*news.uses] == storage.uses()

    def test_news_leave_out_what_is_not_asked_for(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(1))
            storage.record_uses([(sequence_numbers(storage), START)])
            storage.form(
                [Chunk("a", 1, b"one")], FormationProgress(0, 0, 0), 2, None, [LogEntry(1, "a", "retract", "one")]
            )
            news = storage.news(Watermarks(storage.state().change, 1, DIMENSION, 1))
            assert news.changes is None
            assert [*news.chunks, *news.entries, *news.uses] == []

    def test_a_count_of_words_tells_which_analysis_counted(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(1))
            storage.append(make_turns(1), [7], None, 1, analysis=ANALYSIS + 1)
            members = storage.members([block.number for block in storage.changed_blocks(0)])
            assert [(member.words, member.analysis) for member in members] == [(3, ANALYSIS), (7, ANALYSIS + 1)]

    def test_a_location_is_printed_without_a_password(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            assert isinstance(storage.location, Location)
            assert str(storage.location) in repr(storage.location)
