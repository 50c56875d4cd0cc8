"""JSON, sizes, and lines that are safe for a terminal."""

import json

import pytest

from hmem.interfaces.cli.output import one_line, size, visible, write_json


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_000, "1.0 kB"), (1_234_567, "1.2 MB"), (999_960, "1.0 MB"),
     (5_000_000_000, "5.0 GB"), (7_000_000_000_000_000, "7,000 TB")],
)  # fmt: skip
def test_a_size_is_said_in_thousands(count: int, said: str) -> None:
    assert size(count) == said


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
