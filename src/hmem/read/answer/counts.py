"""How many, how long and how often: the number that stands with what is counted, or the occasions, counted."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import takewhile
from typing import Final

from hmem.language.analyst.rules.wordlist import words
from hmem.language.dates.words import CARDINALS
from hmem.language.inflection import root
from hmem.language.regex import regex
from hmem.read.answer.asking import Asked
from hmem.read.answer.confidence import Reply
from hmem.read.answer.latest import latest
from hmem.read.answer.measures import nearest, touching
from hmem.read.answer.statements import Statement

_ONES: Final = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_ORDINALS: Final = {
    word: number
    for number, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], 1
    )
} | {f"{number}{end}": number for number, end in enumerate(["st", "nd", "rd", *["th"] * 9], 1)}
_NUMBER: Final = rf"(?:\d[\d,.]*(?:-\d+)?|{'|'.join(CARDINALS)}|a hundred|a dozen|a couple(?: of)?)"
_COUNTED: Final = regex(rf"\b({_NUMBER})(?=\s+((?:[a-z'-]+\s+){{0,2}}[a-z'-]+))", re.IGNORECASE)
# What comes on top of a number is not the number.
_MORE: Final = words("more other additional extra another")
# A noun and what is said before it end here.
_ENDS: Final = words(
    "of in on at for to from with by and or but that which who so i we you he she they it is are was were has have had "
    "since ago the a an this my your his her their our per each every"
)
_UNIT: Final = r"(?:second(?!-)|minute|hour|day|night|week|weekend|month|year|decade)s?"
_LASTING: Final = regex(
    rf"\b(?:(?:about|around|almost|over|nearly|more than|just under) )?(?:{_NUMBER}|(?<!times )(?<!once )(?<!twice )an?"
    rf"|a few"
    rf"|several)(?: and a half)? {_UNIT}"
    r"(?: ago\b| each way\b)?|\bsince (?:\d{4}|(?-i:[A-Z][a-z]+)(?: \d{4})?|i was \w+)",
    re.IGNORECASE,
)
_OFTEN: Final = regex(
    rf"\b(?:at least |about |almost |around )?(?:(?:once|twice)(?: or (?:twice|thrice))?|(?:{_NUMBER}|a few"
    rf"|several) times)"
    r"(?: (?:a|an|every|each|per) (?:other )?\w+)?|\b(?:every|each) (?:other |single |few |two "
    r"|three )?(?:\w+day|day|week|"
    r"weekend|month|year|morning|evening|night|summer|winter)s?\b|\b(?:daily|weekly|monthly|yearly)\b",
    re.IGNORECASE,
)
_TIMES: Final = regex(r"\bhow many times\b", re.IGNORECASE)
_BACK: Final = regex(r"\s+ago$", re.IGNORECASE)
_LOOKED_AT: Final = 8
_COUNTS_LOOKED_AT: Final = 12
# How long something lasts grows while it lasts.
_ONGOING: Final = regex(r"\b(?:have|has|had|is|are|am|been|do|does|currently|now|so far|'ve)\b", re.IGNORECASE)
# An occasion is one whose statement covers the question nearly as well as the best does.
_NEARLY: Final = 0.75
_MOST: Final = 12


def measure_out(asked: Asked, statements: Sequence[Statement]) -> Reply | None:
    """The answer to "how many", "how long" or "how often"; None when no number can be read."""
    if asked.kind == "duration":
        lasting = _first(_LASTING, asked, statements)
        return _lasted(lasting) if lasting is not None and "ago" not in asked.text.lower().split() else lasting
    if asked.kind == "frequency":
        return _first(_OFTEN, asked, statements)
    if asked.kind == "count":
        return _counted(asked, statements) or _ranked(asked, statements) or _occasions(asked, statements)
    return None


def _lasted(reply: Reply) -> Reply:
    """How long a thing took, where its statement says how long ago it began."""
    return Reply(_BACK.sub("", reply.text), reply.used)


def _told(number: int, asked: Asked) -> str:
    """A number as people write it: small ones in words, and occasions as "twice"."""
    times = _TIMES.search(asked.text) is not None
    if times and number in (1, 2):
        return ("once", "twice")[number - 1]
    plain = _ONES[number - 1] if 0 < number <= len(_ONES) else str(number)
    return f"{plain} times" if times else plain


def _first(pattern: re.Pattern[str], asked: Asked, statements: Sequence[Statement]) -> Reply | None:
    """What the best statement that fits a pattern says of the question; of what goes on, the latest."""
    told = [
        (nearest(found, statement.line.text, asked.roots)[0], statement)
        for statement in touching(asked.roots, statements[:_LOOKED_AT])
        if (found := [*pattern.finditer(statement.line.text)])
    ]
    if not told:
        return None
    value, statement = latest(asked, told) if _ONGOING.search(asked.text) else told[0]
    return Reply(value, [statement])


def _counted(asked: Asked, statements: Sequence[Statement]) -> Reply | None:
    """The number before the noun that is counted."""
    counted = _heads(asked)
    if not counted:
        return None
    near: dict[int, set[str]] = {}
    for statement in statements:
        near.setdefault(statement.turn, set()).update(statement.line.roots)
    told: list[tuple[str, Statement]] = []
    for place, statement in enumerate(statements[:_COUNTS_LOOKED_AT]):
        if statement.features["other"] or statement.line.asks:
            continue
        found = [
            (_matched(each[2], counted, near[statement.turn]), each[1])
            for each in _COUNTED.finditer(statement.line.text)
        ]
        best = max(found, key=lambda each: each[0], default=(0.0, ""))
        # What does not name the thing itself only follows what does.
        if best[0] >= 1 or (best[0] and (told or place < _LOOKED_AT or statement.features["cover_turn"])):
            told.append((best[1], statement))
    if not told:
        return None
    value, statement = latest(asked, told)
    return Reply(value, [statement])


def _heads(asked: Asked) -> set[str]:
    """The roots of the noun that is counted, without what it is of."""
    before, _, _ = asked.text.lower().partition(" of ")
    heads = {root(word) for word in asked.focus if word in before} or {root(word) for word in asked.focus}
    return heads - {"tim"}


def _matched(behind: str, counted: AbstractSet[str], near: AbstractSet[str]) -> float:
    """How many of the words behind a number are of the noun; half a one for "ones" in a turn that has the noun."""
    own = list(takewhile(lambda word: word not in _ENDS, behind.lower().split()))
    if not own or own[0] in _MORE:
        return 0.0
    named = len(counted & set(map(root, own)))
    return named or (0.5 if "ones" in own and not counted.isdisjoint(near) else 0.0)


def _ranked(asked: Asked, statements: Sequence[Statement]) -> Reply | None:
    """The highest place in an order that a statement gives what is counted: "my fourth win" makes four."""
    counted = frozenset(asked.roots)
    best: tuple[int, Statement] | None = None
    for statement in statements[: 2 * _LOOKED_AT]:
        tokens = statement.line.tokens
        for i, token in enumerate(tokens):
            number = _ORDINALS.get(token.lower, 0)
            near = {other.root for other in tokens[i + 1 : i + 4]}
            if number > 1 and near & counted and (best is None or number > best[0]):
                best = (number, statement)
    return None if best is None else Reply(_told(best[0], asked), [best[1]])


def _occasions(asked: Asked, statements: Sequence[Statement]) -> Reply | None:
    """How many sessions tell of it."""
    least = _NEARLY * max(_covered(statement) for statement in statements)
    told: dict[str, Statement] = {}
    for statement in statements:
        if _covered(statement) >= max(least, 0.3) and statement.features["other"] == 0 and not statement.line.asks:
            told.setdefault(statement.evidence.session, statement)
    return Reply(_told(min(len(told), _MOST), asked), list(told.values())) if told else None


def _covered(statement: Statement) -> float:
    return statement.features["cover"] + statement.features["cover_before"]
