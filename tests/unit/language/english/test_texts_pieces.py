from datetime import UTC, datetime

import pytest

from hmem.language.analyst.base import Excerpt
from hmem.language.english.texts import pieces, shorten, word_ends

DAY = datetime(2023, 5, 7, tzinfo=UTC)


def told(text: str, speaker: str | None = "Maria") -> list[str]:
    return [piece.text for piece in pieces([Excerpt(text, speaker, DAY)])]


def test_a_line_is_cut_into_its_sentences_without_those_that_say_nothing() -> None:
    assert told("Hey! I adopted a puppy.\nHow are you?  We hiked up Mount Rainier.") == [
        "I adopted a puppy.",
        "We hiked up Mount Rainier.",
    ]


def test_when_no_sentence_says_anything_all_are_kept() -> None:
    assert told("Hey! How are you?") == ["Hey!", "How are you?"]


def test_a_question_and_what_points_elsewhere_are_worth_less() -> None:
    plain, asked, pointing = pieces(
        [
            Excerpt(text, "Maria", DAY)
            for text in ("Kittens climb curtains.", "Kittens climb curtains?", "They climb curtains.")
        ]
    )
    assert plain.worth > asked.worth
    assert plain.worth > pointing.worth


def test_a_resolved_date_is_no_subject() -> None:
    (piece,) = pieces([Excerpt("Maria painted a lake last year (2022).", "Maria", DAY)])
    assert "2022" not in piece.stems
    assert "2022" in piece.text


@pytest.mark.parametrize("day", ["31 February 2023", "99 May 2023"])
def test_a_day_that_does_not_exist_leaves_the_time_as_it_was(day: str) -> None:
    (piece,) = pieces([Excerpt(f"{day} - I adopted a puppy.", None, DAY)])
    assert piece.when == DAY


def test_a_text_is_shortened_after_a_word() -> None:
    assert shorten("a harbour chart", 12) == "a harbour…"
    assert shorten("a harbour chart", 15) == "a harbour chart"
    assert shorten("harbour", 3) == ""


def test_each_character_is_a_word_where_a_script_has_no_blanks() -> None:
    assert word_ends("我去 Porto") == [1, 2, 8]
