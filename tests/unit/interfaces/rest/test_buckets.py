"""How many requests a key may make."""

import pytest

from hmem.errors import TooManyRequests
from hmem.interfaces.rest.buckets import Buckets


def test_a_bucket_holds_a_burst_and_fills_at_its_rate() -> None:
    time = 100.0
    buckets = Buckets(2.0, 3, lambda: time)
    for _ in range(3):
        buckets.take("a")
    with pytest.raises(TooManyRequests) as refused:
        buckets.take("a")
    assert refused.value.retry_after == 1
    buckets.take("b")
    time += 0.5
    buckets.take("a")
    with pytest.raises(TooManyRequests):
        buckets.take("a")
    time += 1_000.0
    for _ in range(3):
        buckets.take("a")


def test_a_slow_rate_says_for_how_long_to_wait() -> None:
    buckets = Buckets(0.1, 1, lambda: 0.0)
    buckets.take("a")
    with pytest.raises(TooManyRequests) as refused:
        buckets.take("a")
    assert refused.value.retry_after == 10
