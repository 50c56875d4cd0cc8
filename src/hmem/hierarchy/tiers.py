"""The tiers: cache, buffer and archive as views over one store, by sessions and by score (HMO, three tiers)."""

from dataclasses import dataclass
from math import log
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from hmem.model.tier import TierName

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Scoring = Literal["hybrid", "importance", "similarity"]

CODES: Final[tuple[TierName, ...]] = ("cache", "buffer", "archive")
_CACHE, _BUFFER, _ARCHIVE = range(3)

_DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True)
class TierOptions:
    """The constants of HMO: S, K, H, alpha, beta, Lambda and tau.

    ``decay`` is Lambda, a day. The paper does not give it: at log(2) / 365 a record that was used once keeps 1/e of
    its score after a year, as in H-Mem's robustness term. ``scoring`` by importance or by similarity alone are the
    paper's ablations. ``drift`` is the distance between unit vectors from which a persona is another one.
    """

    sessions: int = 5
    pivotal: int = 50
    buffer: int = 200
    alpha: float = 1.0
    beta: float = 1.0
    decay: float = log(2) / 365
    drift: float = 0.10
    scoring: Scoring = "hybrid"


@dataclass(frozen=True, slots=True)
class TierColumns:
    """The records, a row each: ``importance`` (1 to 10), ``similarity`` to the persona (a cosine), ``uses`` from 1,
    ``last_used`` and ``said`` in seconds since 1970, ``session`` by number.
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
    """The tier of each row (a place in ``CODES``), its score, and whether it is pivotal.

    ``cache`` and ``buffer`` are rows, best first; ``sessions`` are the cached ones by number, latest first.
    """

    codes: NDArray[np.uint8]
    scores: Floats
    pivotal: NDArray[np.bool_]
    cache: Integers
    buffer: Integers
    sessions: tuple[int, ...]


def scores(columns: TierColumns, now: float, options: TierOptions) -> Floats:
    """S_m = (alpha I + beta Sim) ln(1 + C) exp(-Lambda (now - last) / ln(1 + C)) of each row; never below 0.

    ``now`` is in seconds since 1970. A record was used once when it was written, a similarity below 0 counts as 0,
    and what was last used later than now counts as used now.
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
    """The tiers of all records; no list of all is sorted by score.

    The cache is the latest sessions, by their last record, and the pivotal records: those with the greatest score of
    the others. (The paper orders tier 1 anew when the persona drifts, which only the score sees, so that the score
    and not the importance alone decides what is pivotal.) The buffer is the next by score. Of equals the later row
    comes first.
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
    """Whether a persona's vector is at least ``tau`` away from the anchor's (HMO, drift gate); without one it is."""
    return anchor is None or float(np.linalg.norm(new.astype(np.float64) - anchor.astype(np.float64))) >= tau


def _latest(session: Integers, said: Floats, count: int) -> tuple[int, ...]:
    """The sessions whose last record is the latest, latest first; of equals the greater number."""
    numbers, places = np.unique(session, return_inverse=True)
    last = np.full(len(numbers), -np.inf)
    np.maximum.at(last, places, said)
    order = np.lexsort((numbers, last))[::-1][:count]
    return tuple(int(number) for number in numbers[order])


def greatest(score: Floats, rows: Integers, count: int) -> Integers:
    """Those of the rows with the greatest scores; of equals the later rows."""
    if count <= 0 or len(rows) <= count:
        return rows[: max(count, 0)]
    of_rows = score[rows]
    least = np.partition(of_rows, len(rows) - count)[len(rows) - count]
    above, equal = rows[of_rows > least], rows[of_rows == least]
    return np.concatenate([above, equal[len(equal) - (count - len(above)) :]])


def _ranked(score: Floats, chosen: NDArray[np.bool_]) -> Integers:
    rows = np.flatnonzero(chosen)
    return rows[np.lexsort((rows, score[rows]))[::-1]]
