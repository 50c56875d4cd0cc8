"""Events, episodes, and all that was formed from one turn (HiMem)."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from hmem.model.entity import Entity
from hmem.model.note import Note
from hmem.model.plain import written_as
from hmem.model.span import Span
from hmem.model.value import Value


@dataclass(frozen=True, slots=True, repr=False)
class Event(Value):
    """A statement with pronouns and relative dates resolved.

    ``happened`` is the time of the event, None if unknown; ``said`` is the time of the turn.
    """

    id: str
    text: str
    sources: tuple[str, ...]
    said: datetime
    happened: Span | None = None
    made_by: str = "verbatim"


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
    def from_episode(cls, episode: "Episode") -> "EpisodeShape":
        """Return the form of an episode."""
        bounds = episode.span.start, episode.span.end
        return cls(
            episode.id, episode.session, *bounds, episode.cut, list(episode.turns), episode.summary, list(episode.notes)
        )

    def value(self) -> "Episode":
        """Return the episode."""
        span = Span(self.start, self.end)
        return Episode(self.id, self.session, tuple(self.turns), span, self.cut, self.summary, tuple(self.notes))


@written_as(EpisodeShape.from_episode)
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


@dataclass(frozen=True, slots=True)
class FormedShape:
    """Items derived from a turn."""

    events: list[Event]
    notes: list[Note]
    entities: list[Entity]
    episode: EpisodeShape | None

    @classmethod
    def from_items(cls, items: "FormedItems") -> "FormedShape":
        """Return the form of what was formed."""
        episode = None if items.episode is None else EpisodeShape.from_episode(items.episode)
        return cls(list(items.events), list(items.notes), list(items.entities), episode)

    def value(self) -> "FormedItems":
        """Return what was formed."""
        episode = None if self.episode is None else self.episode.value()
        return FormedItems(tuple(self.events), tuple(self.notes), tuple(self.entities), episode)


@written_as(FormedShape.from_items)
@dataclass(frozen=True, slots=True, repr=False)
class FormedItems(Value):
    """Events and notes of a turn, the entities that it names, and the episode that it belongs to, if any."""

    events: tuple[Event, ...]
    notes: tuple[Note, ...]
    entities: tuple[Entity, ...]
    episode: Episode | None
