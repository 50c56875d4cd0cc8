"""Prices of some models, to tell what a memory's messages cost; the account of a memory uses the published ones."""

from collections.abc import Iterator
from typing import Final

from hmem.util.amounts import amount

# US dollars for a million tokens in and out, as published on this day.
PRICE_DATE: Final = "2026-11-28"
PRICES: Final = {
    "openai:gpt-4o-mini": (0.15, 0.60),
    "openai:gpt-5-mini": (0.25, 2.00),
    "anthropic:claude-haiku-4-5": (1.00, 5.00),
}
_THOUSAND_OF_A_MILLION: Final = 1_000 / 1_000_000


def of_1000_messages(input_tokens: float, output_tokens: float) -> Iterator[tuple[str, float]]:
    """Yield the price of 1,000 messages for each named model, of the tokens of one message, without any discount."""
    for name, (input_price, output_price) in PRICES.items():
        yield name, (input_tokens * input_price + output_tokens * output_price) * _THOUSAND_OF_A_MILLION


def describe_price(input_tokens: float, output_tokens: float) -> str:
    """Return the tokens of a message and the price of 1,000 messages as one line."""
    money = ", ".join(f"{name} ${price:.2f}" for name, price in of_1000_messages(input_tokens, output_tokens))
    tokens = f"{amount(round(input_tokens), 'token')} in and {output_tokens:.0f} out a message"
    return f"{tokens}; 1,000 messages: {money} (prices of {PRICE_DATE})"
