"""Where a model is asked: what a string such as ``openai:gpt-4o-mini`` names, and how it is asked there."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args
from urllib.parse import urlsplit

from hmem.errors import InvalidQuery, UnknownName

# How a model is told what shape its answer is to have: by its provider's own means, as the arguments of a tool, or
# in the prompt.
Mode = Literal["native", "tool", "prompted"]

PROVIDERS: Final = ("anthropic", "ollama", "openai")
_LOCAL_OLLAMA: Final = "http://127.0.0.1:11434/v1"
_FORM: Final = re.compile(r"(?P<model>.+?)(?:@(?P<url>https?://[^\s#]+))?(?:#(?P<mode>\w+))?", re.DOTALL)
_SHAPE: Final = "write `{0}:NAME`, `{0}:NAME@http://host:port/v1`, and `#native`, `#tool` or `#prompted` behind it"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model of a provider. ``base_url`` is None for the provider's own; ``mode`` None for what it does best."""

    provider: str
    model: str
    base_url: str | None = None
    mode: Mode | None = None

    @property
    def name(self) -> str:
        """What its results are marked with. Where it is served is no part of it: a port may change."""
        return f"{self.provider}:{self.model}"

    @property
    def is_foreign(self) -> bool:
        """Whether somebody else than the provider serves it: the provider's key is none of their business."""
        return self.base_url is not None


def endpoint(provider: str, variant: str) -> Endpoint:
    """What ``PROVIDER:VARIANT`` names.

    Raises:
        UnknownName: the variant names no model, or its address or mode cannot be used.
    """
    shape = _SHAPE.format(provider)
    form = _FORM.fullmatch(variant.strip())
    if form is None:
        raise UnknownName(f"{provider!r} alone names no model - {shape}")
    url = form["url"]
    if url is not None:
        address = urlsplit(url)
        if address.username or address.password or address.query:
            raise UnknownName("a key does not belong in the name of a model - set HMEM_API_KEY or HMEM_KEY_COMMAND")
        if not address.hostname:
            raise UnknownName(f"the address of {form['model']!r} has no host - {shape}")
    return Endpoint(provider, form["model"], url or usual_url(provider), _mode(form["mode"], shape))


def _mode(said: str | None, shape: str) -> Mode | None:
    for mode in get_args(Mode):
        if said == mode:
            return mode
    if said:
        raise UnknownName(f"{said!r} is no way to ask for a shape - {shape}")
    return None


def usual_url(provider: str) -> str | None:
    """Where a provider without an address in the name is found, if not at its own."""
    if provider == "ollama":
        return os.environ.get("OLLAMA_BASE_URL") or _LOCAL_OLLAMA
    return None


@dataclass(frozen=True, slots=True)
class CallSettings:
    """How a model is asked. Seconds for a call, calls at once, the most tokens of an answer, the price, and how many
    tokens of texts one call is shown where it can be chosen.

    ``price`` is what a million tokens in and a million out cost; None takes what the provider library knows.
    """

    timeout: float = 120.0
    concurrency: int = 4
    max_tokens: int = 8_192
    price: tuple[float, float] | None = None
    input_tokens: int = 32_000


def call_settings(environment: Mapping[str, str] = os.environ) -> CallSettings:
    """The manner that the environment asks for: ``HMEM_MODEL_TIMEOUT`` and its like.

    Raises:
        InvalidQuery: a variable is not a number above zero.
    """
    usual = CallSettings()
    said = environment.get("HMEM_MODEL_PRICE")
    return CallSettings(
        _number(environment, "HMEM_MODEL_TIMEOUT", usual.timeout),
        int(_number(environment, "HMEM_MODEL_CONCURRENCY", usual.concurrency, least=1)),
        int(_number(environment, "HMEM_MODEL_MAX_TOKENS", usual.max_tokens, least=1)),
        _price(said) if said else None,
        int(_number(environment, "HMEM_MODEL_INPUT_TOKENS", usual.input_tokens, least=1)),
    )


def _number(environment: Mapping[str, str], name: str, usual: float, *, least: float = 0.001) -> float:
    said = environment.get(name)
    if not said:
        return usual
    try:
        value = float(said)
    except ValueError:
        value = 0.0
    if not least <= value < float("inf"):
        raise InvalidQuery(f"{name} is {said!r}, which is not a number above zero - set it to one such as {usual:g}")
    return value


def _price(said: str) -> tuple[float, float]:
    try:
        sent, received = (float(part) for part in said.split(","))
    except ValueError:
        sent = received = -1.0
    if not (0 <= sent < float("inf") and 0 <= received < float("inf")):
        raise InvalidQuery(
            f"HMEM_MODEL_PRICE is {said!r} - set it to the prices of a million tokens in and out, such as 0.15,0.60"
        )
    return sent, received
