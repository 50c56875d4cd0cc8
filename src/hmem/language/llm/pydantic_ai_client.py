"""Client for one model, by Pydantic AI: its models speak each provider's protocol and name each error.

No other module uses that package. Each provider's own package is imported only for its own models. Pydantic AI's agents
are not used: they cost two milliseconds per call, and support neither a budget that processes share nor the simpler
modes.
"""

import json
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.exceptions import (
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelRequestTimeout,
    ModelTimeoutError,
    UnexpectedModelBehavior,
    UserError,
)
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.profiles import ModelProfile, merge_profile
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from hmem.errors import ModelGarbled, ModelUnavailable
from hmem.language.llm.channel import ModelCall, ModelReply
from hmem.language.llm.endpoint import COMMAND, ApiKey, CallSettings, Endpoint, Mode, price_of
from hmem.language.llm.tasks import as_json

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from openai import AsyncOpenAI

# Request parameters and settings that ask for the shape of an answer.
PreparedShape = tuple[ModelRequestParameters, ModelSettings]

_WORDLESS: Final = ModelProfile(json_schema_transformer=None)


class OpenedModel(NamedTuple):
    """A client, its model, and the function that puts the shape of an answer into the provider's terms."""

    client: "AsyncAnthropic | AsyncOpenAI"
    model: Model
    prepare: Callable[[ModelRequestParameters], PreparedShape]


def open_model(endpoint: Endpoint, key: ApiKey, settings: CallSettings) -> OpenedModel:
    """Open the client and the model of an endpoint. The client retries nothing."""
    if endpoint.provider == "anthropic":
        return _anthropic(endpoint, key, settings)
    return _speaking_openai(endpoint, key, settings)


def _anthropic(endpoint: Endpoint, key: ApiKey, settings: CallSettings) -> OpenedModel:
    from anthropic import AsyncAnthropic  # noqa: PLC0415 - takes two seconds
    from pydantic_ai.models.anthropic import AnthropicModel  # noqa: PLC0415
    from pydantic_ai.providers.anthropic import AnthropicProvider  # noqa: PLC0415

    client = AsyncAnthropic(api_key=key.reveal(), base_url=endpoint.base_url, max_retries=0, timeout=settings.timeout)
    # This model converts shapes itself at each call, since it checks some against the limits of a schema first.
    model = AnthropicModel(endpoint.model, provider=AnthropicProvider(anthropic_client=client))
    return OpenedModel(client, model, _with_a_cache)


def _with_a_cache(shape: ModelRequestParameters) -> PreparedShape:
    """Mark the instructions, the same in all calls of a task, for the provider's cache; others cache unasked."""
    from pydantic_ai.models.anthropic import AnthropicModelSettings  # noqa: PLC0415

    return shape, AnthropicModelSettings(anthropic_cache_instructions=True)


def _speaking_openai(endpoint: Endpoint, key: ApiKey, settings: CallSettings) -> OpenedModel:
    from openai import AsyncOpenAI  # noqa: PLC0415 - takes a second
    from pydantic_ai.models.ollama import OllamaModel  # noqa: PLC0415
    from pydantic_ai.models.openai import OpenAIChatModel  # noqa: PLC0415
    from pydantic_ai.profiles.openai import OpenAIModelProfile  # noqa: PLC0415
    from pydantic_ai.providers.ollama import OllamaProvider  # noqa: PLC0415
    from pydantic_ai.providers.openai import OpenAIProvider  # noqa: PLC0415
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider  # noqa: PLC0415

    client = AsyncOpenAI(api_key=key.reveal(), base_url=endpoint.base_url, max_retries=0, timeout=settings.timeout)
    kind: type[OpenAIChatModel] = OpenAIChatModel
    if endpoint.base_url is None:
        provider = OpenAIProvider(openai_client=client)
    elif endpoint.provider == "ollama":
        provider, kind = OllamaProvider(openai_client=client), OllamaModel
    else:
        provider = OpenAICompatibleProvider("openai-compatible", openai_client=client)
    usual = kind(endpoint.model, provider=provider)
    profile = usual.profile
    if endpoint.base_url is not None:
        # Every server knows the older name of the answer's token limit.
        profile = merge_profile(profile, OpenAIModelProfile(openai_chat_supports_max_completion_tokens=False))
    wording = kind(endpoint.model, provider=provider, profile=profile)
    # The shape is already converted, so this model leaves it as it is.
    model = kind(endpoint.model, provider=provider, profile=merge_profile(profile, _WORDLESS))
    return OpenedModel(client, model, partial(_as_body, wording))


