"""What a thousand messages cost."""

import pytest
from genai_prices import Usage, calc_price

from hmem.language.llm.prices import PRICES, describe_price, of_1000_messages


@pytest.mark.parametrize("name", PRICES)
def test_the_table_has_the_published_prices(name: str) -> None:
    provider, _, model = name.partition(":")
    usage = Usage(input_tokens=1_000_000), Usage(output_tokens=1_000_000)
    found = tuple(float(calc_price(each, model_ref=model, provider_id=provider).total_price) for each in usage)
    assert found == PRICES[name]


def test_a_thousand_messages_cost_a_thousand_times_their_tokens() -> None:
    assert dict(of_1000_messages(200, 100))["openai:gpt-4o-mini"] == pytest.approx(0.03 + 0.06)
    assert describe_price(200, 100).startswith(
        "200 tokens in and 100 out a message; 1,000 messages: openai:gpt-4o-mini $0.09, "
    )
