"""Names of memories, which cannot leave the root."""

import os
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hmem.errors import InvalidName, MemoryExists, MemoryNotFound
from hmem.interfaces.arguments import LONGEST

SUFFIX: Final = ".hmem"
# The longest name of a file is 255 bytes nearly everywhere; the index's folder has the longest suffix.
_LONGEST_BYTES: Final = 200
_MARKS: Final = frozenset("-_.")
_FORM: Final = f"use up to {LONGEST} letters, digits, '-', '_' and '.', beginning and ending with a letter or a digit"
# What Windows takes for devices, whatever stands behind a dot.
_RESERVED: Final = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³")}


def checked(given: str) -> str:
    """A memory's name in its normal form of Unicode.

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
    """Where a memory of a checked name lies, or would."""
    return root / f"{name}{SUFFIX}"


def find(root: Path, given: str) -> tuple[str, Path]:
    """The name and the file of a memory that is there.

    Raises:
        InvalidName: no memory can have this name.
        MemoryNotFound: there is none of this name.
    """
    name = checked(given)
    path = place_of(root, name)
    # A file system that ignores case would answer to a name that no key was given for.
    if name not in held(root) or path.is_symlink():
        raise MemoryNotFound(f"there is no memory {name!r} - create it first")
    return name, path


def free(root: Path, given: str) -> Path:
    """Where a new memory of a name is to lie.

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
    """The names of the memories under a root, in order."""
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
