"""Files that other processes may take away at any moment."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path


def files_under(folder: Path) -> Iterator[Path]:
    """The files in a folder and in those below; what vanishes meanwhile is passed over."""
    for place, _, names in os.walk(folder):
        for name in names:
            yield Path(place, name)


def size_of(files: Iterable[Path]) -> int:
    """How many bytes they take; a file that is not there takes none."""
    total = 0
    for file in files:
        with suppress(FileNotFoundError):
            total += file.stat().st_size
    return total
