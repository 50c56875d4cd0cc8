"""How rules are found by the word that an expression starts with, and what they give."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from hmem.language.dates.reading import TokenizedText
from hmem.language.dates.stretch import Interval, Kind

# "The day before the day before ...": more of this is not language.
_DEEPEST: Final = 4


class Fields(NamedTuple):
    """What a calendar date names of itself; the rest follows from the time of saying."""

    year: int | None = None
    month: int | None = None
    day: int | None = None


@dataclass(slots=True)
class DateMatch:
    """Tokens ``first`` to ``stop`` (excluded) mean a stretch of time."""

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
    """Register a rule for phrases around points ("since", "every"); they are tried before points."""
    return lambda rule: _register(_PHRASES, starts, rule)


def leads(reading: TokenizedText, i: int) -> bool:
    """Whether any rule starts at a token: where none does, nothing is found."""
    word, kind = reading.words[i], f":{reading.kinds[i]}"
    return word in _POINTS or word in _PHRASES or kind in _POINTS or kind in _PHRASES


def _register(table: dict[str, list[Rule]], starts: tuple[str, ...], rule: Rule) -> Rule:
    for start in starts:
        table.setdefault(start, []).append(rule)
    return rule


def point(reading: TokenizedText, i: int) -> DateMatch | None:
    """The point in time that starts at a token, if one does."""
    if reading.depth >= _DEEPEST:
        return None
    reading.depth += 1
    try:
        return _first(_POINTS, reading, i)
    finally:
        reading.depth -= 1


def phrase(reading: TokenizedText, i: int) -> DateMatch | None:
    """The phrase or the point in time that starts at a token, if one does."""
    return _first(_PHRASES, reading, i) or point(reading, i)


def _first(table: dict[str, list[Rule]], reading: TokenizedText, i: int) -> DateMatch | None:
    rules = table.get(reading.word(i)) or table.get(f":{reading.kind(i)}")
    for rule in rules or ():
        if found := rule(reading, i):
            return found
    return None


def directed(reading: TokenizedText, i: int, forced: int = 0, neutral: int = 0) -> DateMatch | None:
    """The point at a token, its direction forced, or a neutral clause taken for the past (-1) or the future (1)."""
    before = reading.forced, reading.neutral
    reading.forced, reading.neutral = forced, neutral
    try:
        return point(reading, i)
    finally:
        reading.forced, reading.neutral = before
