"""The episodes: runs of turns between the cuts that segmentation made, read off the turns in their order."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hmem.corpus import Corpus
from hmem.hierarchy.judgements import Judgements
from hmem.model.episode import Cut


class Run(NamedTuple):
    """An episode: the session's number, its turns by sequence number, why it begins where it does."""

    session: int
    turns: tuple[int, ...]
    cut: Cut


class Episodes:
    """The episodes of one memory at one moment, by the time of their sessions' first turns."""

    def __init__(self, corpus: Corpus, judgements: Judgements) -> None:
        columns = corpus.columns
        rows = np.flatnonzero(columns.alive)
        rows = rows[np.lexsort((columns.seq[rows], columns.session[rows]))]
        seqs, sessions = columns.seq[rows].tolist(), columns.session[rows].tolist()
        said = dict(zip(seqs, columns.said[rows].tolist(), strict=True))
        self.runs = sorted(_runs(seqs, sessions, judgements), key=lambda run: (said[run.turns[0]], run.turns[0]))
        self._first = {seq: run.turns[0] for run in self.runs for seq in run.turns}

    def first_of(self, seq: int) -> int | None:
        """The first turn of the episode that a turn lies in; None for an unknown turn."""
        return self._first.get(seq)


def _runs(seqs: Sequence[int], sessions: Sequence[int], judgements: Judgements) -> list[Run]:
    runs: list[Run] = []
    turns: list[int] = []
    cut: Cut = "session"
    for i, (seq, session) in enumerate(zip(seqs, sessions, strict=True)):
        judgement = judgements.of(seq)
        begins = i == 0 or session != sessions[i - 1]
        here = judgement.cut if judgement is not None else None
        if begins or here is not None:
            if turns:
                runs.append(Run(sessions[i - 1], tuple(turns), cut))
            turns, cut = [], "session" if begins else here or "session"
        turns.append(seq)
    if turns:
        runs.append(Run(sessions[-1], tuple(turns), cut))
    return runs
