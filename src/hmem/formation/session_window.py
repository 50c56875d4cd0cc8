"""Session window: what formation needs of a session's earlier turns, of one owner, to form the next one.

It is a cache that can be read back from storage at any time. So turns that come one by one, in a batch, or after the
memory was opened again give the same result.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.derived.episodes import TurnJudgements
from hmem.derived.state import DerivedState
from hmem.formation.segment import RecentTurns, SegmentOptions, see
from hmem.formation.turn_analysis import UNREADABLE
from hmem.language.analyst import Analyst, Passage
from hmem.model.turn import Turn

# Number of a session, and the owner of turns in it.
Sitting = tuple[int, str]


@dataclass(slots=True)
class SessionWindow:
    """Last turns of an owner in a session, its speakers in the order of their first turns, what segmentation saw."""

    last: int = -1
    turns: list[Turn] = field(default_factory=list[Turn])
    speakers: list[str] = field(default_factory=list[str])
    recent: RecentTurns = field(default_factory=RecentTurns)

    def passage(self, turns: Sequence[Turn]) -> Passage:
        """Return the passage of the next turns, after the turns of the window as context.

        Only the first of the turns may have a new speaker.
        """
        speakers = dict.fromkeys((*self.speakers, *(turn.speaker for turn in turns)))
        return Passage((*self.turns, *turns), len(self.turns), tuple(speakers))

    def add(self, seq: int, turn: Turn, context: int) -> None:
        """Add a turn that was formed; keep the last ``context`` turns."""
        self.last = seq
        self.turns = [*self.turns, turn][-context:] if context else []
        if turn.speaker not in self.speakers:
            self.speakers.append(turn.speaker)


def read_session_window(
    corpus: Corpus,
    derived: DerivedState,
    analyst: Analyst,
    session: int,
    owner: str,
    before: int,
    context: int,
    options: SegmentOptions,
    as_read: Callable[[Turn], Turn],
) -> SessionWindow:
    """Return the window of a session (by number) after an owner's turns before a sequence number.

    ``as_read`` turns a stored turn into the form that is read. Turns that were set aside are not read again.
    """
    columns, judgements = corpus.columns, derived.judgements
    rows = earlier_rows(corpus, derived, session, owner, before)
    if not len(rows):
        return SessionWindow()
    names = {speaker.number: derived.names.first_spelling(owner, speaker.name) for speaker in corpus.speakers}
    speakers = dict.fromkeys(names[number] for number in columns.speaker[rows].tolist())
    seqs: list[int] = columns.seq[rows].tolist()
    readable = rows[[(judgement := judgements.get(seq)) is None or UNREADABLE not in judgement.unread for seq in seqs]]
    running = _running(seqs, judgements, options.longest)
    if not len(readable):
        return SessionWindow(seqs[-1], [], list(speakers), RecentTurns([], running))
    recent_seqs: list[int] = columns.seq[readable].tolist()[-options.recent_turns :]
    last = readable[-max(len(recent_seqs), context) :]
    stored_turns = corpus.turns(last)
    read = ((int(columns.seq[row]), as_read(stored_turns[row])) for row in last.tolist() if row in stored_turns)
    turns = derived.names.unified(read)
    passage = Passage(tuple(turns), max(len(turns) - len(recent_seqs), 0))
    cues = analyst.cues([passage])[0]
    vectors = corpus.vectors_of(recent_seqs)
    recent = RecentTurns(
        [see(turn, vector, cue) for turn, vector, cue in zip(passage.targets, vectors, cues, strict=False)],
        running,
    )
    return SessionWindow(seqs[-1], turns[-context:] if context else [], list(speakers), recent)


def earlier_rows(corpus: Corpus, derived: DerivedState, session: int, owner: str, before: int) -> NDArray[np.intp]:
    """Return the rows of an owner's formed turns in a session before a sequence number, in their order."""
    columns, judgements = corpus.columns, derived.judgements
    rows = np.flatnonzero((columns.session == session) & (columns.seq < before) & columns.alive)
    rows = rows[np.argsort(columns.seq[rows])]
    return rows[[judgements.owner(seq) == owner for seq in columns.seq[rows].tolist()]]


def _running(seqs: Sequence[int], judgements: TurnJudgements, longest: int) -> int:
    """Count the turns of the running episode, at most ``longest``."""
    for count, seq in enumerate(reversed(seqs[-longest:]), 1):
        judgement = judgements.get(seq)
        if judgement is not None and judgement.cut is not None:
            return count
    return min(len(seqs), longest)
