"""Endpoints of language models: names such as ``openai:gpt-4o-mini``, settings, keys and prices.

A key comes from the environment or from a command. It is read when it is needed, is kept in memory only, and appears in
no error message and no output.
"""

import os
import re
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, cast, get_args
from urllib.parse import urlsplit

from hmem.errors import InvalidQuery, ModelUnavailable, UnknownName

if TYPE_CHECKING:
    from genai_prices import Usage
    from pydantic_ai.usage import RequestUsage

# Way to ask for the shape of an answer: by the provider's own means, as the arguments of a tool, or in the prompt.
Mode = Literal["native", "tool", "prompted"]

_LOCAL_OLLAMA: Final = "http://127.0.0.1:11434/v1"
_FORM: Final = re.compile(r"(?P<model>.+?)(?:@(?P<url>https?://[^\s#]+))?(?:#(?P<mode>\w+))?", re.DOTALL)
_SHAPE: Final = "write `{0}:NAME`, `{0}:NAME@http://host:port/v1`, and `#native`, `#tool` or `#prompted` behind it"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model of a provider. ``base_url`` is None for the provider's own; ``mode`` is None for the best supported."""

    provider: str
    model: str
    base_url: str | None = None
    mode: Mode | None = None

    @property
    def name(self) -> str:
        """Name in its results, without the address, since a port may change."""
        return f"{self.provider}:{self.model}"

    @property
    def is_foreign(self) -> bool:
        """True if a server other than the provider's serves it; that one must not get the provider's key."""
        return self.base_url is not None


def endpoint(provider: str, variant: str) -> Endpoint:
    """Return the endpoint that ``PROVIDER:VARIANT`` names.

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


def _mode(mode: str | None, shape: str) -> Mode | None:
    if mode and mode not in get_args(Mode):
        raise UnknownName(f"{mode!r} is no way to ask for a shape - {shape}")
    return cast("Mode | None", mode)


def usual_url(provider: str) -> str | None:
    """Return the default address of a provider, None if it is the provider's own."""
    if provider == "ollama":
        return os.environ.get("OLLAMA_BASE_URL") or _LOCAL_OLLAMA
    return None


@dataclass(frozen=True, slots=True)
class CallSettings:
    """Settings of calls: timeout in seconds, concurrent calls, token limits of input and answer, and price.

    ``price`` is the cost of a million tokens in and a million out; None takes the published prices. ``input_tokens``
    limits the texts of one call where their number can be chosen.
    """

    timeout: float = 120.0
    concurrency: int = 4
    max_tokens: int = 8_192
    price: tuple[float, float] | None = None
    input_tokens: int = 32_000


def call_settings(environment: Mapping[str, str] = os.environ) -> CallSettings:
    """Read the settings from the environment, such as ``HMEM_MODEL_TIMEOUT``.

    Raises:
        InvalidQuery: a variable is not a number above zero.
    """
    usual = CallSettings()
    price = environment.get("HMEM_MODEL_PRICE")
    return CallSettings(
        number_setting(environment, "HMEM_MODEL_TIMEOUT", usual.timeout),
        int(number_setting(environment, "HMEM_MODEL_CONCURRENCY", usual.concurrency, minimum=1)),
        int(number_setting(environment, "HMEM_MODEL_MAX_TOKENS", usual.max_tokens, minimum=1)),
        _price(price) if price else None,
        int(number_setting(environment, "HMEM_MODEL_INPUT_TOKENS", usual.input_tokens, minimum=1)),
    )


def number_setting(environment: Mapping[str, str], name: str, usual: float, *, minimum: float = 0.001) -> float:
    """Read a number from the environment; ``usual`` if it is not set.

    Raises:
        InvalidQuery: it is not a number, or is below ``minimum``.
    """
    text = environment.get(name)
    if not text:
        return usual
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not minimum <= value < float("inf"):
        raise InvalidQuery(f"{name} is {text!r}, which is not a number above zero - set it to one such as {usual:g}")
    return value


