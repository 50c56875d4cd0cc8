"""Feedback on recalled items: log entries, one for each turn that it concerns (H-MEM, dynamic update)."""

from collections.abc import Sequence
from contextlib import suppress
from math import isfinite
from typing import Final, get_args

from hmem.corpus.corpus import Corpus
from hmem.derived.chunks import turn_of
from hmem.derived.state import DerivedState
from hmem.errors import InvalidQuery, UnknownId
from hmem.model.change import Verb
from hmem.model.evidence import Reaction
from hmem.model.ids import kind_of, number_of
from hmem.model.span import now, to_stored
from hmem.storage.base import LogEntry

FEEDBACK: Final[Verb] = "feedback"
VERDICTS: Final[tuple[Reaction, ...]] = get_args(Reaction)


def parse_verdict(verdict: object) -> str:
    """Return a verdict as the log has it.

    Raises:
        InvalidQuery: it is none of the words, and no positive number.
    """
    if isinstance(verdict, str) and verdict in VERDICTS:
        return verdict
    if isinstance(verdict, int | float) and not isinstance(verdict, bool) and isfinite(verdict) and verdict > 0:
        return repr(float(verdict))
    raise InvalidQuery(f"{verdict!r} is no verdict - give one of {', '.join(VERDICTS)}, or a positive number")


def record_feedback(
    corpus: Corpus, derived: DerivedState, ids: Sequence[str], verdict: str, reason: str | None, author: str
) -> list[int]:
    """Log a verdict on turns, events and notes; return the numbers of its entries. A turn gets it once.

    Raises:
        UnknownId: this memory does not hold one of them; nothing was kept.
        InvalidQuery: one is of another kind.
    """
    entries = entries_of(corpus, derived, ids, verdict, reason, author)
    numbers = corpus.storage.record(entries) if entries else []
    derived.decisions.catch_up()
    return numbers


def entries_of(
    corpus: Corpus, derived: DerivedState, ids: Sequence[str], verdict: str, reason: str | None, author: str
) -> list[LogEntry]:
    """Return the log entries of a verdict, one for each turn that it concerns, without storing them.

    Raises:
        UnknownId, InvalidQuery: as for ``record_feedback``.
    """
    targets: dict[str, str] = {}
    for target in ids:
        targets.setdefault(_turn(corpus, derived, target), target)
    timestamp = to_stored(now())[0]
    return [
        LogEntry(timestamp, author, FEEDBACK, turn, reason, after=verdict, link=None if target == turn else target)
        for turn, target in targets.items()
    ]


def existing_ids(corpus: Corpus, derived: DerivedState, ids: Sequence[str]) -> list[str]:
    """Return the ids of turns, events and notes that the memory holds, of those given."""
    existing: list[str] = []
    for target in ids:
        with suppress(UnknownId):
            _turn(corpus, derived, target)
            existing.append(target)
    return existing


def _turn(corpus: Corpus, derived: DerivedState, id: str) -> str:
    """Return the id of the turn that an event or a note was read from, or of the turn itself."""
    kind = kind_of(id)
    if kind not in ("turn", "event", "note"):
        raise InvalidQuery(f"feedback is on turns, events and notes, not on {id!r} - give what it stands on")
    number = number_of(kind, id) if kind != "turn" else None
    if number is None:
        seqs = list(corpus.turn_cache.locate([id]).values())
    else:
        items = derived.events if kind == "event" else derived.notes
        seqs = [turn_of(number[1])] if items.get(number[1]) else []
    turns = corpus.turn_cache.get(seqs)
    if not turns:
        raise UnknownId(f"this memory has no {kind} {id!r} - `hmem search` shows ids")
    return turns[seqs[0]].id
