"""Authority: how much a speaker may say of somebody.

What people say of themselves outranks what others say of them, and that what a tool, a document or an assistant says.
"""

from enum import IntEnum
from typing import Final

from hmem.model.scope import ScopedName, owner_of, scoped
from hmem.model.turn import Turn

# Roles of turns that nobody said, and their speakers where a turn has no role.
NO_PERSON: Final = frozenset(("assistant", "tool", "system", "document"))


class Authority(IntEnum):
    """Rank of what a turn says of somebody: by nobody, by another person, or by themselves."""

    NOBODY = 0
    ANOTHER = 1
    OWN = 2


def authority(turn: Turn, subject: ScopedName) -> Authority:
    """Return the authority of a turn about somebody."""
    speaker = scoped(owner_of(turn), turn.speaker)
    if (turn.role or speaker.name) in NO_PERSON:
        return Authority.NOBODY
    return Authority.OWN if speaker == subject else Authority.ANOTHER
