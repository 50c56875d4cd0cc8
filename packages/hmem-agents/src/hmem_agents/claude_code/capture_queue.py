"""Queue of transcripts to capture: files in a folder, so that nothing is lost without a worker.

There is a file for each session, and one for each event, as it came, until the worker takes it.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from hmem.util.files import open_private
from hmem_agents.claude_code.settings import HookSettings, note

# Prefix of the files of events, as hooks write them.
_EVENT: Final = "event-"


class Capture(NamedTuple):
    """Transcript with new messages: the session's id, the transcript's path, the working folder."""

    session: str
    transcript: str
    folder: str


def enqueue(settings: HookSettings, capture: Capture) -> None:
    """Queue a session for capture; it replaces an entry of the same session.

    Raises:
        OSError: it cannot be written.
    """
    settings.make_folders()
    path = settings.folder / "spool" / f"{name_of(capture.session)}.json"
    write(path, capture._asdict())


def captured(event: Mapping[str, Any], folder: str) -> Capture | None:
    """Return the queue entry for an event in a folder; None if the event names no transcript."""
    transcript = event.get("transcript_path")
    if not isinstance(transcript, str) or not transcript:
        return None
    path = str(Path(transcript).expanduser())
    return Capture(str(event.get("session_id") or Path(path).stem), path, folder)


def event_of(request: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return an event as a hook passed it on, and its project folder: the named one, else the event's.

    Raises:
        ValueError: the event is malformed.
    """
    event = request.get("event")
    if not isinstance(event, dict):
        raise ValueError(f"an event is an object, not {type(event).__name__}")  # noqa: TRY004 - it goes to the log
    project, working_folder = (os.fsdecode(bytes.fromhex(str(request.get(name, "")))) for name in ("named", "here"))
    fields = cast("dict[str, Any]", event)
    return fields, project or str(fields.get("cwd") or working_folder or ".")


def take_events(settings: HookSettings) -> None:
    """Queue the sessions of waiting events; an invalid event is logged and removed.

    Raises:
        OSError: it cannot be written.
    """
    for path in sorted((settings.folder / "spool").glob(f"{_EVENT}*.json")):
        try:
            entry = captured(*event_of(json.loads(path.read_bytes())))
        except (ValueError, AttributeError, RecursionError) as error:
            note(settings, f"capture: {type(error).__name__}: {error}")
            entry = None
        if entry is not None:
            enqueue(settings, entry)
        path.unlink(missing_ok=True)


def queue_entries(settings: HookSettings) -> Iterator[tuple[Path, Capture]]:
    """Yield the queue entries with their files; an invalid file is removed. Take the events before."""
    for path in sorted((settings.folder / "spool").glob("*.json")):
        if path.name.startswith(_EVENT):
            continue  # It came meanwhile.
        fields = read(path)
        try:
            yield path, Capture(**fields)
        except TypeError:
            path.unlink(missing_ok=True)


def name_of(session: str) -> str:
    """Return a file name for a session, whatever its id contains."""
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def session_file(settings: HookSettings, session: str, property_name: str) -> Path:
    """Return the file with a property of a session: how far it was captured (``offset``), or its start (``began``)."""
    return settings.folder / "sessions" / f"{name_of(session)}.{property_name}.json"


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
