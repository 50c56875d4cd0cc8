"""Tiers: cache, buffer and archive as views over one store, by sessions and by score (HMO, three tiers).

``tier_columns`` collects the columns that scores come from, a row for each formed turn. ``UpperTiers`` keeps cache and
buffer up to date as turns come, go and are used. ``strength`` weighs memories by the same forgetting curve (H-MEM).

The upper tiers live in the process and can be derived again from the turns and their uses. They score all records once,
when made. After that a record is scored when it comes and when it is used, by this process or another; the upper tiers
are scored again when a persona has drifted or on another day. The archive is never scored again as a whole, and
importance is never judged again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary, proxy

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.corpus.index.columns import distinct
from hmem.corpus.index.rows import Rows, Values
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import DerivedState
from hmem.model.scope import COMMON, scoped
from hmem.model.tier import Record, TierName, TierOptions, Tiers
from hmem.model.turn import Turn
from hmem.retrieval.feedback import MAX_WEIGHT, MIN_WEIGHT, StrengthOptions
from hmem.storage.base import FormationProgress, Use

Numbers = NDArray[Any]
Floats = NDArray[np.float64]

CODES: Final[tuple[TierName, ...]] = ("cache", "buffer", "archive")
_CACHE, _BUFFER, _ARCHIVE = range(3)
# Score of a turn that is gone or not formed yet.
_UNKNOWN: Final = -1.0
_NO_ROWS: Final[Rows] = np.zeros(0, np.int64)

_DAY: Final = 86_400.0
_SECOND: Final = 1_000_000
_MOST_IMPORTANT: Final = 10.0

# Up to this many rows are compared one by one, which is faster than by speaker.
_MAX_ROWS_ONE_BY_ONE: Final = 16
_AT_ONCE: Final = 8_192


# Scores.


def _practice(uses: Numbers) -> Floats:
    """Return ln(1 + C) of each record. ``uses`` is C, and counts from 1, the writing."""
    return np.log1p(np.maximum(uses.astype(np.float64), 1.0))


def retention(uses: Numbers, last_used: Numbers, moment: float, decay: float) -> Floats:
    """Return what the forgetting curve leaves of each record, 0 to 1: exp(-decay * days / ln(1 + C)).

    ``last_used`` and ``moment`` are in seconds since 1970. A use after ``moment`` counts as one at ``moment``.
    """
    days = np.maximum(moment - last_used.astype(np.float64), 0.0) / _DAY
    return np.exp(-decay * days / _practice(uses))


def strength(
    importance: Numbers,
    uses: Numbers,
    last_used: Numbers,
    feedback: Numbers,
    moment: float,
    options: StrengthOptions,
) -> Values:
    """Return the strength of each memory: importance (1 to 10) / 10, times retention, times feedback.

    A memory of the greatest importance, used just now and without feedback, has strength 1. No feedback is a weight of
    1. Strength only weighs; it drops nothing.
    """
    worth = np.clip(importance.astype(np.float64), 0.0, _MOST_IMPORTANT) / _MOST_IMPORTANT
    weight = np.clip(feedback.astype(np.float64), MIN_WEIGHT, MAX_WEIGHT)
    retained = retention(uses, last_used, moment, options.decay).astype(np.float32)
    return (worth * weight * retained).astype(np.float32)


@dataclass(frozen=True, slots=True)
class TierColumns:
    """Records, a row each.

    ``importance`` is 1 to 10, ``similarity`` to the persona a cosine, ``uses`` at least 1, ``last_used`` in seconds
    since 1970.
    """

    importance: Numbers
    similarity: Numbers
    uses: Numbers
    last_used: Numbers


def scores(columns: TierColumns, moment: float, options: TierOptions) -> Floats:
    """Return S_m = (alpha I + beta Sim) ln(1 + C) exp(-Lambda (moment - last) / ln(1 + C)) of each row; at least 0.

    ``moment`` is in seconds since 1970. Writing a record counts as its first use, and a similarity below 0 counts as 0.
    """
    worth = np.zeros(len(columns.importance))
    if options.scoring != "similarity":
        worth += options.alpha * columns.importance.astype(np.float64)
    if options.scoring != "importance":
        worth += options.beta * np.maximum(columns.similarity.astype(np.float64), 0.0)
    return worth * _practice(columns.uses) * retention(columns.uses, columns.last_used, moment, options.decay)


def drifted(new: NDArray[np.floating], anchor: NDArray[np.floating] | None, tau: float) -> bool:
    """Tell if a persona's vector is at least ``tau`` from the anchor's (HMO, drift gate); always without an anchor."""
    return anchor is None or float(np.linalg.norm(new.astype(np.float64) - anchor.astype(np.float64))) >= tau


def latest(sessions: Mapping[int, int], count: int) -> tuple[int, ...]:
    """Return the sessions whose last record is the latest, latest first; of equals the greater number."""
    return tuple(sorted(sessions, key=lambda number: (sessions[number], number), reverse=True)[:count])


# Columns.


def tier_columns(
    corpus: Corpus,
    derived: DerivedState,
    seqs: Sequence[int],
    personas: Mapping[ScopedPerson, Values],
    recorded: Sequence[Use] | None = None,
) -> tuple[Rows, TierColumns]:
    """Return the rows of the formed turns among ``seqs``, and their columns.

    A turn is compared with the vector of its speaker's persona. Writing the turn is its first use; ``recorded`` are the
    further uses, if they are known already.
    """
    columns, judgements = corpus.columns, derived.judgements
    rows, importance = columns.rows_of(seqs), judgements.importances(seqs)
    is_formed = (rows >= 0) & (importance > 0)
    rows, importance = rows[is_formed], importance[is_formed]
    uses, last = np.ones(len(rows), np.int64), columns.said[rows] // _SECOND
    index_of = {seq: index for index, seq in enumerate(columns.seq[rows].tolist())}
    for use in corpus.storage.uses(seqs=seqs) if recorded is None else recorded:
        if (index := index_of.get(use.seq)) is not None:
            uses[index] += use.uses
            last[index] = max(last[index], use.last // _SECOND)
    return rows, TierColumns(importance, similarities(corpus, derived, personas, rows), uses, last)


def similarities(corpus: Corpus, derived: DerivedState, personas: Mapping[ScopedPerson, Values], rows: Rows) -> Values:
    """Return the cosine of each row with the persona of its speaker, 0 if there is none."""
    cosines = np.zeros(len(rows), np.float32)
    if 0 < len(rows) <= _MAX_ROWS_ONE_BY_ONE:
        likened = np.zeros((len(rows), corpus.embedder.dimension), np.float32)
        for person, indices in _people(corpus, derived, rows):
            likened[indices] = personas.get(person, np.float32(0))
        return np.einsum("ij,ij->i", corpus.vectors_at(rows), likened)
    for person, indices in _people(corpus, derived, rows):
        for start in range(0, len(indices) if person in personas else 0, _AT_ONCE):
            batch = indices[start : start + _AT_ONCE]
            cosines[batch] = corpus.vectors_at(rows[batch]) @ personas[person]
    return cosines


def _people(corpus: Corpus, derived: DerivedState, rows: Rows) -> Iterator[tuple[ScopedPerson, Rows]]:
    """Yield the speakers of rows, each with the places of some of their rows."""
    columns, names, judgements = corpus.columns, derived.names, derived.judgements
    speaker_names, speakers = {speaker.number: speaker.name for speaker in corpus.speakers}, columns.speaker[rows]
    owners = np.zeros(len(rows), np.int64)
    all_owners = [COMMON, *sorted(judgements.owned)]
    if judgements.owned:
        numbers = {owner: number for number, owner in enumerate(all_owners)}
        owners[:] = [numbers[judgements.owner(seq)] for seq in columns.seq[rows].tolist()]
    for number, owner in enumerate(all_owners):
        for speaker in np.unique(speakers[owners == number]).tolist():
            person = names.find(scoped(owner, speaker_names[speaker]))
            if person is not None:
                yield person, np.flatnonzero((speakers == speaker) & (owners == number))


def greatest(score: Floats, rows: Rows, count: int) -> Rows:
    """Return the rows with the greatest scores; of equals the later rows."""
    if count <= 0 or len(rows) <= count:
        return rows[: max(count, 0)]
    of_rows = score[rows]
    threshold = np.partition(of_rows, len(rows) - count)[len(rows) - count]
    greater, equal = rows[of_rows > threshold], rows[of_rows == threshold]
    return np.concatenate([greater, equal[len(equal) - (count - len(greater)) :]])


class UpperTiers:
    """Rows of cache and buffer, best first: of all turns, or of an ``owner``'s.

    Use it inside ``corpus.reading()``, the derived state caught up.

    ``cache`` holds the turns of the latest ``sessions`` (by number, latest first) and the ``pivotal`` ones. ``scored``
    counts the scores computed since the state was made, ``promoted`` and ``demoted`` the turns that the last refresh
    moved up and down.
    """

    def __init__(self, corpus: Corpus, derived: DerivedState, options: TierOptions, owner: str | None = None) -> None:
        self._corpus, self._options, self._owner = corpus, options, owner
        # A weak reference: this state lives as long as the derived state and must not keep that alive.
        self._derived: DerivedState = proxy(derived)
        self._begin()

    def _begin(self) -> None:
        self.cache = self.buffer = self.pivotal = _NO_ROWS
        self.sessions: tuple[int, ...] = ()
        self.scored = self.promoted = self.demoted = 0
        self.anchors: dict[ScopedPerson, Values] = {}
        self._scores, self._seqs, self._alive, self._inside = np.zeros(0), _NO_ROWS, 0, _NO_ROWS
        self._codes = np.zeros(0, np.uint8)
        self._latest: dict[int, int] = {}
        self._step, self._now = 0, 0.0
        self._version: tuple[int, FormationProgress] | None = None

    # Views.

    @property
    def records(self) -> int:
        """Number of turns that have a tier."""
        return int((self._scores != _UNKNOWN).sum())

    def score(self, row: int) -> float:
        """Return the score of a turn when it was last computed."""
        return float(self._scores[row])

    def tier(self, row: int) -> TierName:
        """Return the tier of a turn."""
        return CODES[int(self._codes[row])]

    # Updates.

    def refresh(self, moment: float | None = None) -> None:
        """Take up what changed.

        ``moment`` is in seconds since 1970; by default the time used last or, at first, that of the newest turn.
        """
        version, columns = (self._corpus.watermark, self._derived.at), self._corpus.columns
        if is_first := self._version is None or self._version[1].cleared != version[1].cleared:
            self._begin()
        used = self._corpus.state.used
        uses = self._corpus.storage.uses(since=self._step) if used > self._step else []
        self._step = max(used, self._step, *(use.step for use in uses))
        # Rows are numbered anew without a change of the turns.
        has_changed = version != self._version or len(columns) != len(self._seqs)
        self._version = version
        has_removals = has_changed and self._follow()
        new_rows = self._pending() if has_changed else _NO_ROWS
        if is_first and moment is None:
            moment = float(columns.said[new_rows].max(initial=0) // _SECOND)
        touched = [columns.rows_of([use.seq for use in uses])]
        another_day = moment is not None and abs(moment - self._now) >= _DAY
        if rescore_upper := self._drift() or another_day:
            touched += [self.cache, self.buffer]
            self._now = self._now if moment is None else moment
        rows, before = distinct(np.concatenate([new_rows, *touched])), (self.cache, self.buffer)
        if len(rows) or has_removals:
            # All uses of new turns have just been read if the tiers are made, and all of used ones if only these are.
            known_uses = uses if is_first or not (rescore_upper or len(new_rows)) else None
            self._rescore(rows[rows >= 0], new_rows, known_uses, has_removals=has_removals)
            self._count_moves(*before)
        if is_first:
            self.scored = self.promoted = self.demoted = 0

    def _follow(self) -> bool:
        """Adapt to rows that were added, removed or renumbered; tell if any was removed."""
        columns = self._corpus.columns
        known_count = len(self._seqs)
        has_removals = False
        if int(columns.alive[:known_count].sum()) != self._alive or not np.array_equal(
            columns.seq[:known_count], self._seqs
        ):
            has_removals = True
            new_rows = columns.rows_of(self._seqs)
            scores = np.full(len(columns), _UNKNOWN)
            scores[new_rows[new_rows >= 0]] = self._scores[new_rows >= 0]
            self._scores = scores
            self.cache, self.buffer, self.pivotal = (
                rows_after[rows_after >= 0]
                for rows_after in (new_rows[rows] for rows in (self.cache, self.buffer, self.pivotal))
            )
            self._latest.clear()
            self._note_sessions(np.flatnonzero(scores != _UNKNOWN))
        self._scores = np.concatenate([self._scores, np.full(len(columns) - len(self._scores), _UNKNOWN)])
        self._note_tiers()
        self._seqs, self._alive = columns.seq.copy(), int(columns.alive.sum())
        return has_removals

    def _pending(self) -> Rows:
        """Return the living turns that have no score yet."""
        columns = self._corpus.columns
        rows = np.flatnonzero(columns.alive & (self._scores == _UNKNOWN))
        return columns.rows_of(self._formed(columns.seq[rows].tolist()))

    def _formed(self, seqs: Sequence[int]) -> list[int]:
        """Return which of some turns are formed, and the owner's if there is one."""
        judgements, owner = self._derived.judgements, self._owner
        formed: list[int] = np.array(seqs, np.int64)[judgements.importances(seqs) > 0].tolist()
        return formed if owner is None else [seq for seq in formed if judgements.owner(seq) == owner]

    def _note_sessions(self, rows: Rows) -> None:
        """Note when the sessions of these rows were continued last."""
        columns = self._corpus.columns
        for session, moment in zip(columns.session[rows].tolist(), columns.said[rows].tolist(), strict=True):
            self._latest[session] = max(moment, self._latest.get(session, moment))

    def _drift(self) -> bool:
        """Tell if any speaker's persona has drifted from its anchor, and move that anchor (HMO, drift gate)."""
        personas, has_drifted = self._derived.personas, False
        for person in personas.people():
            persona = personas.get(person) if self._owner in (None, person.owner) else None
            if persona is not None and drifted(persona.vector, self.anchors.get(person), self._options.drift):
                self.anchors[person] = persona.vector
                has_drifted = True
        return has_drifted

    def _rescore(self, rows: Rows, new_rows: Rows, uses: Sequence[Use] | None, *, has_removals: bool) -> None:
        """Score these rows and rank them against the upper tiers."""
        seqs = self._formed(self._corpus.columns.seq[rows].tolist())
        formed_rows, columns_of_rows = tier_columns(self._corpus, self._derived, seqs, self.anchors, uses)
        self._scores[formed_rows] = scores(columns_of_rows, self._now, self._options)
        self.scored += len(formed_rows)
        before = self.sessions
        # A use changes neither the latest sessions nor their turns.
        if has_removals or len(new_rows):
            self._note_sessions(formed_rows[np.isin(formed_rows, new_rows)])
            self.sessions = latest(self._latest, self._options.sessions)
            self._inside = self._rows_of(self.sessions)
        # Turns of a session that is no longer among the latest are ranked by their scores. If some turns are gone,
        # so is the archive, by the scores that it has.
        departed_rows = self._rows_of([session for session in before if session not in self.sessions])
        scored_rows = np.flatnonzero(self._scores != _UNKNOWN) if has_removals else _NO_ROWS
        self._rank(distinct(np.concatenate([self.pivotal, self.buffer, formed_rows, departed_rows, scored_rows])))

    def _rows_of(self, sessions: Sequence[int]) -> Rows:
        """Return the scored turns of some sessions."""
        if not sessions:
            return _NO_ROWS
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
        """Count the turns that moved up and down."""
        was = self._codes
        self._note_tiers()
        self.promoted = int((was[self.cache] > _CACHE).sum() + (was[self.buffer] > _BUFFER).sum())
        self.demoted = int((self._codes[cache] > _CACHE).sum() + (self._codes[buffer] > _BUFFER).sum())

    def _note_tiers(self) -> None:
        self._codes = np.full(len(self._scores), _ARCHIVE, np.uint8)
        self._codes[self.buffer], self._codes[self.cache] = _BUFFER, _CACHE


