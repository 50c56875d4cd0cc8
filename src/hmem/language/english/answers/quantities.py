"""Quantities: counts, durations and frequencies, and values such as amounts, ages, times of day and colours.

If several statements give a value of the same thing, the latest one counts: "I have read 20 of them" may match a
question better than "I have read 30 by now". A later statement counts if the same person said it on a later day and it
covers the question nearly as well. A question about the past takes the best match.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, TypeVar

from hmem.language.analyst.answer_reader import AnswerTarget, CandidateSentence, Reply
from hmem.language.dates import describe, find_dates
from hmem.language.dates.words import CARDINALS
from hmem.language.english.inflection import root
from hmem.language.english.word_lists import words
from hmem.language.regex import regex

_Value = TypeVar("_Value")

# Coverage of a later statement, relative to the best one's.
_NEARLY_BEST: Final = 0.4
# Weight of what the rest of the turn covers.
_BESIDE: Final = 0.6


def latest(asked: AnswerTarget, stated: Sequence[tuple[_Value, CandidateSentence]]) -> tuple[_Value, CandidateSentence]:
    """Return the current value of those stated, of which the first matches the question best."""
    best = stated[0]
    if asked.past:
        return best
    first = best[1]
    for value, statement in stated[1:]:
        later = statement.evidence.when.date() > best[1].evidence.when.date()
        same = statement.evidence.speaker == first.evidence.speaker
        if later and same and _covered_by_words(statement) >= _NEARLY_BEST * _covered_by_words(first):
            best = value, statement
    return best


def _covered_by_words(statement: CandidateSentence) -> float:
    features = statement.features
    own = features["cover"] + features["cover_before"]
    return max(own, _BESIDE * (own + features["cover_turn"]))


_WORDS: Final = "|".join(sorted(CARDINALS, key=len, reverse=True))
_MULTIPLES: Final = r"(?:hundred|thousand|million|billion|dozen)"
NUMBER: Final = (
    rf"(?:\d+(?:[.,:]\d+)*(?:-\d+(?:\.\d+)?)?|(?:{_WORDS})(?:[- ](?:{_WORDS}))?(?: point (?:{_WORDS}))?"
    rf"|an? (?={_MULTIPLES}|couple)|half an?)(?: ?{_MULTIPLES}| ?couple(?: of)?)*(?: and a half)?"
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
_WEEKDAYS: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_SHADE: Final = r"(?:(?:dark|light|bright|pale|deep|soft|pastel|neon|hot|sky|royal|forest|lime|emerald|navy|ruby)[- ])"
_PAID: Final = r"(?:paid|pays?|costs?|charged?|charges|wanted|asked|spent|spends?|earns?|earned|sold|bought|got)"
_IS: Final = r"(?:is|am|are|was|were|'s|'m|'re|be|being|turn(?:s|ed|ing)?|aged?|age of)"


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(regex(pattern, re.IGNORECASE) for pattern in patterns)


# An age that somebody has not reached yet: "turns 90 in June".
_TO_COME: Final = regex(r"\b(?:turns|turning|(?:will|'ll|’ll) (?:be|turn)|going to (?:be|turn)) $", re.IGNORECASE)
# Questions that state what they ask about ("remember when ...").
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
    """Sort of value: the questions that ask for it, their words that mean only the sort, and the patterns of a value.

    The first pattern that matches a statement gives the value: its group 1, or the whole match.
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
        r"\b(?:what|which) (?:weekdays?|days|nights|evenings|mornings)\b|\bday of the week\b",
        "weekday day week night evening morning",
        rf"\b{_WEEKDAYS}(?: nights?| evenings?| mornings?)?(?:(?:,| and|, and) {_WEEKDAYS})*\b",
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


def sort_of(asked: AnswerTarget) -> Sort | None:
    """Return the sort of value that a question asks for, or None if it asks for no known sort."""
    if asked.kind not in ("amount", "when", "thing", "name", "any", "manner"):
        return None
    return next((sort for sort in _SORTS if sort.asks.search(asked.text)), None)


