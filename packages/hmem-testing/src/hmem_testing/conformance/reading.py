# ruff: noqa: S101
"""Tests of reading turns by id, number, page and session."""

from datetime import timedelta, timezone
from pathlib import Path

from hmem.errors import InputError
from hmem.model.turn import Turn
from hmem.storage.base import Storage
from hmem_testing.conformance.harness import (
    START,
    Harness,
    all_turns,
    erasure,
    failure,
    keep,
    make_turn,
    make_turns,
    sequence_numbers,
)

MALFORMED = [
    *("", "turn_", "turn", "turn_1", "note_01JX4M3Z6H0000000000000000", "turn_01JX4M3Z6H000000000000000U"),
    *("turn_ZZZZZZZZZZZZZZZZZZZZZZZZZZ", "turn_01jx4m3z6h0000000000000000", "'; DROP TABLE turn; --", "\0", "ü" * 26),
]


class ReadingConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_ids_are_located_and_unknown_ones_are_not(self, tmp_path: Path) -> None:
        turns = make_turns(2_000)
        with self.open_storage(tmp_path) as storage:
            keep(storage, turns)
            numbers = sequence_numbers(storage)
            positions = storage.locate([turn.id for turn in [*turns, *make_turns(10)]])
            assert positions == dict(zip((turn.id for turn in turns), numbers, strict=True))
            assert storage.locate([]) == {}
            assert storage.locate([make_turn().id, *MALFORMED]) == {}
            assert storage.locate([*MALFORMED, turns[0].id, turns[0].id]) == {turns[0].id: numbers[0]}

    def test_turns_come_in_the_order_of_their_numbers(self, tmp_path: Path) -> None:
        turns = make_turns(2_000)
        with self.open_storage(tmp_path) as storage:
            keep(storage, turns)
            numbers = sequence_numbers(storage)
            records = storage.turns([*reversed(numbers), numbers[-1] + 99, 0, -1])
            assert [record.turn for record in records] == turns
            assert [record.seq for record in records] == numbers
            assert storage.turns([]) == storage.turns([numbers[-1] + 1]) == []

    def test_pages_follow_each_other_without_gap_or_overlap(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, turns := make_turns(10))
            assert _paged(storage, 3) == turns
            assert _paged(storage, 10) == turns
            assert storage.page(0, 0) == []
            assert storage.page(sequence_numbers(storage)[-1], 5) == []

    def test_pages_can_be_of_one_session_or_one_speaker(self, tmp_path: Path) -> None:
        turns = [make_turn(session=f"s{i % 2}", speaker=f"p{i % 3}") for i in range(12)]
        with self.open_storage(tmp_path) as storage:
            keep(storage, turns)
            assert _paged(storage, 2, session="s1") == turns[1::2]
            assert _paged(storage, 2, speaker="p2") == turns[2::3]
            assert _paged(storage, 1, session="s1", speaker="p2") == turns[5::6]
            assert _paged(storage, 5, session="S1") == _paged(storage, 5, speaker="nobody") == []

    def test_sessions_come_by_the_time_of_their_first_turn(self, tmp_path: Path) -> None:
        def make(session: str, day: int) -> Turn:
            return make_turn(session=session, at=START + timedelta(days=day))

        with self.open_storage(tmp_path) as storage:
            keep(storage, [make("late", 9), make("early", 5), make("middle", 7), make("early", 8), make("late", 6)])
            assert [session.id for session in storage.sessions()] == ["early", "late", "middle"]
            assert [session.id for session in storage.sessions(limit=2)] == ["early", "late"]
            assert [session.id for session in storage.sessions(limit=2, offset=1)] == ["late", "middle"]
            assert [session.id for session in storage.sessions(offset=2)] == ["middle"]
            assert storage.sessions(limit=0) == storage.sessions(offset=3) == []

    def test_a_session_tells_its_times_turns_speakers_and_opening(self, tmp_path: Path) -> None:
        turns = [
            make_turn("how are you?", speaker="Tom", at=START),
            make_turn("fine", speaker="Maria", at=START + timedelta(minutes=2)),
            make_turn("elsewhere", session="s2", speaker="Ann", at=START + timedelta(hours=1)),
            make_turn("good", speaker="Tom", at=START + timedelta(minutes=1)),
        ]
        with self.open_storage(tmp_path) as storage:
            keep(storage, turns)
            session = storage.sessions()[0]
        assert (session.id, session.turns, session.opening) == ("s1", 3, "how are you?")
        assert (session.start, session.end) == (START, START + timedelta(minutes=2))
        assert sorted(session.speakers) == ["Maria", "Tom"]

    def test_the_times_of_a_session_keep_an_offset(self, tmp_path: Path) -> None:
        time = START.astimezone(timezone(timedelta(hours=5, minutes=45)))
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn(at=time), make_turn(at=time + timedelta(hours=1))])
            (session,) = storage.sessions()
        assert [session.start, session.end] == [time, time + timedelta(hours=1)]
        assert [session.start.utcoffset(), session.end.utcoffset()] == [time.utcoffset()] * 2

    def test_speakers_have_a_number_a_name_and_a_role(self, tmp_path: Path) -> None:
        turns = [make_turn(speaker="Maria", role="user"), make_turn(speaker="bot", role="assistant"), make_turn()]
        with self.open_storage(tmp_path) as storage:
            keep(storage, turns)
            keep(storage, [make_turn(speaker="Tom")])
            speakers = storage.speakers()
        roles = [(speaker.name, speaker.role) for speaker in speakers]
        assert roles == [("Maria", "user"), ("bot", "assistant"), ("Tom", None)]
        assert [speaker.number for speaker in speakers] == sorted({speaker.number for speaker in speakers})

    def test_a_role_is_learned_when_a_later_message_gives_one(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn(speaker="Maria")])
            keep(storage, [make_turn(speaker="Maria", role="user")])
            keep(storage, [make_turn(speaker="Maria")])
            assert [(speaker.name, speaker.role) for speaker in storage.speakers()] == [("Maria", "user")]

    def test_counts_are_of_what_is_kept(self, tmp_path: Path) -> None:
        turns = [make_turn(session=f"s{i % 2}", speaker=f"p{i % 3}", at=START + timedelta(days=i)) for i in range(12)]
        with self.open_storage(tmp_path) as storage:
            keep(storage, turns)
            counts = storage.counts()
            assert (counts.turns, counts.sessions, counts.speakers, counts.vectors) == (12, 2, 3, 12)
            assert (counts.first, counts.last) == (turns[0].at, turns[-1].at)
            assert counts.size_bytes > 0

    def test_settings_are_set_and_taken_away(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            before = dict(storage.state().settings)
            storage.put_settings({"a": "1", "ü\0": "", "b": "x" * 10_000})
            assert storage.state().settings == before | {"a": "1", "ü\0": "", "b": "x" * 10_000}
            storage.put_settings({"a": "2", "b": None, "missing": None})
            assert storage.state().settings == before | {"a": "2", "ü\0": ""}
            storage.put_settings({})
            assert storage.state().settings == before | {"a": "2", "ü\0": ""}

    def test_a_negative_limit_is_refused_by_name(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(3))
            assert storage.page(0, 0) == storage.sessions(limit=0) == storage.recorded(limit=0) == []
            for ask in (
                lambda: storage.page(0, -1),
                lambda: storage.sessions(limit=-1),
                lambda: storage.sessions(offset=-1),
                lambda: storage.recorded(limit=-1),
                lambda: storage.without_vector(1, -1),
                lambda: storage.uses(latest=-1),
            ):
                assert "-1" in str(failure(InputError, ask))

    def test_a_sound_storage_has_no_problems(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, make_turns(100))
            erasure(storage).forget(sequence_numbers(storage)[::3])
            assert storage.problems() == []
            assert len(all_turns(storage)) == storage.counts().turns


def _paged(storage: Storage, limit: int, *, session: str | None = None, speaker: str | None = None) -> list[Turn]:
    """Return all turns, read page by page."""
    turns: list[Turn] = []
    after = 0
    while page := storage.page(after, limit, session=session, speaker=speaker):
        turns += [record.turn for record in page]
        after = page[-1].seq
    return turns
