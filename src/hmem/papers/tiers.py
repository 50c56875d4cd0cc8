"""Tiers: cache, buffer and archive as views over one store, by sessions and by score (HMO, three tiers).

``tier_columns`` collects the columns that scores come from, a row for each formed turn. ``arrange`` computes the
tiers of a whole memory. ``UpperTiers`` keeps cache and buffer up to date as turns come, go and are used.

The upper tiers live in the process and can be derived again from the turns and their uses. They score all records once,
when made. After that a record is scored when it comes and when it is used, by this process or another; the upper tiers
are scored again when a persona has drifted or on another day. The archive is never scored again as a whole, and
importance is never judged again.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary, proxy

import numpy as np
from numpy.typing import NDArray

from hmem.corpus.corpus import Corpus
from hmem.corpus.index.rows import distinct
from hmem.derived.speaker_names import ScopedPerson
from hmem.derived.state import DerivedState
from hmem.model.scope import COMMON, scoped
from hmem.model.tier import Record, TierName, TierOptions, Tiers
from hmem.model.turn import Turn
from hmem.storage.base import Formed, Use

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CODES: Final[tuple[TierName, ...]] = ("cache", "buffer", "archive")
_CACHE, _BUFFER, _ARCHIVE = range(3)

_DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class TierColumns:
    """Records, a row each.

    ``importance`` is 1 to 10, ``similarity`` to the persona a cosine, ``uses`` at least 1, ``last_used`` and ``said``
    in seconds since 1970, ``session`` a number.
    """

    importance: NDArray[np.generic]
    similarity: NDArray[np.generic]
    uses: NDArray[np.generic]
    last_used: NDArray[np.generic]
    session: NDArray[np.generic]
    said: NDArray[np.generic]

    def __len__(self) -> int:
        return len(self.importance)


@dataclass(frozen=True, slots=True)
class TierView:
    """Tier of each row (an index into ``CODES``), its score, and if it is pivotal.

    ``cache`` and ``buffer`` are rows, best first; ``sessions`` are the cached ones by number, latest first.
    """

    codes: NDArray[np.uint8]
    scores: Floats
    pivotal: NDArray[np.bool_]
    cache: Integers
    buffer: Integers
    sessions: tuple[int, ...]


def scores(columns: TierColumns, now: float, options: TierOptions) -> Floats:
    """Return S_m = (alpha I + beta Sim) ln(1 + C) exp(-Lambda (now - last) / ln(1 + C)) of each row; at least 0.

    ``now`` is in seconds since 1970. Writing a record counts as its first use, a similarity below 0 counts as 0, and a
    last use after ``now`` counts as now.
    """
    uses = np.log1p(np.maximum(columns.uses.astype(np.float64), 1.0))
    days = np.maximum(now - columns.last_used.astype(np.float64), 0.0) / _DAY
    worth = np.zeros(len(columns))
    if options.scoring != "similarity":
        worth += options.alpha * columns.importance.astype(np.float64)
    if options.scoring != "importance":
        worth += options.beta * np.maximum(columns.similarity.astype(np.float64), 0.0)
    return worth * uses * np.exp(-options.decay * days / uses)


def arrange(columns: TierColumns, now: float, options: TierOptions | None = None) -> TierView:
    """Return the tiers of all records; no list of all is sorted by score.

    The cache is the latest sessions, by their last record, and the pivotal records: those of the rest with the greatest
    scores. (The paper reorders tier 1 when the persona drifts, which only the score reflects. So the score alone, not
    the importance, decides what is pivotal.) The buffer is the next by score. Of equals the later row comes first.
    """
    chosen = options or TierOptions()
    score = scores(columns, now, chosen)
    session = columns.session.astype(np.int64)
    sessions = _latest(session, columns.said.astype(np.float64), chosen.sessions)
    codes = np.full(len(columns), _ARCHIVE, np.uint8)
    codes[np.isin(session, sessions)] = _CACHE
    pivots = greatest(score, np.flatnonzero(codes == _ARCHIVE), chosen.pivotal)
    codes[pivots] = _CACHE
    pivotal = np.zeros(len(columns), np.bool_)
    pivotal[pivots] = True
    codes[greatest(score, np.flatnonzero(codes == _ARCHIVE), chosen.buffer)] = _BUFFER
    return TierView(codes, score, pivotal, _ranked(score, codes == _CACHE), _ranked(score, codes == _BUFFER), sessions)


def drifted(new: NDArray[np.floating], anchor: NDArray[np.floating] | None, tau: float) -> bool:
    """Tell if a persona's vector is at least ``tau`` from the anchor's (HMO, drift gate); always without an anchor."""
    return anchor is None or float(np.linalg.norm(new.astype(np.float64) - anchor.astype(np.float64))) >= tau


def _latest(session: Integers, said: Floats, count: int) -> tuple[int, ...]:
    """Return the sessions whose last record is the latest, latest first; of equals the greater number."""
    numbers, places = np.unique(session, return_inverse=True)
    last = np.full(len(numbers), -np.inf)
    np.maximum.at(last, places, said)
    order = np.lexsort((numbers, last))[::-1][:count]
    return tuple(int(number) for number in numbers[order])


def greatest(score: Floats, rows: Integers, count: int) -> Integers:
    """Return the rows with the greatest scores; of equals the later rows."""
    if count <= 0 or len(rows) <= count:
        return rows[: max(count, 0)]
    of_rows = score[rows]
    least = np.partition(of_rows, len(rows) - count)[len(rows) - count]
    above, equal = rows[of_rows > least], rows[of_rows == least]
    return np.concatenate([above, equal[len(equal) - (count - len(above)) :]])


def _ranked(score: Floats, chosen: NDArray[np.bool_]) -> Integers:
    rows = np.flatnonzero(chosen)
    return rows[np.lexsort((rows, score[rows]))[::-1]]


_AT_ONCE: Final = 8_192
# Up to this many rows are compared one by one, which is faster than by speaker.
_FEW: Final = 16
_SECOND: Final = 1_000_000

Values = NDArray[np.float32]


def tier_columns(
    corpus: Corpus,
    derived: DerivedState,
    seqs: Sequence[int] | None = None,
    *,
    personas: Mapping[ScopedPerson, Values] | None = None,
    recorded: Sequence[Use] | None = None,
) -> tuple[Integers, TierColumns]:
    """Return the rows of the formed turns, of all or of ``seqs``, and their columns.

    A turn is compared with the persona of its speaker: the current one, or the one in ``personas``. Writing the turn is
    its first use; ``recorded`` are the further uses, if they are known already.
    """
    columns, judgements = corpus.columns, derived.judgements
    wanted = judgements.seqs() if seqs is None else [seq for seq in seqs if seq in judgements]
    rows = columns.rows_of(wanted)
    importance = np.array([judgement.importance for judgement in map(judgements.of, wanted) if judgement], np.int8)
    importance, rows = importance[rows >= 0], rows[rows >= 0]
    said = columns.said[rows] // _SECOND
    uses, last = np.ones(len(rows), np.int64), said.copy()
    recorded = corpus.storage.uses(seqs=seqs) if recorded is None else recorded
    places = _places(columns.seq[rows], np.array([use.seq for use in recorded], np.int64))
    for place, use in zip(places.tolist(), recorded, strict=True):
        if place >= 0:
            uses[place] += use.uses
            last[place] = max(last[place], use.last // _SECOND)
    return rows, TierColumns(
        importance=importance,
        similarity=similarities(corpus, derived, _vectors(derived) if personas is None else personas, rows),
        uses=uses,
        last_used=last,
        session=columns.session[rows],
        said=said,
    )


def _places(seqs: Integers, wanted: Integers) -> Integers:
    """Return the positions of sequence numbers among others, -1 for missing ones."""
    if not len(seqs):
        return np.full(len(wanted), -1, np.int64)
    order = np.argsort(seqs, kind="stable")
    found = order[np.minimum(np.searchsorted(seqs, wanted, sorter=order), len(seqs) - 1)]
    return np.where(seqs[found] == wanted, found, -1)


def _vectors(derived: DerivedState) -> dict[ScopedPerson, Values]:
    """Return the vector of each persona."""
    kept = {person: derived.personas.of(person) for person in derived.personas.people()}
    return {person: persona.vector for person, persona in kept.items() if persona is not None}


def similarities(
    corpus: Corpus, derived: DerivedState, personas: Mapping[ScopedPerson, Values], rows: Integers
) -> Values:
    """Return the cosine of each row with the persona of its speaker, 0 if there is none."""
    found = np.zeros(len(rows), np.float32)
    if 0 < len(rows) <= _FEW:
        likened = np.zeros((len(rows), corpus.embedder.dimension), np.float32)
        for person, places in _people(corpus, derived, rows):
            likened[places] = personas.get(person, np.float32(0))
        return np.einsum("ij,ij->i", corpus.vectors_at(rows), likened)
    for person, places in _people(corpus, derived, rows):
        for start in range(0, len(places) if person in personas else 0, _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            found[some] = corpus.vectors_at(rows[some]) @ personas[person]
    return found


def _people(corpus: Corpus, derived: DerivedState, rows: Integers) -> Iterator[tuple[ScopedPerson, Integers]]:
    """Yield the speakers of rows, each with the places of some of their rows."""
    columns, names, judgements = corpus.columns, derived.names, derived.judgements
    called, speakers = {speaker.number: speaker.name for speaker in corpus.speakers}, columns.speaker[rows]
    owners = np.zeros(len(rows), np.int64)
    known = [COMMON, *sorted(judgements.owned)]
    if judgements.owned:
        numbers = {owner: number for number, owner in enumerate(known)}
        owners[:] = [numbers[judgements.owner(seq)] for seq in columns.seq[rows].tolist()]
    for number, owner in enumerate(known):
        for speaker in np.unique(speakers[owners == number]).tolist():
            person = names.find(scoped(owner, called[speaker]))
            if person is not None:
                yield person, np.flatnonzero((speakers == speaker) & (owners == number))


Rows = NDArray[np.int64]
AnyIntegers = NDArray[np.integer[Any]]


# Score of a turn that is gone or not formed yet.
_UNKNOWN: Final = -1.0
_IN_CACHE, _IN_BUFFER, _IN_ARCHIVE = range(len(CODES))
_NONE: Final[Rows] = np.zeros(0, np.int64)


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
        self.cache = self.buffer = self.pivotal = _NONE
        self.sessions: tuple[int, ...] = ()
        self.scored = self.promoted = self.demoted = 0
        self.anchors: dict[ScopedPerson, Values] = {}
        self._scores, self._seqs, self._alive, self._inside = np.zeros(0), _NONE, 0, _NONE
        self._codes = np.zeros(0, np.uint8)
        self._latest: dict[int, int] = {}
        self._step, self._now = 0, 0.0
        self._known: tuple[int, Formed] | None = None

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

    def refresh(self, now: float | None = None) -> None:
        """Take up what changed.

        ``now`` is in seconds since 1970; by default the time used last or, at first, that of the newest turn.
        """
        known = (self._corpus.watermark, self._derived.at)
        self.promoted = self.demoted = 0
        if self._known is None or self._known[1].cleared != known[1].cleared:
            self._begin()
            self._make(now)
            self._known = known
            return
        used = self._corpus.state.used
        uses = self._corpus.storage.uses(since=self._step) if used > self._step else []
        self._step = max(used, self._step, *(use.step for use in uses))
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
            # If only used turns are scored, their uses have just been read.
            known_uses = uses if not (anew or len(come)) else None
            self._take_in(rows[rows >= 0], come, known_uses, gone=gone)
            self._count_moves(*before)

    def _make(self, now: float | None) -> None:
        """Compute the tiers of the whole memory."""
        columns = self._corpus.columns
        self._drift()
        # Read before the scores: a use that is recorded meanwhile is taken up twice rather than never.
        self._step = max((use.step for use in self._corpus.storage.uses()), default=0)
        own = None if self._owner is None else self._own(self._derived.judgements.seqs())
        rows, stands = tier_columns(self._corpus, self._derived, own, personas=self.anchors)
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
        """Adapt to rows that were added, removed or renumbered; tell if any was removed."""
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
        """Return the living turns that have no score yet."""
        columns = self._corpus.columns
        rows = np.flatnonzero(columns.alive & (self._scores == _UNKNOWN))
        return rows if self._owner is None else columns.rows_of(self._own(columns.seq[rows].tolist()))

    def _own(self, seqs: Iterable[int]) -> list[int]:
        """Return which of some turns belong to the owner."""
        judgements = self._derived.judgements
        return [seq for seq in seqs if seq in judgements and judgements.owner(seq) == self._owner]

    def _note_sessions(self, sessions: AnyIntegers, said: AnyIntegers) -> None:
        for session, moment in zip(sessions.tolist(), said.tolist(), strict=True):
            self._latest[session] = max(moment, self._latest.get(session, moment))

    def _drift(self) -> bool:
        """Tell if any speaker's persona has drifted from its anchor, and move that anchor (HMO, drift gate)."""
        personas, far = self._derived.personas, False
        for person in personas.people():
            persona = personas.of(person) if self._owner in (None, person.owner) else None
            if persona is not None and drifted(persona.vector, self.anchors.get(person), self._options.drift):
                self.anchors[person] = persona.vector
                far = True
        return far

    def _take_in(self, rows: Rows, come: Rows, uses: Sequence[Use] | None, *, gone: bool) -> None:
        """Score these rows and rank them against the upper tiers."""
        columns = self._corpus.columns
        seqs: list[int] = columns.seq[rows].tolist()
        if self._owner is not None:
            seqs = self._own(seqs)
        formed, stands = tier_columns(self._corpus, self._derived, seqs, personas=self.anchors, recorded=uses)
        self._scores[formed] = scores(stands, self._now, self._options)
        self.scored += len(formed)
        before = self.sessions
        # A use changes neither the latest sessions nor their turns.
        if gone or len(come):
            come = formed[np.isin(formed, come)]
            self._note_sessions(columns.session[come], columns.said[come])
            self.sessions = latest(self._latest, self._options.sessions)
            self._inside = self._rows_of(self.sessions)
        # Turns of a session that is no longer among the latest are ranked by their scores. If some turns are gone,
        # so is the archive, by the scores that it has.
        left = self._rows_of([session for session in before if session not in self.sessions])
        others = np.flatnonzero(self._scores != _UNKNOWN) if gone else _NONE
        self._rank(distinct(np.concatenate([self.pivotal, self.buffer, formed, left, others])))

    def _rows_of(self, sessions: Sequence[int]) -> Rows:
        """Return the scored turns of some sessions."""
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
        """Count the turns that moved up and down."""
        was = self._codes
        self._note_tiers()
        self.promoted = int((was[self.cache] > _IN_CACHE).sum() + (was[self.buffer] > _IN_BUFFER).sum())
        self.demoted = int((self._codes[cache] > _IN_CACHE).sum() + (self._codes[buffer] > _IN_BUFFER).sum())

    def _note_tiers(self) -> None:
        self._codes = np.full(len(self._scores), _IN_ARCHIVE, np.uint8)
        self._codes[self.buffer], self._codes[self.cache] = _IN_BUFFER, _IN_CACHE


