"""Pinned evidence for a context."""

from typing import Final

from hmem.derived.chunks import turn_of
from hmem.model.evidence import Evidence, Why
from hmem.model.ids import number_of
from hmem.model.span import Standpoint
from hmem.retrieval.evidence import evidence_of, turn_evidence
from hmem.retrieval.filter import Allowed
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import FoundPiece

_PINNED: Final = Why(("pinned",), {})


def pinned_evidence(
    sources: Sources, standpoint: Standpoint, allowed: Allowed | None, user: str | None = None
) -> list[Evidence]:
    """Return pinned evidence in the order of pinning, if it is not withdrawn and meets the conditions."""
    decisions, storage = sources.decisions, sources.corpus.storage
    active, absent = decisions.active_changes(standpoint.known), decisions.absent(standpoint.known)
    ids = [entry.target for entry in active.of("pin") if entry.target not in active.withdrawn]
    if not ids:
        return []
    pieces = {each: piece for each in ids if (piece := _piece(sources, each)) is not None}
    seqs = storage.locate(ids) | {each: piece.turns[-1] for each, piece in pieces.items()}
    rows = dict(zip(seqs, sources.corpus.columns.rows_of(list(seqs.values())).tolist(), strict=True))
    turns = {each.seq: each.turn for each in storage.turns(sorted({*seqs.values()} - absent))}
    found: list[Evidence] = []
    for each in ids:
        row = rows.get(each, -1)
        if row < 0 or seqs[each] not in turns or (allowed is not None and not allowed[row]):
            continue
        if each in pieces:
            found += evidence_of(sources, [pieces[each]], [_PINNED], user)
        else:
            found.append(turn_evidence(turns[seqs[each]], 0.0, _PINNED))
    return found


def _piece(sources: Sources, id: str) -> FoundPiece | None:
    """An event or a note by its id."""
    kept = sources.derived
    if (number := number_of("event", id)) and (event := kept.events.get(number[1])):
        return FoundPiece("event", event.number, 0.0, (turn_of(event.number),))
    if (number := number_of("note", id)) and (note := kept.notes.get(number[1])):
        return FoundPiece("note", note.number, 0.0, (note.turn,))
    return None
