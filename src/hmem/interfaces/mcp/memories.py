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

MemoryName = Literal["project", "user"]


@dataclass(frozen=True, slots=True)
class Locations:
    """Locations of the memories: one for ``project``, or with ``root`` one for each project by its ``folder``.

    The root is a folder or a database. With it the user has a memory too; without it, only if ``user`` names one.
    """

    project: "str | Path | Location | None" = None
    user: "str | Path | Location | None" = None
    root: "str | Path | Location | None" = None
    folder: Path = field(default_factory=Path)

    def locate(self, name: MemoryName, folder: Path | None = None) -> "Location":
        """Return the location of a memory; ``folder`` is the client's working folder, if known.

        Raises:
            UnknownName: there is no such memory.
        """
        # Loaded when a memory is needed, so that a client is greeted at once.
        from hmem.interfaces.places import memory_in  # noqa: PLC0415
        from hmem.storage.location import Location  # noqa: PLC0415

        root = None if self.root is None else Location.parse(self.root)
        location = self.user if name == "user" else self.project
        if location is not None:
            return Location.parse(location)
        if root is None:
            raise UnknownName(f"this server has no memory {name!r} - start it with --root, or with --user-memory")
        working_folder = folder or self.folder
        return memory_in(
            root, user_memory if name == "user" else lambda root_folder: project_memory(root_folder, working_folder)
        )


class Memories:
    """Memories by their place, opened on first use, consolidated in the background when idle. Thread-safe.

    ``folder`` is the client's working folder; None until the client has told it, or if it never does. ``key`` is that
    of all memories.
    """

    def __init__(
        self, locations: Locations, opening: Mapping[str, str | None] | None = None, key: MemoryKey | None = None
    ) -> None:
        self._locations = locations
        self._key = key
        self._opening = dict(opening or {})
        self._opened: dict[Location, hmem.Memory] = {}
        self._lock = Lock()
        self.folder: Path | None = None

    def get(self, name: MemoryName = "project") -> "hmem.Memory":
        """Return the memory of the project or of the user; it is made if it does not exist.

        Raises:
            UnknownName: there is no such memory.
            StorageError, EmbedderError: it cannot be opened.
            MemoryNotFound: it was deleted or replaced since; the next call opens what stands there.
        """
        location = self._locations.locate(name, self.folder)
        with self._lock:
            if location in self._opened and not self._opened[location].corpus.usable():
                self._opened.pop(location).close()
                raise MemoryNotFound(f"{location} was deleted or replaced by another process - ask again to begin anew")
            if location not in self._opened:
                from hmem.interfaces.places import make_folders  # noqa: PLC0415 - as above

                make_folders(location, self._locations.root)
                self._opened[location] = hmem.Memory(
                    location,
                    recipe=self._opening.get("recipe"),
                    analyst=self._opening.get("analyst"),
                    zone=self._opening.get("zone"),
                    background=True,
                    key=self._key,
                )
            return self._opened[location]

    @property
    def wants_folder(self) -> bool:
        """True if the client's working folder decides which memory is used."""
        return self._locations.project is None and self._locations.root is not None

    def close(self) -> None:
        """Close all open memories."""
        with self._lock:
            for memory in self._opened.values():
                memory.close()
            self._opened.clear()


def folder_of(uri: str) -> Path | None:
    """Return the folder that a ``file:`` URI names; None for any other."""
    address = urlparse(uri)
    if address.scheme != "file" or address.netloc not in ("", "localhost"):
        return None
    return Path(url2pathname(unquote(address.path) if "%" in address.path else address.path))
