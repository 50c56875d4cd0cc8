"""Chance that falls the same on every platform and Python version: everything is made of ``Random.random``."""

import random
import re
from collections.abc import Sequence
from typing import Final, TypeVar

_CHOICE: Final = re.compile(r"\[([^\[\]]*)\]")

Item = TypeVar("Item")


class Dice:
    """Seeded choices. Only ``random()`` is promised to stay the same between versions of Python."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311 - made-up lives, no secrets

    def chance(self, probability: float) -> bool:
        """Whether something of this probability (0 to 1) comes about."""
        return self._random.random() < probability

    def between(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items, each as likely as the others."""
        return items[self.between(0, len(items) - 1)]

    def weighted(self, items: Sequence[Item], weights: Sequence[float]) -> Item:
        """One of the items, as likely as its weight."""
        point = self._random.random() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            point -= weight
            if point < 0:
                return item
        return items[-1]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in a random order."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.between(0, last)
            result[last], result[other] = result[other], result[last]
        return result

    def spin(self, template: str) -> str:
        """The template with one of the options kept for each ``[this|that]``; options may hold options."""
        while match := _CHOICE.search(template):
            option = self.pick(match[1].split("|"))
            template = template[: match.start()] + option + template[match.end() :]
        return template
