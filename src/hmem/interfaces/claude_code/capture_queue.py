"""What is to be captured waits in a folder: nothing is lost when there is no worker.

There is a file for each session, and until the worker looks one for each event, as it came.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from hmem.interfaces.claude_code.log import note
from hmem.interfaces.claude_code.settings import HookSettings

# As hooks name the file of an event.
_EVENT: Final = "event-"


class Capture(NamedTuple):
    """A transcript that has something new: the session's id, the transcript's file, the folder that is worked in."""

    session: str
    transcript: str
    folder: str


def put(settings: HookSettings, capture: Capture) -> None:
    """Let a session wait for capture; what waits already of the same session is replaced.

    Raises:
        OSError: it cannot be written.
    """
    settings.make_folders()
    place = settings.folder / "spool" / f"{name_of(capture.session)}.json"
    write(place, capture._asdict())


def captured(event: Mapping[str, Any], folder: str) -> Capture | None:
    """What is to be captured at an event in a folder; None when it names no transcript."""
    transcript = event.get("transcript_path")
    if not isinstance(transcript, str) or not transcript:
        return None
    path = str(Path(transcript).expanduser())
    return Capture(str(event.get("session_id") or Path(path).stem), path, folder)


def event_of(held: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """An event as a hook passed it on, and the folder of its project: what is named, else where it was.

    Raises:
        ValueError: it is no such thing.
    """
    event = held.get("event")
    if not isinstance(event, dict):
        raise ValueError(f"an event is an object, not {type(event).__name__}")  # noqa: TRY004 - it goes to the log
    named, here = (os.fsdecode(bytes.fromhex(str(held.get(name, "")))) for name in ("named", "here"))
    found = cast("dict[str, Any]", event)
    return found, named or str(found.get("cwd") or here or ".")


def take_events(settings: HookSettings) -> None:
    """Let the sessions of events wait; what is none is noted down and taken away.

    Raises:
        OSError: it cannot be written.
    """
    for place in sorted((settings.folder / "spool").glob(f"{_EVENT}*.json")):
        try:
            wanted = captured(*event_of(json.loads(place.read_bytes())))
        except (ValueError, AttributeError, RecursionError) as error:
            note(settings, f"capture: {type(error).__name__}: {error}")
            wanted = None
        if wanted is not None:
            put(settings, wanted)
        place.unlink(missing_ok=True)


def waiting(settings: HookSettings) -> Iterator[tuple[Path, Capture]]:
    """What waits, of which events are taken before; a file that cannot be read as such is taken away."""
    for place in sorted((settings.folder / "spool").glob("*.json")):
        if place.name.startswith(_EVENT):
            continue  # It came since.
        held = read(place)
        try:
            yield place, Capture(**held)
        except TypeError:
            place.unlink(missing_ok=True)


def name_of(session: str) -> str:
    """A file's name for a session, whatever its id is."""
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def session_file(settings: HookSettings, session: str, what: str) -> Path:
    """Where it is noted down how far a session was captured (``offset``), or since when it is (``began``)."""
    return settings.folder / "sessions" / f"{name_of(session)}.{what}.json"


def write(place: Path, held: dict[str, Any]) -> None:
    """Replace the object in a file of JSON.

    Raises:
        OSError: it cannot be written.
    """
    draft = place.with_suffix(".part")
    draft.write_text(json.dumps(held), "utf-8")
    draft.replace(place)


def read(place: Path) -> dict[str, Any]:
    """The object in a file of JSON; an empty one when there is none."""
    try:
        held = json.loads(place.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", held) if isinstance(held, dict) else {}
