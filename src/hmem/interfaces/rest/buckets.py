"""How many requests a key may make: a bucket of tokens for each, which fills at a steady rate."""

from collections import OrderedDict
from collections.abc import Callable
from math import ceil
from time import monotonic
from typing import Final

from hmem.errors import TooManyRequests

_KEPT: Final = 10_000


class Buckets:
    """``rate`` tokens a second for each name, up to ``burst`` at once. For one thread."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = monotonic) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._filled: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> None:
        """Take a token of a name.

        Raises:
            TooManyRequests: none is left; ``retry_after`` of it is in how many seconds one is.
        """
        now = self._clock()
        tokens, at = self._filled.get(name, (self._burst, now))
        tokens = min(self._burst, tokens + (now - at) * self._rate)
        left = tokens - 1 if tokens >= 1 else tokens
        self._filled[name] = (left, now)
        self._filled.move_to_end(name)
        if len(self._filled) > _KEPT:
            # The longest unasked one is full again, or nearly so.
            self._filled.popitem(last=False)
        if tokens < 1:
            error = TooManyRequests(f"a key may make {self._rate:g} requests a second here - wait for a moment")
            error.retry_after = max(1, ceil((1 - tokens) / self._rate))
            raise error
