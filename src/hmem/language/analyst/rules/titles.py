"""Titles in quotes or in italics: books, films, songs, and whatever else is called so."""

from typing import Final

from hmem.language.analyst.base import Naming
from hmem.language.analyst.rules.gazetteer import is_common
from hmem.language.analyst.rules.surroundings import AFTER, BEFORE, guess, quoted
from hmem.language.regex import regex
from hmem.language.stopwords import STOP_WORDS

_QUOTED: Final = regex(r"[\"“](?P<quoted>[^\"“”\n]{2,80})[\"”]|(?<![\w*])\*(?P<slanted>[^*\s][^*\n]{1,80})\*(?![\w*])")
_LONGEST: Final = 9
_HEAVY: Final = 4
_LEAST_CAPITALS: Final = 2


def titles(text: str) -> list[Naming]:
    """What stands in quotes or italics and is written like a title."""
    if '"' not in text and "“" not in text and "*" not in text:
        return []
    found: list[Naming] = []
    for match in _QUOTED.finditer(text):
        inner = match["quoted"] or match["slanted"]
        title = inner.strip(" ,.;:-")
        before, after = text[max(0, match.start() - BEFORE) : match.start()], text[match.end() : match.end() + AFTER]
        if _is_title(title) and (_is_telling(title, slanted=not match["quoted"]) or guess(before, after) == "work"):
            start = text.index(title, match.start())
            found.append(Naming(title, quoted(before, after), start, start + len(title)))
    return found


def _is_title(title: str) -> bool:
    """Whether the first word and all that weigh have a capital, and there is no mark of somebody speaking."""
    words = title.split()
    if not words or len(words) > _LONGEST or not title[0].isupper() or title[-1] in "!?":
        return False
    heavy = [
        word for word in words if len(word.strip("'’,:")) >= _HEAVY and word not in STOP_WORDS and word[0].isalpha()
    ]
    if not all(word[0].isupper() for word in heavy):
        return False
    return len(words) == 1 or sum(word[0].isupper() or word[0].isdigit() for word in words) >= _LEAST_CAPITALS


def _is_telling(title: str, *, slanted: bool) -> bool:
    """Whether a title is no mere word: "Hello" needs to be watched or read, and slanted words may only be stressed."""
    words = [word.strip("'’,:").lower() for word in title.split()]
    if len(words) == 1:
        return title.isalpha() and not title.isupper() and not is_common(words[0])
    return not slanted or not all(map(is_common, words))
