"""What is to be captured waits in a folder, a file for each session: nothing is lost when there is no worker."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

from hmem.interfaces.hooks.settings import Settings


class Capture(NamedTuple):
    """A transcript that has something new: the session's id, the transcript's file, the folder that is worked in."""

    session: str
    transcript: str
    folder: str


def put(settings: Settings, capture: Capture) -> None:
    """Let a session wait for capture; what waits already of the same session is replaced.

    Raises:
        OSError: it cannot be written.
    """
    settings.make_folders()
    place = settings.folder / "spool" / f"{name_of(capture.session)}.json"
    write(place, capture._asdict())


def waiting(settings: Settings) -> Iterator[tuple[Path, Capture]]:
    """What waits; a file that cannot be read as such is taken away."""
    for place in sorted((settings.folder / "spool").glob("*.json")):
        held = read(place)
        try:
            yield place, Capture(**held)
        except TypeError:
            place.unlink(missing_ok=True)


def name_of(session: str) -> str:
    """A file's name for a session, whatever its id is."""
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def session_file(settings: Settings, session: str, what: str) -> Path:
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
    except (OSError, ValueError):
        return {}
    return cast("dict[str, Any]", held) if isinstance(held, dict) else {}
