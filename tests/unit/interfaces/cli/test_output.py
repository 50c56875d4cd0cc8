"""JSON, sizes, and lines that are safe for a terminal."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hmem.interfaces.cli.output import number, one_line, size, visible, write_json
from hmem.model.evidence import Evidence, Found, Term, Why
from hmem.model.plain import plain
from hmem.model.report import Verification


def test_a_value_becomes_json_with_its_properties_and_its_times_in_iso_8601() -> None:
    why = Why(("flat",), {"lexical.turn": Term(0.5, 2.0)}, ("coco",))
    evidence = Evidence("turn_1", "turn", "Hi", datetime(2023, 8, 11, 10, tzinfo=UTC), 1.0, why, "s1")
    made = plain(Found("Coco?", (evidence,)))
    assert made["evidence"][0]["when"] == "2023-08-11T10:00:00+00:00"
    assert made["evidence"][0]["why"]["terms"] == {"lexical.turn": {"value": 0.5, "weight": 2.0, "contribution": 1.0}}
    assert made["trace"] is None
    assert json.loads(json.dumps(made)) == made


def test_a_verification_says_in_json_whether_all_is_well() -> None:
    made = {"problems": [], "checked": {"turns": 1}, "remarks": [], "ok": True}
    assert plain(Verification((), {"turns": 1})) == made
    assert plain(Verification((), {"turns": 1}, ("one",))) == made | {"remarks": ["one"]}


def test_paths_and_plain_values_become_json() -> None:
    assert plain([Path("a"), None, 1, 0.5, True, "x"]) == ["a", None, 1, 0.5, True, "x"]


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_000, "1.0 kB"), (1_234_567, "1.2 MB"), (999_960, "1.0 MB"),
     (5_000_000_000, "5.0 GB"), (7_000_000_000_000_000, "7,000 TB")],
)  # fmt: skip
def test_a_size_is_said_in_thousands(count: int, said: str) -> None:
    assert size(count) == said


def test_one_of_a_thing_is_not_many() -> None:
    assert [number(count, "turn") for count in (0, 1, 2_500)] == ["0 turns", "1 turn", "2,500 turns"]


def test_json_escapes_what_a_terminal_obeys_or_hides(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"text": "a\u009b2J\u202eb\u2066c\x7f\U000e0041\u200b é"}
    write_json(value)
    written = capsys.readouterr().out
    assert written == '{"text": "a\\u009b2J\\u202eb\\u2066c\\u007f\\udb40\\udc41\\u200b é"}\n'
    assert json.loads(written) == value


def test_a_line_cannot_move_the_cursor_or_turn_the_text_around() -> None:
    assert one_line("red \x1b[31m\u202eabc\r\nnext\u2066") == "red [31m abc next"


def test_a_line_is_cut_to_its_length() -> None:
    assert one_line("one two three", 8) == "one two…"
    assert one_line("one two", 7) == "one two"


def test_a_text_keeps_its_lines_but_no_control_characters() -> None:
    assert visible("one\n\ttwo\x1b[2J") == "one\n    two [2J"
