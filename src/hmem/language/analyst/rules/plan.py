"""How to look a question up: its parts, scope, coverage, time frame, entities and kind of answer."""

from collections.abc import Sequence
from datetime import datetime

from hmem.model.plan import Plan, SubQuestion


def plan(question: str, asked: datetime, people: Sequence[str]) -> Plan:  # noqa: ARG001
    """The plan for a question asked at a time, in a memory where these people speak."""
    return Plan(question, (SubQuestion(question, topic=question),))