def latest(sessions: Mapping[int, int], count: int) -> tuple[int, ...]:
    """Return the sessions whose last record is the latest, latest first; of equals the greater number."""
    return tuple(sorted(sessions, key=lambda number: (sessions[number], number), reverse=True)[:count])


# Upper tiers of each open memory, for as long as its derived state lives.
_HELD: Final[WeakKeyDictionary[DerivedState, dict[tuple[TierOptions, str | None], UpperTiers]]] = WeakKeyDictionary()
# Number of them that are kept: each takes some bytes for every turn of the memory.
_KEPT: Final = 16


def upper_tiers(corpus: Corpus, derived: DerivedState, options: TierOptions, owner: str | None = None) -> UpperTiers:
    """Return the state of a memory's upper tiers, or of an owner's, which recall and views share."""
    held = _HELD.setdefault(derived, {})
    tiers = held.pop((options, owner), None) or UpperTiers(corpus, derived, options, owner)
    held[options, owner] = tiers
    if len(held) > _KEPT:
        del held[next(iter(held))]
    return tiers


def tiers_of(corpus: Corpus, derived: DerivedState, options: TierOptions, owner: str | None = None) -> Tiers:
    """Return the tiers as the last recall saw them; before any recall, at the time of the newest turn."""
    upper = upper_tiers(corpus, derived, options, owner)
    upper.refresh()
    rows = np.concatenate([upper.cache, upper.buffer])
    seqs = corpus.columns.seq[rows].tolist()
    tier_rows = tier_columns(corpus, derived, seqs, personas=upper.anchors)[1]
    turns = corpus.turns(rows)
    records = [
        _record(upper, row, turns[row], tier_rows, place) for place, row in enumerate(rows.tolist()) if row in turns
    ]
    names = {int(corpus.columns.session[row]): turn.session for row, turn in turns.items()}
    counts: dict[TierName, int] = {"cache": len(upper.cache), "buffer": len(upper.buffer)}
    return Tiers(
        cache=tuple(record for record in records if record.tier == "cache"),
        buffer=tuple(record for record in records if record.tier == "buffer"),
        sessions=tuple(names[number] for number in upper.sessions if number in names),
        counts={**counts, "archive": upper.records - len(rows)},
    )


def _record(upper: UpperTiers, row: int, turn: Turn, columns: TierColumns, place: int) -> Record:
    return Record(
        id=turn.id,
        tier=upper.tier(row),
        text=turn.content,
        speaker=turn.speaker,
        when=turn.at,
        importance=int(columns.importance[place]),
        similarity=float(columns.similarity[place]),
        uses=int(columns.uses[place]),
        score=upper.score(row),
        pivotal=row in upper.pivotal,
    )
