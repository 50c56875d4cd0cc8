"""What a model says of a question, as values."""

from datetime import UTC, datetime

from hmem.language.analyst.answering import ToAnswer
from hmem.language.analyst.model.answering import answer_data, replied
from hmem.language.analyst.model.schemas import AnswerQuestion
from hmem.model.plan import SubQuestion

ASKED = datetime(2024, 1, 1, tzinfo=UTC)


def test_a_plain_question_has_no_parts_to_answer() -> None:
    work = ToAnswer("Who is it?", ASKED, ("Maria",), (SubQuestion("Who is it?"),), "2023\n1 Maria: Me.")
    data = answer_data(work)
    assert data["parts"] == []
    assert data["evidence"] == "2023\n1 Maria: Me."


def test_parts_are_numbered_from_one_and_so_are_those_that_they_need() -> None:
    parts = (SubQuestion("Which car?"), SubQuestion("Which colour?", needs=(0,)))
    data = answer_data(ToAnswer("Which colour has the car?", ASKED, (), parts, ""))
    assert [(part["n"], part["needs"]) for part in data["parts"]] == [(1, []), (2, [1])]


def test_citations_in_brackets_belong_to_the_citations() -> None:
    made = replied(AnswerQuestion(answer="Coco [3, 4].", citations=[3, -1, 7], confidence=3.0))
    assert (made.text, made.citations, made.confidence) == ("Coco.", (3, 7, 4), 1.0)


def test_no_text_is_no_answer() -> None:
    assert replied(AnswerQuestion(answer=" [1]")).abstained


def test_a_follow_up_has_its_anchor_in_it() -> None:
    lacking = {"answer": "A song", "sufficient": False, "missing": "Whose song is the Elm Waltz?"}
    assert replied(AnswerQuestion(**lacking, missing_anchor="the Elm Waltz")).follow_up is not None
    assert replied(AnswerQuestion(**lacking, missing_anchor="the moon")).follow_up is None
    assert replied(AnswerQuestion(**{**lacking, "sufficient": True}, missing_anchor="Elm Waltz")).follow_up is None
