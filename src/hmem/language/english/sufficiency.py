"""Sufficiency of what was found, and the follow-up query for missing information.

Missing information (H-Mem, tree and graph): only a name (of a person, place, organisation, title, pet), a date or a
number can be recognised as missing. It is missing if a line about the question has a vague phrase for it ("a theme from
a movie", "a place near home", "a while back") and no such line has the thing itself. Common nouns are never missing:
no rule can tell if one is specific enough.

Sufficiency (HiMem, best-effort recall): three scores of the lines, each 0 to 1. **Coverage**: do they speak of the
question? Its content words count, rare ones more and names most, loosely (``buy`` is as good as ``purchase``); the best
single line counts more than all lines together. **Specificity**: does a line about it, the first ones above all, hold a
possible answer: a date, a name not in the question, a number, or new words? **Recency**: is it of the time asked about,
and does no later line say otherwise? The confidence is the probability that the lines hold the answer: logistic in
these, with coefficients that `benchmarks/sufficiency.py` fits and checks.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from math import exp
from typing import Final, NamedTuple

from hmem.language.analyst.base import Excerpt
from hmem.language.dates import find_dates
from hmem.language.english.gazetteer import DAYS_AND_MONTHS
from hmem.language.english.meaning.entities import people_of
from hmem.language.english.names import is_common, names
from hmem.language.english.questions import ParsedQuestion, asking, singular, tokens
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.word_lists import word_set, words
from hmem.language.english.wording import bare, content_stems, sentences, stem
from hmem.language.regex import regex
from hmem.model.entity import EntityType
from hmem.model.plan import AnswerType, FollowUp, SubQuestion, Sufficiency
from hmem.model.span import Span


@dataclass(frozen=True, slots=True)
class Gap:
    """Kind of information asked for: its name, its vague phrases, and the types of names that fill it.

    A title fills ``titled`` slots. The maker of a work, for which a vague phrase stands, fills ``maker`` slots.
    """

    name: str
    vague: re.Pattern[str]
    kinds: frozenset[EntityType] = frozenset()
    titled: bool = False
    maker: bool = False


_DETERMINER: Final = (
    r"(?:an?|a few|some|this|that|these|those|another|certain|different|various|several|other|a bunch of"
    r"|one of (?:my|our|his|her|their|the))"
)
_OWN: Final = rf"(?:{_DETERMINER}|the|my|our|his|her|their)"
_ADJECTIVES: Final = r"(?:[a-z-]+ ){0,2}?"
_LINK: Final = (
    r"(?: (?:from|near|in|by|at|about|called|outside|of|for|with) "
    r"(?:(?:an?|the|my|our|his|her|their|this|that|some) )?[a-z-]+(?: [a-z-]+)?)?"
    r"(?: (?:that |which )?(?:i|you|we|he|she|they)(?:['’](?:ve|d))? [a-z]+(?: [a-z-]+){0,3})?"
)
_TITLED: Final = words(
    "book novel movie film song series show game podcast poem theme tune soundtrack musical documentary play album"
)
_PETS: Final = words("dog puppy pup cat kitten pet turtle horse bird")
# Composers and authors are known by their works: a phrase for a work may stand for them.
_MAKERS: Final = words("composer author writer artist musician singer band director songwriter novelist poet performer")
# Nouns for things with names.
NAMED: Final = _TITLED | _PETS | _MAKERS

_SOMEONE: Final = (
    rf"\b(?:someone|somebody)(?: [a-z]+)?|\b{_DETERMINER} {_ADJECTIVES}(?:person|people|guy|woman|man|lady|artists?"
    r"|musicians?|composers?|authors?|writers?|singers?|players?|actors?|actress|directors?)\b"
    rf"|\b(?:{_DETERMINER}|my|our|his|her|their) {_ADJECTIVES}(?:friends?|colleagues?|coworkers?|neighbou?rs?|mentors?"
    r"|teachers?|coach|cousins?|buddy|buddies|boss)\b"
)
_WORK: Final = rf"\b{_OWN} {_ADJECTIVES}(?:{'|'.join(sorted(_TITLED))}|melody|piece|story|classic)s?\b"
_PLACES: Final = (
    rf"\bsomewhere(?: [a-z]+)?|\b{_DETERMINER} {_ADJECTIVES}(?:place|spot|city|town|country|state|village|island|area"
    r"|region|restaurant|café|cafe|park|beach|museum|hotel|lake|mountain|trail)s?\b"
    r"|\b(?:my|our|his|her|their) (?:home|old|native|new) ?(?:country|town|city|place|area|village)\b"
)
_SLOT_GROUP: Final = (
    rf"\b(?:{_OWN}) {_ADJECTIVES}(?:company|organi[sz]ation|school|university|college|charity|team|brand|agency|club"
    r"|band|firm|label|store|shop|non-?profit)\b"
)
_PET: Final = rf"\b{_OWN} {_ADJECTIVES}(?:{'|'.join(sorted(_PETS))})s?\b"
_BEFORE: Final = r"\b(?:[a-z'-]+ ){1,5}"
_LONG_AGO: Final = (
    rf"{_BEFORE}(?:a (?:long )?while (?:ago|back)|some time ago|years ago|a long time (?:ago|back)"
    r"|a few years (?:ago|back)|the other day|ages ago|back then|back in the day"
    r"|when i was (?:younger|little|a kid|a child))"
)


def _slot(name: str, vague: str, *kinds: EntityType, titled: bool = False, maker: bool = False) -> Gap:
    return Gap(name, regex(rf"(?:{vague}){_LINK}", re.IGNORECASE), frozenset(kinds), titled, maker)


_PERSON: Final = _slot("person", _SOMEONE, "person", "other")
_TITLE: Final = _slot("title", _WORK, "work", "product", "event", "organization", "other", titled=True)
_PLACE: Final = _slot("place", _PLACES, "location", "organization", "event", "other")
_ORGANIZATION: Final = _slot("organization", _SLOT_GROUP, "organization", "location", "product", "other")
_NAME: Final = _slot("name", _PET, "person", "other", "work", "product", "location")
_DATE: Final = Gap("date", regex(_LONG_AGO, re.IGNORECASE))
_A_KIND: Final = regex(r"(?:what|which) (?:kinds?|types?|sorts?|genres?)\b", re.IGNORECASE)
_ITS_NAME: Final = regex(r"(?:the )?name of\b", re.IGNORECASE)


def slot_of(part: SubQuestion) -> Gap | None:
    """Return the slot that a question asks for; None if its absence cannot be recognised."""
    kind = part.answer_type
    if kind == "place":
        return _PLACE
    if kind == "organization":
        return _ORGANIZATION
    if kind == "time":
        return _DATE if not part.spans else None
    if kind not in ("person", "thing", "count"):
        return None
    asked = asking(part.text)
    if kind == "person":
        return _person(asked)
    return _number(asked) if kind == "count" else _thing(asked)


def _person(asked: ParsedQuestion) -> Gap | None:
    nouns = frozenset(singular(word) for word in asked.phrase)
    if nouns & {"name", "individual", "people"}:
        return None
    return _maker(min(nouns & _MAKERS)) if nouns & _MAKERS else _PERSON


@lru_cache(maxsize=64)
def _maker(noun: str) -> Gap:
    return _slot(noun, f"{_WORK}|{_SOMEONE}", "person", "organization", "other", maker=True)


def _thing(asked: ParsedQuestion) -> Gap | None:
    if asked.lead not in ("what", "which") or _A_KIND.match(asked.text):
        return None
    if any(singular(word) in _TITLED for word in asked.phrase):
        return _TITLE
    named = asked.verb in ("is", "was") and _ITS_NAME.match(asked.rest)
    return _NAME if named and not _PETS.isdisjoint(tokens(asked.rest)) else None


def _number(asked: ParsedQuestion) -> Gap | None:
    """Return the slot of a number ("a few turtles" does not fill it), or None."""
    counted = asked.phrase[-1] if asked.phrase else ""
    if asked.lead != "how many" or not counted.isalpha() or counted == "times":
        return None
    return _several(counted)


@lru_cache(maxsize=256)
def _several(noun: str) -> Gap:
    return Gap(
        "number",
        regex(
            r"\b(?:a few|several|some|many|lots of|a lot of|a bunch of|a couple of|multiple|my) "
            rf"(?:[a-z-]+ ){{0,2}}?{re.escape(noun)}\b",
            re.IGNORECASE,
        ),
    )


# Number of first lines read, characters read of each, and words that a line must share with the topic.
_READ: Final = 8
_MOST_READ: Final = 600
_SHARED: Final = 2
# Allowed number of shared words less than the closest line has.
_BEHIND: Final = 1
# Maximum share of common words of follow-up and question; above, the follow-up is a paraphrase.
_PARAPHRASE: Final = 0.5
# Minimum salience of a name: a mere name of address is no answer.
_SALIENT: Final = 0.5
_WORD: Final = regex(r"[^\W_]+")
_NUMBER_MISSING: Final = regex(
    r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twice|twins)\b", re.IGNORECASE
)


def missing(part: SubQuestion, found: Sequence[Excerpt]) -> FollowUp | None:
    """Return the follow-up query, or None if the lines are specific enough."""
    slot = slot_of(part)
    if slot is None:
        return None
    asked = _stems_of(part.text)
    near = _about(found[:_READ], asked - _stems_of(" ".join(part.entities)), part)
    if not near or any(_fills(line, slot, part) for line in near):
        return None
    for line in near:
        anchor = _anchor(slot, line, asked)
        if anchor and (query := _query(part, slot, anchor, line, asked)) is not None:
            return query
    return None


def _about(found: Sequence[Excerpt], topic: frozenset[str], part: SubQuestion) -> list[Excerpt]:
    """Return the lines that share enough words with the question; by the people it names, if they speak."""
    own = [line for line in found if line.speaker in part.entities] or found
    shared = [len(topic & _stems_of(line.text[:_MOST_READ])) for line in own]
    needed = max(min(_SHARED, len(topic)), max(shared, default=0) - _BEHIND, 1)
    return [line for line, count in zip(own, shared, strict=True) if count >= needed]


def _fills(line: Excerpt, slot: Gap, part: SubQuestion) -> bool:
    """Tell if a line fills the slot with something not already in the question."""
    text = line.text[:_MOST_READ]
    if slot.name == "date":
        return any(mention.kind == "point" for mention in find_dates(text, line.when))
    if slot.name == "number":
        return _NUMBER_MISSING.search(text) is not None
    people = [*part.entities, line.speaker or ""]
    known = _tokens(" ".join((*people, part.text)))
    return any(
        naming.type in slot.kinds and naming.salience >= _SALIENT and not _tokens(naming.surface) <= known
        for naming in names(text, people_of(people))
    ) or (slot.titled and '"' in text)


def _anchor(slot: Gap, line: Excerpt, asked: frozenset[str]) -> str:
    """Return the vague phrase of a line closest to the question that adds something to it, or ""."""
    found = (match[0] for match in slot.vague.finditer(line.text[:_MOST_READ]))
    phrases = [_trimmed(phrase) if slot.kinds else phrase for phrase in found]
    telling = [(_stems_of(phrase), phrase) for phrase in phrases]
    able = [
        (len(said & asked), len(said), phrase)
        for said, phrase in telling
        if said - asked or not slot.kinds or phrase.lower().startswith("some")
    ]
    return max(able, key=lambda one: one[:2])[2] if able else ""


def _trimmed(phrase: str) -> str:
    """Return a phrase without function words at its end."""
    words = list(_WORD.finditer(phrase))
    while len(words) > 1 and words[-1][0].lower() in STOP_WORDS:
        words.pop()
    return phrase[: words[-1].end()] if words else ""


def _query(part: SubQuestion, slot: Gap, anchor: str, line: Excerpt, asked: frozenset[str]) -> FollowUp | None:
    """Return the query for the slot; None if it would repeat the question."""
    who = line.speaker or (part.entities[0] if part.entities else "")
    noun = _noun(anchor, slot)
    also = f" and which {slot.name}" if slot.maker and slot.name != noun else ""
    text = (
        f'Which {noun}{also} does {who} mean by "{anchor}"?' if who else f'Which {noun}{also} is meant by "{anchor}"?'
    )
    said = _stems_of(text) - _stems_of(who)
    same = len(said & asked) / len(said | asked) if said else 1.0
    return None if same > _PARAPHRASE else FollowUp(text, slot.name, anchor)


def _noun(anchor: str, slot: Gap) -> str:
    """Return the last noun of the anchor whose things have names: "movie" of "a theme from a movie"."""
    nouns = [singular(word) for word in _WORD.findall(anchor.lower()) if singular(word) in NAMED]
    return nouns[-1] if nouns and (slot.maker or slot.titled) else slot.name


def _tokens(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _stems_of(text: str) -> frozenset[str]:
    """Return the stems of the content words of a text."""
    return frozenset(stem(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS and len(word) > 1)


# Of the constant, coverage, specificity and recency; from benchmarks/sufficiency.py.
_COEFFICIENTS: Final = (-2.16, 1.68, 2.05, 0.65)
# Of notes: the chance that they hold all of the evidence; fitted to simulated lives, by the same script.
_OF_NOTES: Final = (-2.2, 2.6, 3.4, -0.9)

# Synonyms of questions and answers.
_ALIKE: Final = """
    buy purchase get got bought acquire; job work career occupation profession position; movie film; picture photo
    painting drawing image photograph; kid child children son daughter; wife husband spouse partner; mom mother mum;
    dad father; pet dog cat puppy kitten; begin start commence; finish complete end done; trip travel vacation holiday
    journey visit; big large huge; home house apartment flat; move relocate; car vehicle; doctor physician; sick ill;
    love enjoy like adore favorite favourite fond prefer; hobby pastime activity; book novel read; talk speak chat tell
    discuss mention; make create build craft; cook bake; study learn class course lesson; school college university;
    friend buddy pal; gift present; color colour; shop store; event meeting gathering; win won award prize; plan intend
    decide; help assist support volunteer; ache pain hurt; exercise workout gym fitness; music song band concert; food
    meal dish dinner lunch; recommend suggest advice; cost price pay spend paid; birthday born; live reside; marry
    wedding married engaged; hike trail; near close
