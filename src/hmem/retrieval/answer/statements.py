"""Statements of the evidence: sentences and captions as tokens with word classes, and their match with a question.

The word classes are found without a tagger, which is enough to see where a phrase starts and ends. A statement matches
by its words, its meaning, the person it is about, and the time that the question names.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.language.dates import DateMention, find_dates
from hmem.language.embed.base import Embedder
from hmem.language.english.gazetteer import DAYS_AND_MONTHS, given_names, known_names
from hmem.language.english.inflection import root
from hmem.language.english.sentence_types import ASKING, bare, is_question, is_response, straight
from hmem.language.english.sentences import split
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.verb_forms import is_past, third_person
from hmem.language.english.word_lists import words
from hmem.language.regex import regex
from hmem.model.evidence import Evidence
from hmem.model.span import Span
from hmem.model.turn import Turn
from hmem.retrieval.answer.question import AnswerTarget

NAMES: Final = [
    "edge",
    "mark",
    "article",
    "possessive",
    "pronoun",
    "speaker",
    "preposition",
    "to",
    "conjunction",
    "because",
    "clause",
    "be",
    "auxiliary",
    "not",
    "number",
    "ing",
    "past",
    "adverb",
    "person",
    "place",
    "name",
    "date",
    "praise",
    "word",
    "other",
    "lets",
    "verb",
    "quality",
]
(
    EDGE, MARK, ARTICLE, POSSESSIVE, PRONOUN, SPEAKER, PREPOSITION, TO, CONJUNCTION, BECAUSE, CLAUSE, BE, AUXILIARY,
    NOT, NUMBER, ING, PAST, ADVERB, PERSON, PLACE, NAME, DATE, PRAISE, WORD, OTHER, LETS, VERB, QUALITY,
) = range(len(NAMES))  # fmt: skip


_WORDS: Final[dict[int, str]] = {
    ARTICLE: """
    a an the this that these those some any another each every
    """,
    POSSESSIVE: """
    my our your his her their its
    """,
    SPEAKER: """
    i we me us you i'm i've i'd i'll we're we've we'd we'll you're you've you'll you'd myself yourself ourselves
    mine ours yours y'all ya im ive
    """,
    PRONOUN: """
    he she it they him them he's she's it's they're they've he'd she'd they'd it'll that's there's here's there
    here everyone someone anyone something anything everything nothing himself herself themselves itself one
    ones
    """,
    PREPOSITION: """
    of in on at for from with by about during after before as into through over under near around against
    between without within across along behind beyond inside outside toward towards upon onto off up down out
    like including per via than
    """,
    TO: """
    to
    """,
    CONJUNCTION: """
    and or but nor plus & then
    """,
    BECAUSE: """
    because since cause 'cause cuz so
    """,
    CLAUSE: """
    when while if that which who whom whose where how what why whether until till although though unless
    """,
    BE: """
    am is are was were be been being 's 're
    """,
    AUXILIARY: """
    have has had do does did can could will would shall should may might must having don't didn't doesn't can't
    couldn't won't wouldn't haven't hasn't isn't aren't wasn't weren't
    """,
    NOT: """
    not no never none neither
    """,
    LETS: """
    let's lets thanks thank wow hey yeah yes yep oh haha hi hello ok okay sure sorry congrats glad
    """,
    PRAISE: """
    great good amazing awesome nice cool fantastic wonderful lovely beautiful incredible fun super really very
    so pretty quite definitely always just also still even only actually totally absolutely best perfect
    """,
    NUMBER: """
    two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty thirty forty
    fifty hundred thousand once twice thrice couple dozen several few
    """,
    DATE: """
    yesterday today tomorrow tonight ago last next week weekend month year day morning afternoon evening night
    """,
}
_CLOSED: Final = {word: kind for kind, held in _WORDS.items() for word in held.split()}

# Base forms that are seldom nouns.
_VERBS: Final = """
add agree aim allow appear appreciate arrive ask assume attend avoid bake become begin believe belong blend bring build
buy calm capture carry catch celebrate check choose clear collect combine come compete complete connect consider
contain continue convince cook cope create deal decide decorate deserve destress develop discover distract donate draw
drive earn eat embrace encourage enjoy enter escape evolve excel expand explain explore express face fail feel fill
find finish fit fix follow forget gain gather get give go grab grow guess handle happen hear help hope imagine improve
include inspire invite involve join keep kill know lead learn leave let lie listen live lose love make manage matter
mean meet motivate need notice offer organize overcome own pass pay persuade pick prefer prepare prove provide pursue
push put raise reach read realize receive recommend recover reduce reflect relax rely remain remember remind require
respect restore return run save say see seek seem sell send serve share show sing sit soothe speak spend stand stay
stick struggle submit succeed suggest support survive take talk teach tell tend thank think throw transform travel
treat trust try turn understand unwind use visit volunteer wait want wear win wish wonder worry write
"""
_QUALITIES: Final = """
able active adorable afraid alive alone amazed annoyed anxious available aware bad beautiful big bold boring brave
bright busy calm careful cheap chill clean clear close cold colorful comfortable comfy common complete confident
confused content cozy crazy creative crucial curious cute dark dear deep delicious different difficult dirty early
easy effective emotional empty epic essential excited exciting exhausted familiar famous fancy far fascinating fast
favorite favourite fine free frequent fresh friendly frustrated full funny gentle giant gorgeous grateful graceful hard
healthy heavy helpful honest honored hopeful hot huge hungry important impressed impressive intense interested
interesting joyful kind large late lazy light little local lonely long loud lovable low loyal lucky mad magical main
massive meaningful messy mindful modern motivated natural near necessary nerve-wracking nervous new next nice nostalgic
old open optimistic ordinary original overwhelmed overwhelming own passionate patient peaceful personal pleasant popular
positive possible powerful precious present productive proud quick quiet ready real recent relaxed relaxing relieved
resilient rewarding rich right rough sad safe satisfying scared scary serene serious sharp short shy sick significant
silly similar simple slow small smooth soft solid special spicy strange stressed stressful strong stuck sturdy
successful supportive sure surprised surreal sweet talented tall tasty tense terrible terrified therapeutic thoughtful
thrilled thrilling tired tough tricky true ugly unforgettable unique upset useful usual valuable vibrant vital warm
weak weird welcoming wild wise worried worthwhile worth wrong young yummy
"""


@lru_cache(maxsize=1)
def _open_classes() -> dict[str, int]:
    """Return the known verbs, in the present, and qualities, by word."""
    verbs = {form: VERB for word in _VERBS.split() for form in (word, third_person(word))}
    return dict.fromkeys(_QUALITIES.split(), QUALITY) | verbs


@lru_cache(maxsize=50_000)
def class_of(lower: str, *, capital: bool) -> int:
    """Return the class of a lower-cased word; ``capital``: it is capitalised within a sentence."""
    kind = _CLOSED.get(lower)
    if kind is not None:
        return kind
    if not any(sign.isalnum() for sign in lower):
        return MARK
    if lower[0].isdigit() or lower[0] in "$€£":
        return NUMBER
    plain = lower.removesuffix("'s")
    if plain in DAYS_AND_MONTHS and (capital or plain not in ("may", "march", "sun", "sat")):
        return DATE
    if capital:
        return _class_of_name(plain)
    if plain in STOP_WORDS:
        return OTHER
    known = _open_classes().get(plain)
    if known is not None:
        return known
    if plain.endswith("ing") and len(plain) > 4:
        return ING
    if is_past(plain):
        return PAST
    return ADVERB if plain.endswith("ly") and len(plain) > 4 else WORD


def _class_of_name(plain: str) -> int:
    if plain in given_names():
        return PERSON
    return PLACE if known_names().get(plain) == "location" else NAME


# Greatest number of characters and of sentences of a turn that are read.
_READ: Final = 6_000
_MOST: Final = 60
_WORD: Final = regex(
    r"[$€£]?\d+(?:[.,:/-]\d+)*%?(?:[^\W\d_]+)?|[^\W\d_]+(?:['.&-][^\W_]+)*\+?|[,;:!?()\"…]|[\u2013\u2014]"
    r"|(?<=\s)-+(?=\s)|\.(?=\s|$)"
)
_PICTURED: Final = regex(
    r"^(?:an? |the )?(?:\w+ )?(?:photo|picture|image|photography|painting of a photo|screenshot|close ?up"
    r"|view)(?: of|:)? ",
    re.IGNORECASE,
)
_FIRST: Final = words("i me my mine myself we us our ours i'm i've i'd i'll we're we've we'll we'd im ive")
_SECOND: Final = words("you your yours yourself you're you've you'll you'd")


class Token(NamedTuple):
    """Word or mark: its place, lower-cased text and root (empty for a mark). ``content``: it is a content word."""

    start: int
    end: int
    lower: str
    root: str
    content: bool
    capital: bool


@dataclass(frozen=True, slots=True, eq=False)
class StatementLine:
    """Sentence, cut into tokens. ``asks``: it is a question. ``first``, ``second``: it has "I" or "you".

    ``response``: it only answers what another said; ``dated``: it has a date or a number; ``content`` are the roots of
    its content words, ``plain`` its words in lower case.
    """

    text: str
    tokens: tuple[Token, ...]
    classes: NDArray[np.int64]
    roots: frozenset[str]
    asks: bool
    first: bool
    second: bool
    caption: bool = False
    response: bool = False
    dated: bool = False
    content: tuple[str, ...] = ()
    plain: frozenset[str] = frozenset()


@dataclass(slots=True)
class CandidateSentence:
    """Line of a piece of evidence, with its match with the question."""

    line: StatementLine
    evidence: Evidence
    turn: int
    place: int
    before: StatementLine | None
    hits: frozenset[str] = frozenset()
    features: dict[str, float] = field(default_factory=dict[str, float])
    score: float = 0.0


@lru_cache(maxsize=4_096)
def lines_of(text: str, caption: str | None, names: tuple[str, ...] = ()) -> tuple[StatementLine, ...]:
    """Return the sentences of a turn without interjections and vocatives, then its caption."""
    made = [_line(said) for said in _sentences(text, names)]
    if caption:
        made.append(_line(_pictured(caption), caption=True))
    return tuple(line for line in made if line.tokens)


def _sentences(text: str, names: tuple[str, ...]) -> list[str]:
    return [bare(straight(piece.text), names) for piece in split(text[:_READ])[:_MOST] if not piece.code]


def _pictured(caption: str) -> str:
    return _PICTURED.sub("", straight(caption[:_READ]), count=1)


@lru_cache(maxsize=4_096)
def _last_question(text: str, caption: str | None, names: tuple[str, ...]) -> StatementLine | None:
    """Return the last line of a turn that is a question, or None; the other lines are not analysed."""
    if not any(mark in said for said in (text, caption or "") for mark in ASKING):
        return None
    if caption and is_question(shown := _pictured(caption)) and (line := _line(shown, caption=True)).tokens:
        return line
    asking = (said for said in reversed(_sentences(text, names)) if is_question(said))
    return next((line for line in map(_line, asking) if line.tokens), None)


def _line(text: str, *, caption: bool = False) -> StatementLine:
    tokens = tuple([_token(found) for found in _WORD.finditer(text)])
    lower = {token.lower for token in tokens}
    classes = [class_of(token.lower, capital=token.capital and i > 0) for i, token in enumerate(tokens)]
    return StatementLine(
        text,
        tokens,
        np.array(classes, np.int64),
        frozenset([token.root for token in tokens if token.root]),
        is_question(text),
        not _FIRST.isdisjoint(lower),
        not _SECOND.isdisjoint(lower),
        caption,
        is_response(text),
        DATE in classes or NUMBER in classes,
        tuple([token.root for token in tokens if token.content]),
        frozenset([word.removesuffix("'s") for word in lower]),
    )


def _token(found: re.Match[str]) -> Token:
    word = found[0]
    lower, said, content = _word(word)
    return Token(found.start(), found.end(), lower, said, content, capital=word[0].isupper())


@lru_cache(maxsize=50_000)
def _word(word: str) -> tuple[str, str, bool]:
    """Return a word or a mark in lower case, its root (empty for a mark), and True if it is a content word."""
    lower = word.lower()
    if class_of(lower, capital=False) == MARK:
        return lower, "", False
    plain = lower.removesuffix("'s")
    return lower, root(plain), plain not in STOP_WORDS


def statements_of(
    found: Sequence[Evidence], previous: Sequence[Turn | None], names: tuple[str, ...]
) -> list[CandidateSentence]:
    """Return all statements of the evidence, best evidence first; ``previous`` is the turn before each, if any."""
    made: list[CandidateSentence] = []
    for turn, (evidence, earlier) in enumerate(zip(found, previous, strict=True)):
        asked = _last_question(earlier.text, earlier.caption, names) if earlier is not None else None
        lines = lines_of(evidence.text, evidence.caption, names)
        for place, line in enumerate(lines):
            before = asked if line.caption or place < 2 else None
            made.append(CandidateSentence(line, evidence, turn, place, before))
    return made


# Time after an event within which it is usually reported.
_REPORTED_WITHIN: Final = timedelta(days=9)
_YEAR: Final = regex(r"\b(?:19|20)\d\d\b")
_LONGEST: Final = timedelta(days=200)


@dataclass(frozen=True, slots=True)
class TimeFrame:
    """Time of what is asked about: ``spans``; ``months`` are those named without a year, 1 to 12."""

    spans: tuple[Span, ...]
    months: tuple[int, ...]

    def holds(self, statement: CandidateSentence) -> bool:
        """Tell if a statement names that time, or was said in it or soon after."""
        said = statement.evidence.when
        named = [mention.span for mention in _dates(statement.line.text, said)]
        if any(self._meets(span) for span in named):
            return True
        return not named and (self._within(said) or self._within(said - _REPORTED_WITHIN))

    def _meets(self, span: Span) -> bool:
        if any(span.start < other.end and other.start < span.end for other in self.spans):
            return span.length <= _LONGEST
        return bool(self.months) and span.length <= timedelta(days=32) and span.start.month in self.months

    def _within(self, moment: datetime) -> bool:
        return any(moment in span for span in self.spans) or moment.month in self.months


def frame_of(text: str, asked: datetime, spans: Sequence[Span]) -> TimeFrame | None:
    """Return the time that a question names; ``spans`` are those that its plan found."""
    mentions = [mention for mention in find_dates(text[:500], asked) if mention.kind == "point"]
    months = tuple(
        mention.span.start.month for mention in mentions if mention.granularity == "month" and not _dated(mention)
    )
    exact = [mention.span for mention in mentions if _dated(mention) or mention.granularity != "month"]
    found = tuple(spans) or tuple(exact)
    return TimeFrame(found if not months else tuple(exact), months) if found or months else None


def _dated(mention: DateMention) -> bool:
    return _YEAR.search(mention.text) is not None


@lru_cache(maxsize=8_192)
def _dates(text: str, said: datetime) -> tuple[DateMention, ...]:
    return tuple(mention for mention in find_dates(text, said) if mention.kind == "point")


_COUNTING: Final = ("count", "amount", "duration", "frequency")
# Number of statements whose meaning is compared, and limits of those that candidates are taken from.
_COMPARED: Final = 48
CHOSEN: Final = 12
_FROM_A_TURN: Final = 8
_AT_MOST: Final = 20
_FOR_A_LIST: Final = 36

_FIT: Final = {
    "cover": 2.0, "cover_before": 4.0, "score": 3.0, "cosine": 2.0, "cosine_before": 0.0, "own": 0.3, "other": -0.5,
    "asks": -0.5, "caption": -1.0, "fresh": 0.7, "stale": -0.7, "verb": 0.5, "fits": 1.0,
    "frame": 1.5,
}  # fmt: skip
_DATED: Final = 2.5
_NUMBERED: Final = 1.5


class Meanings:
    """Vectors of short texts, cached for the life of the process; at most ``most`` of them."""

    def __init__(self, embedder: Embedder, most: int = 20_000) -> None:
        self._embedder = embedder
        self._most = most
        self._kept: dict[str, NDArray[np.float32]] = {}

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the unit vectors of texts, a row each."""
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if len(self._kept) + len(new) > self._most:
            self._kept.clear()
            new = list(dict.fromkeys(texts))
        if new:
            self._kept.update(zip(new, self._embedder.embed(new), strict=True))
        return np.stack([self._kept[text] for text in texts])


