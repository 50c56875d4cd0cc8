"""Amounts, ages, times of day and colours: a value of the sort that is asked for, or none."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hmem.language.analyst.rules.wordlist import words
from hmem.language.dates.words import CARDINALS
from hmem.language.inflection import root
from hmem.language.regex import regex
from hmem.read.answer.asking import Asked
from hmem.read.answer.latest import latest
from hmem.read.answer.statements import Statement

_WORDS: Final = "|".join(sorted(CARDINALS, key=len, reverse=True))
_TIMES: Final = r"(?:hundred|thousand|million|billion|dozen)"
NUMBER: Final = (
    rf"(?:\d+(?:[.,:]\d+)*(?:-\d+(?:\.\d+)?)?|(?:{_WORDS})(?:[- ](?:{_WORDS}))?(?: point (?:{_WORDS}))?"
    rf"|an? (?={_TIMES}|couple)|half an?)(?: ?{_TIMES}| ?couple(?: of)?)*(?: and a half)?"
)
_ABOUT: Final = (
    r"(?:(?:about|around|roughly|almost|nearly|over|under|some|only|just(?: under| over)?|more than|less than"
    r"|at least) )?"
)
_RATE: Final = (
    r"(?: (?:an?|per|each|every) (?:hour|day|night|week|month|year|term|lesson|class|session|visit|walk|piece|person"
    r"|head|kilo|ticket|jar|litre|liter|metre|meter|mile)\b)?"
)
_CURRENCY: Final = r"(?:euros?|dollars?|pounds?|bucks?|quid|pence|cents?|francs?|kron\w+|yen|rupees?|usd|eur|gbp|grand)"
_WEIGHT: Final = r"(?:kgs?|kilos?|kilograms?|grams?|g|pounds?|lbs?|stone|ounces?|oz|tonnes?|tons?)"
_LENGTH: Final = (
    r"(?:m|km|cm|mm|ft|mi|metres?|meters?|kilomet(?:re|er)s?|centimet(?:re|er)s?|miles?|feet|foot|inch(?:es)?|yards?"
    r"|blocks?|storeys?|stories|pages?|laps?)"
)
_SPAN: Final = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)"
_VOLUME: Final = r"(?:litres?|liters?|ml|cups?|gallons?|pints?|spoons?|teaspoons?|tablespoons?|bottles?|bags?|gb|mb|tb)"
_HUES: Final = (
    "red|orange|yellow|green|blue|purple|violet|pink|brown|black|white|gr[ea]y|turquoise|teal|cyan|magenta|maroon|navy"
    "|beige|cream|ivory|gold(?:en)?|silver|bronze|copper|crimson|scarlet|lilac|lavender|indigo|olive|mint|coral|peach"
    "|burgundy|mustard|khaki|ginger|blonde?|auburn|tan|rose|amber|aquamarine|charcoal|rainbow"
)
_SHADE: Final = r"(?:(?:dark|light|bright|pale|deep|soft|pastel|neon|hot|sky|royal|forest|lime|emerald|navy|ruby)[- ])"
_PAID: Final = r"(?:paid|pays?|costs?|charged?|charges|wanted|asked|spent|spends?|earns?|earned|sold|bought|got)"
_IS: Final = r"(?:is|am|are|was|were|'s|'m|'re|be|being|turn(?:s|ed|ing)?|aged?|age of)"


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(regex(pattern, re.IGNORECASE) for pattern in patterns)


# A question that tells what it asks whether it is remembered.
_REMINDS: Final = regex(r"\bremember (?:when|that|how|the time)\b", re.IGNORECASE)
_HYPHENED: Final = regex(r"^(\w+)-(year|month|week|day)$", re.IGNORECASE)
_MONEY: Final = (
    rf"{_ABOUT}[$€£]\s?{NUMBER}k?\b{_RATE}",
    rf"\b{_ABOUT}{NUMBER} ?(?:{_CURRENCY}\b|[€£$]|k\b){_RATE}",
)
_MEASURES: Final = (
    rf"\b{_ABOUT}{NUMBER}[ -]?(?:{_WEIGHT}|{_LENGTH}|{_VOLUME}|percent|per cent|degrees)\b",
    rf"{NUMBER} ?%",
)


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of value: which questions ask for it, words of theirs that only say so, and how the value is written.

    The first pattern that a statement fits gives the value: its group 1, or the whole.
    """

    asks: re.Pattern[str]
    idle: frozenset[str]
    values: tuple[re.Pattern[str], ...]


def _sort(asks: str, idle: str, *values: str) -> Sort:
    return Sort(regex(asks, re.IGNORECASE), frozenset(root(word) for word in words(idle)), _compiled(*values))


