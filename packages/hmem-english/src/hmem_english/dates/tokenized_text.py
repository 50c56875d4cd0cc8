"""Tokens of a text, with the context that the rules of dates use."""

import re
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Final

from hmem.language.regex import regex
from hmem_english.dates.holidays import NAMES
from hmem_english.dates.tense import direction
from hmem_english.dates.words import (
    CLOCK_WORDS,
    DAY_PARTS,
    DECADES,
    FREQUENCIES,
    MONTHS,
    ORDINALS,
    PREPOSITIONS,
    RECENT_DAYS,
    SEASONS,
    UNITS,
    WEEKDAY_PLURALS,
    WEEKDAYS,
    words_of,
)

_NOT_AFTER: Final = r"(?<![\w.,/:$€£¥#+-])"
_NOT_BEFORE: Final = r"(?![\w/-]|[.,:][0-9])"
# A year right behind a comma, which no grouped number has: "December 1,2023".
_YEAR: Final = r"(?:19|20)[0-9]{2}(?!\w|[.,:/][0-9]|\s?%|-[0-9])"
_PLAIN: Final = {0x2019: "'", 0x2018: "'", 0x2013: "-", 0x2014: "-"}
# Every branch starts with a fixed class and consumes its match, so a text is read in one pass; common ones come first.
_TOKEN: Final = regex(
    rf"""
      (?P<word>(?!(?:https?://|www\.)\S)[^\W\d_]+)
    | (?P<mark>[.,;:!?()\n-])
    | (?P<link>(?:https?://|www\.)\S+)
    | (?P<iso>{_NOT_AFTER}[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}
        (?:[t ][0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]{{1,9}})?)?(?:z|[+-][0-9]{{2}}:?[0-9]{{2}})?)?{_NOT_BEFORE})
    | (?P<numeric>{_NOT_AFTER}(?:[0-9]{{1,2}}(?P<mark1>[/.-])[0-9]{{1,2}}(?P=mark1)[0-9]{{4}}
        | [0-9]{{1,2}}/[0-9]{{1,2}}/[0-9]{{2}} | [0-9]{{4}}(?P<mark2>[/.])[0-9]{{1,2}}(?P=mark2)[0-9]{{1,2}})
        {_NOT_BEFORE})
    | (?P<slash>{_NOT_AFTER}[0-9]{{1,2}}/[0-9]{{1,2}}{_NOT_BEFORE})
    | (?P<clock>{_NOT_AFTER}(?:[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?(?:\s?[ap](?:m\b|\.m\.))?
        | [0-9]{{1,2}}\s?[ap](?:m\b|\.m\.)){_NOT_BEFORE})
    | (?P<years>{_NOT_AFTER}(?:19|20)[0-9]{{2}}\s?-\s?(?:19|20)[0-9]{{2}}{_NOT_BEFORE})
    | (?P<days>{_NOT_AFTER}[0-9]{{1,2}}(?:st|nd|rd|th)?\s?-\s?[0-9]{{1,2}}(?:st|nd|rd|th)?{_NOT_BEFORE})
    | (?P<decade>'?{_NOT_AFTER}(?:[0-9]{{2}})?[0-9]0'?s\b)
    | (?P<short>'[0-9]{{2}}(?![\w']))
    | (?P<ordinal>{_NOT_AFTER}[0-9]{{1,2}}(?:st|nd|rd|th)\b)
    | (?P<number>{_NOT_AFTER}[0-9]{{1,4}}(?!\w|[.,:/][0-9]|\s?%|-[0-9])
        | {_NOT_AFTER}[0-9]{{1,2}}(?=,{_YEAR}) | (?<=[0-9tdh],){_YEAR})
    | (?P<junk>[0-9][\w.,/:-]*)
    | (?P<suffix>'(?:s|t|re|ve|ll|d|m)\b)
    """,
    re.VERBOSE,
)
_TRIGGERS: Final = frozenset[str]().union(
    *(UNITS, WEEKDAYS, WEEKDAY_PLURALS, MONTHS, SEASONS, DAY_PARTS, CLOCK_WORDS, DECADES, FREQUENCIES, RECENT_DAYS),
    set(ORDINALS) - {"first", "second", "third"},
    words_of("yesterday yday today tomorrow tmrw tonight once twice thrice weeknights weekdays eve mayo gras fools"),
    (name[0] for name in NAMES if len(name) == 1),
)
_FIGURE: Final = regex(r"[0-9]")
# In this form the engine finds the first letter at once; every trigger is such a word.
_LETTERS: Final = regex(r"[a-z][a-z]*")


@dataclass(slots=True)
class TokenizedText:
    """Tokens of a text: a lower-case word and a kind for each, and its start and end in characters.

    ``reference_time`` is that of the utterance, on the clock of its offset. An index outside of the text reads as "".
    """

    text: str
    reference_time: datetime
    zone: timezone
    words: list[str]
    kinds: list[str]
    starts: list[int]
    ends: list[int]
    # A rule's override of the direction (forced), and its direction for a neutral clause (neutral).
    forced: int = 0
    neutral: int = 0
    depth: int = 0
    directions: dict[int, int] = field(default_factory=dict[int, int])

    def word(self, i: int) -> str:
        """Return the word at an index, or "" outside of the text."""
        return self.words[i] if 0 <= i < len(self.words) else ""

    def kind(self, i: int) -> str:
        """Return the kind of token at an index, or "" outside of the text."""
        return self.kinds[i] if 0 <= i < len(self.kinds) else ""

    def direction(self, i: int) -> int:
        """Return the direction of the clause around a token: -1 for the past, 1 for the future, 0 for neither."""
        if self.forced:
            return self.forced
        if i not in self.directions:
            self.directions[i] = direction(self.words, i)
        return self.directions[i] or self.neutral

    def preposition(self, i: int) -> str:
        """Return the preposition, or a word that serves as one, before a token and its article; "" if there is none."""
        before = self.word(i - 2) if self.word(i - 1) == "the" else self.word(i - 1)
        return before if before in PREPOSITIONS else ""

    def capital(self, i: int) -> bool:
        """Tell if the token has a capital, or the whole text has none."""
        return self.text[self.starts[i]].isupper() or self.text.islower()


def lowered(text: str) -> str:
    """Return the text in lower case with plain quotes and dashes, of the same length.

    A letter whose lower case is two letters stays.
    """
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
    return lower if lower.isascii() else lower.translate(_PLAIN)


def worth_reading(lower: str) -> bool:
    """Tell if a text could name a date at all: a cheap test that most texts fail."""
    return _FIGURE.search(lower) is not None or not _TRIGGERS.isdisjoint(_LETTERS.findall(lower))


def read(text: str, lower: str, reference_time: datetime, zone: timezone) -> TokenizedText:
    """Cut a text into tokens; ``reference_time`` is naive, on the clock of its offset."""
    words: list[str] = []
    kinds: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _TOKEN.finditer(lower):
        words.append(match[0])
        kinds.append(match.lastgroup or "")
        starts.append(match.start())
        ends.append(match.end())
    return TokenizedText(text, reference_time, zone, words, kinds, starts, ends)
