"""Texts that are written on demand and kept until their sources change: summaries, names and profiles."""

from dataclasses import dataclass
from typing import Any

from hmem.derived.chunks import Part


@dataclass(frozen=True, slots=True)
class KeptText:
    """Text in one or two parts (a profile has two), and its author."""

    text: str
    recent: str = ""
    made_by: str = "verbatim"


class Texts(Part):
    """Texts by the number of their node or entity. A chunk is one text."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._of: dict[int, KeptText] = {}

    def __len__(self) -> int:
        return len(self._of)

    def get(self, number: int) -> KeptText | None:
        """Return the text of a number; None if it has to be written (again)."""
        return self._of.get(number)

    def numbers(self) -> list[int]:
        """Return the numbers that have a text, ascending."""
        return sorted(self._of)

    def replace(self, number: int, text: KeptText) -> None:
        """Keep a text."""
        self._of[number] = text
        self.changed.add(number)

    def outdate(self, number: int) -> None:
        """Drop a text whose sources have changed; it is written again when needed."""
        if self._of.pop(number, None) is not None:
            self.changed.add(number)

    def load(self, number: int, content: Any | None) -> None:
        self._of.pop(number, None)
        if content is not None:
            self._of[number] = KeptText(*content)

    def dump(self, number: int) -> Any | None:
        text = self._of.get(number)
        return None if text is None else [text.text, text.recent, text.made_by]
