"""An episode: a coherent run of turns (HiMem)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from hmem.model.plain import written_as
from hmem.model.span import Span
from hmem.model.value import Value

Cut = Literal["topic", "surprise", "session", "length"]


@dataclass(frozen=True, slots=True)
class EpisodeShape:
    """Coherent run of turns."""

    id: str
    session: str
    start: datetime
    end: datetime
    cut: Cut
    turns: list[str]
    summary: str
    notes: list[str]

    @classmethod
    def of(cls, it: "Episode") -> "EpisodeShape":
        """Return the form of an episode."""
        bounds = it.span.start, it.span.end
        return cls(it.id, it.session, *bounds, it.cut, list(it.turns), it.summary, list(it.notes))

    def value(self) -> "Episode":
        """Return the episode."""
        span = Span(self.start, self.end)
        return Episode(self.id, self.session, tuple(self.turns), span, self.cut, self.summary, tuple(self.notes))


@written_as(EpisodeShape.of)
@dataclass(frozen=True, slots=True, repr=False)
class Episode(Value):
    """A run of turns of one session; ``cut`` says why it begins where it does, ``notes`` are those formed from it."""

    id: str
    session: str
    turns: tuple[str, ...]
    span: Span
    cut: Cut
    summary: str = ""
    notes: tuple[str, ...] = ()
