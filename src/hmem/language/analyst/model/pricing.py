"""What tokens cost, by the price that was given, or by the providers' published ones."""

from typing import TYPE_CHECKING, Final

from hmem.language.analyst.model.endpoint import CallSettings, Endpoint

if TYPE_CHECKING:
    from genai_prices import Usage
    from pydantic_ai.usage import RequestUsage

_MILLION: Final = 1_000_000


def price_of(endpoint: Endpoint, manner: CallSettings, usage: "Usage | RequestUsage") -> float | None:
    """What tokens sent and received cost at an endpoint; None where no price is known. It asks nobody."""
    if manner.price is not None:
        sent, received = manner.price
        return (float(usage.input_tokens or 0) * sent + float(usage.output_tokens or 0) * received) / _MILLION
    if endpoint.is_foreign:
        return None
    from genai_prices import calc_price  # noqa: PLC0415 - takes a while, and few ask

    try:
        return float(calc_price(usage, model_ref=endpoint.model, provider_id=endpoint.provider).total_price)
    except LookupError:
        return None


def price_of_tokens(endpoint: Endpoint, manner: CallSettings, input_tokens: int, output_tokens: int) -> float | None:
    """The same of so many tokens, none of which the provider had cached."""
    from genai_prices import Usage  # noqa: PLC0415 - takes a while, and few ask

    return price_of(endpoint, manner, Usage(input_tokens=input_tokens, output_tokens=output_tokens))
