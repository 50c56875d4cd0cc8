"""Sentences with their places."""

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.sentences import LONGEST, TextPiece, iter_sentences, split

SPLIT = [
    ("One. Two! Three?", ["One.", "Two!", "Three?"]),
    ("no capitals here. just like this. ok", ["no capitals here.", "just like this.", "ok"]),
    ("Dr. Stone paid $3.50 for it. Then he left.", ["Dr. Stone paid $3.50 for it.", "Then he left."]),
    ("We met at 9 p.m. Then we ate.", ["We met at 9 p.m.", "Then we ate."]),
    ("We met at 9 p.m. on Friday.", ["We met at 9 p.m. on Friday."]),
    ("It was, e.g. blue. Or red.", ["It was, e.g. blue.", "Or red."]),
    ("J. K. Lowe wrote it. I read it.", ["J. K. Lowe wrote it.", "I read it."]),
    ("He and I. That was all.", ["He and I.", "That was all."]),
    ("It's no. 5 on the list. Good.", ["It's no. 5 on the list.", "Good."]),
    ("The answer was no. 5 of us left.", ["The answer was no. 5 of us left."]),
    ("The U.S. team won. Again.", ["The U.S. team won.", "Again."]),
    ("Version 3.11.2 works. See example.com. Fine", ["Version 3.11.2 works.", "See example.com.", "Fine"]),
    ("Well... I think so. Wait… what", ["Well...", "I think so.", "Wait… what"]),
    ("What?! Really!!! Yes", ["What?!", "Really!!!", "Yes"]),
    ("I adopted him 😊 He is two ❤️ We love him", ["I adopted him 😊", "He is two ❤️", "We love him"]),
    ("Great! 🎉 See you", ["Great! 🎉", "See you"]),
    ("fine :) Thanks", ["fine :)", "Thanks"]),
    ('She said "Go. Now." Then she left.', ['She said "Go. Now."', "Then she left."]),
    ('She said "I am sorry. Really." and left. Ok', ['She said "I am sorry. Really." and left.', "Ok"]),
    ("She was (really?) fine. (He left.) Ok.", ["She was (really?) fine.", "(He left.)", "Ok."]),
    ("one\ntwo\r\nthree", ["one", "two", "three"]),
    ("- first. second\n* third\n2) fourth\n# Title", ["first.", "second", "third", "fourth", "Title"]),
    ("今日は良い。明日も\uff01", ["今日は良い。", "明日も\uff01"]),
    ("真的吗?太好了!我们走。", ["真的吗?", "太好了!", "我们走。"]),
    ("她说「我走了。再见。」然后走了。好", ["她说「我走了。再见。」", "然后走了。", "好"]),
    ("मैं ठीक हूँ। तुम कैसे हो?बस।", ["मैं ठीक हूँ।", "तुम कैसे हो?बस।"]),
    ("أنا بخير. كيف حالك؟ تمام", ["أنا بخير.", "كيف حالك؟", "تمام"]),
    ("میں ٹھیک ہوں۔ تم کیسے ہو؟", ["میں ٹھیک ہوں۔", "تم کیسے ہو؟"]),
    ("Πού είσαι; Εδώ είμαι.", ["Πού είσαι;", "Εδώ είμαι."]),
    ("¿Vienes? ¡Claro! La Sra. Ruiz también.", ["¿Vienes?", "¡Claro!", "La Sra. Ruiz también."]),
    ("Am 2. Mai geht's los. Vom 18. an auch z.B. montags.", ["Am 2. Mai geht's los.", "Vom 18. an auch z.B. montags."]),
    ("I am 41. she is 5. Ok", ["I am 41.", "she is 5.", "Ok"]),
    ("Er sagte: »Ja. Gut.« Dann ging er.", ["Er sagte: »Ja. Gut.«", "Dann ging er."]),
    ("मज़ा आया 😊 फिर मिलेंगे", ["मज़ा आया 😊", "फिर मिलेंगे"]),
    ("so fun 😊 see you", ["so fun 😊 see you"]),
    ("ไปกินข้าวกันไหม พรุ่งนี้ว่าง", ["ไปกินข้าวกันไหม พรุ่งนี้ว่าง"]),
    ("Look at https://a.example/b?c=d. Nice", ["Look at https://a.example/b?c=d.", "Nice"]),
    ("", []),
    (" \n\t ", []),
    ("...", ["..."]),
]


@pytest.mark.parametrize(("text", "expected"), SPLIT)
def test_a_text_is_cut_into_its_sentences(text: str, expected: list[str]) -> None:
    assert [piece.text for piece in split(text)] == expected


def test_code_is_kept_by_line_and_marked() -> None:
    found = split("See:\n```py\nx = a.b. c\ny = 2\n```\nDone. Yes.")
    assert [(piece.text, piece.code) for piece in found] == [
        ("See:", False),
        ("x = a.b. c", True),
        ("y = 2", True),
        ("Done.", False),
        ("Yes.", False),
    ]


@pytest.mark.parametrize(
    ("text", "prose", "code"),
    [
        ("Try this. ```py\nx = 1. y\n``` It works. Yes.", ["Try this.", "It works.", "Yes."], ["x = 1. y"]),
        ("Use ```a. b``` here. Ok", ["Use", "here.", "Ok"], ["a. b"]),
        ("It said ``` and. Stopped.", ["It said ``` and.", "Stopped."], []),
        ("```\nx. y", [], ["x. y"]),
        ("heyyy ~~~ you. there", ["heyyy ~~~ you.", "there"], []),
    ],
)
def test_a_fence_within_a_line_parts_code_from_prose(text: str, prose: list[str], code: list[str]) -> None:
    found = split(text)
    assert [piece.text for piece in found if not piece.code] == prose
    assert [piece.text for piece in found if piece.code] == code


def test_what_runs_on_is_cut_at_a_clause_mark() -> None:
    text = "we went on and on, " * 60
    found = split(text)
    assert all(piece.text.endswith("on,") for piece in found)
    assert all(len(piece.text) <= LONGEST for piece in found)


def test_a_word_without_end_is_cut_all_the_same() -> None:
    assert [len(piece.text) for piece in split("x" * 1_000)] == [400, 400, 200]


def test_only_what_is_asked_for_is_read() -> None:
    assert next(iter_sentences("One. " * 100_000)) == TextPiece(0, 4, "One.")


@given(st.text())
def test_every_piece_stands_where_it_says(text: str) -> None:
    found = split(text)
    assert all(text[piece.start : piece.end] == piece.text and piece.text.strip() for piece in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


@given(
    st.lists(st.sampled_from(['"', ".", "!", " ", "a", "A", "😊", "\n", "(", ")", ":", "...", "Mr", ","]), max_size=60)
)
def test_no_word_is_lost(parts: list[str]) -> None:
    text = "".join(parts)
    kept = "".join(piece.text for piece in split(text))
    assert sorted(kept.replace(" ", "")) == sorted("".join(text.split()))


@pytest.mark.parametrize(
    "unit",
    [
        "a. ",
        '"a. ',
        ". ",
        '"',
        "😊",
        "😊 ",
        ".",
        ".)",
        "1.",
        "-",
        "- ",
        "\n",
        ",",
        "([*_",
        "```",
        "``` a ",
        "«",
        "„",
        "1 am 2. ",
    ],
)
def test_no_text_takes_more_than_linear_time(unit: str) -> None:
    """A quadratic rule would take minutes here."""
    text = unit * (76_000 // len(unit)) + random.Random(1).choice(["", "x"])
    assert len(split(text)) <= len(text)
