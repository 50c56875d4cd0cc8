"""Scopes: whose a turn is, and all that is derived from it; and names of people within a scope.

What belongs to a user stays apart from all that belongs to others. Turns without a user share the common scope, where
people are told apart by their names alone.
"""

import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

from hmem.model.turn import Turn

# Owner of the turns without a user.
COMMON: Final = ""


class ScopedName(NamedTuple):
    """Name of somebody or something in the scope of an owner; all spellings of a name give the same one."""

    owner: str
    name: str


def owner_of(turn: Turn) -> str:
    """Return the owner of a turn: its user."""
    return turn.user or COMMON


@lru_cache(maxsize=65_536)
def spelled(name: str) -> str:
    """Return what all spellings of a name share: without regard to case, blanks and composition of letters."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())


@lru_cache(maxsize=65_536)
def tidy(name: str) -> str:
    """Return a name as it is shown: its letters composed, with single blanks between words."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def scoped(owner: str, name: str) -> ScopedName:
    """Return a name in the scope of an owner."""
    return ScopedName(owner, spelled(name))
