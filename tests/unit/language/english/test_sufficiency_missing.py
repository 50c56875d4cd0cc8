from datetime import UTC, datetime

import pytest

from hmem.language.analyst.base import Excerpt
from hmem.language.english.questions import plan
from hmem.language.english.sufficiency import missing
from hmem.model.plan import FollowUp

ASKED = datetime(2024, 1, 12, tzinfo=UTC)
COMPOSER = "Which popular music composer's tunes does Tim enjoy playing on the piano?"
THEME = "I've been playing a theme from a movie that I really enjoyed on the piano."


def follow_up(question: str, *lines: str, speaker: str | None = "Tim") -> FollowUp | None:
    (part,) = plan(question, ASKED, ("John", "Tim")).parts
    return missing(part, [Excerpt(line, speaker, datetime(2023, 12, 1, tzinfo=UTC)) for line in lines])


def test_a_theme_from_a_movie_does_not_name_the_composer() -> None:
    found = follow_up(COMPOSER, THEME)
    assert found is not None
    assert found.slot == "composer"
    assert "theme from a movie" in found.anchor
    assert found.anchor in found.text
    assert found.anchor in THEME
    assert "Tim" in found.text
    assert "movie" in found.text


def test_a_line_that_names_the_composer_is_enough() -> None:
    assert follow_up(COMPOSER, THEME, "I enjoy playing tunes by Ennio Morricone on the piano.") is None


@pytest.mark.parametrize(
    ("question", "line", "slot", "anchor"),
    [
        (
            "Where does Tim run every morning?",
            "Every morning I run at a place near home.",
            "place",
            "a place near home",
        ),
        (
            "Who went to the concert hall with Tim?",
            "The concert hall with someone special!",
            "person",
            "someone special",
        ),
        (
            "Which book did Tim finish on the train?",
            "I finished that book you lent me on the train.",
            "title",
            "that book",
        ),
        (
            "Which charity does Tim help in winter?",
            "In winter I help a local charity.",
            "organization",
            "a local charity",
        ),
        (
            "What is the name of Tim's white cat?",
            "My cat is white, a fluffy cat from next door.",
            "name",
            "a fluffy cat",
        ),
    ],
)
def test_a_vague_word_for_what_is_asked_is_asked_again(question: str, line: str, slot: str, anchor: str) -> None:
    found = follow_up(question, line)
    assert found is not None
    assert found.slot == slot
    assert found.anchor.startswith(anchor)
    assert found.anchor in found.text


def test_a_time_long_ago_asks_for_the_date() -> None:
    found = follow_up("When did Tim start surfing?", "I started surfing a while ago, it is fun.")
    assert found is not None
    assert found.slot == "date"
    assert found.anchor.endswith("a while ago")
    assert follow_up("When did Tim start surfing?", "I started surfing last summer, a while ago.") is None


def test_some_of_what_is_counted_asks_for_the_number() -> None:
    found = follow_up("How many turtles does Tim keep?", "I keep a few little turtles at home.")
    assert found is not None
    assert found.slot == "number"
    assert follow_up("How many turtles does Tim keep?", "I keep a few turtles, three of them.") is None


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Where does Tim go running?", "I go running in Hyde Park, a place near home."),
        ("Where does Tim go running?", "I like a place near home."),
        ("Why does Tim go running?", "I go running at a place near home."),
        ("What did Tim do in the morning?", "I did something special in the morning."),
        ("Did Tim go running at a place near home?", "I went running at a place near home."),
        (COMPOSER, ""),
        ("", "a place near home"),
    ],
)
def test_nothing_is_missing_where_it_is_there_or_not_asked(question: str, line: str) -> None:
    assert follow_up(question, line) is None


def test_lines_of_others_are_not_about_the_one_who_is_asked_about() -> None:
    (part,) = plan(COMPOSER, ASKED, ("John", "Tim")).parts
    said = datetime(2023, 12, 1, tzinfo=UTC)
    lines = [Excerpt(THEME, "John", said), Excerpt("I enjoy playing on the piano in summer.", "Tim", said)]
    assert missing(part, lines) is None


def test_nothing_found_is_nothing_to_ask_from() -> None:
    assert follow_up(COMPOSER) is None


def test_lines_need_no_speaker_and_may_be_long() -> None:
    found = follow_up(COMPOSER, THEME + " and" * 50_000, speaker=None)
    assert found is not None
    assert found.anchor in THEME
