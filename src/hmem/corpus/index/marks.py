"""Marks of a turn: what its text has, as bits of one byte, kept as a column so that a search reads no text for them."""

import re
from typing import Final

# The text asks something; it has a number in digits; it has a name: a capitalised word inside a sentence, or a quoted
# one, in scripts that have capitals.
ASKS: Final = 1
NUMBER: Final = 2
NAME: Final = 4
# The text was read; a byte without this bit stands for a turn whose marks are not known yet.
READ: Final = 128

# Characters of a text that are read.
_CHARACTERS: Final = 4_000

# Latin and CJK, Arabic, Greek, Armenian.
_QUESTION: Final = re.compile("[?\uff1f\u061f\u037e\u055e]")
_DIGIT: Final = re.compile(r"\d")
_CAPITALS: Final = "A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f"
_SMALL: Final = "a-z\u00df-\u00ff\u03ac-\u03ce\u0430-\u044f"
_NAME: Final = re.compile(rf"(?<=[{_SMALL},] )[{_CAPITALS}][{_SMALL}]+(?!['\u2019])|[\"\u201c\u00ab][{_CAPITALS}]")


def marks_of(text: str) -> int:
    """Return the marks of a text, with ``READ``."""
    read = text[:_CHARACTERS]
    patterns = ((ASKS, _QUESTION), (NUMBER, _DIGIT), (NAME, _NAME))
    return READ | sum(mark for mark, pattern in patterns if pattern.search(read) is not None)


def asks(text: str) -> bool:
    """Tell if a text has a question mark, of any script."""
    return _QUESTION.search(text) is not None
