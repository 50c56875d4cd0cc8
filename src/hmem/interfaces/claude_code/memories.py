"""Locations of the memories of hooks: a project's and its user's, in files or in a database."""

from pathlib import Path

from hmem.interfaces.claude_code.settings import HookSettings
from hmem.interfaces.paths import project_memory, user_memory
from hmem.interfaces.places import memory_in
from hmem.storage import Location


def memories_of(settings: HookSettings, folder: str) -> tuple[Location, Location]:
    """Return the locations of the memory of a working folder's project, and of the user's."""
    root = Location.parse(settings.database or settings.root)
    return memory_in(root, lambda below: project_memory(below, Path(folder))), memory_in(root, user_memory)
