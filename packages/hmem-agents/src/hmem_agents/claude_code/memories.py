"""Memories of hooks: a project's and its user's, in files or in a database; and answers from them without a worker."""

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Thread
from typing import Any

from hmem.api.memory import Memory
from hmem.errors import MemoryNotFound
from hmem.interfaces.paths import project_memory, user_memory
from hmem.interfaces.places import memory_in
from hmem.storage import Location
from hmem_agents.claude_code.settings import HookSettings, Quietly, note

# Makes the answer to a request over the memories of a project and of the user.
Answer = Callable[[Memory | None, Memory | None], dict[str, Any]]


def memories_of(settings: HookSettings, folder: str) -> tuple[Location, Location]:
    """Return the locations of the memory of a working folder's project, and of the user's."""
    root = Location.parse(settings.database or settings.root)
    return memory_in(root, lambda base: project_memory(base, Path(folder))), memory_in(root, user_memory)


def from_files(settings: HookSettings, request: Mapping[str, Any], answer: Answer, seconds: float) -> dict[str, Any]:
    """Return the answer from the memories, opened for reading; empty, with a line in the log, if it is late.

    A reader that is late cannot be stopped; the process of the hook ends without it.
    """
    answers: list[dict[str, Any]] = []

    def read() -> None:
        with Quietly(settings, f"{request.get('do')} without a worker"), contextlib.ExitStack() as stack:
            memories: list[Memory | None] = []
            for location in memories_of(settings, str(request["folder"])):
                try:
                    memories.append(stack.enter_context(Memory(location, read_only=True, create=False)))
                except MemoryNotFound:
                    memories.append(None)
            answers.append(answer(*memories))

    reader = Thread(target=read, name="hmem-cold", daemon=True)
    reader.start()
    reader.join(seconds)
    if reader.is_alive():
        note(settings, f"{request.get('do')} without a worker: not ready in time, nothing was added")
    return answers[0] if answers else {}
