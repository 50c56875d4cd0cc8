"""Tiered recall: the cache, then the buffer, then the archive, as far as the question needs (HMO, three tiers).

Each tier gives its most similar turns, and a self-check of the best of all so far says whether to go on. The archive is
the whole memory. What was recalled is recorded as used, which raises its score: so it may rise into an upper tier and
another may sink.

The upper tiers are views that are kept from question to question. The whole memory is scored when they are first made,
and never again: a turn is scored when it comes and when it is used, the upper tiers when a persona has drifted and when
the questions' day is another.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from hmem.errors import StorageError
from hmem.hierarchy.standing import standing
from hmem.hierarchy.tiers import TierOptions, arrange, drifted, scores
from hmem.language.analyst.base import Line
from hmem.read.plan import Query
from hmem.read.score.combine import weighted_sum
from hmem.read.score.similar import Similarity, permitted
from hmem.read.sources import Sources
from hmem.read.strategy.base import Rows, Scored, Values

Integers = NDArray[np.integer[Any]]

NAME: Final = "tiered"

_DAY: Final = 86_400.0

# The score of a turn that is still to be formed.
_UNKNOWN: Final = -1.0
_NONE: Final[Rows] = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class TieredOptions:
    """The sizes of the tiers and their score are HMO's (``TierOptions``), ``k`` turns are shown to the self-check.

    ``threshold`` is the confidence of the self-check that ends the search. The paper lets a model say yes or no; at 0.7
    about three in ten questions end above the archive, for three points of recall. ``tier1`` and ``tiers`` off are the
    ablations: the buffer alone before the archive, and the archive alone. ``similarity`` is semantic as in the paper,
    or hybrid, by words too. Of each tier the ``listed`` most similar turns contend. ``record``: whether the first
    ``recorded`` turns that were recalled count as used.
    """

    tiering: TierOptions = field(default_factory=TierOptions)
    tier1: bool = True
    tiers: bool = True
    threshold: float = 0.7
    k: int = 10
    listed: int = 100
    similarity: Literal["semantic", "hybrid"] = "semantic"
    record: bool = True
    recorded: int = 5


def tiered(sources: Sources, query: Query, options: TieredOptions) -> Scored:
    """The most similar turns of as many tiers as the question needs. Call it inside ``corpus.reading()``."""
    similarity = Similarity(sources.corpus, query, hybrid=options.similarity == "hybrid")
    seen, sizes, confidences = _NONE, dict[str, int](), dict[str, float]()
    ended = "archive"
    read: dict[int, Line] = {}
    for name, rows in _upper(sources, query, options).items():
        sizes[name] = len(rows)
        seen = np.union1d(seen, similarity.best(rows, options.listed))
        lines = _lines(sources, similarity.best(seen, options.k), read)
        confidences[name] = sources.analyst.sufficiency(query.part, lines, query.asked).confidence if lines else 0.0
        if confidences[name] >= options.threshold:
            ended = name
            break
    else:
        archive = similarity.candidates(options.listed)
        sizes["archive"] = len(archive)
        seen = np.union1d(seen, similarity.best(archive, options.listed))
    terms = similarity.terms(seen)
    total = weighted_sum(terms, similarity.weights)
    order = np.argsort(-total, kind="stable")[: max(options.listed, options.k)]
    ordered = {name: values[order] for name, values in terms.items()}
    story: Mapping[str, Any] = {"ended in": ended, "confidence": confidences, "looked at": sizes}
    return Scored(NAME, seen[order], total[order], ordered, similarity.weights, sizes, story=story)


def record(sources: Sources, rows: Rows, query: Query, options: TieredOptions) -> str | None:
    """Count a use of the first of the rows that were recalled; what kept it from being recorded, if anything did.

    A recall does not fail, nor wait, because a use cannot be written: on a full or read-only disk, or while another
    process is writing, the use is lost. Call it inside ``corpus.reading()``.
    """
    if not (options.record and len(rows)):
        return None
    try:
        sources.corpus.storage.record_uses(sources.corpus.columns.seq[rows[: options.recorded]].tolist(), query.asked)
    except StorageError as error:
        return str(error)
    return None


def _lines(sources: Sources, rows: Rows, read: dict[int, Line]) -> list[Line]:
    """What the self-check reads: the turns of these rows, in their order; ``read`` holds what was read before."""
    turns = sources.corpus.turns(np.array([row for row in rows.tolist() if row not in read], np.int64))
    read |= {row: Line(turn.content, turn.speaker, turn.at) for row, turn in turns.items()}
    return [read[row] for row in rows.tolist() if row in read]


# The upper tiers.


def _upper(sources: Sources, query: Query, options: TieredOptions) -> dict[str, Rows]:
    """The tiers that are looked through before the archive, as rows that the question allows."""
    if not options.tiers:
        return {}
    # Without the first tier the second holds what has the greatest score of all.
    tiering = options.tiering if options.tier1 else replace(options.tiering, sessions=0, pivotal=0)
    held = _HELD.setdefault(sources, {})
    tiers = held.setdefault(tiering, UpperTiers(tiering))
    tiers.refresh(sources, query.asked.timestamp())
    found = {"cache": tiers.cache, "buffer": tiers.buffer} if options.tier1 else {"buffer": tiers.buffer}
    return {name: permitted(query, rows) for name, rows in found.items()}


class UpperTiers:
    """The rows of cache and buffer, kept up with what comes, goes and is used, by any process."""

    def __init__(self, options: TierOptions) -> None:
        self._options = options
        self._begin()

    def _begin(self) -> None:
        self.cache = self.buffer = self._pivotal = self._waiting = _NONE
        self._seqs, self._alive, self._scores = _NONE, 0, np.zeros(0)
        self._anchors: dict[int, Values] = {}
        self._latest: dict[int, int] = {}
        self._sessions: tuple[int, ...] = ()
        self._step, self._now, self._cleared = 0, 0.0, -1

    def refresh(self, sources: Sources, now: float) -> None:
        """Take up what changed; ``now`` is in seconds since 1970."""
        columns, arrangement = sources.corpus.columns, sources.arrangement
        known = len(self._seqs)
        if (
            arrangement.at.cleared != self._cleared
            or int(columns.alive[:known].sum()) != self._alive
            or not np.array_equal(columns.seq[:known], self._seqs)
        ):
            self._begin()
            self._make(sources, now)
            return
        uses = sources.corpus.storage.uses(since=self._step)
        fresh = np.concatenate([self._waiting, np.arange(known, len(columns))])
        touched = [fresh, columns.rows_of([use.seq for use in uses])]
        self._step = max((use.step for use in uses), default=self._step)
        if self._drift(sources) or abs(now - self._now) >= _DAY:
            touched += [self.cache, self.buffer]
            self._now = now
        rows = np.unique(np.concatenate(touched))
        if len(rows):
            self._take_in(sources, rows[rows >= 0], fresh)

    def _make(self, sources: Sources, now: float) -> None:
        """The tiers of the whole memory."""
        columns = sources.corpus.columns
        rows, stands = standing(sources.corpus, sources.arrangement)
        view = arrange(stands, now, self._options)
        self._scores = np.full(len(columns), _UNKNOWN)
        self._scores[rows] = view.scores
        self.cache, self.buffer = rows[view.cache], rows[view.buffer]
        self._pivotal, self._sessions = rows[view.pivotal], view.sessions
        self._now, self._cleared = now, sources.arrangement.at.cleared
        self._step = max((use.step for use in sources.corpus.storage.uses()), default=0)
        self._note_sessions(columns.session[rows], columns.said[rows])
        self._drift(sources)
        self._keep_up(sources, np.setdiff1d(np.flatnonzero(columns.alive), rows))

    def _keep_up(self, sources: Sources, waiting: Rows) -> None:
        """Note which rows are known, and which of them are still to be formed."""
        columns = sources.corpus.columns
        self._seqs, self._alive, self._waiting = columns.seq.copy(), int(columns.alive.sum()), waiting

    def _note_sessions(self, sessions: Integers, said: Integers) -> None:
        for session, moment in zip(sessions.tolist(), said.tolist(), strict=True):
            self._latest[session] = max(moment, self._latest.get(session, moment))

    def _drift(self, sources: Sources) -> bool:
        """Whether the persona of any speaker has drifted from its anchor, which is moved then (HMO, drift gate)."""
        personas, far = sources.arrangement.personas, False
        for speaker in personas.speakers():
            persona = personas.of(speaker)
            if persona is not None and drifted(persona.vector, self._anchors.get(speaker), self._options.drift):
                self._anchors[speaker] = persona.vector
                far = True
        return far

    def _take_in(self, sources: Sources, rows: Rows, fresh: Rows) -> None:
        """Score these rows, and let them contend with those of the upper tiers."""
        columns = sources.corpus.columns
        formed, stands = standing(sources.corpus, sources.arrangement, columns.seq[rows].tolist())
        self._scores = np.concatenate([self._scores, np.full(len(columns) - len(self._scores), _UNKNOWN)])
        self._scores[formed] = scores(stands, self._now, self._options)
        fresh = fresh[columns.alive[fresh]]
        come = np.intersect1d(fresh, formed)
        self._note_sessions(columns.session[come], columns.said[come])
        before = self._sessions
        self._sessions = _latest(self._latest, self._options.sessions)
        # What a session held that is no longer among the latest contends by its scores.
        left = np.flatnonzero(np.isin(columns.session, [s for s in before if s not in self._sessions]) & columns.alive)
        pool = np.unique(np.concatenate([self._pivotal, self.buffer, formed, left]))
        self._rank(columns.session, pool)
        self._keep_up(sources, np.setdiff1d(fresh, formed))

    def _rank(self, session: Integers, pool: Rows) -> None:
        options = self._options
        pool = pool[~np.isin(session[pool], self._sessions)]
        pool = pool[np.lexsort((pool, self._scores[pool]))[::-1]]
        self._pivotal, self.buffer = pool[: options.pivotal], pool[options.pivotal :][: options.buffer]
        inside = np.flatnonzero(np.isin(session, self._sessions) & (self._scores != _UNKNOWN))
        self.cache = np.concatenate([inside, self._pivotal])


def _latest(sessions: Mapping[int, int], count: int) -> tuple[int, ...]:
    """The sessions whose last record is the latest; of equals the greater number."""
    return tuple(sorted(sessions, key=lambda number: (sessions[number], number), reverse=True)[:count])


# What is held of each memory that is open, as long as it is.
_HELD: Final[WeakKeyDictionary[Sources, dict[TierOptions, UpperTiers]]] = WeakKeyDictionary()
