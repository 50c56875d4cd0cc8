import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hmem.language.english.questions import plan
from hmem.model.plan import Plan, SubQuestion

ASKED = datetime(2023, 10, 22, 9, 55, tzinfo=UTC)
ROOT = Path(__file__).parents[4]
PEOPLE = ("Caroline", "Melanie")


def planned(question: str, people: Sequence[str] = PEOPLE) -> Plan:
    return plan(question, ASKED, people)


def only(question: str, people: Sequence[str] = PEOPLE) -> SubQuestion:
    parts = planned(question, people).parts
    assert len(parts) == 1
    return parts[0]


def days(part: SubQuestion) -> list[tuple[str, str]]:
    return [(span.start.date().isoformat(), span.end.date().isoformat()) for span in part.spans]


# The worked cases of the papers.


def test_a_when_question_without_a_time_frame_is_sequential() -> None:
    part = only("When did Caroline mention she was going to the LGBTQ support group?")
    assert (part.mode, part.spans, part.answer_type, part.scope) == ("sequential", (), "time", "short")
    assert part.topic == part.text
    assert part.entities[0] == "Caroline"


def test_a_count_within_a_year_is_intersective_and_global() -> None:
    part = only("How many times has Melanie gone to the beach in 2023?")
    assert (part.mode, part.answer_type, part.coverage) == ("intersective", "count", "global")
    assert days(part) == [("2023-01-01", "2024-01-01")]
    assert part.topic == "How many times has Melanie gone to the beach?"


def test_what_both_have_done_is_asked_of_each() -> None:
    parts = planned("What subject have Caroline and Melanie both painted?").parts
    assert [part.text for part in parts] == [
        "What subject has Caroline painted?",
        "What subject has Melanie painted?",
    ]
    assert [part.entities for part in parts] == [("Caroline",), ("Melanie",)]
    assert {part.coverage for part in parts} == {"global"}
    assert all(part.needs == () for part in parts)


def test_a_question_for_a_composer_asks_for_a_person() -> None:
    part = only("Which popular music composer's tunes does Tim enjoy playing on the piano?", ("John", "Tim"))
    assert part.answer_type == "person"
    assert part.entities == ("Tim",)


# Together.


def test_each_part_keeps_the_time_frame_of_the_question() -> None:
    parts = planned("What have both Caroline and Melanie baked in July?").parts
    assert [days(part) for part in parts] == [[("2023-07-01", "2023-08-01")]] * 2
    assert [part.topic for part in parts] == ["What has Caroline baked?", "What has Melanie baked?"]


def test_what_joins_two_events_needs_both_of_them() -> None:
    parts = planned("How many days passed between the day I bought the kayak and the day I sold it?").parts
    assert [part.needs for part in parts] == [(), (), (0, 1)]
    assert parts[-1].answer_type == "duration"


def test_i_is_the_first_of_the_people_and_you_the_assistant() -> None:
    part = only("What did you tell me about my kayak?", ("user", "assistant"))
    assert part.entities == ("assistant", "user")


def test_most_questions_of_the_example_are_planned_as_labelled() -> None:
    labels = json.loads((ROOT / "tests/acceptance/labels/plans.json").read_text("utf-8"))["ten_months"]
    questions = json.loads((ROOT / "examples/ten_months.questions.json").read_text("utf-8"))
    asked = datetime(2025, 11, 4, 20, 30, tzinfo=UTC)
    right = {"scope": 0, "mode": 0, "coverage": 0, "answer_type": 0}
    for question in questions:
        part = plan(question["question"], asked, ("Nadia", "Assistant")).parts[-1]
        for name in right:
            right[name] += getattr(part, name) in labels[question["id"]][name].split("/")
    assert len(labels) == len(questions)
    assert all(count >= 0.9 * len(questions) for count in right.values()), right


@pytest.mark.parametrize(
    "question",
    [
        "",
        " ",
        "?",
        "🙂🙂🙂?",
        "¿Cuándo fue Ana a la playa en 2023?",
        "安娜什么时候去了海边",
        "what",
        "how many",
        "both",
        "Which",
        "and and and and?",
        "Who, what, when, where and why?",
        "Did " * 5_000,
        "A and B both " * 500,
        ", , , , " * 1_000,
        "before " * 1_000,
        "between a and the b " * 30,
        " " * 20_000,
        "When did Ana " + "really " * 3_000 + "go?",
    ],
)
def test_any_text_has_a_plan_that_keeps_it(question: str) -> None:
    made = planned(question)
    assert made.question == question
    assert made.parts
    assert made.parts[-1].text or not question


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=80), st.lists(st.text(max_size=8), max_size=3))
def test_a_part_only_needs_parts_before_it(question: str, people: list[str]) -> None:
    for place, part in enumerate(planned(question, people).parts):
        assert all(0 <= needed < place for needed in part.needs)
        assert (part.mode == "intersective") == bool(part.spans)


@given(st.integers(0, 4_000_000))
def test_what_is_past_is_never_sought_after_the_question(minutes: int) -> None:
    asked = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    for question in ("What did Ana do in July?", "What did Ana do on Friday?", "What did Ana do last summer?"):
        (part,) = plan(question, asked, ("Ana",)).parts
        assert all(span.start <= asked for span in part.spans)
        assert part.spans
