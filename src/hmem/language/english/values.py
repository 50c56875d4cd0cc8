"""Values of notes: the noun phrase behind a verb, trimmed."""

import re
from functools import lru_cache
from typing import Final

from hmem.language.english.curation import FORMULA
from hmem.language.english.stopwords import STOP_WORDS
from hmem.language.english.word_lists import words
from hmem.language.english.wording import stem
from hmem.language.regex import regex

# Maximum number of words of a value.
_MOST: Final = 12

_UNITS: Final = r"(?:seconds?|minutes?|hours?|days?|nights?|weeks?|weekends?|months?|years?|decades?|semesters?)"
_SEASONS: Final = r"(?:spring|summer|autumn|fall|winter|morning|afternoon|evening|night|week|weekend|month|year|time)"
_DAYS: Final = (
    r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august"
    r"|september|october|november|december)"
)
_NUMBERS: Final = (
    r"(?:about|around|over|almost|nearly|more than|the (?:past|last)|a few|a couple of|a|an|some|many|several"
    r"|couple|\d+|one|two|three|four|five|six|seven|eight|nine|ten)"
)

# End of a value: a mark, the speaker, some words behind a comma, or words of another clause.
_MARKS: Final = r'[!?;()\n"…]|[.:](?=\s|$|["\')])|\s[-\u2013\u2014]+(?:\s|$)|[\u2013\u2014]|-\s'
_SPEAKER: Final = r",\s(?=(?:and |or |but |so )?§(?!'s))|\s(?=(?:and )?§(?!'s))"
_AFTER_COMMA: Final = (
    r"and (?:it|that|this|these|those|the|they|he|she|now|even|also|then|so)|but|so|it|its|it's|the|they|their|he"
    r"|she|which|who|where|otherwise|very"
    r"|especially|particularly|like|such|as|then|too|though|although|right|you|thanks|because|since|even|just|not|with"
    r"|when|while|if|plus|this|that|there|and \w+(?:ed|ing|s) |\w+ing |ha|lol|now|yet|still|including|whether|from|in"
    r"|at|to|for|on"
)
_CLAUSES: Final = (
    r"but|because|'?cause|cuz|since|so|when|while|which|who|that|where|if|as|although|though|even|unless|until|till"
    r"|before|after|than|like(?=\s[A-Z])|whenever|wherever|whether|how|why|what|btw|lol|during|such as|except|despite"
    r"|without|thanks|due|instead|rather|whatever|however|they|it (?:brings|gives|makes|has|offers|provides|creates"
    r"|takes)"
    r"|and (?:it|it's|this|these|that|the|they|he|she|there|now|then|also|just|have|has|had|is|was|are|were|am|been|got"
    r"|went|made|took|can|could|will|would|think|want|wants|really|always|even|decided|started|\w+ed|things"
    r"|\w+ (?:is|are|was|were|has|have|will|can))"
)
_TIMES: Final = (
    r"yesterday|today|tonight|tomorrow|lately|recently|currently|nowadays|anymore|again|soon|someday|later|ago"
    r"|already|now"
    r"|right now|these days|at the moment|since |once |twice "
    r"|(?:as|this|last|next|every|each|past|coming|the (?:other|next|past|last)) "
    rf"(?:{_DAYS}|{_SEASONS}|{_UNITS}|few|couple|two|three|day|chance|\d)"
    rf"|for (?:{_NUMBERS} )*{_UNITS}|for (?:ages|a while|a long time|now|fun|so long|some time)"
    rf"|{_NUMBERS} {_UNITS} (?:ago|later|from)"
    rf"|(?:in|on|by|during|until|around|from|of) (?:the )?(?:early |late |mid-?)?"
    rf"(?:{_DAYS}|{_SEASONS}s?|\d{{4}}|my |weekends?|weekdays?|19\d\ds?|20\d\d)"
)
_FILLING: Final = (
    r"together|too|as well|a lot|so much|very much|the most|by the way|anyway|either"
    r"|with (?:it|them|her|him|you|everyone|me)|about (?:it|them)|to (?:me|you)|for (?:sure|me|them|him|her|us|it)"
    r"|out there|in general|at all|of course|to death"
    r"|at first|as usual"
)
_STOP: Final = regex(
    rf"{_MARKS}|{_SPEAKER}|,\s(?=(?:{_AFTER_COMMA})\b)|\s(?=(?:{_CLAUSES}|{_TIMES}|{_FILLING})\b)", re.IGNORECASE
)
# "a safe, inviting place": the part before the comma lacks its noun.
_HALF: Final = regex(r"\ban? \w+$", re.IGNORECASE)
_TITLED: Final = regex(r'\s*"[^"]{2,80}"')
_DETERMINER: Final = regex(
    r"^(?:a|an|the|some|this|that|these|those|any|another|such|all|both|our|their|his|her|its|new|own"
    r"|§'s(?: own| new)?)\s+(?=\w)",
    re.IGNORECASE,
)
_VAGUE: Final = words(
    """
    it that this these those them him her us me you there here what how everything something anything nothing all one
    ones some someone everyone others seeing being having making getting knowing hearing when where who whatever § §'s
    and or to both
    """
)
_WORD: Final = regex(r"[\w§][\w'§&/+.-]*")
_TRAILING: Final = regex(
    r"(?:[\s,]+(?:and|or|to|of|in|at|on|for|with|from|the|a|an|my|too|is|was|are|has|really|just|also|very|so|about"
    r"|though"
    r"|now|then|still|even|near|there|into|over|here|how|what|themselves"
    r"|and (?:see|try|do|make|find|get)|to (?:remind|teach|show|help|make|give|tell|let|keep|remember|do|be|have"
    r"|express|share)))+$",
    re.IGNORECASE,
)


