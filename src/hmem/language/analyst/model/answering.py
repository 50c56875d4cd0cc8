"""A question and its evidence as data, and what a model says of them as values."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from hmem.language.analyst.answering import ModelAnswer, PartReply, ToAnswer
from hmem.language.analyst.model.caller import Streamed
from hmem.language.analyst.model.planning import question_data
from hmem.language.analyst.model.schemas import AnswerQuestion
from hmem.language.analyst.model.unfolding import PartialJson
from hmem.model.plan import FollowUp

# Characters of an answer, and of what is missing; numbers of lines.
_LONGEST: Final = 2_000
_QUERY: Final = 400
_CITATIONS: Final = 50
_BRACKETED: Final = re.compile(r"\s*\[(\d{1,4}(?:\s*,\s*\d{1,4})*)\]")


def answer_data(work: ToAnswer) -> dict[str, Any]:
    """What a model is shown to answer from."""
    parts = [
        {"n": place, "question": part.text, "needs": [need + 1 for need in part.needs]}
        for place, part in enumerate(work.parts, 1)
    ]
    data = question_data(work.question, work.asked, work.people)
    return {**data, "parts": parts if len(parts) > 1 else [], "evidence": work.evidence}


def replied(said: AnswerQuestion) -> ModelAnswer:
    """What was said, as values: citations in brackets belong to the citations, and none is told twice."""
    text = _BRACKETED.sub("", said.answer[:_LONGEST]).strip()
    return ModelAnswer(
        text=text,
        citations=_numbers([*said.citations, *_bracketed(said.answer)]),
        abstained=said.abstained or not text,
        confidence=min(max(said.confidence, 0.0), 1.0) if said.confidence == said.confidence else 0.0,
        parts=tuple(
            PartReply(
                part.n - 1,
                _BRACKETED.sub("", part.answer[:_LONGEST]).strip(),
                _numbers([*part.citations, *_bracketed(part.answer)]),
            )
            for part in said.parts[:_CITATIONS]
        ),
        lacking=not said.sufficient,
        follow_up=_follow_up(said),
    )


def _follow_up(said: AnswerQuestion) -> FollowUp | None:
    """The query for what is missing, when it holds the anchor that it says it has."""
    query, anchor = said.missing[:_QUERY], said.missing_anchor[:_QUERY]
    if said.sufficient or not query or not anchor or anchor.casefold() not in query.casefold():
        return None
    return FollowUp(query, said.missing_slot[:_QUERY], anchor)


def _bracketed(text: str) -> list[int]:
    return [int(number) for found in _BRACKETED.findall(text) for number in found.split(",")]


def _numbers(given: Iterable[int]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(number for number in given if number > 0))[:_CITATIONS]


class StreamedAnswer(Iterator[str]):
    """The pieces of an answer's text while its JSON is being said."""

    def __init__(self, streamed: Streamed[AnswerQuestion], *, hold: bool) -> None:
        self._streamed = streamed
        self._unfolding = PartialJson("answer")
        self._hold = hold

    def __next__(self) -> str:
        while True:
            piece = self._unfolding.feed(next(self._streamed))
            if piece and not (self._hold and self._unfolding.settled.get("sufficient") == "false"):
                return piece

    def reply(self) -> ModelAnswer:
        """What was said as a whole.

        Raises:
            ModelGarbled: it cannot be understood.
        """
        return replied(self._streamed.output())

    def close(self) -> None:
        """Break it off."""
        self._streamed.close()
