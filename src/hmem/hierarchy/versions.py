"""The versions of a persona in the log: what it was renewed to as notes came, and what people made of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from hmem.hierarchy.decisions import Standing
from hmem.hierarchy.personas import KeptPersona
from hmem.model.change import Verb
from hmem.model.ids import number_of
from hmem.storage.base import Entry

EDIT: Final[Verb] = "persona"
RENEW: Final[Verb] = "renew"
_TRAITS: Final = "traits: "
_SECOND: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Edit:
    """What people made of a persona: text, traits, the newest note that it knows of, and when (µs)."""

    text: str
    traits: tuple[str, ...]
    through: int
    at: int


def written(text: str, traits: Sequence[str]) -> str:
    """A persona as the log has it: its text, and its traits on a last line."""
    return f"{text}\n{_TRAITS}{'; '.join(traits)}" if traits else text


def read(kept: str) -> tuple[str, tuple[str, ...]]:
    """Text and traits of a persona in the log."""
    text, _, last = kept.rpartition("\n")
    if not last.startswith(_TRAITS):
        return kept, ()
    return text, tuple(each for each in last.removeprefix(_TRAITS).split("; ") if each)


def through_of(entry: Entry) -> int:
    """The number of the newest note that a version knows of, -1 when it knows none."""
    found = number_of("note", entry.link or "")
    return -1 if found is None else found[1]


def edit_of(standing: Standing, name: str) -> Edit | None:
    """The last edit of a person's persona that is in force."""
    for entry in reversed(standing.by_verb.get(EDIT, ())):
        if entry.target == name and entry.after is not None:
            return Edit(*read(entry.after), through_of(entry), entry.at)
    return None


def renewal(name: str, before: KeptPersona | None, after: KeptPersona | None, newest: str | None) -> Entry | None:
    """The entry of a persona that says something else than before; None where it says the same.

    ``newest`` is the id of the newest note that it knows of.
    """
    was = written(before.text, before.traits) if before is not None else None
    now = written(after.text, after.traits) if after is not None else None
    kept = after or before
    if was == now or kept is None:
        return None
    # Forming the same turns again makes the same versions: their key keeps them from being told twice.
    mark = blake2b(f"{name}\n{now}".encode(), digest_size=8).hexdigest()
    key = f"{RENEW} {mark} {kept.through}"
    return Entry(kept.at * _SECOND, kept.made_by, RENEW, name, None, was, now, newest, key)
