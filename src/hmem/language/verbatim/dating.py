"""Time of a sentence: that of its main date, if it has one."""

from datetime import datetime
from typing import Final

from hmem.language.dates import DateMention, find_dates
from hmem.language.dates.words import MONTHS
from hmem.model.span import Span

# Preference among several dates: a point before a beginning or an end, then the more exact one.
_KINDS: Final = ("point", "since", "until")
_EXACTNESS: Final = ("minute", "hour", "part", "day", "weekend", "week", "month", "season", "quarter", "year")


def happened(text: str, said: datetime, *, ahead: bool = False) -> Span | None:
    """Return the span of the main date of a sentence; None if it has none. ``ahead``: it is a plan."""
    mentions = [
        mention
        for mention in find_dates(text, said, ahead=ahead)
        # A decade tells of what age things are, not when something happened.
        if mention.granularity in _EXACTNESS and (mention.kind in _KINDS or _is_range(mention))
    ]
    return min(mentions, key=_rank).span if mentions else None


def _is_range(mention: DateMention) -> bool:
    """Tell if a duration is one of the calendar: "2 to 16 August"."""
    return mention.kind == "duration" and not MONTHS.keys().isdisjoint(mention.text.lower().split())


def _rank(mention: DateMention) -> tuple[int, int, int]:
    return (
        _KINDS.index("point" if _is_range(mention) else mention.kind),
        _EXACTNESS.index(mention.granularity),
        mention.start,
    )
