"""Profile of a person: typed facts and standing sentences, each quoted with its date and its turn."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from hmem.model.note import NoteKind
from hmem.model.value import Value, faint, framed, grid, html

# What a line is: a note of the person's own words, an edit of the persona by people, or a persona by a model.
ProfileKind = Literal["edit", "persona"] | NoteKind

# By default a profile has at most so many tokens.
PROFILE_TOKENS: Final = 300


@dataclass(frozen=True, slots=True, repr=False)
class ProfileLine(Value):
    """Line of a profile.

    ``text`` is the sentence as the person said it at ``when``, in the turn ``turn_id``. If it gives a typed fact,
    ``slot`` and ``value`` are that: ``home``, ``Lisbon``. A line of the kind ``edit`` or ``persona`` has no turn: it is
    the text of ``by``, who edited the persona, or of the model that wrote it. ``newer`` is when the person said
    something that may change a typed fact.
    """

    text: str
    kind: ProfileKind
    when: datetime
    turn_id: str | None = None
    slot: str | None = None
    value: str | None = None
    by: str | None = None
    newer: datetime | None = None


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
        rows = ([html(each.slot or ""), html(_told(each)), faint(html(_cited(each)))] for each in self.lines)
        return framed(f"<b>{html(self.person)}</b>{grid((), rows)}")


def _told(line: ProfileLine) -> str:
    return line.text if line.value is None else line.value


def _cited(line: ProfileLine) -> str:
    return f"{line.when.date().isoformat()} {line.turn_id or line.by or ''}"
