"""Questions and evidence as data for a model, and the model's plans and answers as values."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from hmem.errors import ModelGarbled
from hmem.language.analyst.language_model import ModelAnswer, PartReply, ToAnswer
from hmem.language.llm.caller import Streamed
from hmem.language.llm.extraction import span_of
from hmem.language.llm.json_output import PartialJson
from hmem.language.llm.tasks import AnswerQuestion, PlanQuestion, SaidPart
from hmem.model.plan import FollowUp, Plan, SubQuestion

# Most parts of a question, names of a part, characters of a question, and people.
_PARTS: Final = 6
_NAMES: Final = 12
_QUESTION: Final = 4_000
_PEOPLE: Final = 50


def question_data(question: str, asked: datetime, people: Sequence[str]) -> dict[str, Any]:
    """Return the data of a question for a model."""
    return {
        "question": question[-_QUESTION:],
        "asked": asked.isoformat(timespec="minutes"),
        "weekday": f"{asked:%A}",
        "people": list(people[:_PEOPLE]),
    }


def checked_plan(question: str, asked: datetime, said: PlanQuestion) -> Plan:
    """Return the valid parts of a model's plan.

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
        text=said.text[:_QUESTION],
        scope=said.scope,
        coverage=said.coverage,
        mode="intersective" if span else "sequential",
        spans=(span,) if span else (),
        topic=(span and said.topic) or said.text[:_QUESTION],
        entities=tuple(dict.fromkeys(name.strip() for name in said.entities if name.strip()))[:_NAMES],
        answer_type=said.answer_type,
        needs=tuple(sorted({need for need in said.needs if 0 <= need < place})),
    )


# Most characters of an answer and of a follow-up query; most citations.
_ANSWER: Final = 2_000
_QUERY: Final = 400
_CITATIONS: Final = 50
_BRACKETED: Final = re.compile(r"\s*\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]")


def answer_data(work: ToAnswer) -> dict[str, Any]:
    """Return the data of a question and its evidence for a model."""
    lines = work.lines or ((),) * len(work.parts)
    parts = [
        {"n": place, "question": part.text, "needs": [need + 1 for need in part.needs], "lines": list(own)}
        for place, (part, own) in enumerate(zip(work.parts, lines, strict=True), 1)
    ]
    data = question_data(work.question, work.asked, work.people)
    return {**data, "parts": parts if len(parts) > 1 else [], "evidence": work.evidence}


def model_answer(said: AnswerQuestion) -> ModelAnswer:
    """Return a model's answer as a value, with citations in brackets moved from the text to ``citations``."""
    text = _BRACKETED.sub("", said.answer[:_ANSWER]).strip()
    return ModelAnswer(
        text=text,
        citations=_numbers([*said.citations, *_bracketed(said.answer)]),
        abstained=said.abstained or not text,
        confidence=min(max(said.confidence, 0.0), 1.0) if said.confidence == said.confidence else 0.0,
        parts=tuple(
            PartReply(
                part.n - 1,
                _BRACKETED.sub("", part.answer[:_ANSWER]).strip(),
                _numbers([*part.citations, *_bracketed(part.answer)]),
            )
            for part in said.parts[:_CITATIONS]
        ),
        lacking=not said.sufficient,
        follow_up=_follow_up(said),
    )


def _follow_up(said: AnswerQuestion) -> FollowUp | None:
    """Return the query for missing information, which may be no more than its name; None if there is none."""
    query, anchor = (said.missing or said.missing_slot)[:_QUERY], said.missing_anchor[:_QUERY]
    if said.sufficient or not query:
        return None
    return FollowUp(query, said.missing_slot[:_QUERY], anchor if anchor.casefold() in query.casefold() else "")


def _bracketed(text: str) -> list[int]:
    return [int(number) for found in _BRACKETED.findall(text) for number in found.split(",")]


def _numbers(given: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(number for number in given if number > 0))[:_CITATIONS]


class StreamedAnswer(Iterator[str]):
    """Pieces of an answer's text while its JSON is being generated."""

    def __init__(self, streamed: Streamed[AnswerQuestion], *, hold: bool) -> None:
        self._streamed = streamed
        self._json = PartialJson()
        self._hold = hold

    def __next__(self) -> str:
        while True:
            piece = self._json.feed(next(self._streamed), "answer")
            said = self._json.value
            if piece and not (self._hold and (said.get("sufficient") is False or said.get("abstained") is True)):
                return piece

    def reply(self) -> ModelAnswer:
        """Return the answer as a whole.

        Raises:
            ModelGarbled: it cannot be understood.
        """
        return model_answer(self._streamed.output())

    def close(self) -> None:
        """End the call."""
        self._streamed.close()
