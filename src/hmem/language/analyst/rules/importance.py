"""Initial importance, 1 to 10: identity and alignment, usefulness, persistence and goals (HMO, formation)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from hmem.language.analyst.base import Curation, Passage
from hmem.language.analyst.rules.curate import curate
from hmem.language.analyst.rules.formula import telling
from hmem.language.analyst.rules.wording import READ, content_stems, turn_stems
from hmem.language.regex import regex
from hmem.model.turn import Turn

LEAST: Final = 1
GREATEST: Final = 10


@dataclass(frozen=True, slots=True)
class _Level:
    """Turns that hold such a phrase are worth this much."""

    worth: int
    pattern: re.Pattern[str]


def _level(worth: int, *phrases: str) -> _Level:
    return _Level(worth, regex(r"\b(?:" + "|".join(phrases) + r")"))


_I: Final = r"(?:i|we)(?:'(?:m|re|ve|d|ll)| am| are| was| were| have| had| got)? (?:\w+ )?"

# 9 to 10: identity, hard constraints, major milestones. 7 to 8: preferences, habits, detailed decisions.
_LEVELS: Final = (
    _level(
        10,
        r"allerg(?:y|ies|ic)\b",
        r"anaphyla",
        r"epipen\b",
        r"(?:diabet|epilep|celiac|coeliac|asthma)\w*",
        r"diagnosed\b",
        r"(?:i|my \w+) (?:just |recently )?passed away\b",
        r"my (?:name|birthday|blood type|pronouns) (?:is|are)\b",
        _I + r"(?:married|engaged|divorced|pregnant|widowed)\b",
        r"i(?:'m| am) (?:a )?(?:trans(?:gender)?|gay|lesbian|bisexual|non-?binary|queer)\b",
    ),
    _level(
        9,
        r"i(?:'m| am) (?:a|an) (?:\w+ ){0,2}\w+(?:er|or|ist|ian|ant|ent|nurse|cook|chef|vegan|vegetarian|student)\b",
        r"i(?:'m| am) (?:a )?(?:vegan|vegetarian|muslim|jewish|christian|hindu|buddhist|atheist|lactose|gluten)\w*",
        r"(?:can(?:no|')t|must(?: not|n't)|never) (?:eat|drink|touch|tolerate)\b",
        r"my (?:wife|husband|partner|fianc\w+|son|daughter|mother|mom|mum|father|dad|brother|sister|baby)\b.{0,40}"
        r"\b(?:born|died|dead|dies|passed|sick|ill|cancer|wedding|named|called)\b",
        r"(?:got|gotten|getting|gets) (?:married|engaged|divorced|promoted|fired|laid off|hired|accepted)\b",
        r"(?:gave birth|was born|were born|graduat(?:ed|ion)|wedding|funeral|miscarriage|retired|immigrat\w+)\b",
        r"(?:moved|moving|relocat(?:ed|ing)) (?:to|from|into|out|in with)\b",
        r"(?:lost|quit|started|got|landed|left|accepted) (?:my|a|the)(?: \w+){0,2} (?:job|degree|offer|baby)\b",
        r"(?:bought|sold) (?:my|a|our|the)(?: \w+){0,2} (?:house|home|apartment|flat|business|company)\b",
        r"adopt(?:ed|ing|ion)\b",
        r"i(?:'m| am| was) from \w",
        r"i (?:live|lived|grew up|was raised|work|worked) (?:in|at|for|as)\b",
    ),
    _level(
        8,
        r"(?:favou?rite|prefer(?:s|red|ence)?|can't stand|i hate|i detest|allerg\w*)\b",
        r"(?:i|we)(?:'ve)? (?:decided|chose|choose|picked|signed up|enrolled|applied|booked|committed)\b",
        r"(?:every|each) (?:day|week|month|year|morning|evening|night|weekend|summer|winter|\w+day)\b",
        r"(?:i|we)(?:'m| am|'re| are)? (?:always|usually|never|often|normally|typically) \w+",
        r"for (?:\w+ ){0,2}years\b|since (?:19|20)\d\d\b|years ago\b",
        r"my (?:goal|dream|plan|resolution|passion|hobby|job|boss|dog|cat|puppy|kitten|pet|doctor|therapist)s?\b",
    ),
    _level(
        7,
        r"(?:i|we)(?:'(?:m|re|ll)| am| are| will)? (?:really |just |also )?(?:love|like|enjoy|dislike|into|plan\w*|"
        r"going to|gonna|hop(?:e|ing) to|want to|start(?:ed|ing)|join(?:ed|ing)|finish\w*|learn\w*|bought|got|made)\b",
        r"my (?:\w+ )?(?:wife|husband|partner|son|daughter|kids?|mother|mom|mum|father|dad|brother|sister|family|"
        r"friends?|team|house|car|work|school|business|store|studio|book|health)\b",
        r"remind me\b|remember (?:that|to)\b|from now on\b|don't forget\b",
    ),
)

# A question may name what is weighty, but does not say it of anyone.
_ASKED: Final = regex(r"(?<![^.!?\n])[^.!?\n]*+\?")

_MEMORABLE: Final = 5
_QUESTION: Final = 4
_PICTURE: Final = 4
_REPLY: Final = 3
_ALONE: Final = {"question": _QUESTION, "picture": _PICTURE}
_EXACT: Final = frozenset({"number", "date", "name", "length"})
_FORMULA: Final = 1
_VAGUE_WORDS: Final = 1

# Words that a turn and the persona share: from each of these on it is worth one more.
_SHARED: Final = (2, 4)


def importance(passage: Passage, persona: str, curations: Sequence[Curation] | None = None) -> list[int]:
    """How much each wanted turn matters, 1 to 10, against the persona's text; "" for a persona not yet known."""
    known = _known(persona)
    judged = zip(passage.wanted, curate(passage) if curations is None else curations, strict=True)
    return [_importance(turn, curation, known) for turn, curation in judged]


@lru_cache(maxsize=256)
def _known(persona: str) -> frozenset[str]:
    """The telling words of a persona, which stays the same for a session's turns."""
    return frozenset(telling(content_stems(persona)))


def _importance(turn: Turn, curation: Curation, persona: frozenset[str]) -> int:
    words = telling(turn_stems(turn))
    if not curation.memorable:
        return _FORMULA if len(words) <= _VAGUE_WORDS else _FORMULA + 1
    worth = _worth(turn, curation)
    shared = sum(word in persona for word in words)
    return max(LEAST, min(GREATEST, worth + sum(shared >= least for least in _SHARED)))


def _worth(turn: Turn, curation: Curation) -> int:
    """What the turn is worth by the weightiest of its signs: any phrase of a level weighs more than its reasons."""
    read = turn.text[:READ].lower().replace("\u2019", "'")
    if "?" in read:
        read = _ASKED.sub(" ", read)
    for level in _LEVELS:
        if level.pattern.search(read):
            return level.worth
    if not _EXACT.isdisjoint(curation.reasons):
        return _MEMORABLE + 1
    if "statement" in curation.reasons:
        return _MEMORABLE
    return _ALONE.get(curation.reasons[0], _REPLY)
