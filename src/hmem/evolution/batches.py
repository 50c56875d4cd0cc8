"""Batches of turns that a model is to read, by session, owner and episode.

An episode is read in one call, once it is over: another has begun after it, or the session was left alone for a while.
So each turn is read with those around it, and a running conversation is not read again and again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Final

import numpy as np

from hmem.corpus.corpus import Corpus
from hmem.derived.episodes import TurnJudgements
from hmem.model.ids import to_key
from hmem.storage.model_queue import Waiting

# An episode of more turns is read in several calls.
MOST_TURNS: Final = 40


@dataclass(frozen=True, slots=True)
class Batch:
    """Turns of one episode that are to be read at once, by sequence number, after the turns that are context.

    ``attempts`` is how often the turns were tried, ``due`` when they are to be tried next (µs). An ``open`` batch is in
    the last episode of its session so far.
    """

    session: int
    seqs: tuple[int, ...]
    context: tuple[int, ...]
    attempts: int = 0
    due: int = 0
    open: bool = False

    @property
    def shown(self) -> tuple[int, ...]:
        """Turns that the model is shown."""
        return self.context + self.seqs


def batches(
    corpus: Corpus, judgements: TurnJudgements, waiting: Sequence[Waiting], context: int
) -> dict[int, list[Batch]]:
    """Return the batches of each session, in the order of reading. Call it inside ``corpus.reading()``.

    Turns that are not formed yet are left out: the bounds of their episodes are unknown.
    """
    wanted: dict[int, dict[int, Waiting]] = {}
    for each in waiting:
        wanted.setdefault(each.session, {})[each.seq] = each
    if not wanted:
        return {}
    columns = corpus.columns
    rows = np.flatnonzero(np.isin(columns.session, list(wanted)) & columns.alive)
    rows = rows[np.lexsort((columns.seq[rows], columns.session[rows]))]
    turns = zip(columns.session[rows].tolist(), columns.seq[rows].tolist(), strict=True)
    found = {
        session: list(_of_session(session, [seq for _, seq in group], wanted[session], judgements, context))
        for session, group in groupby(turns, key=lambda each: each[0])
    }
    return {session: some for session, some in found.items() if some}


def _of_session(
    session: int, seqs: Sequence[int], wanted: dict[int, Waiting], judgements: TurnJudgements, context: int
) -> Iterator[Batch]:
    """Yield the batches of a session, owner by owner: a model is shown no two owners' turns at once."""
    by_owner: dict[str, list[int]] = {}
    formed = list(takewhile(judgements.__contains__, seqs))
    for seq in formed:
        by_owner.setdefault(judgements.owner(seq), []).append(seq)
    for own in by_owner.values():
        yield from _of_owner(session, own, wanted, judgements, context, last=len(formed) == len(seqs))


def _of_owner(
    session: int, seqs: Sequence[int], wanted: dict[int, Waiting], judgements: TurnJudgements, context: int, *,
    last: bool,
) -> Iterator[Batch]:  # fmt: skip
    """Yield the batches of an owner's formed turns in a session; if these are the ``last``, the last one is open."""
    start = 0
    while start < len(seqs):
        end = start + 1
        while end < len(seqs) and (judgement := judgements.of(seqs[end])) is not None and judgement.cut is None:
            end += 1
        places = [place for place in range(start, end) if seqs[place] in wanted]
        for first in range(places[0], places[-1] + 1, MOST_TURNS) if places else ():
            some = tuple(seqs[first : min(first + MOST_TURNS, places[-1] + 1)])
            told = [wanted[seq] for seq in some if seq in wanted]
            yield Batch(
                session,
                some,
                tuple(seqs[max(first - context, 0) : first]),
                max((each.attempts for each in told), default=0),
                max((each.due for each in told), default=0),
                open=last and end == len(seqs),
            )
        start = end


def kept_at(id: str) -> int:
    """Return when a turn was kept, in µs since 1970, from its id; 0 if it is no id of a turn."""
    key = to_key("turn", id)
    return int.from_bytes(key[:6]) * 1_000 if key is not None else 0
