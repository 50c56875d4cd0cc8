"""Threads: the sentences of a speaker on one matter, as notes. The newest sentence stands for its thread.

A sentence alone is a note only if it is important or a preference; else it waits for another one on its matter.
"""

from collections.abc import Callable
from typing import Final

from hmem.derived.notes import KeptNote
from hmem.derived.slot_timeline import NoteState
from hmem.model.note import THREAD

# Most earlier sentences that are shown of a thread.
_MOST: Final = 8


def is_shown(note: KeptNote, state: NoteState) -> bool:
    """Tell if a note is shown by itself: not a sentence that waits for others, nor one that a newer one stands for."""
    if note.slot != THREAD:
        return True
    return state.stands and (note.kind != "fact" or len(set(state.turns)) > 1)


def earlier(
    note: KeptNote, get: Callable[[int], KeptNote | None], state_of: Callable[[KeptNote], NoteState]
) -> list[KeptNote]:
    """Return the earlier sentences of a note's thread, the newest first."""
    found: dict[int, KeptNote] = {}
    ahead = list(state_of(note).predecessors)
    while ahead and len(found) < _MOST:
        older = get(number := max(ahead))
        ahead.remove(number)
        if older is not None and number not in found:
            found[number] = older
            ahead += state_of(older).predecessors
    return list(found.values())