class ZeroMeanings(Meanings):
    """Zero vectors, for use while the embedder is unavailable."""

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return zeros, a row for each text."""
        return np.zeros((len(texts), self._embedder.dimension), np.float32)


def measure(
    statements: Sequence[CandidateSentence],
    asked: AnswerTarget,
    vector: NDArray[np.float32],
    meanings: Meanings,
    frame: TimeFrame | None = None,
) -> list[CandidateSentence]:
    """Set the features and the score of each statement, and return the best ones, best first."""
    if not statements:
        return []
    shares, wanted = _Shares(_rarity(statements, asked)), frozenset(asked.roots)
    top = max(statement.evidence.score for statement in statements)
    by_turn: dict[int, frozenset[str]] = {}
    for statement in statements:
        statement.hits = statement.line.roots & wanted
        by_turn[statement.turn] = by_turn.get(statement.turn, frozenset()) | statement.hits
        statement.features = _fit_features(statement, asked, shares, top, frame)
        statement.score = _fit(statement)
    ordered = sorted(statements, key=lambda statement: -statement.score)
    compared = ordered[:_COMPARED]
    for statement in compared:
        statement.features |= _other_features(statement, asked, shares.of(by_turn[statement.turn]))
    cosines = meanings.of([_with_speaker(statement) for statement in compared]) @ vector
    befores = [statement.before.text if statement.before else "" for statement in compared]
    earlier = meanings.of(befores) @ vector
    for statement, cosine, near in zip(compared, cosines.tolist(), earlier.tolist(), strict=True):
        statement.features["cosine"] = cosine
        statement.features["cosine_before"] = near
        statement.score = _fit(statement)
    best = sorted(compared, key=lambda statement: -statement.score)
    _relate(best)
    return best


def _relate(ordered: Sequence[CandidateSentence]) -> None:
    """Add to each statement its features relative to the best one, and to the best of its turn."""
    leaders: dict[int, CandidateSentence] = {}
    for statement in ordered:
        leaders.setdefault(statement.turn, statement)
    top = ordered[0]
    top.features["leads"] = 1.0
    for statement in ordered:
        leader = leaders[statement.turn]
        statement.features["fit"] = statement.score - top.score
        statement.features["turn_fit"] = leader.score - top.score
        statement.features["beside"] = float(leader is top)
        statement.features["behind_best"] = float(leader is not statement and statement.place == leader.place + 1)


def chosen(ordered: Sequence[CandidateSentence], *, many: bool = False) -> list[CandidateSentence]:
    """Return the statements that candidates come from: the best, and all of the two best turns.

    For a list (``many``): the best, and all about the people asked about.
    """
    if many:
        return [s for i, s in enumerate(ordered) if i < CHOSEN or s.features["own"]][:_FOR_A_LIST]
    turns = list(dict.fromkeys(statement.turn for statement in ordered))[:2]
    kept = [s for i, s in enumerate(ordered) if i < CHOSEN or (s.turn in turns and s.place < _FROM_A_TURN)]
    return kept[:_AT_MOST]


def _with_speaker(statement: CandidateSentence) -> str:
    return f"{statement.evidence.speaker}: {statement.line.text}"


def _fit(statement: CandidateSentence) -> float:
    features = statement.features
    return sum([weight * features.get(name, 0.0) for name, weight in _FIT.items()])


def _rarity(statements: Sequence[CandidateSentence], asked: AnswerTarget) -> dict[str, float]:
    """Return the weight of each root of the question by its rarity among these statements."""
    turns: dict[str, set[int]] = {}
    for statement in statements:
        for word_root in statement.line.roots.intersection(asked.roots):
            turns.setdefault(word_root, set()).add(statement.turn)
    number = 1 + max(statement.turn for statement in statements)
    return {word_root: math.log((number + 1) / (len(turns.get(word_root, ())) + 0.5)) for word_root in asked.roots}


class _Shares:
    """Share of the question's weight of a set of roots; each set is computed once."""

    def __init__(self, weights: dict[str, float]) -> None:
        self._weights = weights
        self._total = sum(weights.values()) or 1.0
        self._known: dict[frozenset[str], float] = {}

    def of(self, roots: frozenset[str]) -> float:
        """Return the share of these roots, summed in sorted order so that rounding is always the same."""
        share = self._known.get(roots)
        if share is None:
            share = self._known[roots] = sum(self._weights[word_root] for word_root in sorted(roots)) / self._total
        return share


