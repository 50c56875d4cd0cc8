"""Clients and models of the providers. Each provider's own package is imported only for its own models."""

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Protocol

from hmem.language.analyst.model.endpoint import Endpoint, Manner
from hmem.language.analyst.model.keys import Key

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.profiles import ModelProfile


class Client(Protocol):
    """Holds the connections."""

    def close(self) -> Awaitable[None]:
        """Close them."""
        ...


def opened(endpoint: Endpoint, key: Key, manner: Manner) -> "tuple[Client, Model]":
    """The client and the model of an endpoint. The client retries nothing."""
    if endpoint.provider == "anthropic":
        return _anthropic(endpoint, key, manner)
    return _speaking_openai(endpoint, key, manner)


def _anthropic(endpoint: Endpoint, key: Key, manner: Manner) -> "tuple[Client, Model]":
    from anthropic import AsyncAnthropic  # noqa: PLC0415 - takes two seconds
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    client = AsyncAnthropic(api_key=key.reveal(), base_url=endpoint.base_url, max_retries=0, timeout=manner.timeout)
    return client, AnthropicModel(endpoint.model, provider=AnthropicProvider(anthropic_client=client))


def _speaking_openai(endpoint: Endpoint, key: Key, manner: Manner) -> "tuple[Client, Model]":
    from openai import AsyncOpenAI  # noqa: PLC0415 - takes a second
    from pydantic_ai.models.ollama import OllamaModel  # noqa: PLC0415
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.ollama import OllamaProvider  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415

    client = AsyncOpenAI(api_key=key.reveal(), base_url=endpoint.base_url, max_retries=0, timeout=manner.timeout)
    if endpoint.base_url is None:
        return client, OpenAIChatModel(endpoint.model, provider=OpenAIProvider(openai_client=client))
    provider = OpenAICompatibleProvider("openai-compatible", openai_client=client)
    kind: type[OpenAIChatModel] = OpenAIChatModel
    if endpoint.provider == "ollama":
        provider, kind = OllamaProvider(openai_client=client), OllamaModel
    profile = _older(kind(endpoint.model, provider=provider).profile)
    return client, kind(endpoint.model, provider=provider, profile=profile)


def _older(profile: "ModelProfile") -> "ModelProfile":
    """What a model is known to do, with the limit of its answer under the older name, which every server knows."""
    from pydantic_ai.profiles import merge_profile  # noqa: PLC0415
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415

    return merge_profile(profile, OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False))
