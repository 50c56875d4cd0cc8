"""Personas: evolving descriptions of the people in a memory."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Literal

from hmem.model.note import NoteKind
from hmem.model.plain import written_as
from hmem.model.value import Value, faint, format_time, framed, grid, html
from hmem.util.amounts import amount


@dataclass(frozen=True, slots=True)
class PersonaShape:
    """Persona of a speaker, without its vector."""

    id: str
    speaker: str
    version: int
    text: str
    traits: list[str]
    at: datetime
    sources: list[str]
    made_by: str
    user: str | None = None

    @classmethod
    def from_persona(cls, persona: "Persona") -> "PersonaShape":
        """Return the form of a persona."""
        traits, sources = list(persona.traits), list(persona.sources)
        return cls(
            persona.id,
            persona.speaker,
            persona.version,
            persona.text,
            traits,
            persona.at,
            sources,
            persona.made_by,
            persona.user,
        )

    def value(self) -> "Persona":
        """Return the persona, without a vector."""
        traits, sources = tuple(self.traits), tuple(self.sources)
        persona = Persona(self.id, self.version, self.text, traits, (), self.at, sources, self.speaker, self.made_by)
        return replace(persona, user=self.user)


@written_as(PersonaShape.from_persona)
@dataclass(frozen=True, slots=True, repr=False)
class Persona(Value):
    """One version of a persona: text, traits, and the vector that tiers are scored against.

    ``sources`` are the ids of its notes. ``user`` is the one to whom it belongs.
    """

    id: str
    version: int
    text: str
    traits: tuple[str, ...]
    vector: tuple[float, ...] = field(repr=False)
    at: datetime
    sources: tuple[str, ...] = ()
    speaker: str = ""
    made_by: str = "verbatim"
    user: str | None = None

    def _repr_html_(self) -> str:
        """Return the persona for a notebook: its text, its traits, and how much it rests on."""
        traits = "".join(f"<li>{html(trait)}</li>" for trait in self.traits)
        rests = faint(html(f"version {self.version}, {format_time(self.at)}, from {amount(len(self.sources), 'note')}"))
        return framed(f"<b>{html(self.speaker)}</b><p>{html(self.text)}</p>{traits and f'<ul>{traits}</ul>'}{rests}")


@dataclass(frozen=True, slots=True, repr=False)
class PersonaVersion(Value):
    """Text of a persona from a time on, with its author and reason.

    ``notes`` are the ids of the notes that came with it, ``change`` that of the change in the log: None for the present
    version while the log does not have it yet. ``undone`` is True if it was taken back. Versions are numbered from 1.
    """

    speaker: str
    text: str
    traits: tuple[str, ...]
    at: datetime
    by: str
    why: str | None = None
    notes: tuple[str, ...] = ()
    change: str | None = None
    undone: bool = False
    number: int = 0


# What a line is: a note of the person's own words, an edit of the persona by people, or a persona by a model.
ProfileKind = Literal["edit", "persona"] | NoteKind

# By default a profile has at most so many tokens.
PROFILE_TOKENS: Final = 300


@dataclass(frozen=True, slots=True, repr=False)
class ProfileLine(Value):
    """Line of a profile.

    ``text`` is the sentence as the person said it at ``when``, in the turn ``turn_id``. If it gives a typed fact,
    ``slot`` and ``value`` are that: ``home``, ``Lisbon``. A line of the kind ``edit`` or ``persona`` has no turn: it is
    the text of ``by``, who edited the persona, or of the model that wrote it.
    """

    text: str
    kind: ProfileKind
    when: datetime
    turn_id: str | None = None
    slot: str | None = None
    value: str | None = None
    by: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Profile(Value):
    """Most telling things that a person said of themselves and that hold now.

    Edits of the persona by people come first, then the persona of a model, if one wrote it, then typed facts, then
    sentences. ``text`` is the profile for a prompt, a line each below a heading, in ``tokens`` tokens; empty if nothing
    is known.
    """

    person: str
    lines: tuple[ProfileLine, ...]
    tokens: int
    text: str
    user: str | None = None

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """Return the profile for a notebook: each line with its slot, its date and its turn."""
        rows = ([html(line.slot or ""), html(_line_text(line)), faint(html(_cited(line)))] for line in self.lines)
        return framed(f"<b>{html(self.person)}</b>{grid((), rows)}")


def _line_text(line: ProfileLine) -> str:
    return line.text if line.value is None else line.value


def _cited(line: ProfileLine) -> str:
    return f"{line.when.date().isoformat()} {line.turn_id or line.by or ''}"
