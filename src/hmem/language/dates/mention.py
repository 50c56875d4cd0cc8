"""The value that the search for dates gives."""

from dataclasses import dataclass
from typing import Literal

from hmem.model.span import Span

Kind = Literal["point", "since", "until", "duration", "recurring", "vague"]
Granularity = Literal[
    "minute", "hour", "part", "day", "week", "weekend", "month", "season", "quarter", "year", "decade"
]


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date named in a text: characters ``start`` to ``end``, the span of time meant, and how it is meant.

    ``span`` is in the offset of the time of saying. ``relative`` means that the words need that time to be
    understood: "yesterday" and "in March" do, "5 July 2023" does not.
    """

    start: int
    end: int
    text: str
    span: Span
    kind: Kind
    granularity: Granularity
    relative: bool
