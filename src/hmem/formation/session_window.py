"""Session window: what formation needs of a session's earlier turns, of one owner, to form the next one.

It is a cache that can be read back from storage at any time. So turns that come one by one, in a batch, or after the
memory was opened again give the same result.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.derived.episodes import TurnJudgements
from hmem.derived.state import DerivedState
from hmem.formation.segment import RecentTurns, SegmentOptions, see
from hmem.formation.turn_analysis import UNREADABLE, TurnAnalysis
from hmem.language.analyst import Analyst, Passage
from hmem.model.turn import Turn


@dataclass(slots=True)
class SessionWindow:
    """Last turns of an owner in a session, its speakers in the order of their first turns, what segmentation saw."""

    last: int = -1
    turns: list[Turn] = field(default_factory=list[Turn])
    speakers: list[str] = field(default_factory=list[str])
    recent: RecentTurns = field(default_factory=RecentTurns)

    def copy(self) -> "SessionWindow":
        """Return a window of its own in the same state."""
        recent = RecentTurns(self.recent.turns, self.recent.episode)
        return SessionWindow(self.last, self.turns, list(self.speakers), recent)

    def become(self, window: "SessionWindow") -> None:
        """Take the state of another window."""
        new = window.copy()
        self.last, self.turns, self.speakers, self.recent = new.last, new.turns, new.speakers, new.recent

    def equals(self, window: "SessionWindow") -> bool:
        """Tell if another window has the same turns, as far as reading the next turns depends on them."""
        return (self.last, self.turns, self.speakers) == (window.last, window.turns, window.speakers)

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
    names = {speaker.number: derived.names.called(owner, speaker.name) for speaker in corpus.speakers}
    speakers = dict.fromkeys(names[number] for number in columns.speaker[rows].tolist())
    seqs: list[int] = columns.seq[rows].tolist()
    readable = rows[[(judgement := judgements.of(seq)) is None or UNREADABLE not in judgement.unread for seq in seqs]]
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
        judgement = judgements.of(seq)
        if judgement is not None and judgement.cut is not None:
            return count
    return min(len(seqs), longest)


Sitting = tuple[int, str]


@dataclass(frozen=True, slots=True)
class _Run:
    """Turns of a sitting as they were read, the session window before and after them, and the last model's reading."""

    before: SessionWindow
    after: SessionWindow
    items: Sequence[TurnAnalysis]
    number: int


class Reads:
    """Turns of the present step as they were read, by sitting: the session's number, and the owner."""

    def __init__(self) -> None:
        self._runs: dict[Sitting, _Run] = {}

    def keep(
        self, sitting: Sitting, before: SessionWindow, after: SessionWindow, items: Sequence[TurnAnalysis], number: int
    ) -> None:
        """Store what was read of turns, with the session window before and after them, and the last reading used."""
        self._runs[sitting] = _Run(before, after.copy(), [replace(item) for item in items], number)

    def rebase(
        self, sitting: Sitting, window: SessionWindow, items: Sequence[TurnAnalysis], number: int
    ) -> Sequence[TurnAnalysis]:
        """Fill in turns that were read before, and move their session window past them; return the other turns."""
        run = self._runs.get(sitting)
        if run is None or run.number != number or not run.before.equals(window) or len(run.items) > len(items):
            return items
        if not all(_is_same_turn(item, read) for item, read in zip(items, run.items, strict=False)):
            return items
        for item, read in zip(items, run.items, strict=False):
            item.passage, item.curation, item.coverage, item.cut = read.passage, read.curation, read.coverage, read.cut
            item.statements, item.claims, item.extraction = read.statements, read.claims, read.extraction
            item.labels, item.opens_session = read.labels, read.opens_session
        window.become(run.after)
        return items[len(run.items) :]

    def windows(self) -> dict[Sitting, SessionWindow]:
        """Return the session windows as they were before the step."""
        return {sitting: run.before.copy() for sitting, run in self._runs.items()}

    def clear(self) -> None:
        """Drop all: the step was stored, or turns before these are gone."""
        self._runs.clear()


def _is_same_turn(item: TurnAnalysis, read: TurnAnalysis) -> bool:
    return (item.seq, item.corrects, item.turn) == (read.seq, read.corrects, read.turn)
