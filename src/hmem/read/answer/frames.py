"""The time that a question names, and whether a statement tells of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final

from hmem.language.dates import DateMention, find_dates
from hmem.language.regex import regex
from hmem.model.span import Span
from hmem.read.answer.statements import Statement

# A thing is told in the days after it happened.
_TOLD_WITHIN: Final = timedelta(days=9)
_YEAR: Final = regex(r"\b(?:19|20)\d\d\b")
_LONGEST: Final = timedelta(days=200)


@dataclass(frozen=True, slots=True)
class Frame:
    """When what is asked about took place: ``spans``; ``months`` are those named without a year, 1 to 12."""

    spans: tuple[Span, ...]
    months: tuple[int, ...]

    def holds(self, statement: Statement) -> bool:
        """Whether a statement names that time, or was said in it or soon after."""
        said = statement.evidence.when
        named = [mention.span for mention in _dates(statement.line.text, said)]
        if any(self._meets(span) for span in named):
            return True
        return not named and (self._within(said) or self._within(said - _TOLD_WITHIN))

    def _meets(self, span: Span) -> bool:
        if any(span.start < other.end and other.start < span.end for other in self.spans):
            return span.length <= _LONGEST
        return bool(self.months) and span.length <= timedelta(days=32) and span.start.month in self.months

    def _within(self, moment: datetime) -> bool:
        return any(moment in span for span in self.spans) or moment.month in self.months


def frame_of(text: str, asked: datetime, spans: Sequence[Span]) -> Frame | None:
    """The time that a question names; ``spans`` are those that its plan found."""
    mentions = [mention for mention in find_dates(text[:500], asked) if mention.kind == "point"]
    months = tuple(
        mention.span.start.month for mention in mentions if mention.granularity == "month" and not _dated(mention)
    )
    exact = [mention.span for mention in mentions if _dated(mention) or mention.granularity != "month"]
    found = tuple(spans) or tuple(exact)
    return Frame(found if not months else tuple(exact), months) if found or months else None


def _dated(mention: DateMention) -> bool:
    return _YEAR.search(mention.text) is not None


@lru_cache(maxsize=8_192)
def _dates(text: str, said: datetime) -> tuple[DateMention, ...]:
    return tuple(mention for mention in find_dates(text, said) if mention.kind == "point")
