"""Sentence types and informativeness of conversational sentences.

A sentence is classified by its opening and by the words left without formulas: a question asks, an imperative
encourages, a reaction ("that sounds amazing") answers the other speaker, and the rest are statements.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from hmem.language.english.curation import FORMULA
from hmem.language.english.vocabulary import words
from hmem.language.english.wording import Stretches, stem
from hmem.language.regex import regex

_STRAIGHT: Final = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"'}
_LEADS: Final = (
    r"and|but|oh|ooh|ah|aw+|yeah|yep|yup|hey|hi|hello|hiya|wow|whoa|woah|woohoo|yay|phew|ugh|haha\w*|lol|"
    r"omg|hmm+|um+|uh"
    r"|btw|by the way|anyways?|also|plus|speaking of(?: which)?|on another note|in other news|guess what"
    r"|so(?=,| (?:i|we|my|our|he|she|it|they|the|there|yesterday|last)\b)"
)
_MARKED_LEADS: Final = (
    r"no|yes|well|right|sure(?: thing)?|ok|okay|alright|great|cool|nice|awesome|amazing|sweet|perfect|"
    r"exactly|totally"
    r"|absolutely|definitely|agreed|true|indeed|of course|for sure|same(?: here)?|thanks|thank you|thx|"
    r"sorry|congrats"
    r"|congratulations|honestly|actually|to be honest|tbh|good (?:question|point|idea|morning|evening|"
    r"afternoon)|nope|nah"
    r"|way to go|nice (?:work|one|job)|good (?:job|work|call)|no (?:worries|problem|way)|you know(?: "
    r"what)?|look|listen"
    r"|got it|i (?:know|see|agree|guess)|welcome|welcome back|that(?:'s)? (?:great|cool|awesome|amazing|"
    r"true|right)"
)
_MUCH: Final = (
    r"(?: so much| very much| a lot| a ton| a bunch| a million| again| for (?:asking|sharing|the \w+(?: "
    r"\w+)?))?"
)
# Every question has one of these words.
ASKING: Final = ("?", "\uff1f")
_QUESTION_OF: Final = regex(r"[?\uff1f]['\")\]]*(?:\s*\W+)?$")
_TAG: Final = regex(
    r",?\s*(?:right|huh|eh|you know|y'?know|don't you think|(?:is|are|was|were|do|does|did|have|has|wo|ca|"
    r"would|could)n't (?:it|he|she|they|that|we|you|i))\s*\?+$",
    re.IGNORECASE,
)
# Last word of a tag: a cheap check before the search for the start of the tag.
_ENDS_IN_TAG: Final = regex(r"(?:right|huh|eh|know|think|it|he|she|they|that|we|you|i)$", re.IGNORECASE)
_TELLING: Final = regex(
    r"^(?:did i (?:ever )?(?:tell|mention to) you|have i (?:ever )?told you|have i mentioned|did i "
    r"mention|did you know"
    r"|do you (?:remember|know)|remember|(?:have|did) you hear[d]?)\s+(?:that |how )?(?=(?:i|my|we|our|he|"
    r"she|they)\b)",
    re.IGNORECASE,
)

# Openings that encourage, wish or direct.
_IMPERATIVE: Final = regex(
    r"^(?:please |just |always |never |so )*(?:keep(?! (?:in touch with my))|don'?t|do not|let'?s?(?: me| "
    r"us)?|have (?:a|fun|an)|take (?:care|it|your|lots|some|a|one|things)"
    r"|stay|believe in|hang|enjoy|tell|send|remember to|remember that|good luck|best of luck|all the best|"
    r"way to go|well done"
    r"|give (?:it|him|her|them|me|yourself|my)|trust|go (?:for|ahead|get)|never give|hold on|see (?:you|"
    r"ya)|talk (?:to you )?(?:soon|later)"
    r"|catch (?:you|up)|sleep well|get (?:well|some rest)|be (?:proud|careful|safe|sure|strong)|cheer up|"
    r"chin up|hit me up|thank|thanks|congrats"
    r"|congratulations|welcome|no (?:worries|problem|need)|you (?:got|'ve got) this|count me in|props|"
    r"kudos|hats off|(?:great|good|nice|awesome|excellent|amazing|fantastic|impressive|superb|cool|smart|"
    r"wise|lovely) (?:job|work|going|idea|choice|call|one|move|plan|way to|effort|shot|pic|picture|photo)|"
    r"fingers crossed|rest (?:up|easy))\b",
    re.IGNORECASE,
)

# Openings of mere reactions to the last message, and openings of possible ones.
_RESPONSE: Final = regex(
    r"^(?:here (?:you|ya|it|they) (?:go|is|are)\b|sounds?\b|looks? (?:like|so|great|good|amazing|awesome|"
    r"delicious)\b|glad\b"
    r"|(?:so |really |very |super |always |just )*(?:happy|proud|glad|sorry|excited|good|great|nice|cool|"
    r"awesome|amazing|inspiring|lovely|wonderful|sad) (?:to (?:hear|see|know)|for (?:you|him|her|them)|of "
    r"you|that|you|on you)\b"
    r"|what an?\b|how \w+|such an?\b|(?:that|this|it) (?:sounds?|looks?|must (?:be|feel|have)|seems?)\b|"
    r"i(?:'m| am)(?: so| really| very| super| truly| just| always)* (?:glad|happy (?:for|to hear|to see|"
    r"you|that)|proud of you|sorry|here for|with you|grateful for your|thankful for your|rooting|jealous|"
    r"impressed|sure you)\b"
    r"|i (?:really |totally |completely |do |so |truly |also |just |can |100% |definitely )*(?:appreciate|"
    r"agree|hope you|bet|imagine|can tell|can see|understand|wish you|admire|hear|guess|couldn't agree)\b"
    r"|i (?:can't|cannot|couldn't) (?:agree|believe|even|imagine)|can't (?:believe|agree)\b|my pleasure|"
    r"thanks to you\b|love (?:that|your)\b|(?:i|i'd) (?:really |just )?love (?:that|it|your)\b"
    r"|you(?:'re right| are right|'re so| rock| should be proud))",
    re.IGNORECASE,
)
_REACTION: Final = regex(
    r"^(?:(?:that|this|it)(?:'?s| is| was| would be| really| means| can be| makes)\b"
    r"|(?:those|these) (?:are|look|sound)\b|they(?:'re| are| look) (?:so |really |very |all )?\w+[.!]*$|"
    r"(?:so|really|very|super|pretty|too) \w+[.!]"
    r"|i (?:really |do |so |truly |also |just |can )*(?:hope|see|know)\b|(?:i )?(?:can't|cannot) wait\b|"
    r"looks?\b|seems?\b"
    r"|you(?:'re|'ve| are| have| will|'ll| should| must| can| got| guys| make| did| deserve| look| "
    r"both| definitely| really| always| all| need| could)\b"
    r"|we (?:should|must|can|all|need|could|make|deserve)\b|we(?:'ve)? got this\b|we(?:'re| are) (?:all )?in this\b"
    r"|your\b|love (?:it|this|the)\b|(?:i|i'd) (?:really |just )?love this\b"
    r"|(?:great|good|nice|excellent|awesome|fantastic|amazing|interesting) (?:\w+)[,.!]*$|it'?s (?:\w+ "
    r")*(?:great|good|nice|awesome|amazing|inspiring|so|important|hard|tough|true|really)\b)",
    re.IGNORECASE,
)
_HYPOTHETICAL: Final = regex(r"^(?:if|imagine|suppose|what if|maybe if)\b", re.IGNORECASE)
_NAMING: Final = regex(r"^(?:its|his|her|their) names?(?: is|'s| are) \w", re.IGNORECASE)
_PERSONAL: Final = regex(r"(?<![\w'])(?:i|we|my|our|me|us|mine)(?:'(?:m|ve|d|ll|re))?(?![\w'])", re.IGNORECASE)
_WORD: Final = regex(r"[^\W_]+(?:'[^\W_]+)*")

# Words of time, and those that are so behind "last", "next" and "this".
_DATES: Final = words(
    """
    yesterday tomorrow tonight monday tuesday wednesday thursday friday saturday sunday january february april june july
    august september october november december ago
    """
)
_BESIDE: Final = words("last next this past")
_UNITS: Final = words("week weekend month year night summer winter spring fall autumn semester")
_CLITIC: Final = regex(r"'(?:s|m|re|ve|ll|d|t)$")


# One interjection before a statement; "thanks" and the like need a mark or a name behind them.
_BREAK: Final = r"[,!.…:;\u2013\u2014-]+\s*"
_INTERJECTION: Final = regex(
    rf"(?:{_LEADS})\b[\s,!.…:;\u2013\u2014-]*(?=\S)|(?:{_MARKED_LEADS}){_MUCH}\s*{_BREAK}(?=\S)",
    re.IGNORECASE,
)
_UNMARKED: Final = regex(rf"(?:{_MARKED_LEADS}){_MUCH}\s+", re.IGNORECASE)
# Maximum distance of a name behind an interjection, in characters.
_NEAR: Final = 60


def _opening_of(sentence: str, names: tuple[str, ...]) -> int:
    """Return the start of the statement in a sentence, behind interjections and names of address."""
    place = 0
    while (end := _step(sentence, place, names)) > place:
        place = end
    return place


def _step(sentence: str, place: int, names: tuple[str, ...]) -> int:
    """Return the end of the interjection or name at ``place``; ``place`` if there is none."""
    found = _INTERJECTION.match(sentence, place)
    if found is not None or not names:
        return place if found is None else found.end()
    called, addressed = _callings(names)
    if _UNMARKED.match(sentence, place):
        name = called.search(sentence, place, place + _NEAR)
        if name is not None and _UNMARKED.fullmatch(sentence, place, name.start()):
            return name.start()
    name = addressed.match(sentence, place)
    return place if name is None else name.end()


@lru_cache(maxsize=1_024)
def _callings(names: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of a name and of a name of address. Kept apart from the interjections, which compile slowly."""
    called = _called(names)
    return regex(called, re.IGNORECASE), regex(rf"{called}{_BREAK}(?=\S)", re.IGNORECASE)


