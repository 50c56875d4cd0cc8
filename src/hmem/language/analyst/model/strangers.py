"""Names that a text has from lines which it is not made from: a model that is shown many lines may mix them up."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from hmem.language.analyst.base import Excerpt
from hmem.language.english.names import DAYS_AND_MONTHS

_WORD: Final = re.compile(r"[^\W_]+")
# A word with a capital counts as a name within a sentence only: at its beginning every word has one.
_WITHIN: Final = re.compile(r"(?<=[^\W_] |[,;:)] )[^\W\d_]{3,}")
# Where more than one word in so many has a capital, as every noun of German has, it tells of no name.
_RARE: Final = 4


class ForeignNames:
    """Tells them by all the lines that a call shows. The people who speak are strangers nowhere, nor is a day or month,
    since lines tell of them in other words."""

    def __init__(self, lines: Sequence[Excerpt]) -> None:
        known = {word for line in lines for word in _words(line.speaker or "")} | DAYS_AND_MONTHS
        within = [word for line in lines for word in _WITHIN.findall(line.text) if word.casefold() not in known]
        names = [word.casefold() for word in within if word[0].isupper()]
        self._names = frozenset(names if len(names) * _RARE <= len(within) else ())

    def within(self, text: str, lines: Sequence[Excerpt], subject: str = "") -> set[str]:
        """The names in a text, in small letters, that stand among the lines of others and not among its own."""
        found = {word.casefold() for word in _WITHIN.findall(text) if word[0].isupper()} & self._names
        return found and found - {word for told in (subject, *(line.text for line in lines)) for word in _words(told)}


def _words(text: str) -> Iterator[str]:
    return (word.casefold() for word in _WORD.findall(text))
