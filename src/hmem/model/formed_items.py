"""Items derived from one turn."""

from dataclasses import dataclass

from hmem.model.entity import Entity
from hmem.model.episode import Episode
from hmem.model.event import Event
from hmem.model.note import Note


@dataclass(frozen=True, slots=True)
class FormedItems:
    """Events and notes of a turn, the entities that it names, and the episode that it belongs to, if any."""

    events: tuple[Event, ...]
    notes: tuple[Note, ...]
    entities: tuple[Entity, ...]
    episode: Episode | None
