"""Queue of what to capture, files in a folder, so that nothing is lost without a worker; and capturing it.

There is a file for each session, and one for each event, as it came, until the worker takes it.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from hmem.api.ingestion import without_warnings
from hmem.api.memory import Memory
from hmem.errors import InvalidTurn
from hmem.util.files import open_private
from hmem_agents.hooks.hosts import spoken
from hmem_agents.hooks.sessions import name_of, read, session_file, write
from hmem_agents.hooks.settings import HookSettings, note
from hmem_import.transcripts import messages_since

# Prefix of the files of events, as hooks write them.
_EVENT: Final = "event-"
# Suffix of transcripts that are written here, for hosts that have none.
_OWN: Final = ".own.jsonl"
_BATCH: Final = 200


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
            event, folder = event_of(json.loads(path.read_bytes()))
            transcript = event.get("transcript_path") or _own_transcript(settings, event, path.stem)
            if not transcript and isinstance(event.get("session_id"), str):
                # Copilot names it at a turn's end, not at the session's.
                transcript = read(session_file(settings, event["session_id"], "offset")).get("transcript")
            if isinstance(transcript, str) and transcript:
                transcript = str(Path(transcript).expanduser())
                session = str(event.get("session_id") or Path(transcript).stem)
                enqueue(settings, Capture(session, transcript, folder))
        except (ValueError, AttributeError, RecursionError) as error:
            note(settings, f"capture: {type(error).__name__}: {error}")
        path.unlink(missing_ok=True)


def _own_transcript(settings: HookSettings, event: Mapping[str, Any], event_name: str) -> str:
    """Append the messages of an event to a transcript, and return its path; an empty one without messages."""
    messages, session = spoken(event), event.get("session_id")
    if not messages or not isinstance(session, str):
        return ""
    path = settings.folder / "sessions" / f"{name_of(session)}{_OWN}"
    with open_private(path, append=True) as file:
        for message in messages:
            # The name of the event's file has its time; an event that is taken twice has the same ids.
            identity = {"message_id": f"{event_name}-{message['role']}", "at": _moment(event_name)}
            file.write(json.dumps(message | identity).encode() + b"\n")
    return str(path)


def _moment(event_name: str) -> float:
    """Return when an event came, by the nanoseconds in the name of its file."""
    nanoseconds = event_name.removeprefix(_EVENT).partition("-")[0]
    return int(nanoseconds) / 1e9 if nanoseconds.isdigit() else time.time()


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


def capture(settings: HookSettings, memory: Memory, entry: Capture) -> int:
    """Keep the new messages of a session, and return the number of turns stored.

    The position in the transcript is saved after each batch; if it was not, the ids of messages prevent duplicates. A
    transcript of our own is removed then.

    Raises:
        OSError: the transcript cannot be read.
        MemoryBusy, StorageFull, StorageError: nothing more was kept; it can be tried again.
    """
    path = session_file(settings, entry.session, "offset")
    state = read(path)
    stored_count = 0
    start = state.get("offset") if state.get("transcript") == entry.transcript else 0
    lines = messages_since(Path(entry.transcript), start if isinstance(start, int) else 0)
    while batch := list(islice(lines, _BATCH)):
        messages = [line.message for line in batch if line.message is not None]
        with without_warnings():
            receipts = memory.add(messages, session=entry.session) if messages else []
        stored_count += sum(receipt.fate == "stored" for receipt in receipts)
        for rejection in (receipt for receipt in receipts if not receipt):
            note(settings, f"capture: {InvalidTurn.__name__}: {rejection.error}")
        if batch[-1].truncated:
            note(settings, f"capture: {entry.transcript} has a line without an end - what follows it is left out")
        write(path, {"transcript": entry.transcript, "offset": batch[-1].end})
    if entry.transcript.endswith(_OWN) and Path(entry.transcript).parent == path.parent:
        Path(entry.transcript).unlink(missing_ok=True)
        path.unlink(missing_ok=True)
    return stored_count
