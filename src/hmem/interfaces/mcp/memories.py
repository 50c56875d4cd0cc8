"""Memories that one server gives access to: that of a project, and that of its user."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlparse
from urllib.request import url2pathname

import hmem
from hmem.errors import MemoryNotFound, UnknownName
from hmem.interfaces.paths import project_memory, user_memory
from hmem.model.key import MemoryKey

if TYPE_CHECKING:
    from hmem.storage.location import Location

Which = Literal["project", "user"]


@dataclass(frozen=True, slots=True)
class Places:
    """Locations of the memories: one for ``project``, or with ``root`` one for each project by its ``folder``.

    The root is a folder or a database. With it the user has a memory too; without it, only if ``user`` names one.
    """

    project: "str | Path | Location | None" = None
    user: "str | Path | Location | None" = None
    root: "str | Path | Location | None" = None
    folder: Path = field(default_factory=Path)

    def of(self, which: Which, folder: Path | None = None) -> "Location":
        """Return the location of a memory; ``folder`` is the client's working folder, if known.

        Raises:
            UnknownName: there is no such memory.
        """
        # Loaded when a memory is needed, so that a client is greeted at once.
        from hmem.interfaces.places import memory_in  # noqa: PLC0415
        from hmem.storage.location import Location  # noqa: PLC0415

        root = None if self.root is None else Location.parse(self.root)
        place = self.user if which == "user" else self.project
        if place is not None:
            return Location.parse(place)
        if root is None:
            raise UnknownName(f"this server has no memory {which!r} - start it with --root, or with --user-memory")
        known = folder or self.folder
        return memory_in(root, user_memory if which == "user" else lambda below: project_memory(below, known))


class Memories:
    """Memories by their place, opened on first use, consolidated in the background when idle. Thread-safe.

    ``folder`` is the client's working folder; None until the client has told it, or if it never does. ``key`` is that
    of all memories.
    """

    def __init__(
        self, places: Places, opening: Mapping[str, str | None] | None = None, key: MemoryKey | None = None
    ) -> None:
        self._places = places
        self._key = key
        self._opening = dict(opening or {})
        self._opened: dict[Location, hmem.Memory] = {}
        self._lock = Lock()
        self.folder: Path | None = None

    def of(self, which: Which = "project") -> "hmem.Memory":
        """Return the memory of the project or of the user; it is made if it does not exist.

        Raises:
            UnknownName: there is no such memory.
            StorageError, EmbedderError: it cannot be opened.
            MemoryNotFound: it was deleted or replaced since; the next call opens what stands there.
        """
        place = self._places.of(which, self.folder)
        with self._lock:
            if place in self._opened and not self._opened[place].corpus.usable():
                self._opened.pop(place).close()
                raise MemoryNotFound(f"{place} was deleted or replaced by another process - ask again to begin anew")
            if place not in self._opened:
                from hmem.interfaces.places import make_folders  # noqa: PLC0415 - as above

                make_folders(place, self._places.root)
                self._opened[place] = hmem.Memory(
                    place,
                    recipe=self._opening.get("recipe"),
                    analyst=self._opening.get("analyst"),
                    zone=self._opening.get("zone"),
                    background=True,
                    key=self._key,
                )
            return self._opened[place]

    @property
    def wants_folder(self) -> bool:
        """True if the client's working folder decides which memory is used."""
        return self._places.project is None and self._places.root is not None

    def close(self) -> None:
        """Close all open memories."""
        with self._lock:
            for memory in self._opened.values():
                memory.close()
            self._opened.clear()


def folder_of(uri: str) -> Path | None:
    """Return the folder that a ``file:`` URI names; None for any other."""
    parts = urlparse(uri)
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    return Path(url2pathname(unquote(parts.path) if "%" in parts.path else parts.path))
