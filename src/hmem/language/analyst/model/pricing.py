"""What tokens cost, by the price that was given, or by the providers' published ones."""

from typing import Final

from hmem.language.analyst.model.endpoint import Endpoint, Manner

_MILLION: Final = 1_000_000


def price_of(endpoint: Endpoint, manner: Manner, input_tokens: int, output_tokens: int) -> float | None:
    """What tokens sent and received cost at an endpoint; None where no price is known. It asks nobody."""
    if manner.price is not None:
        sent, received = manner.price
        return (input_tokens * sent + output_tokens * received) / _MILLION
    if endpoint.is_foreign:
        return None
    from genai_prices import Usage, calc_price  # noqa: PLC0415 - takes a while, and few ask

    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    try:
        return float(calc_price(usage, model_ref=endpoint.model, provider_id=endpoint.provider).total_price)
    except LookupError:
        return None
