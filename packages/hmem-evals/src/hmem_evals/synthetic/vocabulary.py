"""The words that fill a life, drawn so that a value seldom comes twice, and how they are put into a sentence."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from hmem_evals.synthetic.dice import Dice
from hmem_evals.synthetic.script import lines_of

Values = Mapping[str, str]

_SLOT: Final = re.compile(r"\{([^{}/]+)(/a)?\}")
_SENTENCE: Final = re.compile(r"(^|[.!?] )([a-z])")
_AN: Final = re.compile(r"(?i)(?:[aeio]|u(?!ni|ku|ti|se)|hour|honest)")


@cache
def vocabularies() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Every vocabulary by name; a value has fields, the first is the word itself."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for line in lines_of("words"):
        name, values = line.split(":", 1)
        entries = [tuple(part.strip() for part in value.split("~")) for value in values.split(";") if value.strip()]
        found.setdefault(name.strip(), []).extend(entries)
    return {name: tuple(entries) for name, entries in found.items()}


class Bags:
    """Draws from the vocabularies: a bag is filled again only when it is empty."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._left: dict[str, list[tuple[str, ...]]] = {}

    def draw(self, name: str) -> tuple[str, ...]:
        """A value that was not drawn since the bag was filled."""
        left = self._left.get(name)
        if not left:
            left = self._left[name] = self._dice.shuffled(vocabularies()[name])
        return left.pop()


def with_article(phrase: str) -> str:
    """The phrase with ``a`` or ``an`` before it."""
    return f"{'an' if _AN.match(phrase) else 'a'} {phrase}"


def filled(template: str, values: Values) -> str:
    """The template with its slots filled and its sentences begun by a capital."""
    return _SENTENCE.sub(lambda match: match[1] + match[2].upper(), put(template, values))


def put(template: str, values: Values) -> str:
    """The template with its slots filled; a value may hold slots itself."""

    def value(match: re.Match[str]) -> str:
        word = values[match[1]]  # a missing slot is a fault of the text file
        return with_article(word) if match[2] else word

    text = template
    for _ in range(3):
        text = _SLOT.sub(value, text)
    return " ".join(text.split())
