# ruff: noqa: S101
"""Tests of round trips: a turn comes back unchanged, whatever it holds."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from hmem_testing.conformance.harness import Harness, all_turns, keep, make_turn

TEXTS = {
    "one character": "x",
    "null bytes": "before\0after\0",
    "emoji": "so happy 👩‍👩‍👧‍👦 🎉",
    "right to left": "اشتريت كتابا \u200f\u05e9\u05dc\u05d5\u05dd",
    "Chinese and Thai": "我昨天买了一只小狗 ฉันรักแมว",
    "decomposed and composed": "cafe\u0301 caf\u00e9",
    "control characters": "\t\r\n\x1b[0m\x7f\ufeff\uffff",
    "quotes": """'"`;--\\ %s ? :name {}""",
    "a number": "0012",
}


class ValueConformance(Harness):
    """Part of ``StorageConformance``."""

    def test_a_turn_comes_back_with_every_field(self, tmp_path: Path) -> None:
        turn = make_turn(
            caption="a small brown dog",
            role="assistant",
            attachments=("file:///dog.jpg", "https://example.org/ü.png"),
            user="u1",
            agent="a1",
            message_id="m1",
            metadata={"a": [1, 2.5, None, True, {"b": "ü\0"}], "": {}, "large": 2**60},
        )
        with self.open_storage(tmp_path) as storage:
            keep(storage, [turn])
            assert all_turns(storage) == [turn]

    def test_a_turn_without_optional_fields_comes_back_without_them(self, tmp_path: Path) -> None:
        with self.open_storage(tmp_path) as storage:
            keep(storage, [turn := make_turn()])
            assert all_turns(storage) == [turn]

    def test_empty_fields_are_not_mistaken_for_missing_ones(self, tmp_path: Path) -> None:
        turn = make_turn("", caption="only a picture", user="", agent="", session="", speaker="")
        with self.open_storage(tmp_path) as storage:
            keep(storage, [turn])
            assert all_turns(storage) == [turn]

    def test_texts_come_back_verbatim(self, tmp_path: Path) -> None:
        turns = [make_turn(text, speaker=text, session=text, message_id=text) for text in TEXTS.values()]
        with self.open_storage(tmp_path) as storage:
            keep(storage, turns)
            assert all_turns(storage) == turns

    def test_names_that_only_look_alike_stay_apart(self, tmp_path: Path) -> None:
        names = ["Café", "Cafe\u0301", "café", "Café ", "Café\0"]
        turns = [make_turn(speaker=name, session=name, message_id=name) for name in names]
        with self.open_storage(tmp_path) as storage:
            assert {result.fate for result in keep(storage, turns)} == {"stored"}
            assert [speaker.name for speaker in storage.speakers()] == names
            assert storage.counts().sessions == len(names)
            for name, turn in zip(names, turns, strict=True):
                assert [record.turn for record in storage.page(0, 9, session=name, speaker=name)] == [turn]

    def test_a_text_of_a_million_characters_comes_back(self, tmp_path: Path) -> None:
        turn = make_turn("длинный text 長い\0 " * 62_500)
        with self.open_storage(tmp_path) as storage:
            keep(storage, [turn])
            assert all_turns(storage) == [turn]

    def test_a_time_keeps_its_offset(self, tmp_path: Path) -> None:
        moments = [
            datetime(2025, 3, 14, 19, 2, 0, 123_456, tzinfo=timezone(timedelta(minutes=minutes)))
            for minutes in (0, 60, -210, 345, 14 * 60, -12 * 60)
        ]
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn(at=time) for time in moments])
            times = [turn.at for turn in all_turns(storage)]
        assert times == moments
        assert [time.utcoffset() for time in times] == [time.utcoffset() for time in moments]

    def test_times_from_the_first_year_to_the_last_come_back(self, tmp_path: Path) -> None:
        moments = [
            datetime(1, 1, 1, tzinfo=UTC),
            datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
            datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
        ]
        with self.open_storage(tmp_path) as storage:
            keep(storage, [make_turn(at=time) for time in moments])
            assert [turn.at for turn in all_turns(storage)] == moments
            assert (storage.counts().first, storage.counts().last) == (moments[0], moments[-1])

    def test_turns_of_equal_content_are_different_turns(self, tmp_path: Path) -> None:
        first = make_turn()
        second = replace(make_turn(), id=make_turn().id)
        with self.open_storage(tmp_path) as storage:
            assert [result.fate for result in keep(storage, [first, second])] == ["stored", "stored"]
            assert all_turns(storage) == [first, second]
