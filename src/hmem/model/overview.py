"""Overview of a memory: who speaks in it, what is new, and what was replaced."""

from dataclasses import dataclass

from hmem.model.entity import Entity
from hmem.model.note import Note
from hmem.model.persona import ProfileLine
from hmem.model.turn import Turn
from hmem.model.value import Value


@dataclass(frozen=True, slots=True, repr=False)
class PersonBrief(Value):
    """A person of a memory: how many turns they said, and the first lines of their profile.

    ``user`` is the one to whom the turns belong.
    """

    person: str
    turns: int
    lines: tuple[ProfileLine, ...]
    user: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Replacement(Value):
    """A note that does not hold any more, and the ``newer`` note that replaced it."""

    older: Note
    newer: Note


@dataclass(frozen=True, slots=True, repr=False)
class Overview(Value):
    """A memory at a glance, and the news since an earlier look.

    ``newest`` is the number of the newest turn: the next look passes it as ``seen``. ``turns`` is the number of turns
    that came since, ``latest`` the newest of them, ``notes`` the newest notes of them and ``entities`` the names that
    were new. ``people`` are those who said most, of ``speakers`` in all; ``replacements`` are the newest, whenever they
    came.
    """

    newest: int
    turns: int
    speakers: int
    people: tuple[PersonBrief, ...]
    latest: tuple[Turn, ...]
    notes: tuple[Note, ...]
    entities: tuple[Entity, ...]
    replacements: tuple[Replacement, ...]
