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

from hmem.derived.chunks import turn_of
from hmem.derived.note_states import NoteStates
from hmem.derived.slot_timeline import Slot
from hmem.model.evidence import Evidence, Outdated, Term, Why
from hmem.model.note import THREAD
from hmem.model.turn import Turn
from hmem.retrieval.evidence import turn_evidence
from hmem.retrieval.later import Later, likeliest_later, of_people
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.visibility import is_allowed, note_states_of
from hmem.util.sizes import collection_paused

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
# Most links of a thread that are followed to its newest sentence, where a query may not find each of them.
_LINKS: Final = 100


def with_newer(
    sources: Sources, query: Query, evidence: Sequence[Evidence], *, adds_turns: bool = True
) -> list[Evidence]:
    """Return evidence, best first, each turn marked and followed by what is newer.

    What was found further behind comes up. Unless ``adds_turns``, turns are only marked. Use it inside
    ``corpus.reading()``.
    """
    turns = _turns(sources, evidence)
    with collection_paused():
        newest = {
            turn_id: seq
            for turn_id, seq in zip(turns, _newest_of(sources, query, list(turns.values())), strict=True)
            if seq is not None
        }
    visible = set(sources.text_writer.visible(list(dict.fromkeys(newest.values()))))
    newest = {turn_id: seq for turn_id, seq in newest.items() if seq in visible}
    newest_rows: list[int] = sources.corpus.columns.rows_of(list(newest.values())).tolist()
    rows = {turn_id: row for turn_id, row in zip(newest, newest_rows, strict=True) if row >= 0}
    best = list(turns)[:_FOLLOWED]
    # What surely replaces a turn is known of its thread or slot, if that has anything newer.
    compared = best if adds_turns else [turn_id for turn_id in best if turn_id not in rows]
    likeliest = _likeliest(sources, query, compared)
    # All are read at once: the storage may be far away.
    later_rows = dict.fromkeys((*rows.values(), *(row for row, _ in likeliest.values())))
    later = sources.corpus.turns(np.array(list(later_rows), np.int64))
    sure = {turn_id: later[row] for turn_id, row in rows.items() if row in later}
    maybe: dict[str, Turn] = {}
    for turn_id, (row, certain) in likeliest.items():
        if row in later:
            (sure if certain else maybe).setdefault(turn_id, later[row])
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


def _newest_of(sources: Sources, query: Query, seqs: Sequence[int]) -> list[int | None]:
    """Return, for each of some turns by sequence number, the turn of the newest sentence that follows one of it."""
    # It depends on the question only by what that may not find.
    newest_by_seq = sources.cached(_newest_by_seq) if query.allowed is None else dict[int, int | None]()
    newest_by_seq |= {seq: _newest(sources, query, seq) for seq in seqs if seq not in newest_by_seq}
    return [newest_by_seq[seq] for seq in seqs]


def _newest_by_seq(_: Sources) -> dict[int, int | None]:
    return {}


def _newest(sources: Sources, query: Query, seq: int) -> int | None:
    """Return the turn of the newest sentence that follows one of a turn in its thread or slot; None without."""
    states = note_states_of(sources, query)
    newest: list[int] = []
    for number, subject, slot in sources.derived.notes.keys_of(seq):
        last = turn_of(_last_allowed(sources, query, states, number, (subject, slot)))
        # A value that is said again is merged; of a thread the newest sentence stands for all.
        if last != seq and (slot == THREAD or not states.is_merged(number)):
            newest.append(last)
    return max(newest, default=None)


def _last_allowed(sources: Sources, query: Query, states: NoteStates, number: int, slot: Slot) -> int:
    """Return the note that stands for one; of those that the query may not find, none replaces another."""
    if query.allowed is None:
        return states.newest(number, slot)
    for _ in range(_LINKS):
        successor = states.successor(number, slot)
        if successor is None or not is_allowed(sources, query, turn_of(successor)):
            break
        number = successor
    return number


def _likeliest(sources: Sources, query: Query, ids: Sequence[str]) -> dict[str, tuple[int, bool]]:
    """Return, for each turn by id, the row of the likeliest later turn about the same, and if it marks the turn."""
    turns = sources.corpus.turns(sources.corpus.rows_of_ids(ids)) if ids else {}
    likeliest: dict[str, tuple[int, bool]] = {}
    for (row, turn), later in zip(turns.items(), likeliest_later(sources, query, turns), strict=True):
        certain = later is not None and _marks(sources, row, turn, later)
        if later is not None and (certain or (later.chance >= _LIKELY and not query.statement)):
            likeliest[turn.id] = later.row, certain
    return likeliest


def _marks(sources: Sources, row: int, turn: Turn, later: Later) -> bool:
    """Tell if a later turn marks a turn: it is surely about the same, and its speaker may speak of it."""
    if later.chance < _SURE or not sources.corpus.embedder.reads(turn.text):
        return False
    speaker = sources.corpus.columns.speaker
    return bool(speaker[row] == speaker[later.row]) or not bool(sources.cached(of_people)[row])
