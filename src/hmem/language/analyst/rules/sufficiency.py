"""Whether what was found answers a question by itself (HiMem, best-effort recall).

Three questions are put to the lines, each answered with 0 to 1. **Coverage**: do they speak of what is asked? The
question's content words count, rare ones more and names most, loosely (``buy`` is as good as ``purchase``); the line
that holds most of them at once counts more than all lines together. **Specificity**: does a line that speaks of it, the
first ones above all, hold what could be the answer: a date, a name that was not asked about, a number, or what is new?
**Recency**: is it of the time that is asked about, and does no later line say otherwise?

The confidence is the chance that the lines hold the answer: logistic in these, with coefficients that
`benchmarks/sufficiency.py` fits and checks.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from math import exp
from typing import Final, NamedTuple

from hmem.language.analyst.base import Line
from hmem.language.analyst.rules.gazetteer import DAYS_AND_MONTHS, is_common
from hmem.language.analyst.rules.lexicon import word_set
from hmem.language.analyst.rules.wording import bare, content_stems, sentences, stem
from hmem.language.dates import find_dates
from hmem.language.regex import regex
from hmem.model.plan import AnswerType, SubQuestion, Sufficiency
from hmem.model.span import Span

# Of the constant, coverage, specificity and recency; from benchmarks/sufficiency.py.
_COEFFICIENTS: Final = (-2.16, 1.68, 2.05, 0.65)

# Words that stand for one another when one asks and another tells.
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

# What a question is built with, whatever it asks about.
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

# Of coverage, what the best line by itself makes; a question of few words is easily covered, and that is worth less.
_AT_ONCE: Final = 0.6
_DOUBT: Final = 1.0

# Lines that cover at least this much of what the best one does speak of the same.
_ABOUT: Final = 0.7
_SUPERSEDED: Final = 0.3
_PERHAPS_STALE: Final = 0.6

# What a line is worth that is neither by nor about the one who is asked about.
_OF_ANOTHER: Final = 0.5
_DAY: Final = 86_400.0


def _groups(text: str) -> dict[str, str]:
    return {stem(word): stem(group.split()[0]) for group in text.split(";") for word in group.split()}


_GROUP: Final = _groups(_ALIKE)


class _Asked(NamedTuple):
    """A question as it is held against lines: its aspects with their weights, and the kind of its answer."""

    aspects: tuple[tuple[str, float], ...]
    words: dict[str, str]
    names: frozenset[str]
    kind: AnswerType
    spans: tuple[Span, ...]
    now: bool


def sufficiency(part: SubQuestion, found: Sequence[Line], asked: datetime) -> Sufficiency:
    """Coverage, specificity, recency and the confidence that these lines answer the question."""
    if not found:
        return Sufficiency(0.0, 0.0, 0.0, 0.0)
    question = _asked(part.text, part.entities, part.answer_type, part.spans, asked)
    coverage, specificity, recency, lacking = _measured(question, found)
    bias, *slopes = _COEFFICIENTS
    odds = bias + sum(s * v for s, v in zip(slopes, (coverage, specificity, recency), strict=True))
    return Sufficiency(coverage, specificity, recency, 1 / (1 + exp(-odds)), lacking)


def features(part: SubQuestion, found: Sequence[Line], asked: datetime) -> tuple[float, float, float]:
    """What the confidence is made from: coverage, specificity and recency."""
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
    """The kind of answer that the wording asks for, where the plan does not tell."""
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
    """The words that a capital in the middle of a sentence shows to be names."""
    return tuple(word for word in _NAMED.findall(text) if word.lower() not in DAYS_AND_MONTHS and len(word) > 1)


def _measured(question: _Asked, found: Sequence[Line]) -> tuple[float, float, float, tuple[str, ...]]:
    speakers = {root for line in found if line.speaker for root in _stems(line.speaker)}
    # Who speaks in every other line tells little by being named: that counts as agreement, not as an aspect.
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


def _holds(question: _Asked, line: Line) -> float:
    """How far a line holds what could be the answer, 0 to 1."""
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


def _recency(question: _Asked, about: Sequence[Line], best: Line) -> float:
    """1 when the lines are of the time that is asked about and nothing says otherwise."""
    if question.spans and not any(_of_the_time(question.spans, line) for line in about):
        return 0.0
    later = [line for line in about if (line.when - best.when).total_seconds() > _DAY]
    if any(_CHANGED.search(line.text) for line in later):
        return _SUPERSEDED
    return _PERHAPS_STALE if question.now and later else 1.0


def _of_the_time(spans: Iterable[Span], line: Line) -> bool:
    """Whether a line was said within one of the spans, or names a time that touches one."""
    for span in spans:
        if line.when in span:
            return True
        for mention in find_dates(line.text, line.when):
            if mention.span.start < span.end and span.start < mention.span.end:
                return True
    return False
