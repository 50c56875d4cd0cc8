"""Log of the hooks: errors go to a file, since nothing may reach the user's session.

Loads little: a user waits for hooks.
"""

from datetime import UTC, datetime
from types import TracebackType
from typing import Final, Self

from hmem.interfaces.claude_code.settings import HookSettings
from hmem.util.files import open_private

_LARGEST: Final = 1_000_000
_LONGEST: Final = 500


def note(settings: HookSettings, text: str) -> None:
    """Append a line to the log, which is begun anew when large; a failure to write is ignored."""
    line = f"{datetime.now(UTC).isoformat(timespec='seconds')} {' '.join(text.split())[:_LONGEST]}\n"
    try:
        settings.make_folders()
        if settings.log.exists() and settings.log.stat().st_size > _LARGEST:
            settings.log.replace(settings.log.with_suffix(".old"))
        with open_private(settings.log, append=True) as file:
            file.write(line.encode("utf-8", "replace"))
    except OSError:
        return


class Quietly:
    """Context manager that logs errors and suppresses them, so that the session goes on."""

    def __init__(self, settings: HookSettings, what: str) -> None:
        self._settings = settings
        self._what = what

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        where = ""
        while traceback is not None:
            where = f"{traceback.tb_frame.f_code.co_filename.rpartition('/')[2]}:{traceback.tb_lineno}"
            traceback = traceback.tb_next
        note(self._settings, f"{self._what}: {type(error).__name__}: {error} ({where})")
        return True
