"""Settings of the hooks: folders and time limits; and their log.

Loads little: a user waits for hooks.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from hmem.interfaces.paths import DATABASE_VARIABLE
from hmem.util.files import open_private, private_folder
from hmem_agents.hooks.fast_path import PROMPT_SECONDS, START_SECONDS, owner, root, socket_of, turned_off

# Claude Code takes at most 10,000 characters of context from a hook.
CHARACTERS: Final = 9_000
# Bytes of the log, which is begun anew, and characters of a line in it.
_LARGEST_LOG: Final = 1_000_000
_LONGEST_NOTE: Final = 500


@dataclass(frozen=True, slots=True)
class HookSettings:
    """Root of all memories, and limits of the hooks.

    With a ``database``, a URL, the memories are there, and only the hooks' own files below the root. The start of a
    session waits ``start_seconds`` for the worker, and a prompt ``prompt_seconds``; then the hook reads the files. The
    worker ends ``idle_seconds`` after its last request. ``characters`` bounds the context; ``disabled`` turns all off.
    """

    root: Path
    prompt_seconds: float = PROMPT_SECONDS
    start_seconds: float = START_SECONDS
    idle_seconds: float = 1_800.0
    characters: int = CHARACTERS
    disabled: bool = False
    # It may hold a password.
    database: str | None = field(default=None, repr=False)

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> "HookSettings":
        """Return the settings of the environment; an absent or invalid number is the default."""
        return cls(
            root=Path(root()),
            prompt_seconds=_number(environment.get("HMEM_HOOK_PROMPT_SECONDS"), PROMPT_SECONDS),
            start_seconds=_number(environment.get("HMEM_HOOK_START_SECONDS"), START_SECONDS),
            idle_seconds=_number(environment.get("HMEM_HOOK_IDLE_SECONDS"), 1_800.0),
            characters=min(int(_number(environment.get("HMEM_HOOK_CHARACTERS"), CHARACTERS)), CHARACTERS),
            disabled=turned_off(environment.get("HMEM_HOOKS")),
            database=environment.get(DATABASE_VARIABLE) or None,
        )

    def seconds(self, name: str) -> float:
        """Return how long a hook that adds context waits for the worker."""
        return self.start_seconds if name == "session-start" else self.prompt_seconds

    @property
    def folder(self) -> Path:
        """Folder of the hooks, for its owner alone."""
        return self.root / "hooks"

    @property
    def log(self) -> Path:
        """File of the log."""
        return self.folder / "hooks.log"

    @property
    def socket(self) -> Path:
        """Path of the worker's socket: in the folder, or in the temporary one if that path is too long."""
        return Path(socket_of(str(self.folder)))

    def make_folders(self) -> None:
        """Make the folders, readable by their owner alone.

        Raises:
            OSError: they cannot be made, or one belongs to somebody else.
        """
        for folder in (self.folder, self.socket.parent, self.folder / "spool", self.folder / "sessions"):
            private_folder(folder)
        if self.socket.parent.stat().st_uid != owner():
            raise PermissionError(f"{self.socket.parent} belongs to somebody else")


def _number(text: str | None, otherwise: float) -> float:
    try:
        return max(float(text), 0.0) if text else otherwise
    except ValueError:
        return otherwise


# Log: errors go to a file, since nothing may reach the user's session.


def note(settings: HookSettings, text: str) -> None:
    """Append a line to the log, which is begun anew when large; a failure to write is ignored."""
    line = f"{datetime.now(UTC).isoformat(timespec='seconds')} {' '.join(text.split())[:_LONGEST_NOTE]}\n"
    try:
        settings.make_folders()
        if settings.log.exists() and settings.log.stat().st_size > _LARGEST_LOG:
            settings.log.replace(settings.log.with_suffix(".old"))
        with open_private(settings.log, append=True) as file:
            file.write(line.encode("utf-8", "replace"))
    except OSError:
        return


class Quietly:
    """Context manager that logs errors and suppresses them, so that the session goes on."""

    def __init__(self, settings: HookSettings, task: str) -> None:
        self._settings = settings
        self._task = task

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        location = ""
        while traceback is not None:
            location = f"{traceback.tb_frame.f_code.co_filename.rpartition('/')[2]}:{traceback.tb_lineno}"
            traceback = traceback.tb_next
        note(self._settings, f"{self._task}: {type(error).__name__}: {error} ({location})")
        return True