def _price(text: str) -> tuple[float, float]:
    try:
        input_price, output_price = (float(number) for number in text.split(","))
    except ValueError:
        input_price = output_price = -1.0
    if not (0 <= input_price < float("inf") and 0 <= output_price < float("inf")):
        raise InvalidQuery(
            f"HMEM_MODEL_PRICE is {text!r} - set it to the prices of a million tokens in and out, such as 0.15,0.60"
        )
    return input_price, output_price


COMMAND: Final = "HMEM_KEY_COMMAND"
KEY_VARIABLE: Final = "HMEM_API_KEY"
_USUAL: Final = {"anthropic": "ANTHROPIC_API_KEY", "ollama": "OLLAMA_API_KEY", "openai": "OPENAI_API_KEY"}
_PATIENCE: Final = 30.0

# Placeholder for a server that needs no key.
NO_KEY: Final = "no-key"
_MASK: Final = "…"


class ApiKey:
    """A key that does not show itself in output."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the key, for the client that sends it."""
        return self._text

    def mask_in(self, text: str) -> str:
        """Return a text with the key replaced."""
        return text.replace(self._text, _MASK) if self._text and self._text != NO_KEY else text

    def __repr__(self) -> str:
        return f"Key({_MASK})"

    def __reduce__(self) -> str:
        raise TypeError("a key is not pickled - set it in the environment of the other process")


def key_for(endpoint: Endpoint) -> ApiKey:
    """Return the key of a model.

    ``HMEM_KEY_COMMAND`` comes first: a command that prints the key, with the model's name in ``HMEM_MODEL``. Then
    ``HMEM_API_KEY``, then the provider's own variable, which is sent only to the provider.

    Raises:
        ModelUnavailable: there is no key, or the command fails.
    """
    if command := os.environ.get(COMMAND):
        return ApiKey(_printed_by(command, endpoint))
    if key := os.environ.get(KEY_VARIABLE, "").strip():
        return ApiKey(key)
    usual = _USUAL[endpoint.provider]
    own_server = endpoint.base_url == usual_url(endpoint.provider)
    if own_server and (key := os.environ.get(usual, "").strip()):
        return ApiKey(key)
    if endpoint.is_foreign:
        return ApiKey(NO_KEY)
    raise ModelUnavailable(
        f"there is no key for {endpoint.name} - set {usual}, or {COMMAND} to what prints it", lasting=True
    )


def _printed_by(command: str, endpoint: Endpoint) -> str:
    """Return the output of a command. Its words are split as in a shell, but no shell runs."""
    mend = "run it by itself to see why"
    try:
        process = subprocess.run(  # noqa: S603 - the owner of the environment names the command
            shlex.split(command),
            env={**os.environ, "HMEM_MODEL": endpoint.name},
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise ModelUnavailable(f"{COMMAND} did not run ({type(error).__name__}) - {mend}", lasting=True) from None
    if process.returncode != 0:
        raise ModelUnavailable(f"{COMMAND} failed with exit code {process.returncode} - {mend}", lasting=True)
    if not (printed := process.stdout.strip()):
        raise ModelUnavailable(f"{COMMAND} printed no key - {mend}", lasting=True)
    return printed.splitlines()[0].strip()


_MILLION: Final = 1_000_000


def price_of(endpoint: Endpoint, settings: CallSettings, usage: "Usage | RequestUsage") -> float | None:
    """Return the cost of tokens in and out at an endpoint, without any request; None if no price is known."""
    if settings.price is not None:
        input_price, output_price = settings.price
        return (
            float(usage.input_tokens or 0) * input_price + float(usage.output_tokens or 0) * output_price
        ) / _MILLION
    if endpoint.is_foreign:
        return None
    from genai_prices import calc_price  # noqa: PLC0415 - takes a while, and few ask

    try:
        return float(calc_price(usage, model_ref=endpoint.model, provider_id=endpoint.provider).total_price)
    except LookupError:
        return None
