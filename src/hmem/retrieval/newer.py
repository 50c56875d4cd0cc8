"""Later turns about the best hits: they are added, and the older line is marked.

It is looked up for each hit itself, never for the question. A hit is marked if a later sentence of its thread or a
later value of its slot was formed, or if a later turn is very likely to be about the same and its speaker may speak of
it: the same one, or a person where an assistant or a tool spoke. What is newer than one of the best hits comes along,
if there is room, and so does the later turn that is most like it, unmarked: the reader sees both with their dates. A
statement asks for nothing that may have changed, and brings only what surely did.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from hmem.derived.notes import KeptNote
from hmem.model.evidence import Evidence, Outdated, Term, Why
from hmem.model.note import THREAD
from hmem.model.turn import Turn
from hmem.retrieval.evidence import turn_evidence
from hmem.retrieval.later import Later, likeliest_later, of_people
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.visibility import is_allowed, note_states_of

# Strategy name of evidence that came later than another piece.
NAME: Final = "newer"

# Number of best turns that are marked, and of those that bring what is newer along.
_MARKED: Final = 32
_FOLLOWED: Final = 5
# Chance of being about the same from which a later turn marks a hit, and from which it comes along.
_SURE: Final = 0.75
_LIKELY: Final = 0.1
# Places by which a later turn comes behind its hit. Further up it takes the place of more evidence than it brings.
_RANKS_BEHIND: Final = 4
# Most links of a thread that are followed to its newest sentence.
_LINKS: Final = 100


def with_newer(
    sources: Sources, query: Query, evidence: Sequence[Evidence], *, adds_turns: bool = True
) -> list[Evidence]:
    """Return evidence, best first, each turn marked and followed by what is newer.

    What was found further behind comes up. Unless ``adds_turns``, turns are only marked. Use it inside
    ``corpus.reading()``.
    """
    turns = _turns(sources, evidence)
    newest = {
        turn_id: seq for turn_id, turn_seq in turns.items() if (seq := _successor(sources, query, turn_seq)) is not None
    }
    columns = sources.corpus.columns
    visible = set(sources.text_writer.visible(list(dict.fromkeys(newest.values()))))
    rows = {turn_id: int(columns.rows_of([seq])[0]) for turn_id, seq in newest.items() if seq in visible}
    likeliest = _likeliest(sources, query, list(turns)[:_FOLLOWED])
    # All are read at once: the storage may be far away.
    later_rows = dict.fromkeys((*rows.values(), *(row for row, _ in likeliest.values())))
    later = sources.corpus.turns(np.array(list(later_rows), np.int64))
    sure = {turn_id: later[row] for turn_id, row in rows.items() if row in later}
    maybe: dict[str, Turn] = {}
    for turn_id, (row, certain) in likeliest.items():
        if row in later:
            (sure if certain else maybe).setdefault(turn_id, later[row])
    best = list(turns)[:_FOLLOWED]
    later = [(turn_id, by_id[turn_id]) for by_id in (sure, maybe) for turn_id in best if turn_id in by_id]
    return _marked(_insert_later(evidence, later) if adds_turns else evidence, sure)


def _insert_later(evidence: Sequence[Evidence], later: Sequence[tuple[str, Turn]]) -> list[Evidence]:
    """Return evidence with later turns some places behind the hits, given by id, that they are newer than."""
    ranks = {item.id: position for position, item in enumerate(evidence)}
    by_id = {item.id: item for item in evidence}
    for turn_id, turn in later:
        rank, score = ranks[turn_id] + _RANKS_BEHIND, by_id[turn_id].score
        if turn.id not in by_id:
            by_id[turn.id] = turn_evidence(turn, score, Why((NAME,), {NAME: Term(score, 1.0)}))
        elif rank < ranks[turn.id]:
            item_behind = by_id[turn.id]
            terms = {**item_behind.why.terms, NAME: Term(score - item_behind.score, 1.0)}
            by_id[turn.id] = replace(item_behind, score=score, why=replace(item_behind.why, terms=terms))
        ranks[turn.id] = min(ranks.get(turn.id, rank), rank)
    return [by_id[turn_id] for turn_id in sorted(ranks, key=ranks.__getitem__)]


def _marked(evidence: Sequence[Evidence], sure: Mapping[str, Turn]) -> list[Evidence]:
    """Return evidence, each turn marked by what is surely newer."""
    return [
        replace(item, why=replace(item.why, outdated=Outdated(turn.at, turn.id)))
        if (turn := sure.get(item.id)) is not None
        else item
        for item in evidence
    ]


def _turns(sources: Sources, evidence: Sequence[Evidence]) -> dict[str, int]:
    """Return the sequence numbers of the best turns by id, best first."""
    ids = [item.id for item in evidence if item.kind == "turn"][:_MARKED]
    rows = sources.corpus.rows_of_ids(ids)
    seqs: list[int] = sources.corpus.columns.seq[np.maximum(rows, 0)].tolist() if ids else []
    return {turn_id: seq for turn_id, seq, row in zip(ids, seqs, rows.tolist(), strict=True) if row >= 0}


def _successor(sources: Sources, query: Query, seq: int) -> int | None:
    """Return the turn of the newest sentence that follows one of a turn in its thread or slot; None without."""
    states, notes = note_states_of(sources, query), sources.derived.notes
    successors: list[KeptNote] = []
    for note in notes.of_turn(seq):
        last: KeptNote = note
        for _ in range(_LINKS):
            state = states.state_of(last)
            successor = None if state.stands or state.successor is None else notes.get(state.successor)
            if successor is None or not is_allowed(sources, query, successor.turn):
                break
            last = successor
        # A value that is said again is merged; of a thread the newest sentence stands for all.
        if last.turn != seq and (note.slot == THREAD or states.state_of(note).status != "merged"):
            successors.append(last)
    return max((note.turn for note in successors), default=None)


def _likeliest(sources: Sources, query: Query, ids: Sequence[str]) -> dict[str, tuple[int, bool]]:
    """Return, for each turn by id, the row of the likeliest later turn about the same, and if it marks the turn."""
    rows = sources.corpus.rows_of_ids(ids)
    turns = sources.corpus.turns(rows)
    likeliest: dict[str, tuple[int, bool]] = {}
    for turn_id, row in zip(ids, rows.tolist(), strict=True):
        if row in turns and (later := likeliest_later(sources, query, row, turns[row])) is not None:
            certain = _marks(sources, row, turns[row], later)
            if certain or (later.chance >= _LIKELY and not query.statement):
                likeliest[turn_id] = later.row, certain
    return likeliest


def _marks(sources: Sources, row: int, turn: Turn, later: Later) -> bool:
    """Tell if a later turn marks a turn: it is surely about the same, and its speaker may speak of it."""
    if later.chance < _SURE or not sources.corpus.embedder.reads(turn.text):
        return False
    speaker = sources.corpus.columns.speaker
    return bool(speaker[row] == speaker[later.row]) or not bool(sources.cached(of_people)[row])
