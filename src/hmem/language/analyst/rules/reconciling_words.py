"""The words of a statement that say how it stands to what was said before: a change, an addition, no matter of fact."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from hmem.language.regex import regex

_CHANGE: Final = regex(
    r"\b(?:now|nowadays|these days|no longer|any ?more|used to|stopped|quit|switch(?:ed|ing)|changed|moved|relocated"
    r"|sold|broke up|split up|instead|new|since|became|become|turned (?:into|out)|got (?:married|engaged|divorced"
    r"|promoted|hired)|married|divorced|start(?:ed|ing)|left|lost|finally|replaced|gave up|back (?:in|to|at)|ended"
    r"|currently|lately|recently|as of|upgraded|downgraded|traded|swapped|over to|renamed|recovered|cured|outgrew"
    r"|grew out of|after all|turns? out|actually|correction|meant|wrong|mistaken|misspoke|rather|not)\b",
    re.IGNORECASE,
)
_RIGHTED: Final = regex(
    r"\b(?:meant|correction|misspoke|mistaken|i was wrong|was wrong|typo|to correct|scratch that)\b|^sorry, "
    r"|, not (?:[A-Z]|\d)",
    re.IGNORECASE,
)
_ADDED: Final = regex(
    r"\b(?:also|too|as well|another|second|third|additional|on the side|part[- ]time|weekends?|besides|in addition"
    r"|one more|sometimes|occasionally|extra|both|besides that|on top of|side (?:job|gig|hustle)|evenings"
    r"|volunteers?|includes?|among)\b",
    re.IGNORECASE,
)
_FOR_A_WHILE: Final = regex(
    r"\b(?:temporar(?:y|ily)|for (?:now|the (?:week|weekend|day|night|month|summer|holidays?|time being))"
    r"|on (?:vacation|holiday|a trip|business)|until|just for"
    r"|(?:house|cat|dog)-?sitting|staying (?:at|with)|visiting|borrow(?:ed|ing)"
    r"|rent(?:ed|ing) (?:a|an) (?:car|bike|boat|van)"
    r"|covering for|filling in|for (?:a|one|two|three|a few) (?:days?|weeks?|nights?))\b",
    re.IGNORECASE,
)
# A time that a change falls into, or else all that is told of.
_THESE_DAYS: Final = regex(r"\b(?:this (?:week|weekend)|tonight|today)\b", re.IGNORECASE)
_FOR_GOOD: Final = regex(
    r"\b(?:moved|relocated|settled|became|got|started|switched|changed|turned|promoted|hired|married|divorced|bought"
    r"|quit|left|signed|joined|now)\b",
    re.IGNORECASE,
)
_NO_FACT: Final = regex(
    r"\b(?:if|imagine|suppose|supposing|pretend\w*|wish(?:es|ed)?|would|could|might|maybe|perhaps|hypothetically"
    r"|jok(?:e|ing|es)|kidding|lol|haha\w*|jk|as if|in (?:my|a) (?:dream|perfect world)|said|says|told|asked"
    r"|according to|reportedly|rumou?r\w*|tempted|almost|nearly|april fool\w*|in another life|considering"
    r"|thinking (?:of|about)|dream(?:s|ed|t)? (?:of|about|that)|quot(?:e|ing)|lyrics?"
    r"|character|novel|movie|in the (?:book|film|show|game)"
    r"|should|hop(?:es|ing) to|wants? to)\b|\?\s*$",
    re.IGNORECASE,
)
_AGAIN: Final = regex(r"\b(?:again|back|once more|re(?:started|joined|turned))\b", re.IGNORECASE)
_OVER: Final = regex(
    r"\b(?:cancel\w*|call(?:ed)? off|moved|rescheduled|postponed|pushed|delayed|brought forward|changed|not going"
    r"|won't|no longer|dropped out|backed out|bailed)\b",
    re.IGNORECASE,
)
_SENTENCE: Final = regex(r"(?<=[.!?;])\s+")
_LONGEST: Final = 2_000


class Manner(NamedTuple):
    """How a claim is said: that something changed, or corrects what was said before, or comes in addition; that it
    holds for a while only; that it is no matter of fact; that it is so again; that what was planned is not."""

    changed: bool = False
    righted: bool = False
    added: bool = False
    passing: bool = False
    unreal: bool = False
    again: bool = False
    over: bool = False


@lru_cache(maxsize=8_192)
def manner(words: str, value: str) -> Manner:
    """How the sentence, among the words of a statement, is said that a value was read from."""
    said = _sentence_of(words[:_LONGEST], value)
    return Manner(
        _CHANGE.search(said) is not None,
        _RIGHTED.search(said) is not None,
        _ADDED.search(said) is not None,
        _for_a_while(said),
        _NO_FACT.search(said) is not None,
        _AGAIN.search(said) is not None,
        _OVER.search(said) is not None,
    )


def _for_a_while(said: str) -> bool:
    if _FOR_A_WHILE.search(said):
        return True
    return _THESE_DAYS.search(said) is not None and _FOR_GOOD.search(said) is None


def _sentence_of(words: str, value: str) -> str:
    sentences = _SENTENCE.split(words)
    if len(sentences) == 1:
        return words
    return next((each for each in sentences if value and value in each), words)