def _as_body(model: Model, shape: ModelRequestParameters) -> PreparedShape:
    """Put the shape into OpenAI's terms, with the answer's schema in the raw body.

    The schemas are large, and both libraries would take longer to process one than all else in a call.
    """
    prepared, profile = model.customize_request_parameters(shape), model.profile
    schema = prepared.output_object
    if (
        prepared.output_mode != "native"
        or schema is None
        or profile.get("native_output_requires_schema_in_instructions")
    ):
        return prepared, {}
    json_schema: dict[str, object] = {"name": schema.name, "schema": schema.json_schema}
    if profile.get("openai_supports_strict_tool_definition", True):
        json_schema["strict"] = schema.strict
    body = {"response_format": {"type": "json_schema", "json_schema": json_schema}}
    return ModelRequestParameters(output_mode="text"), {"extra_body": body}


_TEMPLATE: Final = (
    "\n\nAnswer with one JSON object and nothing else: no code fence, no words before or after it. It has to fit this "
    "JSON schema:\n\n{schema}"
)
# Most characters of a provider's own words that an error shows.
_ERROR_LENGTH: Final = 200

# Errors of the library: those of a malformed answer, and all others.
_TRIPS: Final = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
_FAILURES: Final = (ModelAPIError, UnexpectedModelBehavior, UserError, *_TRIPS)

# Profile fields of reasoning models, which take no temperature.
_NO_TEMPERATURE: Final = ("openai_supports_reasoning", "anthropic_disallows_sampling_settings")

# Next mode to try if the server does not support the first.
_NEXT: Final[dict[Mode, Mode]] = {"native": "tool", "tool": "prompted"}
_ABOUT_SHAPE: Final = ("response_format", "json_schema", "schema", "tool", "grammar", "guided")