@lru_cache(maxsize=1_024)
def _vocatives(names: tuple[str, ...]) -> re.Pattern[str]:
    return regex(rf",\s*{_called(names)}(?=[,.!?…]|$)")


def _called(names: Iterable[str]) -> str:
    """Return a pattern of the names and their short forms of three letters or more."""
    forms = [_called_one(name) for name in names]
    return rf"(?:(?:my |dear )?(?:{'|'.join(forms)})\b)" if forms else r"(?!)"


def _called_one(name: str) -> str:
    """Return a pattern of one name: ``Melanie`` is Mel, Mela, … and Melanie."""
    first, rest = re.escape(name[:3]), name[3:]
    if not name.isalpha():
        return re.escape(name)
    optional = "".join(f"(?:{re.escape(letter)}" for letter in rest) + ")?" * len(rest)
    return f"{first}{optional}"


def straight(text: str) -> str:
    """Return the text with straight quotation marks and apostrophes, as the rules expect them."""
    return text if text.isascii() else text.translate(_STRAIGHT)


def bare(sentence: str, names: tuple[str, ...]) -> str:
    """Return a sentence without leading interjections and names of address."""
    rest = sentence[_opening_of(sentence, names) :]
    return _vocatives(names).sub("", rest) if names and "," in rest else rest


