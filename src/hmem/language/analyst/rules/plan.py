"""How to look a question up: its parts, scope, coverage, time frame, entities and kind of answer."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from hmem.language.analyst.rules.asking import asking
from hmem.language.analyst.rules.asking_names import named_in
from hmem.language.analyst.rules.asking_scope import scope_of
from hmem.language.analyst.rules.asking_time import frame_of
from hmem.language.analyst.rules.asking_type import answer_type
from hmem.language.analyst.rules.splitting import Cut, cuts
from hmem.language.regex import regex
from hmem.model.plan import Plan, SubQuestion

# Of a longer question only this many characters at its end are read.
_MOST_READ: Final = 2_000
_WHOLE: Final = regex(r"\b(?:both|each)\b", re.IGNORECASE)


def plan(question: str, asked: datetime, people: Sequence[str]) -> Plan:
    """The plan for a question asked at a time, in a memory where these people speak."""
    parts = cuts(question, people)
    planned = [_part(cut, asked, people) for cut in parts]
    if len(parts) > 1 and not any(cut.needs for cut in parts) and _WHOLE.search(question):
        planned = [_gathered(part, question) for part in planned]
    return Plan(question, tuple(planned))


def _part(cut: Cut, asked: datetime, people: Sequence[str]) -> SubQuestion:
    read = cut.text[-_MOST_READ:]
    parts = asking(read)
    frame = frame_of(read, asked, people)
    scope, coverage = scope_of(parts, framed=bool(frame.spans))
    return SubQuestion(
        text=cut.text,
        scope=scope,
        coverage=coverage,
        mode="intersective" if frame.spans else "sequential",
        spans=frame.spans,
        topic=frame.topic if frame.spans else cut.text,
        entities=named_in(read, people),
        answer_type=answer_type(parts),
        needs=cut.needs,
    )


def _gathered(part: SubQuestion, question: str) -> SubQuestion:
    """A part of a question about several people: what each did counts in full."""
    scope, coverage = scope_of(asking(question))
    return replace(part, scope="long" if part.scope == "long" and scope == "long" else "mixed", coverage=coverage)