class PydanticAIClient:
    """Client for one model with one key. It runs on the event loop."""

    def __init__(self, endpoint: Endpoint, settings: CallSettings, key: ApiKey) -> None:
        self.endpoint = endpoint
        self.locked_out = False
        self._settings = settings
        self._key = key
        self._client, self._model, self._worded = open_model(endpoint, key, settings)
        self._shapes: dict[tuple[str, Mode], PreparedShape] = {}
        self.mode: Mode = endpoint.mode or _best_mode(self._model)
        self._takes_temperature = not any(self._model.profile.get(sign) for sign in _NO_TEMPERATURE)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def send(self, call: ModelCall) -> ModelReply:
        """Make a call, and wait for its answer."""
        try:
            while True:
                mode = self.mode
                messages, settings, shape = self._request(call, mode)
                try:
                    response = await model_request(
                        self._model, messages, model_settings=settings, model_request_parameters=shape
                    )
                    return self._reply(response, call.task)
                except ModelRequestRejectedError as error:
                    if not self._steps_down(mode, error):
                        raise
        except _FAILURES as error:
            # The provider's words may hold the key, so its error is not chained.
            raise self._translate_error(error) from None

    async def stream(self, call: ModelCall, end: Callable[[ModelReply], None]) -> AsyncGenerator[str]:
        """Yield the pieces of an answer; ``end`` gets the whole reply, also after an error."""
        try:
            while True:
                mode = self.mode
                try:
                    async with aclosing(self._chunks(call, mode, end)) as chunks:
                        async for chunk in chunks:
                            yield chunk
                    return
                except ModelRequestRejectedError as error:
                    if not self._steps_down(mode, error):
                        raise
        except _FAILURES as error:
            raise self._translate_error(error) from None

    async def _chunks(self, call: ModelCall, mode: Mode, end: Callable[[ModelReply], None]) -> AsyncGenerator[str]:
        messages, settings, shape = self._request(call, mode)
        async with model_request_stream(
            self._model, messages, model_settings=settings, model_request_parameters=shape
        ) as events:
            try:
                async for event in events:
                    if isinstance(event, PartStartEvent | PartDeltaEvent) and (chunk := _chunk_of(event)):
                        yield chunk
            finally:
                end(self._reply(events.get(), call.task))

    def _steps_down(self, mode: Mode, error: ModelRequestRejectedError) -> bool:
        """Switch to a simpler mode if the server rejects this one; tell if that was done."""
        plainer = _NEXT.get(mode)
        about_shape = any(word in str(error.body).lower() for word in _ABOUT_SHAPE)
        asked_for = self.endpoint.mode is not None
        if asked_for or plainer is None or not about_shape or isinstance(error, _NOT_THE_SHAPE):
            return False
        self.mode = plainer
        return True

    def _request(self, call: ModelCall, mode: Mode) -> tuple[list[ModelMessage], ModelSettings, ModelRequestParameters]:
        """Put a call into the library's terms. The shape of a task's answer is converted once."""
        prepared = self._shapes.get((call.task, mode))
        if prepared is None:
            prepared = self._shapes[call.task, mode] = self._worded(_shape(call, mode))
        limits = self._settings
        settings = ModelSettings(
            max_tokens=min(call.max_tokens, limits.max_tokens),
            timeout=limits.timeout,
            request_timeout=limits.timeout,
            max_retries=0,
        )
        if self._takes_temperature:
            settings["temperature"] = 0.0
        return _messages(call, mode), settings | prepared[1], prepared[0]

    def _reply(self, response: ModelResponse, task: str) -> ModelReply:
        """Convert a response; ignore calls of other tools than the task's."""
        calls = [
            message_part
            for message_part in response.parts
            if isinstance(message_part, ToolCallPart) and message_part.tool_name == task
        ]
        text = calls[0].args_as_json_str() if calls else response.text or ""
        usage = response.usage
        is_refusal = response.finish_reason == "content_filter" or "refusal" in (response.provider_details or {})
        cost = price_of(self.endpoint, self._settings, usage)
        return ModelReply(text, usage.input_tokens, usage.output_tokens, cost, is_refusal)

    def _translate_error(self, error: Exception) -> ModelUnavailable | ModelGarbled:
        """Turn an error of the library into ours, in one line and without the key.

        Some of the library's clients raise arbitrary errors for answers that break their protocol.
        """
        name = self.endpoint.name
        if isinstance(error, ModelContextWindowExceededError):
            return ModelGarbled(f"{name} cannot read so much at once - take a model with a longer context")
        if isinstance(error, ContentFilterError):
            return ModelGarbled(f"{name}'s provider held the answer back - take another model for such texts")
        wait = error.retry_after if isinstance(error, ModelAPIError) else None
        if isinstance(error, ModelAuthenticationError):
            self.locked_out = True
        wrong, mend = _explained(error, self._settings)
        words = self._key.mask_in(_own_words(error))
        address = f" at {self.endpoint.base_url}" if self.endpoint.base_url else ""
        quotation = f" ({words})" if words else ""
        return ModelUnavailable(f"{name}{address} {wrong}{quotation} - {mend}", wait, lasting=_lasting(error))


def _lasting(error: Exception) -> bool:
    """Tell if somebody must mend something first; a key from a command may be another next time."""
    if isinstance(error, ModelAuthenticationError):
        return not os.environ.get(COMMAND)
    return isinstance(error, ModelQuotaExceededError | ModelNotFoundError | UserError)


_NOT_THE_SHAPE: Final = (ModelAuthenticationError, ModelNotFoundError, ModelContextWindowExceededError)

