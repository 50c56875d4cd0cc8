from datetime import UTC, datetime

import pytest

from hmem.language.analyst import analyst
from hmem.language.analyst.answer_reader import AnswerTarget, AskedTense
from hmem.language.english.answers.reader import ANSWER_READER


def target(question: str) -> AnswerTarget:
    plan = analyst("rules").plan(question, datetime(2024, 1, 1, tzinfo=UTC), ())
    return ANSWER_READER.target(question, (), plan.parts[0])


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How old is Ana?", True),
        ("What colour is the door?", True),
        ("How much did it cost?", True),
        ("Who is Ana?", False),
    ],
)
def test_some_questions_ask_for_a_value_of_a_known_sort(question: str, value: bool) -> None:
    assert ANSWER_READER.asks_for_value(target(question)) == value


def test_no_value_is_read_for_a_question_that_asks_for_none() -> None:
    assert ANSWER_READER.value(target("Who is Ana?"), []) is None


def test_what_would_be_is_told_from_what_is() -> None:
    assert ANSWER_READER.supposes("Would Ana like Ghent?")
    assert not ANSWER_READER.supposes("Does Ana like Ghent?")


@pytest.mark.parametrize(
    ("question", "tense"),
    [
        ("Where does Ana live?", AskedTense()),
        ("Where did Ana use to live?", AskedTense(before=True, was=True)),
        ("Where did Ana live originally?", AskedTense(first=True, was=True)),
        ("How did Ana's plans change?", AskedTense(all=True, was=True)),
        ("How many has she read so far?", AskedTense(now=True)),
        ("How old is Ana?", AskedTense()),
        ("Where did Ana live until May?", AskedTense(was=True, until=True)),
    ],
)
def test_the_time_asked_about_is_told_by_words(question: str, tense: AskedTense) -> None:
    assert ANSWER_READER.tense(question) == tense


def test_a_number_is_asked_for_in_words() -> None:
    assert ANSWER_READER.asks_for_number("How often does Ana run?")
    assert not ANSWER_READER.asks_for_number("How does Ana run?")


def test_a_choice_gives_its_options() -> None:
    assert ANSWER_READER.options("Does Ana prefer tea or coffee?") == ("tea", "coffee")
    assert ANSWER_READER.options("What does Ana drink?") is None


def test_a_phrase_has_roots_without_function_words() -> None:
    assert ANSWER_READER.roots("her blue teapots, and a kettle!") == ANSWER_READER.roots("Blue teapot with kettles")