def value_of(sort: Sort, asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
    """Return the value in the best statement that has one and touches the question, or None."""
    asks_of = [name for name in asked.roots if name not in sort.idle]
    stated: list[tuple[str, CandidateSentence]] = []
    for statement in touching(asks_of, statements):
        found = next((hits for pattern in sort.values if (hits := [*pattern.finditer(statement.line.text)])), None)
        if found:
            value = nearest(found, statement.line.text, asks_of)
            stated.append((_as_stated(value) + _reached(value, statement), statement))
    if not stated:
        return None
    value, statement = latest(asked, stated)
    return Reply(value, [statement])


def _reached(found: re.Match[str], statement: CandidateSentence) -> str:
    """Return from when an age holds that is only to come, as " in June 2024"; "" for any other value."""
    said, end = statement.evidence.when, found.end(1 if found.re.groups else 0)
    if not _TO_COME.search(found.string[: found.start(1 if found.re.groups else 0)]):
        return ""
    for mention in find_dates(found.string, said):
        if mention.start >= end and mention.kind == "point" and mention.span.start > said:
            exact = mention.granularity in {"day", "part", "hour", "minute"}
            return f" {'on' if exact else 'in'} {describe(mention.span, 'day' if exact else mention.granularity)}"
    return ""


def _as_stated(found: re.Match[str]) -> str:
    group = found[1] if found.re.groups and found[1] else found[0]
    return _HYPHENED.sub(r"\1 \2s", group.strip(" ,"))


def touching(roots: Sequence[str], statements: Sequence[CandidateSentence]) -> Iterator[CandidateSentence]:
    """Yield the statements that have a root of the question in themselves, their turn or what they answer.

    Questions, and what others say about themselves, are left out. Without roots all others pass.
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
    """Return the match nearest to a root of the question; the first of several as near."""
    lower = text.lower()
    places = [place.start() for name in roots for place in re.finditer(re.escape(name[:5]), lower)]
    if not places:
        return found[0]
    return min(
        found, key=lambda match: min(min(abs(place - match.start()), abs(place - match.end())) for place in places)
    )


_ONES: Final = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_ORDINALS: Final = {
    word: number
    for number, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"], 1
    )
} | {f"{number}{end}": number for number, end in enumerate(["st", "nd", "rd", *["th"] * 9], 1)}
_NUMBER: Final = rf"(?:\d[\d,.]*(?:-\d+)?|{'|'.join(CARDINALS)}|a hundred|a dozen|a couple(?: of)?)"
_COUNTED: Final = regex(rf"\b({_NUMBER})(?=\s+((?:[a-z'-]+\s+){{0,2}}[a-z'-]+))", re.IGNORECASE)
# Words that make a number an increment, not the count.
_MORE: Final = words("more other additional extra another")
# Words that end a noun phrase.
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
# Questions about something that goes on, whose duration grows.
_ONGOING: Final = regex(r"\b(?:have|has|had|is|are|am|been|do|does|currently|now|so far|'ve)\b", re.IGNORECASE)
# Coverage of a statement that counts as an occasion, relative to the best one's.
_NEARLY: Final = 0.75
_MOST: Final = 12


def measure_out(asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
    """Return the answer to "how many", "how long" or "how often", or None if no number can be read."""
    if asked.kind == "duration":
        lasting = _first(_LASTING, asked, statements)
        return _lasted(lasting) if lasting is not None and "ago" not in asked.text.lower().split() else lasting
    if asked.kind == "frequency":
        return _first(_OFTEN, asked, statements)
    if asked.kind == "count":
        return _counted(asked, statements) or _ranked(asked, statements) or _occasions(asked, statements)
    return None


def _lasted(reply: Reply) -> Reply:
    """Return the duration of something whose statement says how long ago it began."""
    return Reply(_BACK.sub("", reply.text), reply.used)


def _in_words(number: int, asked: AnswerTarget) -> str:
    """Return a number as people write it: small ones in words, and occasions as "twice"."""
    times = _TIMES.search(asked.text) is not None
    if times and number in (1, 2):
        return ("once", "twice")[number - 1]
    plain = _ONES[number - 1] if 0 < number <= len(_ONES) else str(number)
    return f"{plain} times" if times else plain


def _first(pattern: re.Pattern[str], asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
    """Return the match of the best statement that fits a pattern; for something that goes on, of the latest."""
    stated = [
        (nearest(found, statement.line.text, asked.roots)[0], statement)
        for statement in touching(asked.roots, statements[:_LOOKED_AT])
        if (found := [*pattern.finditer(statement.line.text)])
    ]
    if not stated:
        return None
    value, statement = latest(asked, stated) if _ONGOING.search(asked.text) else stated[0]
    return Reply(value, [statement])


def _counted(asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
    """Return the number before the noun that is counted."""
    counted = _heads(asked)
    if not counted:
        return None
    near: dict[int, set[str]] = {}
    for statement in statements:
        near.setdefault(statement.turn, set()).update(statement.line.roots)
    stated: list[tuple[str, CandidateSentence]] = []
    for place, statement in enumerate(statements[:_COUNTS_LOOKED_AT]):
        if statement.features["other"] or statement.line.asks:
            continue
        found = [
            (_matched(each[2], counted, near[statement.turn]), each[1])
            for each in _COUNTED.finditer(statement.line.text)
        ]
        best = max(found, key=lambda each: each[0], default=(0.0, ""))
        # A statement that names only part of the thing counts if it ranks high, follows another, or its turn matches.
        if best[0] >= 1 or (best[0] and (stated or place < _LOOKED_AT or statement.features["cover_turn"])):
            stated.append((best[1], statement))
    if not stated:
        return None
    value, statement = latest(asked, stated)
    return Reply(value, [statement])


def _heads(asked: AnswerTarget) -> set[str]:
    """Return the roots of the counted noun, without its "of" phrase."""
    before, _, _ = asked.text.lower().partition(" of ")
    heads = {root(word) for word in asked.focus if word in before} or {root(word) for word in asked.focus}
    return heads - {"tim"}


def _matched(behind: str, counted: AbstractSet[str], near: AbstractSet[str]) -> float:
    """Return how many words after a number belong to the noun; 0.5 for "ones" in a turn that has the noun."""
    own = list(takewhile(lambda word: word not in _ENDS, behind.lower().split()))
    if not own or own[0] in _MORE:
        return 0.0
    named = len(counted & set(map(root, own)))
    return named or (0.5 if "ones" in own and not counted.isdisjoint(near) else 0.0)


def _ranked(asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
    """Return the highest ordinal that a statement gives the counted thing: "my fourth win" makes four."""
    counted = frozenset(asked.roots)
    best: tuple[int, CandidateSentence] | None = None
    for statement in statements[: 2 * _LOOKED_AT]:
        tokens = statement.line.tokens
        for i, token in enumerate(tokens):
            number = _ORDINALS.get(token.lower, 0)
            near = {other.root for other in tokens[i + 1 : i + 4]}
            if number > 1 and near & counted and (best is None or number > best[0]):
                best = (number, statement)
    return None if best is None else Reply(_in_words(best[0], asked), [best[1]])


def _occasions(asked: AnswerTarget, statements: Sequence[CandidateSentence]) -> Reply | None:
    """Return the number of sessions whose statements match the question, if it asks how many times."""
    if not _TIMES.search(asked.text):
        return None
    least = _NEARLY * max(_covered(statement) for statement in statements)
    stated: dict[str, CandidateSentence] = {}
    for statement in statements:
        if _covered(statement) >= max(least, 0.3) and statement.features["other"] == 0 and not statement.line.asks:
            stated.setdefault(statement.evidence.session, statement)
    return Reply(_in_words(min(len(stated), _MOST), asked), list(stated.values())) if stated else None


def _covered(statement: CandidateSentence) -> float:
    return statement.features["cover"] + statement.features["cover_before"]
