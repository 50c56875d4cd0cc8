"""Later words on the matter of the best hits: they come along, and the older line says so.

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
from hmem.retrieval.later import Later, later_turns, of_people
from hmem.retrieval.plan import Query
from hmem.retrieval.sources import Sources
from hmem.retrieval.visibility import note_states_of

# Strategy name of evidence that came later than another piece.
NAME: Final = "newer"

# Number of best turns that are marked, and of those that bring what is newer along.
_MARKED: Final = 32
_FOLLOWED: Final = 5
# Chance of being about the same from which a later turn marks a hit, and from which it comes along.
_SURE: Final = 0.75
_LIKELY: Final = 0.1
# Places by which a later turn comes behind its hit. Further up it takes the place of more evidence than it brings.
_BEHIND: Final = 4
# Most links of a thread that are followed to its newest sentence.
_LINKS: Final = 100


def with_newer(sources: Sources, query: Query, found: Sequence[Evidence], *, brought: bool = True) -> list[Evidence]:
    """Return evidence, best first, each turn marked and followed by what is newer.

    What was found further behind comes up. Unless ``brought``, turns are only marked. Use it inside
    ``corpus.reading()``.
    """
    turns = _turns(sources, found)
    newest = {each: seq for each, own in turns.items() if (seq := _successor(sources, query, own)) is not None}
    columns = sources.corpus.columns
    visible = set(sources.text_writer.visible(list(dict.fromkeys(newest.values()))))
    rows = {each: int(columns.rows_of([seq])[0]) for each, seq in newest.items() if seq in visible}
    likeliest = _likeliest(sources, query, list(turns)[:_FOLLOWED])
    # All are read at once: the storage may be far away.
    wanted = dict.fromkeys((*rows.values(), *(row for row, _ in likeliest.values())))
    later = sources.corpus.turns(np.array(list(wanted), np.int64))
    sure = {each: later[row] for each, row in rows.items() if row in later}
    maybe: dict[str, Turn] = {}
    for each, (row, certain) in likeliest.items():
        if row in later:
            (sure if certain else maybe).setdefault(each, later[row])
    best = list(turns)[:_FOLLOWED]
    later = [(each, some[each]) for some in (sure, maybe) for each in best if each in some]
    return _marked(_placed(found, later) if brought else found, sure)


def _placed(found: Sequence[Evidence], later: Sequence[tuple[str, Turn]]) -> list[Evidence]:
    """Return evidence with later turns some places behind the hits, given by id, that they are newer than."""
    places = {item.id: place for place, item in enumerate(found)}
    made = {item.id: item for item in found}
    for each, turn in later:
        place, score = places[each] + _BEHIND, made[each].score
        if turn.id not in made:
            made[turn.id] = turn_evidence(turn, score, Why((NAME,), {NAME: Term(score, 1.0)}))
        elif place < places[turn.id]:
            own = made[turn.id]
            terms = {**own.why.terms, NAME: Term(score - own.score, 1.0)}
            made[turn.id] = replace(own, score=score, why=replace(own.why, terms=terms))
        places[turn.id] = min(places.get(turn.id, place), place)
    return [made[each] for each in sorted(places, key=places.__getitem__)]


def _marked(found: Sequence[Evidence], sure: Mapping[str, Turn]) -> list[Evidence]:
    """Return evidence, each turn marked by what is surely newer."""
    return [
        replace(item, why=replace(item.why, outdated=Outdated(turn.at, turn.id)))
        if (turn := sure.get(item.id)) is not None
        else item
        for item in found
    ]


def _turns(sources: Sources, found: Sequence[Evidence]) -> dict[str, int]:
    """Return the sequence numbers of the best turns by id, best first."""
    ids = [item.id for item in found if item.kind == "turn"][:_MARKED]
    rows = sources.corpus.rows_of_ids(ids)
    seqs: list[int] = sources.corpus.columns.seq[np.maximum(rows, 0)].tolist() if ids else []
    return {each: seq for each, seq, row in zip(ids, seqs, rows.tolist(), strict=True) if row >= 0}


def _successor(sources: Sources, query: Query, seq: int) -> int | None:
    """Return the turn of the newest sentence that follows one of a turn in its thread or slot; None without."""
    states, notes = note_states_of(sources, query), sources.derived.notes
    found: list[KeptNote] = []
    for note in notes.of(seq):
        last: KeptNote = note
        for _ in range(_LINKS):
            state = states.of(last)
            other = None if state.stands or state.successor is None else notes.get(state.successor)
            if other is None or not _may_be_found(sources, query, other.turn):
                break
            last = other
        # A value that is said again is merged; of a thread the newest sentence stands for all.
        if last.turn != seq and (note.slot == THREAD or states.of(note).status != "merged"):
            found.append(last)
    return max((note.turn for note in found), default=None)


def _may_be_found(sources: Sources, query: Query, seq: int) -> bool:
    row = int(sources.corpus.columns.rows_of([seq])[0])
    return row >= 0 and (query.allowed is None or bool(query.allowed[row]))


def _likeliest(sources: Sources, query: Query, ids: Sequence[str]) -> dict[str, tuple[int, bool]]:
    """Return the row of the later turn that likely is of the matter of each of some turns, and if it marks that."""
    rows = sources.corpus.rows_of_ids(ids)
    own = sources.corpus.turns(rows)
    found: dict[str, tuple[int, bool]] = {}
    for each, row in zip(ids, rows.tolist(), strict=True):
        if row in own and (some := later_turns(sources, query, row, own[row])):
            certain = _marks(sources, row, own[row], some[0])
            if certain or (some[0].chance >= _LIKELY and not query.statement):
                found[each] = some[0].row, certain
    return found


def _marks(sources: Sources, row: int, turn: Turn, later: Later) -> bool:
    """Tell if a later turn is sure enough to be newer, and its speaker may speak of it."""
    if later.chance < _SURE or not sources.corpus.embedder.reads(turn.text):
        return False
    speaker = sources.corpus.columns.speaker
    return bool(speaker[row] == speaker[later.row]) or not bool(of_people(sources)[row])
