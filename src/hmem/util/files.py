"""Files that other processes may delete at any moment."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path


def files_under(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and its subfolders; skip those that vanish meanwhile."""
    for place, _, names in os.walk(folder):
        for name in names:
            yield Path(place, name)


def size_of(files: Iterable[Path]) -> int:
    """Return the total size in bytes; a missing file counts 0."""
    total = 0
    for file in files:
        with suppress(FileNotFoundError):
            total += file.stat().st_size
    return total
