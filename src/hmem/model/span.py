"""Times and spans of time.

Every time in hmem is an aware ``datetime`` that keeps its original offset; it is stored as microseconds since
1970-01-01 UTC and the offset in minutes.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from hmem.errors import InvalidTime
from hmem.model.plain import by_fields_alone
from hmem.model.value import Value

# End of a span that is still open.
OPEN: Final = datetime(9999, 12, 31, tzinfo=UTC)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# A timedelta, seconds, or a text such as ``30d``.
Duration = timedelta | str | float

# Leap seconds end an hour in every zone, and a quarter of it in some.
_LEAP: Final = re.compile(r"(.+[T ]\d\d:?(?:14|29|44|59):?)60(?:[.,]\d+)?(Z|[+-]\d\d(?::?\d\d)?)?", re.IGNORECASE)
_SECOND: Final = timedelta(seconds=1)
_DURATION: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(s|min|h|d|w|y)\s*")
_UNITS: Final = {"s": 1, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800, "y": 31_557_600}
_FORM = "use ISO 8601, such as 2025-03-14T19:02:00+01:00"


# Digests of what models read hold its fields as they are written here.
@by_fields_alone
@dataclass(frozen=True, slots=True)
class Span(Value):
    """A span of time, start included, end excluded.

    Raises:
        InvalidTime: a bound without a zone, or an end before the start.
    """

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.start.tzinfo is None or self.end.tzinfo is None:
            raise InvalidTime("a span needs aware times - give both bounds a UTC offset")
        if self.end < self.start:
            raise InvalidTime(f"a span cannot end ({self.end}) before it starts ({self.start}) - swap them")

    def __contains__(self, moment: datetime) -> bool:
        return self.start <= moment < self.end

    @property
    def length(self) -> timedelta:
        return self.end - self.start


def zone(name: str) -> tzinfo:
    """Return the time zone of an IANA name such as ``Europe/Lisbon``.

    Raises:
        InvalidTime: no zone has this name.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise InvalidTime(f"no time zone is called {name!r} - use an IANA name such as 'Europe/Lisbon'") from error


def parse_time(value: datetime | str | float, naive_zone: tzinfo) -> datetime:
    """Return an aware time from a datetime, an ISO 8601 text or seconds since 1970 (UTC).

    A time without an offset is in ``naive_zone``; the machine's own zone is never used.

    Raises:
        InvalidTime: the value does not parse, or lies outside the years 1 to 9999.
    """
    if isinstance(value, bool):
        raise InvalidTime(f"{value!r} is not a time - {_FORM}")
    try:
        if isinstance(value, str):
            moment = _parse_iso(value.strip())
        elif isinstance(value, datetime):
            moment = value
        else:
            moment = _EPOCH + timedelta(seconds=value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=naive_zone)
        return from_stored(*to_stored(moment))
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidTime(f"{value!r} is not a time - {_FORM}") from error


def _parse_iso(text: str) -> datetime:
    """Return the time of an ISO 8601 text. A leap second, ``23:59:60``, is the first moment after it."""
    if (leap := _LEAP.fullmatch(text)) is None:
        return datetime.fromisoformat(text)
    return datetime.fromisoformat(f"{leap[1]}59{leap[2] or ''}") + _SECOND


def duration(value: Duration) -> timedelta:
    """Return a duration from a timedelta, seconds, or a number with ``s``, ``min``, ``h``, ``d``, ``w`` or ``y``.

    Raises:
        InvalidTime: the value is not a duration above zero.
    """
    form = "use seconds, or a text such as '12h' or '30d'"
    if isinstance(value, bool):
        raise InvalidTime(f"{value!r} is no duration - {form}")
    try:
        if isinstance(value, str):
            match = _DURATION.fullmatch(value.lower())
            value = float(match[1]) * _UNITS[match[2]] if match else float(value)
        length = value if isinstance(value, timedelta) else timedelta(seconds=value)
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidTime(f"{value!r} is no duration - {form}") from error
    if length <= timedelta():
        raise InvalidTime(f"{value!r} is no duration above zero - {form}")
    return length


def to_stored(moment: datetime) -> tuple[int, int]:
    """Return microseconds since 1970 in UTC, and the offset in minutes (seconds of an offset are dropped)."""
    offset = moment.utcoffset() or timedelta()
    return (moment - _EPOCH) // _MICROSECOND, int(offset.total_seconds() // 60)


def from_stored(microseconds: int, offset_minutes: int) -> datetime:
    """Return the time that ``to_stored`` was given."""
    time = _EPOCH + timedelta(microseconds=microseconds)
    return time if offset_minutes == 0 else time.astimezone(timezone(timedelta(minutes=offset_minutes)))


def now() -> datetime:
    """Return the present time, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Standpoint:
    """Bounds of a view in µs since 1970, of what was ``known`` and of what was ``valid`` then; None is no bound.

    A known fact had been said by that time, and later decisions are not seen. A valid fact had begun by that time and
    had not ended, whenever it was said.
    """

    known: int | None = None
    valid: int | None = None

    def __bool__(self) -> bool:
        return self.known is not None or self.valid is not None


PRESENT = Standpoint()
