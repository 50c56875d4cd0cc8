"""Names of memories and their files; a checked name cannot leave the root."""

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hmem.errors import InvalidName, MemoryExists, MemoryNotFound
from hmem.interfaces.arguments import LONGEST

SUFFIX: Final = ".hmem"
# File names have at most 255 bytes nearly everywhere, and the index folder has the longest suffix.
_LONGEST_BYTES: Final = 200
_MARKS: Final = frozenset("-_.")
_FORM: Final = f"use up to {LONGEST} letters, digits, '-', '_' and '.', beginning and ending with a letter or a digit"
# Names of devices on Windows, with any suffix.
_RESERVED: Final = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³")}


def checked(given: str) -> str:
    """Return a memory's name in Unicode's normal form NFKC.

    Raises:
        InvalidName: it is none.
    """
    name = unicodedata.normalize("NFKC", given) if len(given) <= 4 * LONGEST else given
    if not name or len(name) > LONGEST or len(name.encode("utf-8", "replace")) > _LONGEST_BYTES:
        raise InvalidName(f"a memory's name has 1 to {LONGEST} characters - {_FORM}")
    if not all(character.isalnum() or character in _MARKS for character in name):
        raise InvalidName(f"a memory's name cannot have such characters - {_FORM}")
    if not (name[0].isalnum() and name[-1].isalnum()) or ".." in name:
        raise InvalidName(f"a memory's name cannot begin or end so, nor have '..' - {_FORM}")
    if name.partition(".")[0].casefold() in _RESERVED:
        raise InvalidName("a memory cannot have the name of a device - take another one")
    return name


def place_of(root: Path, name: str) -> Path:
    """Return the path of a memory by its checked name; it need not exist."""
    return root / f"{name}{SUFFIX}"


def find(root: Path, given: str) -> tuple[str, Path]:
    """Return the name and the path of a memory that exists.

    Raises:
        InvalidName: no memory can have this name.
        MemoryNotFound: there is none of this name.
    """
    name = checked(given)
    path = place_of(root, name)
    # On a file system that ignores case, another spelling would find the file without matching the key.
    if name not in held(root) or path.is_symlink():
        raise MemoryNotFound(f"there is no memory {name!r} - create it first")
    return name, path


def free(root: Path, given: str) -> Path:
    """Return the path for a new memory.

    Raises:
        InvalidName: no memory can have this name.
        MemoryExists: one has it, or one that differs in case only.
    """
    name = checked(given)
    for other in held(root):
        if other.casefold() == name.casefold():
            raise MemoryExists(f"there is a memory {other!r} already - take another name")
    return place_of(root, name)


def held(root: Path) -> list[str]:
    """Return the names of the memories under a root, sorted."""
    return sorted(_names(root))


def _names(root: Path) -> Iterator[str]:
    with os.scandir(root) as entries:
        for entry in entries:
            name = entry.name.removesuffix(SUFFIX)
            if name != entry.name and entry.is_file(follow_symlinks=False) and _is_name(name):
                yield name


def _is_name(name: str) -> bool:
    try:
        return checked(name) == name
    except InvalidName:
        return False
