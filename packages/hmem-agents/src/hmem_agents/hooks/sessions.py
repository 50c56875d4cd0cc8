"""State of a host's sessions, a file for each property: when it began, how far it was captured, what it was told.

Loads little: a user waits for hooks.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from hmem.language.prompt_text import lines_of
from hmem.util.files import open_private
from hmem_agents.hooks.settings import HookSettings

_WORD: Final = re.compile(r"\w+")
# Most lines of a session that are known to have been told.
_MOST_LINES: Final = 5_000


class RecalledLine(NamedTuple):
    """Line of recalled text, and what it states: a line whose sentences were all told says nothing new."""

    text: str
    statement: str


def name_of(session: str) -> str:
    """Return a file name for a session, whatever its id contains."""
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def session_file(settings: HookSettings, session: str, property_name: str) -> Path:
    """Return the file with a property of a session: ``began``, ``offset`` or ``recalled``."""
    return settings.folder / "sessions" / f"{name_of(session)}.{property_name}.json"


def note_start(settings: HookSettings, session: str, event: Mapping[str, Any]) -> None:
    """Save when a session began: what was said and told since is in the session's own context.

    Raises:
        OSError: it cannot be saved.
    """
    settings.make_folders()
    path = session_file(settings, session, "began")
    if event.get("source") != "resume" or not path.exists():
        # A program may call the hook of the first prompt before that of the start: what it told still counts.
        if path.exists():
            session_file(settings, session, "recalled").unlink(missing_ok=True)
        write(path, {"began": datetime.now(UTC).isoformat()})


def start_of(settings: HookSettings, session: str) -> str | None:
    """Return when a session began, as ISO 8601; None if that is not known."""
    start_time = read(session_file(settings, session, "began")).get("began")
    return start_time if isinstance(start_time, str) else None


class SessionLines:
    """Sentences that a session was told, so that none is told twice; what changed is another sentence."""

    def __init__(self, settings: HookSettings, session: str) -> None:
        self._settings = settings
        self._path = session_file(settings, session, "recalled")
        digests = read(self._path).get("lines")
        self._digests = cast("list[str]", digests) if isinstance(digests, list) else []

    def fresh(self, lines: Iterable[RecalledLine], size: Callable[[str], int], budget: int) -> list[str]:
        """Return the texts of lines that were not told yet, as far as the budget goes; they count as told from now."""
        texts: list[str] = []
        for line in lines:
            fresh = [sentence for sentence in lines_of(line.statement) if self.is_new(sentence)]
            if not fresh:
                continue
            budget -= size(line.text)
            if budget < 0:
                break
            texts.append(line.text)
            self._digests += map(_digest, fresh)
        return texts

    def is_new(self, sentence: str) -> bool:
        """Tell if a sentence was not told yet."""
        return _digest(sentence) not in self._digests

    def save(self) -> None:
        """Save the lines.

        Raises:
            OSError: they cannot be saved.
        """
        if self._digests:
            self._settings.make_folders()
            write(self._path, {"lines": self._digests[-_MOST_LINES:]})


def _digest(sentence: str) -> str:
    return hashlib.sha256(" ".join(_WORD.findall(sentence.casefold())).encode()).hexdigest()[:16]


def write(path: Path, data: dict[str, Any]) -> None:
    """Replace the object in a JSON file.

    Raises:
        OSError: it cannot be written.
    """
    draft = path.with_suffix(".part")
    with open_private(draft) as file:
        file.write(json.dumps(data).encode())
    draft.replace(path)


def read(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file; an empty one if the file is missing or invalid."""
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", data) if isinstance(data, dict) else {}