"""

# Function words of questions, whatever the topic.
_SCAFFOLD: Final = word_set("""
    specific particular certain main mainly various exact exactly happen happened describe regarding different
    mention according during recently latest previous previously earlier first last next long often old
""")

_TYPES: Final[tuple[tuple[AnswerType, re.Pattern[str]], ...]] = (
    ("duration", regex(r"\bhow long\b")),
    ("frequency", regex(r"\bhow often\b")),
    ("count", regex(r"\bhow (?:many|much|old|far|tall)\b")),
    ("time", regex(r"^(?:\W*\w+ ){0,3}?when\b|\b(?:what|which) (?:date|day|month|year|time)\b")),
    ("place", regex(r"^(?:\W*\w+ )?where\b|\b(?:what|which) (?:city|country|place|town|state|location)\b")),
    ("person", regex(r"^(?:\W*\w+ )?who(?:se|m)?\b")),
    ("reason", regex(r"^why\b|\bwhat (?:made|motivated|inspired)\b|\breasons?\b")),
    ("yes_no", regex(r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|would|will|should)\b")),
)

_NUMBER: Final = regex(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|twenty|thirty|forty|fifty|hundred|"
    r"thousand|once|twice|couple|both|several|half|first|second|third)\b",
    re.IGNORECASE,
)
_STRETCH: Final = regex(
    r"\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|weekends?|nights?|since|until|long time|ages|"
    r"forever)\b",
    re.IGNORECASE,
)
_OFTEN: Final = regex(
    r"\b(?:every|each|daily|weekly|monthly|yearly|times a|twice|once|always|usually|often|sometimes|never|regularly)\b",
    re.IGNORECASE,
)
_BECAUSE: Final = regex(
    r"\b(?:because|cause|since|so that|in order|wanted|want to|inspired?|motivat\w+|reason|thanks to|due to|"
    r"hop(?:e|ing)|decided|made me|help(?:s|ed)? me)\b",
    re.IGNORECASE,
)
_NAMED: Final = regex(r"(?<![.!?…:;\n\"“] )(?<!^)(?<![\w'’-])[A-Z][\w'’-]+")
_KIN: Final = regex(
    r"\b(?:mom|mum|mother|dad|father|parents?|sister|brother|son|daughter|kids?|children|wife|husband|partner|"
    r"boyfriend|girlfriend|aunt|uncle|cousins?|grand\w+|niece|nephew|friends?|colleagues?|boss|teacher|neighbou?rs?|"
    r"coworkers?|roommate|family|team|group)\b",
    re.IGNORECASE,
)
_SOMEWHERE: Final = regex(
    r"\b(?:in|at|to|from|near|around|visit(?:ed|ing)?) (?:the |a |my |our |this )?(?:[A-Z]\w+|beach|park|lake|"
    r"mountains?|gym|school|church|museum|library|cafe|café|restaurant|hospital|office|store|shop|city|town|country|home|"
    r"studio)\b"
)
_CHANGED: Final = regex(
    r"\b(?:no longer|not any ?more|used to|instead|switched|changed my|these days|not [a-z]+ anymore|stopped|gave up|"
    r"quit|moved (?:away|on)|actually)\b",
    re.IGNORECASE,
)
_NOW: Final = regex(
    r"\b(?:now|currently|current|still|these days|nowadays|today|at the moment|any ?more)\b", re.IGNORECASE
)

_NAME_WEIGHT: Final = 1.5
_RARE_WEIGHT: Final = 1.4
_NEW_WORDS: Final = 6

# Weight of the best line in coverage; and a penalty for short questions, which are easily covered.
_AT_ONCE: Final = 0.6
_DOUBT: Final = 1.0

# Minimum share of the best line's coverage for a line about the same.
_ABOUT: Final = 0.7
_SUPERSEDED: Final = 0.3
_PERHAPS_STALE: Final = 0.6

# Weight of a line neither by nor about the person asked about.
_OF_ANOTHER: Final = 0.5
_DAY: Final = 86_400.0


def _groups(text: str) -> dict[str, str]:
    return {stem(word): stem(group.split()[0]) for group in text.split(";") for word in group.split()}


_GROUP: Final = _groups(_ALIKE)


class _Asked(NamedTuple):
    """Question prepared for comparison with lines: its weighted aspects, and its type of answer."""

    aspects: tuple[tuple[str, float], ...]
    words: dict[str, str]
    names: frozenset[str]
    kind: AnswerType
    spans: tuple[Span, ...]
    now: bool


def sufficiency(part: SubQuestion, found: Sequence[Excerpt], asked: datetime, *, notes: bool = False) -> Sufficiency:
    """Return coverage, specificity, recency and the confidence that these lines, turns or notes, hold the answer."""
    if not found:
        return Sufficiency(0.0, 0.0, 0.0, 0.0)
    question = _asked(part.text, part.entities, part.answer_type, part.spans, asked)
    coverage, specificity, recency, lacking = _measured(question, found)
    bias, *slopes = _OF_NOTES if notes else _COEFFICIENTS
    odds = bias + sum(s * v for s, v in zip(slopes, (coverage, specificity, recency), strict=True))
    return Sufficiency(coverage, specificity, recency, 1 / (1 + exp(-odds)), lacking)


def features(part: SubQuestion, found: Sequence[Excerpt], asked: datetime) -> tuple[float, float, float]:
    """Return coverage, specificity and recency, from which the confidence is computed."""
    told = sufficiency(part, found, asked)
    return told.coverage, told.specificity, told.recency


# The question.


@lru_cache(maxsize=512)
def _asked(text: str, entities: tuple[str, ...], kind: AnswerType, spans: tuple[Span, ...], asked: datetime) -> _Asked:
    dated = find_dates(text, asked)
    within = [word for mention in dated for word in content_stems(mention.text)]
    names = frozenset(stem(bare(word)) for word in (*_names(text), *(w for name in entities for w in name.split())))
    aspects: dict[str, float] = {}
    words: dict[str, str] = {}
    for sentence in sentences(text):
        for written, word, root in zip(sentence.written, sentence.words, sentence.roots, strict=True):
            if root not in content_stems(text) or word in _SCAFFOLD or root in within or word in DAYS_AND_MONTHS:
                continue
            own = _GROUP.get(root, root)
            weight = _NAME_WEIGHT if root in names else 1.0 if is_common(word) else _RARE_WEIGHT
            aspects[own] = max(aspects.get(own, 0.0), weight)
            words.setdefault(own, written)
    told = spans or tuple(mention.span for mention in dated if mention.kind == "point")
    return _Asked(
        tuple(aspects.items()), words, names, kind if kind != "any" else _kind(text), told, bool(_NOW.search(text))
    )


def _kind(text: str) -> AnswerType:
    """Return the type of answer in the wording, for a plan without one."""
    lower = text.lower()
    for kind, pattern in _TYPES:
        if pattern.search(lower):
            return kind
    return "any"


# The lines.


@lru_cache(maxsize=8_192)
def _stems(text: str) -> frozenset[str]:
    return frozenset([_GROUP.get(root, root) for root in content_stems(text)])


@lru_cache(maxsize=8_192)
def _names(text: str) -> tuple[str, ...]:
    """Return the words with a capital inside a sentence, without days and months."""
    return tuple(word for word in _NAMED.findall(text) if word.lower() not in DAYS_AND_MONTHS and len(word) > 1)


def _measured(question: _Asked, found: Sequence[Excerpt]) -> tuple[float, float, float, tuple[str, ...]]:
    speakers = {root for line in found if line.speaker for root in _stems(line.speaker)}
    # A speaker's name says little about a line's topic: it counts as agreement, not as an aspect.
    people = [aspect for aspect, _ in question.aspects if aspect in speakers]
    aspects = [(aspect, weight) for aspect, weight in question.aspects if aspect not in speakers]
    total = sum(weight for _, weight in aspects) or 1.0
    covered: set[str] = set()
    shares: list[float] = []
    for line in found:
        held = _stems(line.text)
        said = _stems(line.speaker) if line.speaker else frozenset[str]()
        agrees = not people or any(person in held or person in said for person in people)
        own = [(aspect, weight) for aspect, weight in aspects if aspect in held]
        covered.update(aspect for aspect, _ in own)
        matched = sum(weight for _, weight in own)
        shares.append(matched / (total + _DOUBT) * (1.0 if agrees else _OF_ANOTHER))
    union = sum(weight for aspect, weight in aspects if aspect in covered) / total
    coverage = _AT_ONCE * max(shares) + (1 - _AT_ONCE) * union
    best = max(shares)
    about = [line for line, share in zip(found, shares, strict=True) if share >= _ABOUT * best]
    weighed = enumerate(zip(shares, found, strict=True), 1)
    specificity = max(share * _holds(question, line) / place for place, (share, line) in weighed)
    recency = _recency(question, about, found[shares.index(best)]) if best else 0.0
    lacking = tuple(question.words[aspect] for aspect, _ in aspects if aspect not in covered)
    return coverage, specificity, recency, lacking


def _holds(question: _Asked, line: Excerpt) -> float:
    """Return how likely a line holds an answer, 0 to 1."""
    text = line.text
    new = min(len(_stems(text).difference(dict(question.aspects))) / _NEW_WORDS, 1.0)
    match question.kind:
        case "time":
            return 1.0 if _dated(text, line.when) else 0.5
        case "person":
            return 1.0 if _others(question, text) or _KIN.search(text) else 0.3
        case "place" | "organization":
            return 1.0 if _others(question, text) or _SOMEWHERE.search(text) else 0.3
        case "count":
            return 1.0 if _NUMBER.search(text) else 0.4
        case "duration":
            return 1.0 if _STRETCH.search(text) else 0.3
        case "frequency":
            return 1.0 if _OFTEN.search(text) else 0.3
        case "reason":
            return 1.0 if _BECAUSE.search(text) else 0.5 * new
        case _:
            return new


def _others(question: _Asked, text: str) -> bool:
    return any(stem(bare(name)) not in question.names for name in _names(text))


@lru_cache(maxsize=8_192)
def _dated(text: str, when: datetime) -> bool:
    return bool(find_dates(text, when))


def _recency(question: _Asked, about: Sequence[Excerpt], best: Excerpt) -> float:
    """Return 1 if the lines are of the time asked about and no line says otherwise; else less."""
    if question.spans and not any(_of_the_time(question.spans, line) for line in about):
        return 0.0
    later = [line for line in about if (line.when - best.when).total_seconds() > _DAY]
    if any(_CHANGED.search(line.text) for line in later):
        return _SUPERSEDED
    return _PERHAPS_STALE if question.now and later else 1.0


def _of_the_time(spans: Iterable[Span], line: Excerpt) -> bool:
    """Tell if a line was said within one of the spans, or names a time that touches one."""
    for span in spans:
        if line.when in span:
            return True
        for mention in find_dates(line.text, line.when):
            if mention.span.start < span.end and span.start < mention.span.end:
                return True
    return False
