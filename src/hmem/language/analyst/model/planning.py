"""A question as data, and what is believed of a model's plan for it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from hmem.errors import ModelGarbled
from hmem.language.analyst.model.schemas import PlanQuestion, SaidPart
from hmem.language.analyst.model.telling_time import span_of
from hmem.model.plan import Plan, SubQuestion

# Parts of a question, names of a part, and characters of a question.
_PARTS: Final = 6
_NAMES: Final = 12
_LONGEST: Final = 4_000
_PEOPLE: Final = 50


def question_data(question: str, asked: datetime, people: Sequence[str]) -> dict[str, Any]:
    """What a model is shown of a question."""
    return {
        "question": question[-_LONGEST:],
        "asked": asked.isoformat(timespec="minutes"),
        "weekday": f"{asked:%A}",
        "people": list(people[:_PEOPLE]),
    }


def planned(question: str, asked: datetime, said: PlanQuestion) -> Plan:
    """The plan that is believed.

    Raises:
        ModelGarbled: it has no part.
    """
    parts = [part for part in said.parts[:_PARTS] if part.text]
    if not parts:
        raise ModelGarbled("the plan of the question has no part - ask again, or plan by the rules")
    return Plan(question, tuple(_part(part, place, asked) for place, part in enumerate(parts)))


def _part(said: SaidPart, place: int, asked: datetime) -> SubQuestion:
    span = span_of(said.time_from, said.time_to, asked.tzinfo) if said.absolute else None
    return SubQuestion(
        text=said.text[:_LONGEST],
        scope=said.scope,
        coverage=said.coverage,
        mode="intersective" if span else "sequential",
        spans=(span,) if span else (),
        topic=(span and said.topic) or said.text[:_LONGEST],
        entities=tuple(dict.fromkeys(name.strip() for name in said.entities if name.strip()))[:_NAMES],
        answer_type=said.answer_type,
        needs=tuple(sorted({need for need in said.needs if 0 <= need < place})),
    )
