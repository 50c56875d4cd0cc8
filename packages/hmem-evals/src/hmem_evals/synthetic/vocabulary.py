"""Words of the simulated lives, seeded draws that seldom repeat a value, and the filling of templates."""

import random
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, TypeVar

from hmem_evals.synthetic.script import lines_of

Values = Mapping[str, str]

_SLOT: Final = re.compile(r"\{([^{}/]+)(/a)?\}")
_SENTENCE: Final = re.compile(r"(^|[.!?] )([a-z])")
_AN: Final = re.compile(r"(?i)(?:[aeio]|u(?!ni|ku|ti|se)|hour|honest)")
_CHOICE: Final = re.compile(r"\[([^\[\]]*)\]")

Item = TypeVar("Item")


class Dice:
    """Seeded choices, all by ``random()``: only its values are stable across versions of Python."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311 - made-up lives, no secrets

    def chance(self, probability: float) -> bool:
        """Return True with a probability (0 to 1)."""
        return self._random.random() < probability

    def draw_integer(self, low: int, high: int) -> int:
        """Draw a whole number from ``low`` to ``high``, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def pick(self, items: Sequence[Item]) -> Item:
        """Draw one of the items uniformly."""
        return items[self.draw_integer(0, len(items) - 1)]

    def weighted(self, items: Sequence[Item], weights: Sequence[float]) -> Item:
        """Draw one of the items in proportion to its weight."""
        point = self._random.random() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            point -= weight
            if point < 0:
                return item
        return items[-1]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """Return the items in random order."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            target = self.draw_integer(0, last)
            result[last], result[target] = result[target], result[last]
        return result

    def spin(self, template: str) -> str:
        """Return a template with one option kept of each ``[this|that]``; options may be nested."""
        while match := _CHOICE.search(template):
            option = self.pick(match[1].split("|"))
            template = template[: match.start()] + option + template[match.end() :]
        return template


@cache
def vocabularies() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Return every vocabulary by name; a value has fields, of which the first is the word."""
    by_name: dict[str, list[tuple[str, ...]]] = {}
    for line in lines_of("words"):
        name, values = line.split(":", 1)
        entries = [tuple(field.strip() for field in value.split("~")) for value in values.split(";") if value.strip()]
        by_name.setdefault(name.strip(), []).extend(entries)
    return {name: tuple(entries) for name, entries in by_name.items()}


class Bags:
    """Draws from the vocabularies without replacement; an empty bag is refilled."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice
        self._left: dict[str, list[tuple[str, ...]]] = {}

    def draw(self, name: str) -> tuple[str, ...]:
        """Draw a value from a bag."""
        remaining = self._left.get(name)
        if not remaining:
            remaining = self._left[name] = self._dice.shuffled(vocabularies()[name])
        return remaining.pop()


def with_article(phrase: str) -> str:
    """Return a phrase with ``a`` or ``an`` before it."""
    return f"{'an' if _AN.match(phrase) else 'a'} {phrase}"


def fill_sentences(template: str, values: Values) -> str:
    """Return a template with its slots filled and its sentences capitalised."""
    return _SENTENCE.sub(lambda match: match[1] + match[2].upper(), fill_slots(template, values))


def fill_slots(template: str, values: Values) -> str:
    """Return a template with its slots filled; values may hold slots."""

    def value(match: re.Match[str]) -> str:
        word = values[match[1]]  # a missing slot is a fault of the text file
        return with_article(word) if match[2] else word

    text = template
    for _ in range(3):
        text = _SLOT.sub(value, text)
    return " ".join(text.split())
