"""Plans that are made once."""

from datetime import UTC, datetime

import pytest

from hmem.errors import ModelGarbled
from hmem.model.plan import Plan, SubQuestion
from hmem.retrieval.plan import PlanKey, Plans

MINUTE = datetime(2024, 1, 1, 12, 30, tzinfo=UTC)


def test_a_question_is_planned_once_in_a_minute() -> None:
    plans, made = Plans(), Plan("Who?", (SubQuestion("Who?"),))
    calls: list[int] = []

    def make() -> Plan:
        calls.append(1)
        return made

    for second in (1, 59):
        assert plans.get(PlanKey.of_request("m", "Who?", MINUTE.replace(second=second), ["Maria"]), make) is made
    assert len(calls) == 1
    plans.get(PlanKey.of_request("m", "Who?", MINUTE, ["Maria", "Ben"]), make)
    plans.get(PlanKey.of_request("other", "Who?", MINUTE, ["Maria"]), make)
    assert len(calls) == 3


def test_a_plan_that_could_not_be_made_is_tried_again() -> None:
    plans, asked = Plans(), PlanKey.of_request("m", "Who?", MINUTE, [])

    def fail() -> Plan:
        raise ModelGarbled("no plan - ask again")

    with pytest.raises(ModelGarbled):
        plans.get(asked, fail)
    assert plans.get(asked, lambda: Plan("Who?", ())).parts == ()
