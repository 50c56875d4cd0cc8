"""What formation derives from the turns.

It is kept in **chunks** of named parts, whose content a storage does not know. They are stored together with the change
that they take into account, their own watermark, in numbered **steps**; a step that another process has taken first is
refused, so nothing is ever formed twice.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hmem.storage.log import LogEntry


class Chunk(NamedTuple):
    """A piece of a part of what was formed; without content it is gone. Numbers are 0 to 2^40 - 1."""

    part: str
    number: int
    content: bytes | None


class Formed(NamedTuple):
    """How far formation is: its last step, the last change of the turns that it knows, the step that cleared it."""

    step: int
    watermark: int
    cleared: int


class DerivedStore(ABC):
    """Chunks by part and number, stored step by step."""

    @abstractmethod
    def chunks(self, *, since: int = 0, also: Sequence[tuple[str, int]] = ()) -> list[Chunk]:
        """Return the chunks stored after the step ``since``, those that are gone too.

        Those of a part come together, in the order of their numbers.

        ``also`` names chunks, by part and number, that are wanted whenever they were stored: whoever lost a step reads
        with them what it had changed itself. One that was never stored is missing from the answer.
        """

    @abstractmethod
    def form(
        self,
        chunks: Sequence[Chunk],
        after: Formed,
        watermark: int,
        settings: Mapping[str, str | None] | None = None,
        entries: Sequence[LogEntry] = (),
    ) -> Formed | None:
        """Store chunks, settings and entries of the log as the step behind ``after``, in one transaction.

        Returns how far formation is then; None, and nothing done, when another process has taken that step.
        """

    @abstractmethod
    def clear_formed(self, settings: Mapping[str, str | None] | None = None) -> None:
        """Drop every chunk and set settings, in one transaction: all is to be formed anew. It is a step."""