_LATER: Final = "it is tried again later"
_UNKNOWN: Final = ("answers what its protocol does not know", "check its address")
_EXPLAINED: Final[tuple[tuple[type[Exception], str, str], ...]] = (
    (ModelRateLimitError, "asks to wait", _LATER),
    (ModelQuotaExceededError, "says that the account's quota is used up", "raise it with the provider"),
    (ModelAuthenticationError, "does not accept the key", "check the key, and what it may be used for"),
    (ModelNotFoundError, "is not there", "check the model's name, and its server's address"),
    (ModelRequestRejectedError, "rejects the call", "run `hmem doctor --model` to see what it can do"),
    (ModelConnectionError, "cannot be reached", "check its address and the network"),
    (UserError, "cannot be asked", "check the model's name"),
    (UnexpectedModelBehavior, *_UNKNOWN),
    *((trip, *_UNKNOWN) for trip in _TRIPS),
)


def _explained(error: Exception, settings: CallSettings) -> tuple[str, str]:
    """Return the fault and its remedy, in words."""
    if isinstance(error, ModelRequestTimeout | ModelTimeoutError):
        return f"did not answer within {settings.timeout:g} s", "raise HMEM_MODEL_TIMEOUT, or take a faster model"
    return next(((wrong, mend) for kind, wrong, mend in _EXPLAINED if isinstance(error, kind)), ("fails", _LATER))


def _own_words(error: Exception) -> str:
    """Return the provider's own words for an error, shortened."""
    if not isinstance(error, ModelAPIError) or isinstance(error, ModelRequestTimeout | ModelTimeoutError):
        return ""
    status = str(error.status_code) if isinstance(error, ModelHTTPError) else ""
    words = _message_in(error.body) or ("" if status else error.message)
    message = " ".join(words.split())
    return ": ".join(filter(None, (status, message[:_ERROR_LENGTH])))


def _message_in(body: Any) -> str:
    """Return the message in the body of an error, at any depth."""
    if isinstance(body, dict):
        fields = cast("dict[str, Any]", body)
        return _message_in(fields.get("message") or fields.get("error"))
    return str(body) if body else ""


def _best_mode(model: Model) -> Mode:
    if model.profile.get("supports_json_schema_output"):
        return "native"
    return "tool" if model.profile.get("supports_tools") else "prompted"


def _messages(call: ModelCall, mode: Mode) -> list[ModelMessage]:
    """Convert the messages, with one system prompt, since some servers take no second one."""
    instructions = call.instructions
    if mode == "prompted":
        instructions += _TEMPLATE.format(schema=as_json(call.schema))
    messages: list[ModelMessage] = []
    for index, text in enumerate(call.messages):
        if index % 2:
            messages.append(ModelResponse(parts=[TextPart(content=text)]))
        else:
            messages.append(ModelRequest(parts=[UserPromptPart(content=text)], instructions=instructions))
    return messages


def _shape(call: ModelCall, mode: Mode) -> ModelRequestParameters:
    if mode == "tool":
        description = "Hand in the answer."
        tool = ToolDefinition(
            name=call.task, parameters_json_schema=call.schema, description=description, kind="output", strict=True
        )
        return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
    shape = OutputObjectDefinition(json_schema=call.schema, name=call.task, strict=True)
    if mode == "native":
        return ModelRequestParameters(output_mode="native", output_object=shape)
    return ModelRequestParameters(
        output_mode="prompted", output_object=shape, prompted_output_template=False, allow_text_output=True
    )


def _chunk_of(event: PartStartEvent | PartDeltaEvent) -> str:
    """Return the text that an event of a stream adds to the answer."""
    if isinstance(event, PartStartEvent):
        message_part = event.part
        if isinstance(message_part, TextPart):
            return message_part.content
        return _arguments(message_part.args) if isinstance(message_part, ToolCallPart) else ""
    delta = event.delta
    if isinstance(delta, TextPartDelta):
        return delta.content_delta
    return _arguments(delta.args_delta) if isinstance(delta, ToolCallPartDelta) else ""


def _arguments(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments else ""
