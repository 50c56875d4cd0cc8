"""Sentence types and informativeness of conversational sentences.

A sentence is classified by its opening and by the words left without formulas: a question asks, an imperative
encourages, a reaction ("that sounds amazing") answers the other speaker, and the rest are statements.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from hmem.language.english.curation import FORMULA
from hmem.language.english.sentence_types import IMPERATIVE, RESPONSE
from hmem.language.english.word_lists import words
from hmem.language.english.wording import Stretches, stem
from hmem.language.regex import regex

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
    if IMPERATIVE.match(sentence) or _HYPOTHETICAL.match(sentence):
        return 0.0
    words, exact, dates = _counts(sentence, names)
    if not exact and ((not words and not dates) or RESPONSE.match(sentence)):
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
