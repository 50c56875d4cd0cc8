"""Marks of a question's words in a text, for people to see why it was found."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

_WORD: Final = re.compile(r"\w+")
# Letters of an ending, and of a beginning that is hardly shared by chance.
_ENDING: Final = 3
_BEGINNING: Final = 5


def marked(text: str, words: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of a text in their order, each with True if it is one of the words, in any form.

    Two words count as forms of one if they differ in their endings alone, as ``adopt`` and ``adopted``: a guess, good
    enough for a mark.
    """
    wanted = [word.casefold() for word in words]
    start = 0
    for found in _WORD.finditer(text) if wanted else ():
        if any(_same(found[0].casefold(), word) for word in wanted):
            if found.start() > start:
                yield text[start : found.start()], False
            yield found[0], True
            start = found.end()
    if start < len(text):
        yield text[start:], False


def _same(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    shared = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    if len(long) - shared > _ENDING or shared < _ENDING:
        return short == long
    return shared >= min(_BEGINNING, len(short) - (short[-1] in "ey"))
