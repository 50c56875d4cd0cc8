"""Which turns may be recalled: all but those that were withdrawn or have expired, as seen from a time."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.hierarchy.events import KeptEvent
from hmem.model.ids import to_key
from hmem.model.span import to_stored
from hmem.model.standpoint import Standpoint
from hmem.read.sources import Sources

_SECOND: Final = 1_000_000

Allowed = NDArray[np.bool_]
Integers = NDArray[np.int64]


def rows_visible(sources: Sources, standpoint: Standpoint) -> Allowed | None:
    """The rows that may be recalled, a truth value each; None when all of them may."""
    gone = [*sources.decisions.absent(standpoint.known), *_expired(sources)]
    if not gone and not standpoint:
        return None
    columns = sources.corpus.columns
    visible = columns.alive.copy()
    rows = columns.rows_of(np.array(gone, np.int64))
    visible[rows[rows >= 0]] = False
    if standpoint.known is not None:
        visible &= _known(sources, standpoint.known)
    if standpoint.valid is not None:
        visible &= sources.kept(_Valid(standpoint))
    return visible


def _expired(sources: Sources) -> list[int]:
    """The turns whose time is over, now and not when a question is said to be asked: it is a promise."""
    now = to_stored(datetime.now(UTC))[0]
    return [seq for _, seq in sources.corpus.storage.expiring(now)]


def _known(sources: Sources, known: int) -> Allowed:
    """What had been said by a time; of a turn that is dated later, it counts when it was kept."""
    storage, columns = sources.corpus.storage, sources.corpus.columns
    allowed = columns.said <= known
    if known >= _made("memory", storage.memory):
        later = np.flatnonzero(~allowed & columns.alive)
        kept = {each.seq: _made("turn", each.turn.id) for each in storage.turns(columns.seq[later].tolist())}
        allowed[later] = [kept.get(seq, known + 1) <= known for seq in columns.seq[later].tolist()]
    return allowed


def _made(kind: str, id: str) -> int:
    """When an id was made, in µs since 1970."""
    key = to_key(kind, id)
    return 0 if key is None else int.from_bytes(key[:6]) * 1_000


@dataclass(frozen=True, slots=True)
class _Valid:
    """The rows that tell of what was true at a time; sources remember them."""

    standpoint: Standpoint

    def __call__(self, sources: Sources) -> Allowed:
        columns, at = sources.corpus.columns, self.standpoint.valid or 0
        allowed = columns.said <= at
        notes, events, holdings = sources.arrangement.notes, sources.arrangement.events, sources.arrangement.holdings
        for row in np.flatnonzero(columns.alive).tolist():
            seq, said = int(columns.seq[row]), int(columns.said[row])
            kept = [holdings.of(holdings.told_by(note)) for note in notes.of(seq)]
            if kept:
                allowed[row] = any(_covers(each.start, each.end, said, at) for each in kept)
            else:
                allowed[row] |= any(_begun(event, at) for event in events.of(seq))
        return allowed


def _covers(start: int | None, end: int | None, said: int, at: int) -> bool:
    """Whether what held from one time to another, in seconds, held at a time; from when it was said, if that is all."""
    begun = said if start is None else start * _SECOND
    return begun <= at and (end is None or at < end * _SECOND)


def _begun(event: KeptEvent, at: int) -> bool:
    return event.start is not None and event.start * _SECOND <= at
