"""Capture: what is new in a transcript goes into the project's memory, once."""

from itertools import islice
from pathlib import Path
from typing import Final

from hmem.errors import InvalidTurn
from hmem.interfaces.hooks.log import note
from hmem.interfaces.hooks.settings import Settings
from hmem.interfaces.hooks.spool import Capture, read, session_file, write
from hmem.interfaces.hooks.transcript import said_since
from hmem.memory import Memory

_BATCH: Final = 200


def capture(settings: Settings, memory: Memory, wanted: Capture) -> int:
    """Keep what is new of a session; how many turns were.

    How far a transcript was read is noted down after each batch, and the ids of messages keep one from being kept twice
    when it was not.

    Raises:
        OSError: the transcript cannot be read.
        MemoryBusy, StorageFull, StorageError: nothing more was kept; it can be tried again.
    """
    place = session_file(settings, wanted.session, "offset")
    state = read(place)
    stored = 0
    start = state.get("offset") if state.get("transcript") == wanted.transcript else 0
    lines = said_since(Path(wanted.transcript), start if isinstance(start, int) else 0)
    while batch := list(islice(lines, _BATCH)):
        messages = [each.message for each in batch if each.message is not None]
        receipts = memory.add(messages, session=wanted.session) if messages else []
        stored += sum(receipt.fate == "stored" for receipt in receipts)
        for refused in (receipt for receipt in receipts if not receipt):
            note(settings, f"capture: {InvalidTurn.__name__}: {refused.error}")
        write(place, {"transcript": wanted.transcript, "offset": batch[-1].end})
    return stored
