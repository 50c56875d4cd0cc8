"""What tokens cost."""

import pytest

from hmem.language.analyst.model.endpoint import CallSettings, Endpoint
from hmem.language.analyst.model.pricing import price_of_tokens

MILLION = 1_000_000


def test_a_price_that_is_given_counts() -> None:
    assert (
        price_of_tokens(Endpoint("openai", "m", "http://x/v1"), CallSettings(price=(1.0, 2.0)), MILLION, MILLION) == 3.0
    )


def test_a_published_price_is_known() -> None:
    cost = price_of_tokens(Endpoint("openai", "gpt-4o-mini"), CallSettings(), MILLION, 0)
    assert cost == pytest.approx(0.15, rel=0.5)


@pytest.mark.parametrize("endpoint", [Endpoint("openai", "no-such-model"), Endpoint("openai", "m", "http://x/v1")])
def test_elsewhere_no_price_is_known(endpoint: Endpoint) -> None:
    assert price_of_tokens(endpoint, CallSettings(), 1, 1) is None
