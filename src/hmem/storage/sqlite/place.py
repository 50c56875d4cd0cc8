"""Place of a memory's file: whether the file that is open is still the one at its path."""

import os
from typing import Final

from hmem.errors import MemoryNotFound
from hmem.storage.location import IN_MEMORY

_ANEW: Final = "open it again to begin anew"


class FilePlace:
    """Path of an open file. Other processes may delete the file, or put another in its place.

    A system that deletes an open file lets its process write on into nothing: so what was written counts only if the
    file is there afterwards.
    """

    def __init__(self, path: str) -> None:
        # The process may change its folder.
        self._path = path if path == IN_MEMORY else os.path.abspath(path)  # noqa: PTH100 - links are not resolved
        self._file = _identity(self._path)

    def check(self) -> None:
        """Refuse to go on if the file is gone.

        Raises:
            MemoryNotFound: it was deleted or replaced; what was just written to it is not kept.
        """
        if self._path == IN_MEMORY:
            return
        now = _identity(self._path)
        if now is None or now != self._file:
            what = "deleted" if now is None else "replaced by another"
            raise MemoryNotFound(f"{self._path} was {what} by another process, and this was not kept - {_ANEW}")


def _identity(path: str) -> tuple[int, int] | None:
    """Return what tells a file from any other while it is open; None if there is none."""
    if path == IN_MEMORY:
        return None
    try:
        status = os.stat(path)  # noqa: PTH116 - each call asks, and a path takes longer than the question
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino
