"""Words of English: those that select nothing, and words as they are compared when something is repeated.

Stop words are function words and the scaffolding of questions ("how many", "what kind of", "the total number of", "in
what order"), which occurs everywhere in a memory. Spoken words have their contractions taken apart, their persons
told, and fillers left out.
"""

from functools import lru_cache
from typing import Final

from hmem.language.analyst.lexicon import SpokenWord
from hmem.language.regex import regex

_FUNCTION: Final = """
a about above across after afterwards again against all almost alone along already also although always am among an
and another any anybody anyone anything anywhere are aren as at away back be because been before being below between
both but by came can could couldn d did didn do does doesn doing don done down during each either else ever every
everyone everything few for from further get gets getting give given gave go goes going gone got had hadn has hasn
have haven having he her here hers herself him himself his how however i if in into is isn it its itself just keep
know let like likely ll m made make makes many may maybe me might mine more most much must my myself need never new
no nobody none nor not nothing now o of off often on once one ones only onto or other others our ours ourselves out
over own perhaps please put quite rather re really s same say said says see seem seems shall she should shouldn
since so some somebody someone something sometimes somewhere soon still such sure t take tell than that the their
theirs them themselves then there these they thing things think this those though through thus till to together too
toward towards try trying two under until up upon us use used ve very via want was wasn way we well went were weren
when whenever where wherever whether while will with within without won would wouldn yes yet you your yours yourself
yourselves
"""

_QUESTION: Final = """
what whatever which who whoever whole whom whose why ask asked name named kind kinds type types total number amount
count different many times order earliest latest currently current recently recent past ago
"""

STOP_WORDS: Final = frozenset(_FUNCTION.split()) | frozenset(_QUESTION.split())

FIRST_PERSON: Final = frozenset({"i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"})

_WORD: Final = regex(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_ENDINGS: Final = {"m": "be", "re": "be", "s": "", "ve": "have", "ll": "will", "d": "would"}
_FORMS: Final = {
    "am": "be", "are": "be", "is": "be", "were": "was", "has": "have", "does": "do", "cannot": "can not",
    "can't": "can not", "won't": "will not",
}  # fmt: skip
_SECOND: Final = frozenset(("you", "your", "yours", "yourself", "yourselves"))
_THIRD: Final = frozenset(
    ("he", "him", "his", "himself", "she", "her", "hers", "herself", "they", "them", "their", "theirs", "themselves")
)
NEGATIONS: Final = frozenset(("not", "never", "no", "nobody", "nothing", "neither", "nor", "without"))

# Words that are often added or left out when something is repeated.
_FILLERS: Final = frozenset(("have", "had", "just", "also", "really", "already", "that", "so", "very"))


def spoken_words(text: str, start: int, end: int) -> list[SpokenWord]:
    """Return the words of a stretch of text, contractions taken apart."""
    return [
        SpokenWord(_person(form), form, match[0][0].isupper())
        for match in _WORD.finditer(text, start, end)
        for form in _expand_contraction(match[0].lower().replace("\u2019", "'"))
        if form not in _FILLERS
    ]


@lru_cache(maxsize=16_384)
def _expand_contraction(word: str) -> tuple[str, ...]:
    if word in _FORMS:
        return tuple(_FORMS[word].split())
    if word.endswith("n't"):
        return *_expand_contraction(word[:-3]), "not"
    head, mark, ending = word.partition("'")
    if mark and ending in _ENDINGS:
        return tuple(form for form in (*_expand_contraction(head), _ENDINGS[ending]) if form)
    return (word,)


def _person(word: str) -> int:
    return 1 if word in FIRST_PERSON else 2 if word in _SECOND else 3 if word in _THIRD else 0
