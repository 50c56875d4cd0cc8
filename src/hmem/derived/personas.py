"""Personas: text, traits and vector of each speaker in the scope of an owner (HMO), and their versions in the log.

The log has a version for each renewal as notes came, and for each edit by people.
"""

from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.derived.changes import ActiveChanges
from hmem.derived.chunks import Part
from hmem.derived.speaker_names import ScopedPerson
from hmem.model.change import Verb
from hmem.model.ids import number_of, numbered
from hmem.model.scope import COMMON, spelled
from hmem.model.vector import from_bytes, to_bytes
from hmem.storage.base import LogEntry


@dataclass(frozen=True, slots=True)
class KeptPersona:
    """Current version of a speaker's persona, with its time in seconds since 1970; ``notes`` are its sources.

    ``version`` is the number of notes about the speaker when the text was written (plus its edits), so it only grows.
    ``newest_note`` is the number of the newest note about the speaker that the persona takes into account.
    """

    version: int
    text: str
    traits: tuple[str, ...]
    vector: NDArray[np.float32]
    timestamp: int
    notes: tuple[int, ...] = ()
    newest_note: int = -1
    made_by: str = "verbatim"


def persona_id(person: ScopedPerson, persona: KeptPersona) -> str:
    """Return the id of a version of a persona."""
    return numbered("persona", persona.timestamp * 1000, person.number, min(persona.version, 0xFFFF))


class Personas(Part):
    """Personas of people. A chunk holds those of one speaker's number, by owner."""

    def __init__(self, name: str = "personas") -> None:
        super().__init__(name)
        self._of: dict[int, dict[str, KeptPersona]] = {}

    def get(self, person: ScopedPerson) -> KeptPersona | None:
        """Return a person's persona; None while nothing is known."""
        return self._of.get(person.number, {}).get(person.owner)

    def people(self) -> list[ScopedPerson]:
        """Return everyone who has a persona, by the number of the speaker and by owner."""
        return [ScopedPerson(owner, number) for number in sorted(self._of) for owner in sorted(self._of[number])]

    def replace(self, person: ScopedPerson, persona: KeptPersona | None) -> None:
        """Replace a person's persona; None removes it."""
        if persona is not None:
            self._of.setdefault(person.number, {})[person.owner] = persona
        elif self._of.get(person.number, {}).pop(person.owner, None) and not self._of[person.number]:
            del self._of[person.number]
        self.changed.add(person.number)

    def load(self, number: int, content: Any | None) -> None:
        self._of.pop(number, None)
        rows: list[Any] = content or []
        # Files of the first edition hold one persona for each speaker, without an owner.
        if rows and not isinstance(rows[0], list):
            rows = [[COMMON, *rows]]
        if rows:
            self._of[number] = {owner: _persona(row) for owner, *row in rows}

    def dump(self, number: int) -> Any | None:
        return [[owner, *_row(persona)] for owner, persona in sorted(self._of.get(number, {}).items())] or None


def _persona(row: Sequence[Any]) -> KeptPersona:
    version, text, traits, codes, scale, timestamp, notes, newest, maker = row
    values = np.frombuffer(b64decode(codes), np.int8)[None, :]
    vector = from_bytes(values, np.array([scale], np.float32))[0]
    return KeptPersona(version, text, tuple(traits), vector, timestamp, tuple(notes), newest, maker)


def _row(persona: KeptPersona) -> list[Any]:
    codes, scales = to_bytes(persona.vector[None, :])
    vector = [b64encode(codes.tobytes()).decode(), float(scales[0])]
    return [
        persona.version,
        persona.text,
        persona.traits,
        *vector,
        persona.timestamp,
        persona.notes,
        persona.newest_note,
        persona.made_by,
    ]


EDIT: Final[Verb] = "persona"
RENEW: Final[Verb] = "renew"
_TRAITS: Final = "traits: "
_SECOND: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class PersonaEdit:
    """Edit of a persona by people: text, traits, the newest note that it takes into account, when (µs), and by whom."""

    text: str
    traits: tuple[str, ...]
    newest_note: int
    timestamp: int
    author: str


def to_log_text(text: str, traits: Sequence[str]) -> str:
    """Return a persona as one text for the log: its text, then its traits on a last line."""
    return f"{text}\n{_TRAITS}{'; '.join(traits)}" if traits else text


def from_log_text(content: str) -> tuple[str, tuple[str, ...]]:
    """Return the text and traits of a persona from its text in the log."""
    text, _, last = content.rpartition("\n")
    if not last.startswith(_TRAITS):
        return content, ()
    return text, tuple(trait for trait in last.removeprefix(_TRAITS).split("; ") if trait)


def newest_note_of(entry: LogEntry) -> int:
    """Return the number of the newest note that a version takes into account, -1 for none."""
    numbers = number_of("note", entry.link or "")
    return -1 if numbers is None else numbers[1]


def edit_of(active: ActiveChanges, target: str) -> PersonaEdit | None:
    """Return the last edit of a person's persona that is in force, or None; the person is named as the log does."""
    for entry in reversed(active.by_verb.get(EDIT, ())):
        if spelled(entry.target) == spelled(target) and entry.after is not None:
            return PersonaEdit(*from_log_text(entry.after), newest_note_of(entry), entry.at, entry.by)
    return None


def renewal(target: str, before: KeptPersona | None, after: KeptPersona | None, newest: str | None) -> LogEntry | None:
    """Return the log entry of a persona whose words changed; None if they are the same.

    ``target`` is what the log calls the person, ``newest`` the id of the newest note that the persona takes into
    account.
    """
    was = to_log_text(before.text, before.traits) if before is not None else None
    new = to_log_text(after.text, after.traits) if after is not None else None
    persona = after or before
    if was == new or persona is None:
        return None
    # Forming the same turns again makes the same versions; their key keeps them from being logged twice.
    mark = blake2b(f"{target}\n{new}".encode(), digest_size=8).hexdigest()
    key = f"{RENEW} {mark} {persona.newest_note}"
    return LogEntry(persona.timestamp * _SECOND, persona.made_by, RENEW, target, None, was, new, newest, key)
