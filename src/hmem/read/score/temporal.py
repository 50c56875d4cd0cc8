"""How well a memory's time agrees with the time that a question names (H-Mem, tree and graph: score T)."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.model.span import Span, to_stored

# In seconds: it keeps the union of two instants from being nothing, and changes no other score.
EPSILON: Final = 1e-3
_MICROSECONDS: Final = 1_000_000

Seconds = NDArray[np.float64]
Values = NDArray[np.float32]


def temporal(starts: Seconds, ends: Seconds, spans: Sequence[Span], balance: float = 0.5) -> Values:
    """T of each interval against the best of the question's spans, 0 to 1; 0 for all when it names no time.

    ``T = balance * |Im & Iq| / (|Im | Iq| + e) + (1 - balance) * (1 - |cm - cq| / (|Im | Iq| + e))``, with intervals in
    seconds since 1970 and ``c`` their centres; an instant has the length 0. The second part falls without bound with
    the distance, so that T is cut off at 0: what is far is as good as what has no time at all.
    """
    best = np.zeros(len(starts), np.float64)
    for span in spans:
        np.maximum(best, _agreement(starts, ends, seconds(span), balance), out=best)
    return np.clip(best, 0.0, 1.0).astype(np.float32)


def _agreement(starts: Seconds, ends: Seconds, asked: tuple[float, float], balance: float) -> Seconds:
    start, end = asked
    shared = np.clip(np.minimum(ends, end) - np.maximum(starts, start), 0.0, None)
    union = (ends - starts) + (end - start) - shared + EPSILON
    apart = np.abs((starts + ends) / 2 - (start + end) / 2)
    return balance * shared / union + (1 - balance) * (1 - apart / union)


def share_within(starts: Seconds, ends: Seconds, spans: Sequence[Span]) -> Values:
    """How much of each interval lies within the question's spans, the best of them, 0 to 1; an instant lies in or out.

    A span includes its start and not its end.
    """
    best = np.zeros(len(starts), np.float64)
    for start, end in map(seconds, spans):
        shared = np.clip(np.minimum(ends, end) - np.maximum(starts, start), 0.0, None)
        lengths = ends - starts
        inside = np.where(lengths > 0, shared / np.maximum(lengths, EPSILON), (starts >= start) & (starts < end))
        np.maximum(best, inside, out=best)
    return np.minimum(best, 1.0).astype(np.float32)


def seconds(span: Span) -> tuple[float, float]:
    """The bounds of a span in seconds since 1970."""
    return to_stored(span.start)[0] / _MICROSECONDS, to_stored(span.end)[0] / _MICROSECONDS