def _fit_features(
    statement: CandidateSentence, asked: AnswerTarget, shares: _Shares, top: float, frame: TimeFrame | None
) -> dict[str, float]:
    """Return the features that the fit consists of, but for those of meaning."""
    line, before = statement.line, statement.before
    cover = shares.of(statement.hits)
    joined = cover if before is None else shares.of(statement.hits | before.roots.intersection(asked.roots))
    fresh = _fresh(statement, asked)
    return {
        "cover": cover,
        "cover_before": joined - cover,
        "score": (statement.evidence.score - top) / max(abs(top), 1e-6),
        "own": float(_is_own(statement, asked)),
        "other": float(_is_others(statement, asked)),
        "asks": float(line.asks),
        "caption": float(line.caption),
        "fresh": min(fresh, 8) / 4,
        "stale": float(not fresh),
        "verb": float(asked.verb in line.roots),
        "fits": line.dated * (_DATED if asked.kind == "when" else _NUMBERED if asked.kind in _COUNTING else 0.0),
        "frame": float(frame is not None and frame.holds(statement)),
    }


def _other_features(statement: CandidateSentence, asked: AnswerTarget, cover_turn: float) -> dict[str, float]:
    """Return the other features that need no other statement."""
    line = statement.line
    return {
        "cover_turn": cover_turn - statement.features["cover"],
        "rank": 1 / (1 + statement.turn),
        "response": float(line.response),
        "greets": float(line.classes[0] == LETS),
        "named": float(bool(asked.people) and _named(statement, asked)),
        "reply": float(statement.before is not None),
        "second": float(line.second),
        "date": float(line.dated),
    }


def _fresh(statement: CandidateSentence, asked: AnswerTarget) -> int:
    """Return the number of content words that the question does not have."""
    return len([word_root for word_root in statement.line.content if word_root not in asked.every])


def _named(statement: CandidateSentence, asked: AnswerTarget) -> bool:
    words = statement.line.plain
    return any(part in words or part[:3] in words for name in asked.people for part in name.lower().split())


def _is_own(statement: CandidateSentence, asked: AnswerTarget) -> bool:
    """Tell if a statement is about one of the people asked about: said by them, to them or of them."""
    if not asked.people:
        return True
    if statement.evidence.speaker in asked.people:
        return statement.line.first or not statement.line.second
    return (statement.line.second and not statement.line.first) or _named(statement, asked)


def _is_others(statement: CandidateSentence, asked: AnswerTarget) -> bool:
    """Tell if a statement is what somebody else says about themselves."""
    return bool(asked.people) and statement.evidence.speaker not in asked.people and statement.line.first