_SORTS: Final = (
    _sort(
        r"\bhow old\b|\b(?:what|which)(?: is| was|'s)? .{0,40}\bage\b", "old age turn year",
        rf"\b({_ABOUT}{NUMBER} {_SPAN}) old\b", rf"\b({NUMBER}[- ](?:year|month|week|day))s?[- ]old\b",
        rf"{_IS} ({_ABOUT}{NUMBER})\b(?![-:%]|\.\d| ?(?:[ap]\.?m\b|o'clock)| (?!on|in|and|this|last|today|now|yet|soon"
        rf"|when|next|years?\b)[a-z])",
    ),
    _sort(
        r"\b(?:at )?(?:what|which) time (?!of\b|frame|zone|period)|\bat what hour\b|\bhow (?:late|early)\b",
        "time hour late early usually",
        r"\b\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\b\.?|o'clock)", r"\b\d{1,2}:\d\d\b",
        rf"\b(?:half|(?:a )?quarter|{NUMBER}) (?:past|to) (?:\d{{1,2}}|{_WORDS})\b", r"\b(?:noon|midday|midnight)\b",
        rf"\b(?:at|by|around|until|till|from) ((?:\d{{1,2}}|{_WORDS})(?: in the (?:morning|afternoon|evening)"
        r"| at night)?)(?=[.,!?;]|$)",
    ),
    _sort(
        r"\b(?:what|which) (?:\w+ )?colou?rs?\b", "color colour colors colours",
        rf"\b{_SHADE}*(?:{_HUES})(?:ish)?(?:[- ](?:{_HUES}))?(?:(?:,| and|, and) {_SHADE}*(?:{_HUES}))*\b",
    ),
    _sort(
        r"\bhow much\b.*\b(?:weigh\w*|weight)|\bhow heavy\b", "weigh weight weighs heavy lose lost gain",
        rf"\b{_ABOUT}{NUMBER} ?{_WEIGHT}\b",
    ),
    _sort(
        r"\bhow (?:tall|high|far|deep|wide|thick|large|big)\b|\bwhat distance\b|\bhow much (?:taller|farther)\b",
        "tall high far deep wide thick large big distance",
        rf"\b{_ABOUT}{NUMBER}[ -]?{_LENGTH}\b(?: {NUMBER}\b)?", r"\b\d'\s?\d{1,2}\b",
        rf"\b{_ABOUT}{NUMBER} {_SPAN}\b(?! ago| old)",
    ),
    _sort(
        r"\b(?:temperature|how (?:hot|cold|warm))\b", "temperature hot cold warm",
        rf"{_ABOUT}-?{NUMBER} ?(?:°|degrees)",
    ),
    _sort(r"\bpercent\w*\b|\bwhat share\b", "percent percentage share", rf"{_ABOUT}{NUMBER} ?(?:%|percent|per cent)"),
    _sort(
        r"\bhow much\b.*\b(?:costs?|pay|paid|pays|spend|spent|charged?|prices?|rent|earn(?:s|ed)?|ma(?:k|d)e|asks?"
        r"|asked|wanted|want|raised?|sell|sold|worth|owed?|saved?|lent|lend|borrow(?:ed)?|donated?|money|fee|salary|budget|won"
        r"|win|buy|bought)\b|\b(?:price|cost|fee|salary|rent|wage|budget)\b",
        "cost pay paid spend spent charge price ask want money fee much amount total make made",
        *_MONEY, rf"\b{_PAID} (?:\w+ )?({NUMBER})(?=[.,!?]| for\b| and\b| an?\b| in\b|$){_RATE}",
    ),
    _sort(
        r"\bhow much\b|\bwhat (?:was|is) the (?:\w+ )?amount\b", "much amount",
        *_MONEY, *_MEASURES, rf"\b{_ABOUT}{NUMBER} \w+",
    ),
)  # fmt: skip


def sort_of(asked: Asked) -> Sort | None:
    """The sort of value that a question asks for; None for any other question, and for one of no known sort."""
    if asked.kind not in ("amount", "when", "thing", "name", "any"):
        return None
    return next((sort for sort in _SORTS if sort.asks.search(asked.text)), None)


def value_of(sort: Sort, asked: Asked, statements: Sequence[Statement]) -> tuple[str, Statement] | None:
    """The value that the best statement tells that has one and touches the question; None where none does."""
    asks_of = [name for name in asked.roots if name not in sort.idle]
    told: list[tuple[str, Statement]] = []
    for statement in touching(asks_of, statements):
        found = next((fit for pattern in sort.values if (fit := [*pattern.finditer(statement.line.text)])), None)
        if found:
            told.append((_told(nearest(found, statement.line.text, asks_of)), statement))
    return latest(asked, told) if told else None


def _told(found: re.Match[str]) -> str:
    group = found[1] if found.re.groups and found[1] else found[0]
    return _HYPHENED.sub(r"\1 \2s", group.strip(" ,"))


def touching(roots: Sequence[str], statements: Sequence[Statement]) -> Iterator[Statement]:
    """The statements that are not another's and have a root in themselves, in their turn or in what they answer.

    All of them pass where the question has none.
    """
    turns: dict[int, set[str]] = {}
    for statement in statements:
        turns.setdefault(statement.turn, set()).update(statement.line.roots)
    for statement in statements:
        before = statement.before.roots if statement.before else frozenset[str]()
        near = turns[statement.turn] | before
        asks = statement.line.asks and not _REMINDS.search(statement.line.text)
        if statement.features["other"] == 0 and not asks and (not roots or not near.isdisjoint(roots)):
            yield statement


def nearest(found: Sequence[re.Match[str]], text: str, roots: Sequence[str]) -> re.Match[str]:
    """The match that stands nearest to a root of the question; the first of several as near."""
    lower = text.lower()
    places = [place.start() for name in roots for place in re.finditer(re.escape(name[:5]), lower)]
    if not places:
        return found[0]
    return min(
        found, key=lambda match: min(min(abs(place - match.start()), abs(place - match.end())) for place in places)
    )
