"""Answers made plain before they are compared with a gold answer, for token F1 and BLEU only.

Two steps, kept apart so that a figure can say which it used. ``simplify`` is for what was answered: it takes away the
frame around an answer ("The answer is …", "I think that …", "According to the conversation, …") and keeps its words.
``canonical`` is for an answer and the gold alike: it writes numbers and dates one way, so that "two" and "2", "twice"
and "2 times", "Aug 15th" and "August 15" count as the same. Neither looks at the gold to change the answer.
"""

import re
from typing import Final

from hmem.language.dates.words import CARDINALS, MONTHS

_LEADS: Final = re.compile(
    r"^(?:(?:sure|well|okay|ok|yes and|so)[,:]?\s+)?(?:"
    r"(?:the |my |short |final )*answer(?: is|:)\s*(?:that\s+)?"
    r"|(?:according to|based on|from|judging by) (?:the |this |what |our )[^,]{3,60},\s*"
    r"|(?:i (?:think|believe|guess|would say|recall)|it (?:seems|appears|looks like)|as far as i (?:know|can tell))"
    r"(?: that)?[,:]?\s+"
    r")+",
    re.IGNORECASE,
)
_HEDGES: Final = re.compile(
    r"\b(?:approximately|roughly|probably|apparently|presumably|most likely)\s+(?=\S)", re.IGNORECASE
)
_CITED: Final = re.compile(r"\s*\[\d+(?:,\s*\d+)*\]")
_TRAILING: Final = " \t\r\n.,;:!"

_VALUES: Final = {"zero": 0, **CARDINALS}
_TENS: Final = [name for name, value in CARDINALS.items() if value >= 20]
_ONES: Final = [name for name, value in CARDINALS.items() if value < 10]
_TIMES: Final = {"once": "1 time", "twice": "2 times", "thrice": "3 times"}
_FULL: Final = {number: max((name for name in MONTHS if MONTHS[name] == number), key=len) for number in range(1, 13)}
_SHORT: Final = {name: _FULL[number].title() for name, number in MONTHS.items() if len(name) < 5 and name != "june"}
_NAMES: Final = "|".join(name.title() for name in _FULL.values())

_COMPOUND: Final = re.compile(rf"\b({'|'.join(_TENS)})[- ]({'|'.join(_ONES)})\b", re.IGNORECASE)
_WORD: Final = re.compile(rf"\b({'|'.join([*_VALUES, *_TIMES])})\b", re.IGNORECASE)
_ORDINAL: Final = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b", re.IGNORECASE)
_ABBREVIATED: Final = re.compile(
    rf"\b({'|'.join(sorted(_SHORT, key=len, reverse=True))})\.?(?=\s+\d|,\s*\d)", re.IGNORECASE
)
_JOINED: Final = re.compile(rf"(?<=\d)(?=(?:{_NAMES})\b)|(?<=[A-Za-z])[.,](?=\d{{4}}\b)")
_GROUPED: Final = re.compile(r"(?<=\d),(?=\d{3}\b)")


def simplify(answer: str) -> str:
    """What was answered without the frame around it, citations and closing marks; never empty when it was not."""
    text = _CITED.sub("", answer.strip())
    plain = _HEDGES.sub("", _LEADS.sub("", text)).strip(_TRAILING)
    return plain or text


def canonical(text: str) -> str:
    """A text with its numbers and dates written one way: digits, full months, no ordinals."""
    plain = _GROUPED.sub("", _JOINED.sub(" ", text))
    plain = _COMPOUND.sub(lambda found: str(_value(found[1]) + _value(found[2])), plain)
    plain = _WORD.sub(lambda found: _TIMES.get(found[1].lower()) or str(_value(found[1])), plain)
    plain = _ORDINAL.sub(r"\1", plain)
    return _ABBREVIATED.sub(lambda found: _SHORT[found[1].lower()], plain)


def _value(word: str) -> int:
    return _VALUES[word.lower()]
