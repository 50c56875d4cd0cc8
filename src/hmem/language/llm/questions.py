"""Questions and evidence as data for a model, and the model's plans and answers as values."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

from hmem.errors import ModelGarbled
from hmem.language.analyst.language_model import ModelAnswer, PartReply, ToAnswer
from hmem.language.llm.caller import JsonStream
from hmem.language.llm.extraction import span_of
from hmem.language.llm.json_output import PartialJson
from hmem.language.llm.tasks import AnswerQuestion, PlanQuestion, SaidPart
from hmem.model.plan import FollowUp, Plan, SubQuestion

# Most parts of a question, names of a part, characters of a question, and people.
_MAX_PARTS: Final = 6
_NAMES: Final = 12
_QUESTION: Final = 4_000
_PEOPLE: Final = 50


def question_data(question: str, question_time: datetime, people: Sequence[str]) -> dict[str, Any]:
    """Return the data of a question for a model."""
    return {
        "question": question[-_QUESTION:],
        "asked": question_time.isoformat(timespec="minutes"),
        "weekday": f"{question_time:%A}",
        "people": list(people[:_PEOPLE]),
    }


def checked_plan(question: str, question_time: datetime, answer: PlanQuestion) -> Plan:
    """Return the valid parts of a model's plan.

    Raises:
        ModelGarbled: it has no part.
    """
    valid_parts = [answer_part for answer_part in answer.parts[:_MAX_PARTS] if answer_part.text]
    if not valid_parts:
        raise ModelGarbled("the plan of the question has no part - ask again, or plan by the rules")
    return Plan(
        question,
        tuple(_sub_question(answer_part, index, question_time) for index, answer_part in enumerate(valid_parts)),
    )


def _sub_question(answer_part: SaidPart, index: int, question_time: datetime) -> SubQuestion:
    span = span_of(answer_part.time_from, answer_part.time_to, question_time.tzinfo) if answer_part.absolute else None
    return SubQuestion(
        text=answer_part.text[:_QUESTION],
        scope=answer_part.scope,
        coverage=answer_part.coverage,
        mode="intersective" if span else "sequential",
        spans=(span,) if span else (),
        topic=(span and answer_part.topic) or answer_part.text[:_QUESTION],
        entities=tuple(dict.fromkeys(name.strip() for name in answer_part.entities if name.strip()))[:_NAMES],
        answer_type=answer_part.answer_type,
        needs=tuple(sorted({need for need in answer_part.needs if 0 <= need < index})),
    )


# Most characters of an answer and of a follow-up query; most citations.
_ANSWER: Final = 2_000
_QUERY: Final = 400
_CITATIONS: Final = 50
_BRACKETED: Final = re.compile(r"\s*\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]")


def answer_data(work: ToAnswer) -> dict[str, Any]:
    """Return the data of a question and its evidence for a model."""
    lines = work.lines or ((),) * len(work.sub_questions)
    sub_questions = [
        {
            "n": number,
            "question": sub_question.text,
            "needs": [need + 1 for need in sub_question.needs],
            "lines": list(line_numbers),
        }
        for number, (sub_question, line_numbers) in enumerate(zip(work.sub_questions, lines, strict=True), 1)
    ]
    data = question_data(work.question, work.question_time, work.people)
    return {**data, "parts": sub_questions if len(sub_questions) > 1 else [], "evidence": work.evidence}


def model_answer(answer: AnswerQuestion) -> ModelAnswer:
    """Return a model's answer as a value, with citations in brackets moved from the text to ``citations``."""
    text = _BRACKETED.sub("", answer.answer[:_ANSWER]).strip()
    return ModelAnswer(
        text=text,
        citations=_numbers([*answer.citations, *_bracketed(answer.answer)]),
        abstained=answer.abstained or not text,
        confidence=min(max(answer.confidence, 0.0), 1.0) if answer.confidence == answer.confidence else 0.0,
        replies=tuple(
            PartReply(
                sub_answer.n - 1,
                _BRACKETED.sub("", sub_answer.answer[:_ANSWER]).strip(),
                _numbers([*sub_answer.citations, *_bracketed(sub_answer.answer)]),
            )
            for sub_answer in answer.parts[:_CITATIONS]
        ),
        lacks_evidence=not answer.sufficient,
        follow_up=_follow_up(answer),
    )


def _follow_up(answer: AnswerQuestion) -> FollowUp | None:
    """Return the query for missing information, which may be no more than its name; None if there is none."""
    query, anchor = (answer.missing or answer.missing_slot)[:_QUERY], answer.missing_anchor[:_QUERY]
    if answer.sufficient or not query:
        return None
    return FollowUp(query, answer.missing_slot[:_QUERY], anchor if anchor.casefold() in query.casefold() else "")


def _bracketed(text: str) -> list[int]:
    return [int(number) for group in _BRACKETED.findall(text) for number in group.split(",")]


def _numbers(candidates: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(number for number in candidates if number > 0))[:_CITATIONS]


class StreamedAnswer(Iterator[str]):
    """Pieces of an answer's text while its JSON is being generated."""

    def __init__(self, stream: JsonStream[AnswerQuestion], *, hold: bool) -> None:
        self._stream = stream
        self._json = PartialJson()
        self._hold = hold

    def __next__(self) -> str:
        while True:
            chunk = self._json.feed(next(self._stream), "answer")
            fields = self._json.value
            if chunk and not (self._hold and (fields.get("sufficient") is False or fields.get("abstained") is True)):
                return chunk

    def reply(self) -> ModelAnswer:
        """Return the answer as a whole.

        Raises:
            ModelGarbled: it cannot be understood.
        """
        return model_answer(self._stream.output())

    def close(self) -> None:
        """End the call."""
        self._stream.close()
