"""Texts that are written when they are needed and kept until what they tell of changes: summaries, names, profiles."""

from dataclasses import dataclass
from typing import Any

from hmem.derived.chunks import Part


@dataclass(frozen=True, slots=True)
class KeptText:
    """A text in one or two parts (a profile has two), and what made it."""

    text: str
    more: str = ""
    made_by: str = "rules"


class Texts(Part):
    """Texts by the number of what they tell of. A chunk is one of them."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._of: dict[int, KeptText] = {}

    def __len__(self) -> int:
        return len(self._of)

    def of(self, number: int) -> KeptText | None:
        """The text about something; None when it is to be written (again)."""
        return self._of.get(number)

    def numbers(self) -> list[int]:
        """What there are texts about, ascending."""
        return sorted(self._of)

    def put(self, number: int, text: KeptText) -> None:
        """Keep a text."""
        self._of[number] = text
        self.changed.add(number)

    def outdate(self, number: int) -> None:
        """What it tells of has changed: the text goes, and is written again when it is needed."""
        if self._of.pop(number, None) is not None:
            self.changed.add(number)

    def load(self, number: int, content: Any | None) -> None:
        self._of.pop(number, None)
        if content is not None:
            self._of[number] = KeptText(*content)

    def dump(self, number: int) -> Any | None:
        kept = self._of.get(number)
        return None if kept is None else [kept.text, kept.more, kept.made_by]
