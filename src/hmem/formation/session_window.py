"""A sitting: what the formation of a session's next turn has to know of the turns before it.

It can be read back from the truth at any time, so it is a cache and nothing more: turns that come one by one, in a
batch, or after the memory was opened again, come to the same.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from hmem.corpus.corpus import Corpus
from hmem.derived.episodes import TurnJudgements
from hmem.formation.segment import RunningEpisode, Seen
from hmem.formation.turn_analysis import heard
from hmem.language.analyst import Analyst, Passage
from hmem.model.turn import Turn


@dataclass(slots=True)
class SessionWindow:
    """The last turns of a session, everyone who spoke in it by the order of their first turns, its running episode."""

    last: int = -1
    turns: list[Turn] = field(default_factory=list[Turn])
    speakers: list[str] = field(default_factory=list[str])
    episode: RunningEpisode = field(default_factory=RunningEpisode)

    def passage(self, turns: Sequence[Turn]) -> Passage:
        """The next turns, all of people who have spoken or of one who speaks first, behind the turns before them."""
        speakers = dict.fromkeys((*self.speakers, *(turn.speaker for turn in turns)))
        return Passage((*self.turns, *turns), len(self.turns), tuple(speakers))

    def heard(self, seq: int, turn: Turn, context: int) -> None:
        """Take a turn in that was formed; ``context`` turns are kept."""
        self.last = seq
        self.turns = [*self.turns, turn][-context:] if context else []
        if turn.speaker not in self.speakers:
            self.speakers.append(turn.speaker)


def read_session_window(
    corpus: Corpus,
    judgements: TurnJudgements,
    analyst: Analyst,
    session: int,
    before: int,
    context: int,
    longest: int,
    hear: Callable[[Turn], Turn] = heard,
) -> SessionWindow:
    """The sitting of a session by number, as its turns before a sequence number left it.

    ``hear`` makes of a turn what is read of it.
    """
    columns = corpus.columns
    rows = np.flatnonzero((columns.session == session) & (columns.seq < before) & columns.alive)
    rows = rows[np.argsort(columns.seq[rows])]
    if not len(rows):
        return SessionWindow()
    names = {speaker.number: speaker.name for speaker in corpus.speakers}
    seqs: list[int] = columns.seq[rows].tolist()
    running = _running(seqs, judgements, longest)
    kept = corpus.turns(rows[-max(running, context) :])
    turns = [hear(kept[int(row)]) for row in rows[-max(running, context) :] if int(row) in kept]
    episode = RunningEpisode()
    if running:
        passage = Passage(tuple(turns), max(len(turns) - running, 0))
        vectors = corpus.vectors_of(seqs[-running:])
        cues = analyst.cues([passage])[0]
        episode = RunningEpisode(Seen(vector, cue) for vector, cue in zip(vectors, cues, strict=False))
    speakers = dict.fromkeys(names[number] for number in columns.speaker[rows].tolist())
    return SessionWindow(seqs[-1], turns[-context:] if context else [], list(speakers), episode)


def _running(seqs: Sequence[int], judgements: TurnJudgements, longest: int) -> int:
    """How many turns the running episode has."""
    for count, seq in enumerate(reversed(seqs[-longest:]), 1):
        judgement = judgements.of(seq)
        if judgement is not None and judgement.cut is not None:
            return count
    return min(len(seqs), longest)
