from datetime import UTC, datetime

import pytest

from hmem.language.analyst.base import Curation, Passage
from hmem.language.english.curation import curate
from hmem.model.turn import Turn


def said(*texts: str, start: int = 0, caption: str | None = None) -> Passage:
    turns = tuple(
        Turn(f"t{i}", ("Maria", "John")[i % 2], text, datetime(2025, 1, 1, tzinfo=UTC), "s1", caption)
        for i, text in enumerate(texts)
    )
    return Passage(turns, start, ("Maria", "John"))


def only(text: str) -> Curation:
    return curate(said(text))[0]


@pytest.mark.parametrize(
    "text",
    [
        "Hi John!",
        "Hey, how are you?",
        "Thanks, John! That means a lot.",
        "Wow, that's great!",
        "Soooo cool!!!",
        "Ok, sounds good. Talk soon, take care!",
        "You got this, keep going!",
        "What happened next?",
        "Yes.",
        ":)",
        "😀😀",
        "",
        " " * 10_000,
    ],
)
def test_a_formula_is_not_memorable(text: str) -> None:
    assert only(text) == Curation(memorable=False)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I adopted a puppy.", "statement"),
        ("We plan to hike tomorrow.", "date"),
        ("The chicken was dry.", "statement"),
        ("It took 3.", "number"),
        ("Ask Ifeoma.", "name"),
        ('It is called "Us".', "name"),
        ("I got a job at the zoo, did you hear?", "question"),
        ("Animals are loyal, aren't they?", "statement"),
        ("Mi hermana vive lejos", "statement"),
        ("私は東京に住んでいます", "statement"),
        ("def add(a, b): return total", "statement"),
        ("word " * 20_000, "length"),
    ],
)
def test_what_says_something_is_memorable(text: str, reason: str) -> None:
    verdict = only(text)
    assert verdict.memorable
    assert reason in verdict.reasons


def test_a_picture_is_content() -> None:
    assert curate(said("Look!", caption="a dog in a boat"))[0] == Curation(memorable=True, reasons=("picture",))


@pytest.mark.parametrize("answer", ["Yes, since 2016", "Two cats", "Yep!"])
def test_an_answer_is_memorable_for_its_question(answer: str) -> None:
    assert curate(said("Do you have any pets?", answer, start=1))[0].memorable


def test_an_assent_that_answers_no_question_is_not_memorable() -> None:
    assert not curate(said("I bought a boat.", "Yep!", start=1))[0].memorable


def test_calling_somebody_by_a_short_form_of_the_name_is_no_news() -> None:
    assert not only("That's great, Mari!").memorable


def test_only_the_wanted_turns_are_judged() -> None:
    assert len(curate(said("Hi!", "I live in Leeds.", "Nice!", start=1))) == 2


def test_the_verdict_does_not_depend_on_later_turns() -> None:
    texts = ("Hi John!", "Do you still paint?", "Yes", "I sold two pictures.", "Wow!")
    assert [curate(said(*texts[: i + 1], start=i))[0] for i in range(len(texts))] == curate(said(*texts))
