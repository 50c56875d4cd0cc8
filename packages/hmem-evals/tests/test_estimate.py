"""What an evaluation would take."""

from datetime import UTC, datetime, timedelta

import pytest

from hmem.errors import UnknownName
from hmem.interfaces.formats.conversations import Conversation, Question
from hmem_evals.estimate import estimate

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
    told = made(analyst="rules", judge=None)
    assert (told["calls"], told["stages"]) == (0, {})


def test_a_judge_must_be_a_model() -> None:
    with pytest.raises(UnknownName):
        made(judge="rules")
