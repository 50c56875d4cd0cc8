"""Audit: who read and wrote what, a line of JSON for each request, without any text."""

import logging
import os
import re
from collections.abc import Iterable, Mapping
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import Any, Final

from hmem.errors import StorageError
from hmem.interfaces.rest.telemetry import JsonLines
from hmem.model.ids import KINDS
from hmem.util.files import private_folder

# Most ids of one line.
_MAX_IDS: Final = 1_000
_ID: Final = re.compile(rb'"((?:' + "|".join(KINDS).encode() + rb')_[0-9A-HJKMNP-TV-Z]{26})"')


class Audit:
    """File that lines are added to. It may be moved away at any time: the next line begins a new one.

    Raises:
        StorageError: it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        try:
            private_folder(path.parent)
            self._file = _OwnerOnly(path)
        except OSError as error:
            raise StorageError(f"{path.name} cannot be written ({error.strerror}) - give another file") from error
        self._file.setFormatter(JsonLines())

    def write(self, fields: Mapping[str, Any]) -> None:
        """Add a line with the time and some fields."""
        level = logging.getLevelName(logging.INFO)
        self._file.handle(logging.makeLogRecord({"levelname": level, "msg": "request", "told": fields}))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class _OwnerOnly(WatchedFileHandler):
    """Handler whose file only its owner may read, whatever the process's mask."""

    def _open(self) -> Any:
        descriptor = os.open(self.baseFilename, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8")


def ids_in(*bodies: bytes) -> list[str]:
    """Return the ids of hmem's that stand in JSON as whole texts, each once, in order, up to a thousand."""
    matches: Iterable[bytes] = (match[1] for body in bodies for match in _ID.finditer(body))
    unique: dict[bytes, None] = {}
    for name in matches:
        unique.setdefault(name)
        if len(unique) == _MAX_IDS:
            break
    return [id_bytes.decode() for id_bytes in unique]
