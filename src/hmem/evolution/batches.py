"""Batches of turns that a model is to read, by session and owner, and the notes that it is shown with them.

One call reads as many turns of a session as fit, once there are enough or the session was left alone for a while. So
each turn is read with those around it, the instructions are paid once for many turns, and a running conversation is not
read again and again. What could not be read is read in smaller parts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, pairwise, takewhile
from typing import Final

import numpy as np

from hmem.corpus.corpus import Corpus
from hmem.derived.chunks import number_in_turn
from hmem.derived.episodes import TurnJudgements
from hmem.derived.notes import KeptNote
from hmem.derived.state import DerivedState
from hmem.language.analyst.base import KnownNote
from hmem.model.ids import to_key
from hmem.model.span import from_stored
from hmem.storage.model_queue import Waiting

# Most turns of one call, and most words, unless one turn has more.
MOST_TURNS: Final = 40
MOST_WORDS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Batch:
    """Turns of one owner in one session that are to be read at once, by sequence number, after those that are context.

    ``attempts`` is how often the turns were tried, ``due`` when they are to be tried next (µs). An ``open`` batch is
    the last of its session so far.
    """

    session: int
    seqs: tuple[int, ...]
    context: tuple[int, ...]
    attempts: int = 0
    due: int = 0
    open: bool = False
    owner: str = ""

    @property
    def passage_seqs(self) -> tuple[int, ...]:
        """Turns that the model is shown."""
        return self.context + self.seqs


def batches(
    corpus: Corpus, judgements: TurnJudgements, waiting: Sequence[Waiting], context: int
) -> dict[int, list[Batch]]:
    """Return the batches of each session, in the order of reading. Call it inside ``corpus.reading()``.

    Turns that are not formed yet are left out: their owners are unknown.
    """
    by_session: dict[int, dict[int, Waiting]] = {}
    for turn in waiting:
        by_session.setdefault(turn.session, {})[turn.seq] = turn
    if not by_session:
        return {}
    columns = corpus.columns
    rows = np.flatnonzero(np.isin(columns.session, list(by_session)) & columns.alive)
    rows = rows[np.lexsort((columns.seq[rows], columns.session[rows]))]
    words = dict(zip(columns.seq[rows].tolist(), columns.words[rows].tolist(), strict=True))
    turns = zip(columns.session[rows].tolist(), words, strict=True)
    ready = {
        session: list(_of_session(session, [seq for _, seq in group], by_session[session], words, judgements, context))
        for session, group in groupby(turns, key=lambda pair: pair[0])
    }
    return {session: session_batches for session, session_batches in ready.items() if session_batches}


def _of_session(
    session: int, seqs: Sequence[int], waiting: dict[int, Waiting], words: dict[int, int], judgements: TurnJudgements,
    context: int,
) -> Iterator[Batch]:  # fmt: skip
    """Yield the batches of a session, owner by owner: a model is shown no two owners' turns at once."""
    by_owner: dict[str, list[int]] = {}
    for seq in takewhile(judgements.__contains__, seqs):
        by_owner.setdefault(judgements.owner(seq), []).append(seq)
    for owner, owner_seqs in by_owner.items():
        positions = [position for position, seq in enumerate(owner_seqs) if seq in waiting]
        for first, end in _batch_bounds(owner_seqs, positions, waiting, words, context):
            batch_turns = [waiting[seq] for seq in owner_seqs[first:end] if seq in waiting]
            yield Batch(
                session,
                tuple(owner_seqs[first:end]),
                tuple(owner_seqs[max(first - context, 0) : first]),
                max(turn.attempts for turn in batch_turns),
                max(turn.due for turn in batch_turns),
                open=end == len(owner_seqs),
                owner=owner,
            )


