"""Items derived from one turn."""

from dataclasses import dataclass

from hmem.model.entity import Entity
from hmem.model.episode import Episode, EpisodeShape
from hmem.model.event import Event
from hmem.model.note import Note
from hmem.model.plain import written_as
from hmem.model.value import Value


@dataclass(frozen=True, slots=True)
class FormedShape:
    """Items derived from a turn."""

    events: list[Event]
    notes: list[Note]
    entities: list[Entity]
    episode: EpisodeShape | None

    @classmethod
    def of(cls, it: "FormedItems") -> "FormedShape":
        """Return the form of what was formed."""
        episode = None if it.episode is None else EpisodeShape.of(it.episode)
        return cls(list(it.events), list(it.notes), list(it.entities), episode)

    def value(self) -> "FormedItems":
        """Return what was formed."""
        episode = None if self.episode is None else self.episode.value()
        return FormedItems(tuple(self.events), tuple(self.notes), tuple(self.entities), episode)


@written_as(FormedShape.of)
@dataclass(frozen=True, slots=True, repr=False)
class FormedItems(Value):
    """Events and notes of a turn, the entities that it names, and the episode that it belongs to, if any."""

    events: tuple[Event, ...]
    notes: tuple[Note, ...]
    entities: tuple[Entity, ...]
    episode: Episode | None