def is_question(sentence: str) -> bool:
    return _QUESTION_OF.search(sentence, max(len(sentence) - 12, 0)) is not None


def is_response(sentence: str) -> bool:
    """Tell if a sentence only praises, thanks or wishes in reply."""
    return _RESPONSE.match(sentence) is not None or _IMPERATIVE.match(sentence) is not None


def told(sentence: str) -> str | None:
    """Return the statement in a question ("Did I tell you that …?", "…, right?"); None if it only asks."""
    if opened := _TELLING.match(sentence):
        return sentence[opened.end() :].rstrip("?! ") + "."
    said = sentence.rstrip("?").rstrip()
    tag = _TAG.search(sentence) if _ENDS_IN_TAG.search(said, max(len(said) - 8, 0)) else None
    if tag and tag.start() > 10 and not _ASKS.match(sentence):
        return sentence[: tag.start()].rstrip() + "."
    return None


_ASKS: Final = regex(
    r"(?:what|who|whom|whose|which|when|where|why|how|are|is|was|were|am|do|does|did|have|has|had|can|"
    r"could|will|would"
    r"|should|shall|may|any|got|wanna|want|isn't|aren't|don't|doesn't|didn't|haven't|won't)\b",
    re.IGNORECASE,
)


def content(sentence: str, names: frozenset[str]) -> list[str]:
    """Return the lower-cased content words of a sentence, without function words, formulas and speakers' names."""
    words = (_bare(word) for word in _WORD.findall(sentence))
    return [word for word in words if word not in names and _carries(word)]