# Upper tiers of each open memory, for as long as its derived state lives.
_UPPER_TIERS: Final[WeakKeyDictionary[DerivedState, dict[tuple[TierOptions, str | None], UpperTiers]]] = (
    WeakKeyDictionary()
)
# Number of them that are kept: each takes some bytes for every turn of the memory.
_MAX_CACHED_TIERS: Final = 16


def upper_tiers(corpus: Corpus, derived: DerivedState, options: TierOptions, owner: str | None = None) -> UpperTiers:
    """Return the state of a memory's upper tiers, or of an owner's, which recall and views share."""
    tiers_of_memory = _UPPER_TIERS.setdefault(derived, {})
    tiers = tiers_of_memory.pop((options, owner), None) or UpperTiers(corpus, derived, options, owner)
    tiers_of_memory[options, owner] = tiers
    if len(tiers_of_memory) > _MAX_CACHED_TIERS:
        del tiers_of_memory[next(iter(tiers_of_memory))]
    return tiers


def tiers_of(corpus: Corpus, derived: DerivedState, options: TierOptions, owner: str | None = None) -> Tiers:
    """Return the tiers as the last recall saw them; before any recall, at the time of the newest turn."""
    upper = upper_tiers(corpus, derived, options, owner)
    upper.refresh()
    rows = np.concatenate([upper.cache, upper.buffer])
    seqs = corpus.columns.seq[rows].tolist()
    tier_rows = tier_columns(corpus, derived, seqs, upper.anchors)[1]
    turns = corpus.turns(rows)
    records = [
        _record(upper, row, turns[row], tier_rows, index) for index, row in enumerate(rows.tolist()) if row in turns
    ]
    names = {int(corpus.columns.session[row]): turn.session for row, turn in turns.items()}
    counts: dict[TierName, int] = {"cache": len(upper.cache), "buffer": len(upper.buffer)}
    return Tiers(
        cache=tuple(record for record in records if record.tier == "cache"),
        buffer=tuple(record for record in records if record.tier == "buffer"),
        sessions=tuple(names[number] for number in upper.sessions if number in names),
        counts={**counts, "archive": upper.records - len(rows)},
    )


def _record(upper: UpperTiers, row: int, turn: Turn, columns: TierColumns, index: int) -> Record:
    return Record(
        id=turn.id,
        tier=upper.tier(row),
        text=turn.content,
        speaker=turn.speaker,
        when=turn.at,
        importance=int(columns.importance[index]),
        similarity=float(columns.similarity[index]),
        uses=int(columns.uses[index]),
        score=upper.score(row),
        pivotal=row in upper.pivotal,
    )
