from datetime import UTC, datetime

import pytest

from hmem.language.analyst import analyst
from hmem.language.analyst.answer_reader import AnswerTarget
from hmem.language.english.answers.target import answer_target as read


def read_question(text: str, people: tuple[str, ...]) -> AnswerTarget:
    plan = analyst("rules").plan(text or "?", datetime(2024, 1, 1, tzinfo=UTC), people)
    return read(text, people, plan.parts[0])


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did Ana move?", "when"),
        ("In which year did Ana move?", "when"),
        ("How long has Ana lived there?", "duration"),
        ("How often does Ana run?", "frequency"),
        ("How many cats does Ana have?", "count"),
        ("How much did the vase cost?", "amount"),
        ("Who supports Ana when she is sad?", "person"),
        ("Which city did Ana visit?", "place"),
        ("Why did Ana leave?", "reason"),
        ("How did Ana feel after the race?", "feeling"),
        ("What does Ana do to relax?", "activity"),
        ("Did Ana buy a car?", "polar"),
        ("Would Ana rather have tea or coffee?", "choice"),
        ("What book did Ana read?", "name"),
        ("What color is the house?", "thing"),
        ("", "thing"),
    ],
)
def test_a_question_has_a_kind(question: str, kind: str) -> None:
    assert read_question(question, ("Ana",)).kind == kind


def test_the_focus_is_the_noun_that_the_answer_is_one_of() -> None:
    assert read_question("What kind of art does Ana make?", ("Ana",)).focus == ("art",)
    assert read_question("How many red cats does Ana have?", ("Ana",)).focus == ("red", "cats")


def test_a_plural_asks_for_several() -> None:
    assert read_question("What instruments does Ana play?", ("Ana",)).several
    assert not read_question("What instrument does Ana play?", ("Ana",)).several


def test_names_are_not_looked_for_as_words_nor_what_is_short_for_them() -> None:
    assert read_question("What did Mel paint?", ("Melanie",)).roots == ("paint",)
