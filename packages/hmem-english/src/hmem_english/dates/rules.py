"""Rules of dates: registration by the first word of an expression, and lookup."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from hmem.language.analyst.lexicon import Kind
from hmem_english.dates.stretch import Interval
from hmem_english.dates.tokenized_text import TokenizedText

# Deepest nesting of points, as in "the day before the day before ...".
_DEEPEST: Final = 4


class Fields(NamedTuple):
    """Fields that a calendar date names itself; the time of saying gives the rest."""

    year: int | None = None
    month: int | None = None
    day: int | None = None


@dataclass(slots=True)
class DateMatch:
    """Tokens ``first`` to ``stop`` (excluded), and the interval of time that they mean."""

    first: int
    stop: int
    stretch: Interval
    kind: Kind = "point"
    relative: bool = True
    fields: Fields | None = None


Rule = Callable[[TokenizedText, int], DateMatch | None]
_POINTS: Final[dict[str, list[Rule]]] = {}
_PHRASES: Final[dict[str, list[Rule]]] = {}


def point_rule(*starts: str) -> Callable[[Rule], Rule]:
    """Register a rule for points in time that start with any of these words, or kinds of token as ``:kind``."""
    return lambda rule: _register(_POINTS, starts, rule)


def phrase_rule(*starts: str) -> Callable[[Rule], Rule]:
    """Register a rule for phrases around points ("since", "every"), which are tried before points."""
    return lambda rule: _register(_PHRASES, starts, rule)


def leads(reading: TokenizedText, i: int) -> bool:
    """Tell if any rule starts at a token."""
    word, kind = reading.words[i], f":{reading.kinds[i]}"
    return word in _POINTS or word in _PHRASES or kind in _POINTS or kind in _PHRASES


def _register(table: dict[str, list[Rule]], starts: tuple[str, ...], rule: Rule) -> Rule:
    for start in starts:
        table.setdefault(start, []).append(rule)
    return rule


def point(reading: TokenizedText, i: int) -> DateMatch | None:
    """Return the point in time that starts at a token, or None."""
    if reading.depth >= _DEEPEST:
        return None
    reading.depth += 1
    try:
        return _first(_POINTS, reading, i)
    finally:
        reading.depth -= 1


def phrase(reading: TokenizedText, i: int) -> DateMatch | None:
    """Return the phrase or the point in time that starts at a token, or None."""
    return _first(_PHRASES, reading, i) or point(reading, i)


def _first(table: dict[str, list[Rule]], reading: TokenizedText, i: int) -> DateMatch | None:
    rules = table.get(reading.word(i)) or table.get(f":{reading.kind(i)}")
    for rule in rules or ():
        if match := rule(reading, i):
            return match
    return None


def directed(reading: TokenizedText, i: int, forced: int = 0, neutral: int = 0) -> DateMatch | None:
    """Return the point at a token, with a forced direction, or one for a neutral clause: past (-1) or future (1)."""
    before = reading.forced, reading.neutral
    reading.forced, reading.neutral = forced, neutral or reading.neutral
    try:
        return point(reading, i)
    finally:
        reading.forced, reading.neutral = before