def _counts(sentence: str, names: frozenset[str]) -> tuple[int, int, int]:
    """Return the numbers of content words, of names and figures other than speakers' names, and of dates."""
    words = exact = dates = 0
    first, beside = True, False
    for word in _WORDS.of(sentence):
        dated = word.date or (beside and word.unit)
        if word.weight and word.bare not in names:
            words += word.weight
            exact += word.figure or (word.capital and not first and not dated)
        else:
            exact += word.figure
        dates += dated
        first, beside = False, word.beside
    return words, exact, dates


class _Word(NamedTuple):
    """Properties of a word out of context. ``weight`` is its number of content words, 0 for none."""

    bare: str
    weight: int
    figure: bool
    capital: bool
    date: bool
    beside: bool
    unit: bool


def _word(word: str) -> _Word:
    bare_word = _bare(word)
    # A run of a script without blanks is several words.
    length = 1 if word.isascii() else max(1, len(word) // 4)
    return _Word(
        bare_word,
        length if _carries(bare_word) else 0,
        word[0].isdigit(),
        word[0].isupper(),
        bare_word in _DATES,
        bare_word in _BESIDE,
        bare_word in _UNITS,
    )


# Safe to split at blanks: no word holds one.
_WORDS: Final = Stretches(lambda stretch: tuple(map(_word, _WORD.findall(stretch))))


@lru_cache(maxsize=50_000)
def _bare(word: str) -> str:
    return _CLITIC.sub("", word.lower()) if "'" in word else word.lower()


@lru_cache(maxsize=50_000)
def _carries(word: str) -> bool:
    """Tell if a lower-cased word is a content word."""
    return stem(word) not in FORMULA and (len(word) > 1 or not word.isascii())


def informativeness(sentence: str, names: frozenset[str]) -> float:
    """Return how much a sentence states: 0 for nothing, about 1 for each fact."""
    if _NAMING.match(sentence):
        return 2.0
    if _IMPERATIVE.match(sentence) or _HYPOTHETICAL.match(sentence):
        return 0.0
    words, exact, dates = _counts(sentence, names)
    if not exact and ((not words and not dates) or _RESPONSE.match(sentence)):
        return 0.0
    personal = _PERSONAL.search(sentence) is not None
    if not personal and not exact and not dates and words < 2:
        return 0.0
    reacts = _REACTION.match(sentence) is not None
    if reacts and words < (3 if personal else 5) and not exact and not (personal and dates):
        return 0.0
    return words + exact + dates + (1.0 if personal else 0.0) - (2.0 if reacts else 0.0) or 0.5


def states_something(sentence: str, names: frozenset[str] = frozenset()) -> bool:
    """Tell if a sentence, as returned by ``bare``, states a fact, a plan, an opinion or an event."""
    return informativeness(sentence, names) > 0.0
