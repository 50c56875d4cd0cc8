"""Subjects that conversation leaves out: "Just got back from Rome" is "I just got back from Rome"."""

import re
from typing import Final

from hmem.language.analyst.rules.verbs import IRREGULAR_PAST, is_past
from hmem.language.analyst.rules.wordlist import words
from hmem.language.regex import regex

_START: Final = regex(
    r"(?:(?:just|also|finally|recently|already|still|even|actually|currently|lately|only|never|definitely|"
    r"probably|totally"
    r"|really|even|mostly|usually)\s+)*([a-z]+(?:'t)?)\s+([\w']+)",
    re.IGNORECASE,
)

# Past forms that open a sentence as something else: an imperative, an adjective, a noun.
_OTHERWISE: Final = words(
    """
    put set cut read let hit shut bet beat left lost given known born spread quit cost burst split lit led lay
    were been done gone seen hidden broken became fell run cast built
    """
)
_FEELING: Final = words(
    """
    excited inspired motivated tired exhausted thrilled determined scared worried interested relieved blessed
    stoked engaged retired disappointed frustrated overwhelmed nervous planning hoping thinking trying working
    getting heading feeling looking going taking starting doing writing reading learning studying living
    training saving
    """
)
# "Trying new things is fun" has its subject.
_HAS_VERB: Final = regex(
    r"\b(?:is|are|was|were|has|have|had|makes?|made|can|will|helps?|helped|gives?|gave|brings?|brought|"
    r"keeps?|feels?|felt|takes?|took)\b"
    r"|'(?:s|ve|m|re) |, (?:we|i|you)\b",
    re.IGNORECASE,
)
_NOT_SAID: Final = words(
    """
    based located needed used called named supposed combined compared related indeed hundred red seed speed
    feed
    """
)
_PRESENT: Final = words(
    """
    am will love hate need want plan hope wish miss prefer gonna gotta can't cannot couldn't
    """
)
_NO_OBJECT: Final = words(
    """
    is was and or are of will has can makes
    """
)


def with_subject(sentence: str) -> str:
    """A sentence with the first person put in where its subject was left out."""
    if planned := _LETS.match(sentence):
        return f"We plan to {sentence[planned.end() :]}"
    opening = _START.match(sentence)
    if opening is None:
        return sentence
    verb, after = opening[1].lower(), opening[2].lower()
    if verb == "been":
        return "I've " + _small(sentence)
    if verb in _FEELING:
        if verb.endswith("ing") and _HAS_VERB.search(sentence, opening.end(1)):
            return sentence
        return "I'm " + _small(sentence) if after not in _NO_OBJECT else sentence
    if verb in _PRESENT:
        return "I " + _small(sentence) if after not in _NO_OBJECT else sentence
    if verb in _OTHERWISE or verb in _NOT_SAID or not (verb in IRREGULAR_PAST or is_past(verb)) or after in _NO_OBJECT:
        return sentence
    return "I " + _small(sentence)


# "Let's meet on Friday" is a plan; without a day it is encouragement.
_LETS: Final = regex(
    r"let'?s (?!keep|see|just|hope|not)(?=[a-z]+ .*\b(?:tomorrow|tonight|monday|tuesday|wednesday|thursday|friday"
    r"|saturday|sunday|next (?:week|weekend|month|year)|this weekend)\b)",
    re.IGNORECASE,
)


def _small(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
