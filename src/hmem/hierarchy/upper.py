"""The upper tiers as a state: who is in the cache and in the buffer, kept up with what comes, goes and is used (HMO).

The state lives in the process and can be derived again from the turns and their uses. All records are scored once, when
it is made. After that a record is scored when it comes and when it was used, by this process or by another, and those
of the upper tiers when a persona has drifted or the day is another; the archive is never scored as a whole again, and
the importance of a record never.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary, proxy

import numpy as np
from numpy.typing import NDArray

from hmem.corpus import Corpus
from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.standing import standing
from hmem.hierarchy.tiers import CODES, TierOptions, arrange, drifted, greatest, scores
from hmem.index.columns import distinct
from hmem.model.tier import TierName
from hmem.storage.base import Formed, Use

Rows = NDArray[np.int64]
Integers = NDArray[np.integer[Any]]
Values = NDArray[np.float32]

_DAY: Final = 86_400.0

# The score of a turn that is not there, or that is still to be formed.
_UNKNOWN: Final = -1.0
_CACHE, _BUFFER, _ARCHIVE = range(len(CODES))
_NONE: Final[Rows] = np.zeros(0, np.int64)


class UpperTiers:
    """The rows of cache and buffer, best first. Use it inside ``corpus.reading()``, the arrangement caught up.

    ``cache`` holds the turns of the latest ``sessions`` (by number, latest first) and the ``pivotal`` ones. ``scored``
    counts the scores that were computed since the state was made, ``promoted`` and ``demoted`` the turns that the last
    refresh moved up and down.
    """

    def __init__(self, corpus: Corpus, arrangement: Arrangement, options: TierOptions) -> None:
        self._corpus, self._options = corpus, options
        # What is held is held for as long as the arrangement is, so it must not itself keep it.
        self._arrangement: Arrangement = proxy(arrangement)
        self._begin()

    def _begin(self) -> None:
        self.cache = self.buffer = self.pivotal = _NONE
        self.sessions: tuple[int, ...] = ()
        self.scored = self.promoted = self.demoted = 0
        self.anchors: dict[int, Values] = {}
        self._scores, self._seqs, self._alive, self._inside = np.zeros(0), _NONE, 0, _NONE
        self._codes = np.zeros(0, np.uint8)
        self._latest: dict[int, int] = {}
        self._step, self._now = 0, 0.0
        self._known: tuple[int, Formed] | None = None

    # What it tells.

    @property
    def records(self) -> int:
        """How many turns have a tier."""
        return int((self._scores != _UNKNOWN).sum())

    def score(self, row: int) -> float:
        """The score of a turn when it was last computed."""
        return float(self._scores[row])

    def tier(self, row: int) -> TierName:
        """The tier of a turn."""
        return CODES[int(self._codes[row])]

    # How it is kept up.

    def refresh(self, now: float | None = None) -> None:
        """Take up what changed; ``now`` is in seconds since 1970, by default the time that it went by last, or that
        of the newest turn."""
        known = (self._corpus.watermark, self._arrangement.at)
        self.promoted = self.demoted = 0
        if self._known is None or self._known[1].cleared != known[1].cleared:
            self._begin()
            self._make(now)
            self._known = known
            return
        uses = self._corpus.storage.uses(since=self._step)
        self._step = max((use.step for use in uses), default=self._step)
        # Rows are numbered anew without a change of the turns.
        changed = known != self._known or len(self._corpus.columns) != len(self._seqs)
        self._known = known
        gone = changed and self._follow()
        come = self._pending() if changed else _NONE
        touched = [self._corpus.columns.rows_of([use.seq for use in uses])]
        another_day = now is not None and abs(now - self._now) >= _DAY
        if anew := self._drift() or another_day:
            touched += [self.cache, self.buffer]
            self._now = self._now if now is None else now
        rows, before = distinct(np.concatenate([come, *touched])), (self.cache, self.buffer)
        if len(rows) or gone:
            # Of what was used since, the uses have just been read.
            known_uses = uses if not (anew or len(come)) else None
            self._take_in(rows[rows >= 0], come, known_uses, gone=gone)
            self._count_moves(*before)

    def _make(self, now: float | None) -> None:
        """The tiers of the whole memory."""
        columns = self._corpus.columns
        self._drift()
        # Read before the scores: what is used meanwhile is taken up twice rather than never.
        self._step = max((use.step for use in self._corpus.storage.uses()), default=0)
        rows, stands = standing(self._corpus, self._arrangement, personas=self.anchors)
        self._now = float(stands.said.max(initial=0)) if now is None else now
        view = arrange(stands, self._now, self._options)
        self._scores = np.full(len(columns), _UNKNOWN)
        self._scores[rows] = view.scores
        self.cache, self.buffer = rows[view.cache], rows[view.buffer]
        self.pivotal, self.sessions = rows[view.cache[view.pivotal[view.cache]]], view.sessions
        self._inside = np.setdiff1d(self.cache, self.pivotal)
        self._note_sessions(columns.session[rows], columns.said[rows])
        self._seqs, self._alive = columns.seq.copy(), int(columns.alive.sum())
        self._note_tiers()

    def _follow(self) -> bool:
        """Go with the rows, which grow, die and are numbered anew; whether any is gone."""
        columns = self._corpus.columns
        known = len(self._seqs)
        gone = False
        if int(columns.alive[:known].sum()) != self._alive or not np.array_equal(columns.seq[:known], self._seqs):
            gone = True
            moved = columns.rows_of(self._seqs)
            kept = np.full(len(columns), _UNKNOWN)
            kept[moved[moved >= 0]] = self._scores[moved >= 0]
            self._scores = kept
            self.cache, self.buffer, self.pivotal = (
                there[there >= 0] for there in (moved[rows] for rows in (self.cache, self.buffer, self.pivotal))
            )
            held = np.flatnonzero(kept != _UNKNOWN)
            self._latest.clear()
            self._note_sessions(columns.session[held], columns.said[held])
        self._scores = np.concatenate([self._scores, np.full(len(columns) - len(self._scores), _UNKNOWN)])
        self._note_tiers()
        self._seqs, self._alive = columns.seq.copy(), int(columns.alive.sum())
        return gone

    def _pending(self) -> Rows:
        """The living turns that have no score yet."""
        return np.flatnonzero(self._corpus.columns.alive & (self._scores == _UNKNOWN))

    def _note_sessions(self, sessions: Integers, said: Integers) -> None:
        for session, moment in zip(sessions.tolist(), said.tolist(), strict=True):
            self._latest[session] = max(moment, self._latest.get(session, moment))

    def _drift(self) -> bool:
        """Whether the persona of any speaker has drifted from its anchor, which is moved then (HMO, drift gate)."""
        personas, far = self._arrangement.personas, False
        for speaker in personas.speakers():
            persona = personas.of(speaker)
            if persona is not None and drifted(persona.vector, self.anchors.get(speaker), self._options.drift):
                self.anchors[speaker] = persona.vector
                far = True
        return far

    def _take_in(self, rows: Rows, come: Rows, uses: Sequence[Use] | None, *, gone: bool) -> None:
        """Score these rows, and let them contend with those of the upper tiers."""
        columns = self._corpus.columns
        seqs: list[int] = columns.seq[rows].tolist()
        formed, stands = standing(self._corpus, self._arrangement, seqs, personas=self.anchors, recorded=uses)
        self._scores[formed] = scores(stands, self._now, self._options)
        self.scored += len(formed)
        before = self.sessions
        # A use changes neither what the latest sessions are nor what they hold.
        if gone or len(come):
            come = formed[np.isin(formed, come)]
            self._note_sessions(columns.session[come], columns.said[come])
            self.sessions = latest(self._latest, self._options.sessions)
            self._inside = self._rows_of(self.sessions)
        # What a session held that is no longer among the latest contends by its scores; and where some are gone, so
        # does the archive by the scores that it has.
        left = self._rows_of([session for session in before if session not in self.sessions])
        others = np.flatnonzero(self._scores != _UNKNOWN) if gone else _NONE
        self._rank(distinct(np.concatenate([self.pivotal, self.buffer, formed, left, others])))

    def _rows_of(self, sessions: Sequence[int]) -> Rows:
        """The scored turns of some sessions."""
        if not sessions:
            return _NONE
        return np.flatnonzero(np.isin(self._corpus.columns.session, sessions) & (self._scores != _UNKNOWN))

    def _rank(self, pool: Rows) -> None:
        pivotal, buffer = self._options.pivotal, self._options.buffer
        pool = pool[~np.isin(self._corpus.columns.session[pool], self.sessions)]
        pool = self._best_first(greatest(self._scores, pool, pivotal + buffer))
        self.pivotal, self.buffer = pool[:pivotal], pool[pivotal:]
        self.cache = self._best_first(np.concatenate([self._inside, self.pivotal]))

    def _best_first(self, rows: Rows) -> Rows:
        return rows[np.lexsort((rows, self._scores[rows]))[::-1]]

    def _count_moves(self, cache: Rows, buffer: Rows) -> None:
        """How many turns are higher and lower than they were."""
        was = self._codes
        self._note_tiers()
        self.promoted = int((was[self.cache] > _CACHE).sum() + (was[self.buffer] > _BUFFER).sum())
        self.demoted = int((self._codes[cache] > _CACHE).sum() + (self._codes[buffer] > _BUFFER).sum())

    def _note_tiers(self) -> None:
        self._codes = np.full(len(self._scores), _ARCHIVE, np.uint8)
        self._codes[self.buffer], self._codes[self.cache] = _BUFFER, _CACHE


def latest(sessions: Mapping[int, int], count: int) -> tuple[int, ...]:
    """The sessions whose last record is the latest, latest first; of equals the greater number."""
    return tuple(sorted(sessions, key=lambda number: (sessions[number], number), reverse=True)[:count])


# What is held of each memory that is open, as long as it is.
_HELD: Final[WeakKeyDictionary[Arrangement, dict[TierOptions, UpperTiers]]] = WeakKeyDictionary()


def upper_tiers(corpus: Corpus, arrangement: Arrangement, options: TierOptions) -> UpperTiers:
    """The state of a memory's upper tiers, which recall and views share."""
    held = _HELD.setdefault(arrangement, {})
    if options not in held:
        held[options] = UpperTiers(corpus, arrangement, options)
    return held[options]
