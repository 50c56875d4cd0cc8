"""Questions as data, and what a model says of them as values."""

from datetime import UTC, datetime

from hmem.language.analyst.language_model import ToAnswer
from hmem.language.llm.questions import answer_data, checked_plan, model_answer
from hmem.language.llm.tasks import AnswerQuestion, PlanQuestion
from hmem.model.plan import FollowUp, SubQuestion

ASKED = datetime(2023, 9, 1, tzinfo=UTC)


def test_needs_point_backwards_and_a_time_frame_needs_a_time() -> None:
    said = {
        "parts": [
            {"text": "Which car?", "needs": [0, 1, -1], "absolute": True, "time_from": "soon"},
            {"text": "Its colour?", "needs": [0, 0, 5], "scope": "wide", "entities": [" Ann ", "Ann", ""]},
        ]
    }
    first, second = checked_plan("q", ASKED, PlanQuestion.model_validate(said)).parts
    assert (first.needs, first.mode, first.topic) == ((), "sequential", "Which car?")
    assert (second.needs, second.scope, second.entities) == ((0,), "mixed", ("Ann",))


def test_there_is_an_end_to_the_parts() -> None:
    said = PlanQuestion.model_validate({"parts": [{"text": "x"}] * 50})
    assert len(checked_plan("q", ASKED, said).parts) == 6


def test_a_plain_question_has_no_parts_to_answer() -> None:
    work = ToAnswer("Who is it?", ASKED, ("Maria",), (SubQuestion("Who is it?"),), "2023\n1 Maria: Me.")
    data = answer_data(work)
    assert data["parts"] == []
    assert data["evidence"] == "2023\n1 Maria: Me."


def test_parts_are_numbered_from_one_and_so_are_those_that_they_need() -> None:
    parts = (SubQuestion("Which car?"), SubQuestion("Which colour?", needs=(0,)))
    data = answer_data(ToAnswer("Which colour has the car?", ASKED, (), parts, ""))
    assert [(part["n"], part["needs"], part["lines"]) for part in data["parts"]] == [(1, [], []), (2, [1], [])]


def test_each_part_is_given_the_numbers_of_its_lines() -> None:
    parts = (SubQuestion("Who has a car?"), SubQuestion("Who has a boat?"))
    data = answer_data(ToAnswer("Who has what?", ASKED, (), parts, "", ((2, 1), (3,))))
    assert [part["lines"] for part in data["parts"]] == [[2, 1], [3]]


def test_citations_in_brackets_belong_to_the_citations() -> None:
    made = model_answer(AnswerQuestion(answer="Coco [3, 4].", citations=[3, -1, 7], confidence=3.0))
    assert (made.text, made.citations, made.confidence) == ("Coco.", (3, 7, 4), 1.0)


def test_no_text_is_no_answer() -> None:
    assert model_answer(AnswerQuestion(answer=" [1]")).abstained


def test_what_is_missing_is_asked_for_with_or_without_an_anchor() -> None:
    lacking = {"answer": "A song", "sufficient": False, "missing": "Whose song is the Elm Waltz?"}
    for anchor, kept in (("the Elm Waltz", "the Elm Waltz"), ("the moon", ""), ("", "")):
        found = model_answer(AnswerQuestion(**lacking, missing_anchor=anchor, missing_slot="composer")).follow_up
        assert found == FollowUp("Whose song is the Elm Waltz?", "composer", kept)
    named = model_answer(AnswerQuestion(answer="A song", sufficient=False, missing_slot="the composer")).follow_up
    assert named == FollowUp("the composer", "the composer", "")
    for nothing in ({"sufficient": True}, {"missing": ""}):
        assert model_answer(AnswerQuestion(**{**lacking, **nothing})).follow_up is None
