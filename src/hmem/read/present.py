"""Which notes a question may find: those that stand now, or those that stood at the time that it asks about.

A note that another one took the place of is found when the question asks for what was before ("originally", "used to",
"in January"), and then the one in its place is not. What was said after all that may be found takes no note's place.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from hmem.hierarchy.holdings import Holdings
from hmem.hierarchy.ledger import Holding
from hmem.hierarchy.notes import KeptNote
from hmem.model.standpoint import Standpoint
from hmem.read.plan import Query
from hmem.read.sources import Sources
from hmem.read.visible import rows_visible

_SECOND: Final = 1_000_000
_FIRST: Final = re.compile(
    r"\b(?:original(?:ly)?|initial(?:ly)?|at first|to begin with|in the beginning)\b", re.IGNORECASE
)
_BEFORE: Final = re.compile(
    r"\b(?:use[d]? to|previous(?:ly)?|former(?:ly)?|before(?:hand)?|earlier|back then|in the past|prior|once|old|ex"
    r"|any ?more|no longer|last time)\b",
    re.IGNORECASE,
)
_ALL: Final = re.compile(
    r"\b(?:chang(?:ed?|es|ing)|history|over (?:time|the (?:years|months))|all the|ever|switch(?:ed)?|moved? from"
    r"|evolv\w+|different)\b",
    re.IGNORECASE,
)


class Asked(NamedTuple):
    """The time that a question asks about: now, what was ``before``, what was ``first``, or ``all`` of them.

    ``start`` and ``end``, in seconds since 1970, bound a time that is over.
    """

    before: bool = False
    first: bool = False
    all: bool = False
    start: int | None = None
    end: int | None = None

    @property
    def past(self) -> bool:
        """Whether what stands no more may be found."""
        return self.before or self.first or self.all or self.end is not None


def asked_about(query: Query) -> Asked:
    """The time that a question asks about."""
    if query.standpoint.valid is not None:
        moment = query.standpoint.valid // _SECOND
        return Asked(start=moment, end=moment + 1)
    over = [span for span in query.part.spans if span.end <= query.asked]
    bounds = (
        (int(min(s.start for s in over).timestamp()), int(max(s.end for s in over).timestamp()))
        if over
        else (None, None)
    )
    return Asked(
        _BEFORE.search(query.text) is not None,
        _FIRST.search(query.text) is not None,
        _ALL.search(query.text) is not None,
        *bounds,
    )


def holdings_of(sources: Sources, query: Query) -> Holdings:
    """What became of notes by what a question may know."""
    known = query.standpoint.known
    return sources.arrangement.holdings if known is None else sources.kept(_Known(known))


@dataclass(frozen=True, slots=True)
class _Known:
    """What became of notes by what was known at a time (µs); sources remember it."""

    known: int

    def __call__(self, sources: Sources) -> Holdings:
        columns, kept = sources.corpus.columns, sources.arrangement
        rows = rows_visible(sources, Standpoint(self.known))
        turns = set[int]() if rows is None else set(columns.seq[~rows].tolist())
        decided = sources.decisions.standing(self.known).of_notes
        return kept.holdings.seen(lambda: (turns, kept.absent_notes(self.known)), decided)


def present(sources: Sources, query: Query, notes: Iterable[KeptNote]) -> Iterator[KeptNote]:
    """Those of some notes that the question may find, each once; for a merged one the note that tells it."""
    asked, seen = asked_about(query), set[int]()
    for note in notes:
        found = _told(sources, query, note)
        if found.number not in seen and _may_be_found(sources, query, found, asked):
            seen.add(found.number)
            yield found


def _told(sources: Sources, query: Query, note: KeptNote) -> KeptNote:
    teller = holdings_of(sources, query).told_by(note)
    return teller if _allowed(sources, query, teller.turn) else note


def _allowed(sources: Sources, query: Query, seq: int) -> bool:
    row = int(sources.corpus.columns.rows_of([seq])[0])
    return row >= 0 and (query.allowed is None or bool(query.allowed[row]))


def _may_be_found(sources: Sources, query: Query, note: KeptNote, asked: Asked) -> bool:
    holding = holdings_of(sources, query).of(note)
    if holding.status == "retracted":
        return False
    successor = None if holding.successor is None else sources.arrangement.notes.get(holding.successor)
    stands = holding.stands or successor is None or not _allowed(sources, query, successor.turn)
    if stands and not holding.predecessors:
        return True
    if asked.all or (asked.first and not holding.predecessors):
        return True
    if asked.end is not None:
        return _within(holding, asked)
    return not stands if asked.before or asked.first else stands


def _within(holding: Holding, asked: Asked) -> bool:
    """Whether a note held at some time within the bounds."""
    begun = holding.start is None or asked.end is None or holding.start < asked.end
    return begun and (holding.end is None or asked.start is None or holding.end > asked.start)