def _batch_bounds(
    seqs: Sequence[int], positions: Sequence[int], waiting: dict[int, Waiting], words: dict[int, int], context: int
) -> Iterator[tuple[int, int]]:
    """Yield the bounds of what is read at once: runs of waiting turns, in parts of like size.

    Turns between two waiting ones are read again if they are too few for a gap.
    """
    gaps = [index for index, (earlier, later) in enumerate(pairwise(positions), 1) if later - earlier > context]
    for first, last in zip([0, *gaps], [*gaps, len(positions)], strict=True):
        if first == last:
            continue
        start, end = positions[first], positions[last - 1] + 1
        attempts = max(waiting[seqs[position]].attempts for position in positions[first:last])
        turn_limit = max(MOST_TURNS >> attempts, 1)
        size = -(-(end - start) // -(-(end - start) // turn_limit))
        while start < end:
            stop, room = start + 1, MOST_WORDS - words[seqs[start]]
            while stop < min(start + size, end) and (room := room - words[seqs[stop]]) >= 0:
                stop += 1
            yield start, stop
            start = stop


def storage_time(id: str) -> int:
    """Return when a turn was kept, in µs since 1970, from its id; 0 if it is no id of a turn."""
    key = to_key("turn", id)
    return int.from_bytes(key[:6]) * 1_000 if key is not None else 0


# Most notes that are shown, and turns that are looked at for each turn and for each entity.
MOST_NOTES: Final = 20
_NEIGHBOURS: Final = 8
_MENTIONS: Final = 4
# Notes of a turn that are shown before those of the next turn.
_AT_ONCE: Final = 2
# Constant of reciprocal rank fusion.
_RANK: Final = 60


def related_notes(corpus: Corpus, derived: DerivedState, seqs: Sequence[int]) -> tuple[KnownNote, ...]:
    """Return the notes that turns may revise, oldest first (HiMem).

    They are of the same owner and of earlier turns, stand, and were not withdrawn. The notes of the turns that are
    nearest by vectors and by shared entities, a few of each turn, alternate with those that are nearest by themselves:
    a long turn has many notes, of which few have to do with these turns. Call it inside ``corpus.reading()``.
    """
    owner, first = derived.judgements.owner(seqs[0]), seqs[0]
    scores: dict[int, float] = {}
    for ranking in (*_by_vector(corpus, seqs), *_by_entity(derived, seqs)):
        for rank, seq in enumerate(ranking):
            if seq < first and seq in derived.judgements and derived.judgements.owner(seq) == owner:
                scores[seq] = scores.get(seq, 0.0) + 1 / (_RANK + rank)
    turns = sorted(scores, key=lambda seq: (-scores[seq], seq))
    nearest = _nearest(corpus, derived, seqs, _open_notes(derived, turns))
    notes_of_turn: dict[int, list[KeptNote]] = {}
    for note in nearest:
        notes_of_turn.setdefault(note.turn, []).append(note)
    largest = max(map(len, notes_of_turn.values()), default=0)
    turn_by_turn = (
        note
        for start in range(0, largest, _AT_ONCE)
        for seq in turns
        for note in notes_of_turn.get(seq, ())[start : start + _AT_ONCE]
    )
    alternating = dict.fromkeys(note.number for pair in zip(turn_by_turn, nearest, strict=True) for note in pair)
    notes = {note.number: note for note in nearest}
    best = [notes[number] for number in islice(alternating, MOST_NOTES)]
    best.sort(key=lambda note: (derived.time_of(note.turn), note.number))
    ids = {row.seq: row.turn.id for row in corpus.storage.turns(sorted({note.turn for note in best}))}
    days = {seq: from_stored(derived.time_of(seq) * 1_000_000, 0).date() for seq in ids}
    return tuple(KnownNote(ids[note.turn], note.turn, days[note.turn], note.text) for note in best if note.turn in ids)


def _open_notes(derived: DerivedState, turns: Sequence[int]) -> list[KeptNote]:
    """Return the notes of turns that stand and were not withdrawn. Claims of one sentence have one text: one stands."""
    absent_notes, absent_turns = derived.absent_notes(), derived.decisions.absent()
    by_text = {
        (seq, note.text): note
        for seq in turns
        if seq not in absent_turns
        for note in derived.notes.of_turn(seq)
        if note.number not in absent_notes and derived.note_states.state_of(note).stands
    }
    return list(by_text.values())


def _nearest(
    corpus: Corpus, derived: DerivedState, seqs: Sequence[int], notes: Sequence[KeptNote]
) -> Sequence[KeptNote]:
    """Return notes by the likeness of their statements to the likest of some turns, the likest first."""
    if not notes:
        return notes
    statements = derived.vectors_of_events([number_in_turn(note.turn, note.event) for note in notes])
    likeness = (statements @ np.array(corpus.vectors_of(seqs)).T).max(axis=1)
    order: list[int] = np.argsort(-likeness, kind="stable").tolist()
    return [notes[index] for index in order]


def _by_vector(corpus: Corpus, seqs: Sequence[int]) -> Iterator[list[int]]:
    """Yield the earlier turns nearest to each turn, the nearest first."""
    columns = corpus.columns
    earlier = columns.alive & (columns.seq < seqs[0])
    for vector in corpus.vectors_of(seqs):
        if vector.any():
            rows = corpus.nearest(vector, _NEIGHBOURS, earlier)
            cosines, _ = corpus.cosines(vector, rows, windows=False)
            yield columns.seq[rows[np.argsort(-cosines, kind="stable")]].tolist()


def _by_entity(derived: DerivedState, seqs: Sequence[int]) -> Iterator[list[int]]:
    """Yield the last turns before these that name an entity of theirs, the latest first."""
    for entity in sorted({entity for seq in seqs for entity in derived.graph.entities_of(seq)}):
        yield [seq for seq in reversed(derived.graph.mentions(entity)) if seq < seqs[0]][:_MENTIONS]
