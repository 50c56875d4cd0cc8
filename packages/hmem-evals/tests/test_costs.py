"""What models took, and what a judge makes of the answers."""

from datetime import UTC, datetime, timedelta

import pytest

from hmem.errors import UnknownName
from hmem.model.answer import Usage
from hmem_evals.asking import Gold, Outcome, TimedAnswer
from hmem_evals.conversations import Conversation, Question
from hmem_evals.costs import by_category, deviation, estimate, model_figures


def outcome(category: str, *correct: bool | None) -> Outcome:
    stages = {
        "plan": Usage(1, 100, 10, 0.01, 5.0),
        "answer": Usage(1, 200, 20, 0.02, 10.0),
        "judge": Usage(1, 50, 5, 0.03, 1.0),
    }
    first, *again = (TimedAnswer("x", False, 0.5, 20.0, stages, correct=each) for each in correct)
    question = Question("q", "Who?", "Ana", category, ("1",))
    return Outcome(question, Gold(("1",), (), ()), ("1",), ("s",), 1.0, 10, 1.0, first, None, None, tuple(again))


def test_calls_and_tokens_are_those_of_the_memory_and_the_judges_stand_apart() -> None:
    made = model_figures([outcome("a", True), outcome("b", False)], Usage(3, 1_000, 500, 0.5, 99.0), "m/1", 1)
    assert (made["calls"], made["input_tokens"], made["output_tokens"]) == (7, 1_600, 560)
    assert made["stages"]["judge"]["calls"] == 2
    assert made["stages"]["formation"]["ms"] == 99.0
    assert made["stages"]["recall"]["ms_per_answer"] == 5.0
    assert (made["judged_accuracy"], made["calls_per_answer"], made["repeats"]) == (0.5, 2.0, 1)
    assert made["cost"] == 0.62


def test_repeats_have_a_mean_and_a_sample_deviation() -> None:
    outcomes = [outcome("a", True, True, False), outcome("a", True, False, False)]
    spread = model_figures(outcomes, Usage(), "m/1", 3)["spread"]
    assert spread["judged_accuracy"] == {"runs": [1.0, 0.5, 0.0], "mean": 0.5, "deviation": 0.5}
    assert spread["divided"] == 1.0


def test_an_answer_without_a_verdict_counts_neither_way() -> None:
    outcomes = [outcome("a", True), outcome("b", None)]
    assert by_category(outcomes) == {"a": 1.0, "b": None}
    assert model_figures(outcomes, Usage(), "m/1", 1)["unjudged"] == 1


def test_one_value_has_no_deviation() -> None:
    assert deviation([0.5]) == {"mean": 0.5, "deviation": None}
    assert deviation([]) == {"mean": None, "deviation": None}


def test_without_a_judge_nothing_is_judged() -> None:
    made = model_figures([outcome("a", None)], Usage(), None, 1)
    assert (made["judged_accuracy"], made["repeats"], made["unjudged"]) == (None, None, None)


AT = datetime(2024, 1, 1, tzinfo=UTC)
MODEL = "openai:gpt-4o-mini"
TALK = Conversation(
    "c",
    tuple(
        {
            "text": f"I saw bird {i}",
            "speaker": "Ana",
            "at": AT + timedelta(minutes=i),
            "session": "s",
            "message_id": str(i),
        }
        for i in range(6)
    ),
    (
        Question("1", "Which bird?", "bird 1", "single-hop", ("1",)),
        Question("2", "Who sold it?", "", "adversarial", (), unanswerable=True),
    ),
)


def made(**changes: object) -> dict[str, object]:
    usual = {"analyst": MODEL, "judge": MODEL, "repeats": 3, "tokens": 1_272, "recipe": "fusion"}
    return estimate([TALK], **{**usual, **changes})  # type: ignore[arg-type] - figures of every kind


def test_each_stage_is_counted_and_the_plan_once() -> None:
    stages = made()["stages"]
    assert {name: stage["calls"] for name, stage in stages.items()} == {
        "formation: read": 1,
        "formation: write": 1,
        "plan": 2,
        "answer": 6,
        "judge": 3,
        "simplify": 1,
    }
    assert stages["answer"]["input_tokens"] > 6 * 1_272


def test_the_money_is_told_where_every_price_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = f"{MODEL}@http://127.0.0.1:1/v1"
    assert made()["cost"] > 0
    assert made(judge=elsewhere)["cost"] is None
    monkeypatch.setenv("HMEM_MODEL_PRICE", "1,1")
    assert made(judge=f"openai:other@{elsewhere.partition('@')[2]}")["cost"] > 0


def test_rules_take_nothing() -> None:
    told = made(analyst="verbatim", judge=None)
    assert (told["calls"], told["stages"]) == (0, {})


def test_a_judge_must_be_a_model() -> None:
    with pytest.raises(UnknownName):
        made(judge="verbatim")
