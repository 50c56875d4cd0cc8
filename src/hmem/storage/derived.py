"""Storage of derived state, which formation makes from the turns.

It is kept in **chunks** of named parts, whose content is opaque to a storage. Chunks are stored together with a
watermark, the last change of the turns that they take into account, in numbered **steps**; a step that another process
has taken first is refused, so nothing is ever formed twice.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hmem.storage.log import LogEntry


class Chunk(NamedTuple):
    """A piece of a part of the derived state; without content it is gone. Numbers are 0 to 2^40 - 1."""

    part: str
    number: int
    content: bytes | None


class Formed(NamedTuple):
    """Progress of formation: its last step, the last change of the turns that it knows, the step that cleared it."""

    step: int
    watermark: int
    cleared: int


class DerivedStore(ABC):
    """Chunks by part and number, stored step by step."""

    @abstractmethod
    def chunks(
        self, *, since: int = 0, also: Sequence[tuple[str, int]] = (), parts: Sequence[str] | None = None
    ) -> list[Chunk]:
        """Return the chunks stored after the step ``since``, gone ones included, part by part in order of number.

        ``parts`` limits them to parts by name: a process loads what it needs when it needs it. ``also`` names chunks,
        by part and number, to return whenever they were stored: a process that lost a step reads so what it had changed
        itself. A chunk that was never stored is missing from the result.
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

        Return the new progress; None, without writing, if another process has taken that step.
        """

    @abstractmethod
    def clear_formed(self, settings: Mapping[str, str | None] | None = None) -> None:
        """Drop every chunk and set settings, in one transaction, so that all is formed anew. This is a step."""