def phrase(text: str, start: int = 0, most: int = _MOST) -> str:
    """Return the text from ``start`` to the end of the noun phrase or list of noun phrases.

    A phrase of more than ``most`` words is cut at a comma.
    """
    stop = _STOP.search(text, start)
    if stop is not None and stop[0][0] == "," and _HALF.search(text, start, stop.start()):
        stop = _STOP.search(text, stop.end())
    end = stop.start() if stop else len(text)
    if titled := _TITLED.match(text, end) if text[:end].rstrip().endswith(("called", "titled", "named")) else None:
        end = titled.end()
    elif text[end : end + 1] == '"':
        return ""
    value = text[start:end].strip(" ,'-")
    words = _WORD.findall(value)
    if len(words) > most:
        value = value.partition(",")[0]
        value = "" if _HALF.search(value) else value
    return _TRAILING.sub("", value).strip(" ,")


def trimmed(value: str) -> str:
    """Return a value without marks and function words at its end."""
    return _TRAILING.sub("", value.strip(" .-")).strip(" ,.")


# Words of an addition, before which a long value may be cut.
_MORE: Final = regex(r",? (?:for|with|at|during|about|by|through|from|to (?=[a-z]+ )|on|in|and)\b")


def shortened(value: str, most: int) -> str:
    """Return a value of at most ``most`` words, cut before an addition; "" if no cut is short enough."""
    if len(value.split()) <= most:
        return value
    for found in reversed(list(_MORE.finditer(value))):
        head = value[: found.start()].strip(" ,")
        if 2 <= len(head.split()) <= most:
            return _TRAILING.sub("", head)
    return ""


def without_determiner(value: str) -> str:
    """Return a noun phrase without its determiners: "a new red bike" is "red bike"."""
    while opening := _DETERMINER.match(value):
        value = value[opening.end() :]
    return value


def is_meaningful(value: str) -> bool:
    """Tell if a value has content, is not too long, and opens with no pronoun."""
    words = _WORD.findall(value)
    if not words or len(words) > _MOST or words[0].lower() in _VAGUE:
        return False
    return any(_carries(word.lower()) for word in words)


@lru_cache(maxsize=20_000)
def _carries(word: str) -> bool:
    return word not in STOP_WORDS and (stem(word) not in FORMULA or word[0].isdigit()) and word[0] != "§"
