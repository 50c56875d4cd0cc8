"""Marks of a question's words in a text, for people to see why it was found."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

_WORD: Final = re.compile(r"\w+")
# Letters of an ending, and of a beginning that is hardly shared by chance.
_ENDING: Final = 3
_BEGINNING: Final = 5


def mark_words(text: str, words: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a text in their order, each with True if it is one of the words, in any form.

    Two words count as forms of one if they differ in their endings alone, as ``adopt`` and ``adopted``: a guess, good
    enough for a mark.
    """
    targets = [word.casefold() for word in words]
    start = 0
    for match in _WORD.finditer(text) if targets else ():
        if any(_is_form_of(match[0].casefold(), word) for word in targets):
            if match.start() > start:
                yield text[start : match.start()], False
            yield match[0], True
            start = match.end()
    if start < len(text):
        yield text[start:], False


def _is_form_of(word: str, target: str) -> bool:
    short, long = sorted((word, target), key=len)
    prefix = next((index for index, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(long) - prefix > _ENDING or prefix < _ENDING:
        return short == long
    return prefix >= min(_BEGINNING, len(short) - (short[-1] in "ey"))
