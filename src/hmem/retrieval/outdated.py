"""Outdated evidence: turns whose statement on the question does not hold at the time asked about.

A turn says many things. It is left out only if all that the question matches in it stands in statements whose notes do
not hold at that time; the turn that replaced it is read instead.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from hmem.corpus.index.analyzer import stems
from hmem.derived.notes import KeptNote
from hmem.model.evidence import Evidence, Why
from hmem.retrieval.evidence import evidence_of, turn_evidence
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.strategies.base import FoundPiece
from hmem.retrieval.visibility import note_states_of, present

# Strategy name of evidence that replaced outdated evidence.
NAME: Final = "reconciled"


class _Outdated(NamedTuple):
    """Outdated evidence, and the note that is read instead, if any."""

    evidence: Evidence
    instead: KeptNote | None


def up_to_date(sources: Sources, query: Query, found: Sequence[Evidence]) -> list[Evidence]:
    """Return evidence, best first, without outdated turns. Call it inside ``corpus.reading()``."""
    turned = [item.id for item in found if item.kind == "turn"]
    rows = sources.corpus.rows_of_ids(turned)
    places = sources.corpus.columns.seq[rows[rows >= 0]].tolist()
    seqs = dict(zip([each for each, row in zip(turned, rows.tolist(), strict=True) if row >= 0], places, strict=True))
    old = {item.id: _outdated(sources, query, item, seqs[item.id]) for item in found if item.id in seqs}
    wanted = [each.instead.turn for each in old.values() if each is not None and each.instead is not None]
    turns = sources.text_writer.turns(list(dict.fromkeys(wanted)))
    kept: dict[str, Evidence] = {}
    notes: dict[str, Evidence] = {}
    for item in found:
        one = old.get(item.id)
        if one is None:
            kept.setdefault(item.id, item)
        elif one.instead is not None and one.instead.turn in turns:
            turn, why = turns[one.instead.turn], Why((NAME,), {})
            piece = FoundPiece("note", one.instead.number, item.score, (one.instead.turn,))
            notes.update((turn.id, note) for note in evidence_of(sources, [piece], [why], query.user))
            kept.setdefault(turn.id, turn_evidence(turn, item.score, why))
    # A note of a turn is read before the turn.
    return [each for item in kept.values() for each in (notes.get(item.id), item) if each is not None]


def _outdated(sources: Sources, query: Query, item: Evidence, seq: int) -> _Outdated | None:
    """Return a turn as outdated if all that it says about the question is of another time; else None."""
    kept, note_states = sources.derived, note_states_of(sources, query)
    notes = kept.notes.of(seq)
    if all(note_states.of(note).stands and not note_states.of(note).predecessors for note in notes):
        return None
    said = set(query.terms) & set(stems(item.text))
    about = [note for note in notes if said and said <= set(stems(f"{note.text} {kept.statement(note)}"))]
    if not about or any(True for _ in present(sources, query, about)):
        return None
    return _Outdated(item, _instead(sources, query, about))


def _instead(sources: Sources, query: Query, notes: Sequence[KeptNote]) -> KeptNote | None:
    """Return the first allowed note that replaced one of these, or that one of these replaced, or None."""
    kept = sources.derived
    for note in notes:
        holding = note_states_of(sources, query).of(note)
        numbers = [*holding.predecessors, *([] if holding.successor is None else [holding.successor])]
        others = [other for other in map(kept.notes.get, numbers) if other is not None]
        for other in present(sources, query, others):
            row = int(sources.corpus.columns.rows_of([other.turn])[0])
            if row >= 0 and (query.allowed is None or bool(query.allowed[row])):
                return other
    return None
