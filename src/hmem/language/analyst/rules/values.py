"""The values of notes: the noun phrase behind a verb, without what does not belong to it."""

import re
from functools import lru_cache
from typing import Final

from hmem.language.analyst.rules.formula import FORMULA
from hmem.language.analyst.rules.wording import stem
from hmem.language.stopwords import STOP_WORDS

# Words of a value.
_MOST: Final = 12

_UNITS: Final = r"(?:seconds?|minutes?|hours?|days?|nights?|weeks?|weekends?|months?|years?|decades?|semesters?)"
_SEASONS: Final = r"(?:spring|summer|autumn|fall|winter|morning|afternoon|evening|night|week|weekend|month|year|time)"
_DAYS: Final = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december)"  # fmt: skip # noqa: E501

# Where a value ends: marks, a new clause, a time.
_STOP: Final = re.compile(
    r"""[.!?;:()\n"…]|\s[-\u2013\u2014]+(?:\s|$)|[\u2013\u2014]|-\s
    |,\s(?=(?:and\s|or\s|but\s|so\s)?§(?!'s))|\s(?=(?:and\s)?§(?!'s))|,\s(?=(?:and\s(?:it|that|the|they|he|she|now|even|also|then|so)|but|so|it|its|it's|the|they|their|he|she|which|who|where|especially|particularly|like|such|as|then|too
        |though|although|right|you|thanks|because|since|since|even|just|not|with|when|while|if|plus|this|that|there|and\s\w+(?:ed|ing|s)\s|\w+ing\s|ha|lol|now|yet|still|including|whether|from|in|at|to|for|on)\b)
    |\s(?=(?:but|because|'?cause|cuz|since|so|when|while|which|who|that|where|if|as|although|though|even|unless|until|till|before|after|than|like(?=\s[A-Z])|whenever|wherever|whether|how|why|what|btw|lol|during|such\sas|and\s(?:it|it's|that|the|they|he|she|there|now|then|also|just|have|has|had|is|was|are|were|am|been|got|went|made|took|can|could|will|would|think|want|wants|really|always|even|decided|started|\w+ed|things|\w+\s(?:is|are|was|were|has|have|will|can))|except|despite|without|thanks|due|instead|rather|whatever|however)\b)
    |\s(?=(?:yesterday|today|tonight|tomorrow|lately|recently|currently|nowadays|anymore|again|soon|someday|later|ago|already|right\snow|these\sdays|at\sthe\smoment|(?:as|this|last|next|every|each|past|coming|the\s(?:other|next|past|last))\s"""
    + rf"(?:{_DAYS}|{_SEASONS}|{_UNITS}|few|couple|two|three|day|chance|\d)"
    + r"""|since\s|once\s|twice\s|for\s(?:(?:about|around|over|almost|nearly|more\sthan|the\s(?:past|last)|a|an|some|many|several|\d+|one|two|three|four|five|six|seven|eight|nine|ten|a\sfew|a\scouple\sof)\s)*"""
    + _UNITS
    + r"""
        |for\s(?:ages|a\swhile|a\slong\stime|now|fun|so\slong|years|sure|me|§|them|him|her|us|it)|(?:a|an|one|two|three|four|five|six|\d+|a\sfew|several|a\scouple\sof|couple)\s"""
    + _UNITS
    + r"""\s(?:ago|later|from)
        |(?:in|on|by|during|until|around|from|of)\s(?:the\s)?(?:early\s|late\s|mid-?)?(?:"""
    + rf"{_DAYS}|{_SEASONS}s?"
    + r"""|\d{4}|my\s|weekends?|weekdays?|19\d\ds?|20\d\d)
        |together|too\b|as\swell|a\slot|so\smuch|very\smuch|the\smost|by\sthe\sway|anyway|either|with\s(?:it|them|her|him|you|everyone|me)|about\s(?:it|them)|to\s(?:me|you)|out\sthere|in\sgeneral|at\sall|of\scourse|to\sdeath|at\sfirst|for\ssome\stime)\b)""",  # noqa: E501
    re.IGNORECASE | re.VERBOSE,
)
_TITLED: Final = re.compile(r'\s*"[^"]{2,80}"')
_DETERMINER: Final = re.compile(
    r"^(?:a|an|the|some|this|that|these|those|any|another|such|all|both|our|their|his|her|its|new|own|§'s(?: own| new)?)\s+(?=\w)",
    re.IGNORECASE,
)
_VAGUE: Final = frozenset(
    "it that this these those them him her us me you there here what how everything something anything nothing all one ones some"
    " someone everyone others seeing being having making getting knowing hearing when where who whatever § §'s and or to both".split()
)
_WORD: Final = re.compile(r"[\w§][\w'§&/+.-]*")
_TRAILING: Final = re.compile(
    r"(?:[\s,]+(?:and|or|to|of|in|at|on|for|with|from|the|a|an|my|too|is|was|are|has|really|just|also|very|so|about|though|now|then|still|even))+$",
    re.IGNORECASE,
)


def phrase(text: str, start: int = 0) -> str:
    """What stands from a place on, up to the end of the noun phrase or of the list of them."""
    stop = _STOP.search(text, start)
    end = stop.start() if stop else len(text)
    if titled := _TITLED.match(text, end) if text[:end].rstrip().endswith(("called", "titled", "named")) else None:
        end = titled.end()
    value = text[start:end].strip(" ,'-")
    words = _WORD.findall(value)
    if len(words) > _MOST:
        value = value.partition(",")[0]
    return _TRAILING.sub("", value).strip(" ,")


def without_determiner(value: str) -> str:
    """A noun phrase without its articles: "a new red bike" is "red bike"."""
    while opening := _DETERMINER.match(value):
        value = value[opening.end() :]
    return value


def is_meaningful(value: str) -> bool:
    """Whether a value says what it is about: it has content, is not too long, and opens with no pronoun."""
    words = _WORD.findall(value)
    if not words or len(words) > _MOST or words[0].lower() in _VAGUE:
        return False
    return any(_carries(word.lower()) for word in words)


@lru_cache(maxsize=20_000)
def _carries(word: str) -> bool:
    return word not in STOP_WORDS and (stem(word) not in FORMULA or word[0].isdigit()) and word[0] != "§"
