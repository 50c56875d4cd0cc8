"""Names of memories; a checked name cannot leave the root."""

import unicodedata
from collections.abc import Callable
from typing import Final

from hmem.errors import InvalidName, MemoryExists, MemoryNotFound
from hmem.interfaces.arguments import LONGEST
from hmem.storage.catalog import Catalog

_AT_ONCE: Final = 1_000
# File names have at most 255 bytes nearly everywhere, and the index folder has the longest suffix.
_LONGEST_BYTES: Final = 200
_MARKS: Final = frozenset("-_.")
_FORM: Final = f"use up to {LONGEST} letters, digits, '-', '_' and '.', beginning and ending with a letter or a digit"
# Names of devices on Windows, with any suffix.
_RESERVED: Final = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³")}


def normalise(spelling: str) -> str:
    """Return a memory's name in Unicode's normal form NFKC.

    Raises: InvalidName: no memory may have it.
    """
    name = unicodedata.normalize("NFKC", spelling) if len(spelling) <= 4 * LONGEST else spelling
    if not name or len(name) > LONGEST or len(name.encode("utf-8", "replace")) > _LONGEST_BYTES:
        raise InvalidName(f"a memory's name has 1 to {LONGEST} characters - {_FORM}")
    if not all(character.isalnum() or character in _MARKS for character in name):
        raise InvalidName(f"a memory's name cannot have such characters - {_FORM}")
    if not (name[0].isalnum() and name[-1].isalnum()) or ".." in name:
        raise InvalidName(f"a memory's name cannot begin or end so, nor have '..' - {_FORM}")
    if name.partition(".")[0].casefold() in _RESERVED:
        raise InvalidName("a memory cannot have the name of a device - take another one")
    return name


def find(catalog: Catalog, spelling: str) -> str:
    """Return the name of a memory that exists.

    Raises:
        InvalidName: no memory can have this name.
        MemoryNotFound: there is none of this name.
    """
    name = normalise(spelling)
    if catalog.spelled(name) != name:
        raise MemoryNotFound(f"there is no memory {name!r} - create it first")
    return name


def free(catalog: Catalog, spelling: str) -> str:
    """Return the name of a new memory.

    Raises:
        InvalidName: no memory can have this name.
        MemoryExists: one has it, or one that differs in case only.
    """
    name = normalise(spelling)
    if (existing := catalog.spelled(name)) is not None:
        raise MemoryExists(f"there is a memory {existing!r} already - take another name")
    return name


def visible_names(catalog: Catalog, after: str, limit: int, is_visible: Callable[[str], bool]) -> list[str]:
    """Return the first ``limit`` visible names behind ``after``, in order; what is no valid name is skipped."""
    names: list[str] = []
    while len(names) < limit and (page := catalog.names(after=after, limit=_AT_ONCE)):
        names += [name for name in page if is_name(name) and is_visible(name)]
        after = page[-1]
    return names[:limit]


def is_name(name: str) -> bool:
    """Tell if a memory can have a name as it is spelled."""
    try:
        return normalise(name) == name
    except InvalidName:
        return False
