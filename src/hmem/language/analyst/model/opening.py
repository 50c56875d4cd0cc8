"""Clients and models of the providers. Each provider's own package is imported only for its own models."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, Protocol

from hmem.language.analyst.model.endpoint import CallSettings, Endpoint
from hmem.language.analyst.model.keys import ApiKey

if TYPE_CHECKING:
    from pydantic_ai.models import Model, ModelRequestParameters
    from pydantic_ai.profiles import ModelProfile
    from pydantic_ai.settings import ModelSettings


class Client(Protocol):
    """Holds the connections."""

    def close(self) -> Awaitable[None]:
        """Close them."""
        ...


# What a call is asked with, so that its answer has a shape.
Worded = tuple["ModelRequestParameters", "ModelSettings"]


class Opened(NamedTuple):
    """A client, its model, and what puts the shape of an answer into the words of its provider, once for each shape."""

    client: Client
    model: "Model"
    worded: "Callable[[ModelRequestParameters], Worded]"


def opened(endpoint: Endpoint, key: ApiKey, manner: CallSettings) -> Opened:
    """The client and the model of an endpoint. The client retries nothing."""
    if endpoint.provider == "anthropic":
        return _anthropic(endpoint, key, manner)
    return _speaking_openai(endpoint, key, manner)


def _anthropic(endpoint: Endpoint, key: ApiKey, manner: CallSettings) -> Opened:
    from anthropic import AsyncAnthropic  # noqa: PLC0415 - takes two seconds
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    client = AsyncAnthropic(api_key=key.reveal(), base_url=endpoint.base_url, max_retries=0, timeout=manner.timeout)
    # It words shapes by itself at each call: some it has to hold against the limits of a schema first.
    model = AnthropicModel(endpoint.model, provider=AnthropicProvider(anthropic_client=client))
    return Opened(client, model, _as_it_is)


def _as_it_is(shape: "ModelRequestParameters") -> Worded:
    return shape, {}


def _speaking_openai(endpoint: Endpoint, key: ApiKey, manner: CallSettings) -> Opened:
    from openai import AsyncOpenAI  # noqa: PLC0415 - takes a second
    from pydantic_ai.models.ollama import OllamaModel  # noqa: PLC0415
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.providers.ollama import OllamaProvider  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415

    client = AsyncOpenAI(api_key=key.reveal(), base_url=endpoint.base_url, max_retries=0, timeout=manner.timeout)
    kind: type[OpenAIChatModel] = OpenAIChatModel
    if endpoint.base_url is None:
        provider = OpenAIProvider(openai_client=client)
    elif endpoint.provider == "ollama":
        provider, kind = OllamaProvider(openai_client=client), OllamaModel
    else:
        provider = OpenAICompatibleProvider("openai-compatible", openai_client=client)
    usual = kind(endpoint.model, provider=provider)
    profile = usual.profile if endpoint.base_url is None else _older(usual.profile)
    wording = kind(endpoint.model, provider=provider, profile=profile)
    model = kind(endpoint.model, provider=provider, profile=_wordless(profile))
    return Opened(client, model, partial(_as_body, wording))


def _as_body(model: "Model", shape: "ModelRequestParameters") -> Worded:
    """The shape in OpenAI's words: the schema of an answer as a part of the body that nobody looks into any more.

    The schemas are large, and for both libraries to go through one takes longer than all else in a call.
    """
    from pydantic_ai.models import ModelRequestParameters  # noqa: PLC0415

    worded, profile = model.customize_request_parameters(shape), model.profile
    schema = worded.output_object
    if worded.output_mode != "native" or schema is None or profile.get("native_output_requires_schema_in_instructions"):
        return worded, {}
    asked: dict[str, object] = {"name": schema.name, "schema": schema.json_schema}
    if profile.get("openai_supports_strict_tool_definition", True):
        asked["strict"] = schema.strict
    body = {"response_format": {"type": "json_schema", "json_schema": asked}}
    return ModelRequestParameters(output_mode="text"), {"extra_body": body}


def _wordless(profile: "ModelProfile") -> "ModelProfile":
    """What a model is known to do, without that schemas have to be worded for it: they were."""
    from pydantic_ai.profiles import ModelProfile, merge_profile  # noqa: PLC0415

    return merge_profile(profile, ModelProfile(json_schema_transformer=None))


def _older(profile: "ModelProfile") -> "ModelProfile":
    """What a model is known to do, with the limit of its answer under the older name, which every server knows."""
    from pydantic_ai.profiles import merge_profile  # noqa: PLC0415
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415

    return merge_profile(profile, OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False))
