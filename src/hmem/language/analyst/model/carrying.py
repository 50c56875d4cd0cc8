"""What Pydantic AI does for a call. With ``opening``, all that knows it."""

import json
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Final, cast

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
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from hmem.errors import ModelGarbled, ModelUnavailable
from hmem.language.analyst.base import SLIPS
from hmem.language.analyst.model.channel import ModelCall, ModelReply
from hmem.language.analyst.model.endpoint import CallSettings, Endpoint, Mode
from hmem.language.analyst.model.keys import COMMAND, ApiKey
from hmem.language.analyst.model.opening import Worded, opened
from hmem.language.analyst.model.pricing import price_of
from hmem.language.analyst.model.wire import as_json

_TEMPLATE: Final = (
    "\n\nAnswer with one JSON object and nothing else: no code fence, no words before or after it. It has to fit this "
    "JSON schema:\n\n{schema}"
)
# Characters of a provider's own words that an error shows.
_SHOWN: Final = 200

# What the library raises where an answer lacks what it takes for granted.
_TRIPS: Final = (*SLIPS, AssertionError)

# In the profile of a model that reasons, and takes no temperature.
_NO_TEMPERATURE: Final = ("openai_supports_reasoning", "anthropic_disallows_sampling_settings")

# What a server that cannot ask for a shape in this way is asked in next.
_NEXT: Final[dict[Mode, Mode]] = {"native": "tool", "tool": "prompted"}
_ABOUT_SHAPE: Final = ("response_format", "json_schema", "schema", "tool", "grammar", "guided")


class PydanticAIClient:
    """A client for one model with one key. It lives on the loop."""

    def __init__(self, endpoint: Endpoint, manner: CallSettings, key: ApiKey) -> None:
        self.endpoint = endpoint
        self.locked_out = False
        self._manner = manner
        self._key = key
        self._client, self._model, self._worded = opened(endpoint, key, manner)
        self._shapes: dict[tuple[str, Mode], Worded] = {}
        self.mode: Mode = endpoint.mode or _best_mode(self._model)
        self._takes_temperature = not any(self._model.profile.get(sign) for sign in _NO_TEMPERATURE)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def send(self, demand: ModelCall) -> ModelReply:
        """What the model says."""
        try:
            return self._said(await self._response(demand), demand.task)
        except (ModelAPIError, UnexpectedModelBehavior, UserError, *_TRIPS) as error:
            # The provider's words may hold the key, so the error that is told is not chained to its own.
            raise self._told(error) from None

    async def _response(self, demand: ModelCall) -> ModelResponse:
        while True:
            mode = self.mode
            shape, settings = self._shape(demand, mode)
            try:
                return await model_request(
                    self._model,
                    _messages(demand, mode),
                    model_settings=self._settings(demand) | settings,
                    model_request_parameters=shape,
                )
            except ModelRequestRejectedError as error:
                if not self._steps_down(mode, error):
                    raise

    def _steps_down(self, mode: Mode, error: ModelRequestRejectedError) -> bool:
        """Whether to ask again in a plainer way, from now on: the server does not know how this shape is asked for."""
        plainer = _NEXT.get(mode)
        about_shape = any(word in str(error.body).lower() for word in _ABOUT_SHAPE)
        asked_for = self.endpoint.mode is not None
        if asked_for or plainer is None or not about_shape or isinstance(error, _NOT_THE_SHAPE):
            return False
        self.mode = plainer
        return True

    async def stream(self, demand: ModelCall, end: Callable[[ModelReply], None]) -> AsyncGenerator[str]:
        """The pieces of what the model says; ``end`` is told all of it, however it ends."""
        try:
            while True:
                mode = self.mode
                try:
                    async with aclosing(self._pieces(demand, mode, end)) as pieces:
                        async for piece in pieces:
                            yield piece
                    return
                except ModelRequestRejectedError as error:
                    if not self._steps_down(mode, error):
                        raise
        except (ModelAPIError, UnexpectedModelBehavior, UserError, *_TRIPS) as error:
            raise self._told(error) from None

    async def _pieces(self, demand: ModelCall, mode: Mode, end: Callable[[ModelReply], None]) -> AsyncGenerator[str]:
        shape, settings = self._shape(demand, mode)
        async with model_request_stream(
            self._model,
            _messages(demand, mode),
            model_settings=self._settings(demand) | settings,
            model_request_parameters=shape,
        ) as events:
            try:
                async for event in events:
                    if isinstance(event, PartStartEvent | PartDeltaEvent) and (piece := _piece(event)):
                        yield piece
            finally:
                end(self._said(events.get(), demand.task))

    def _settings(self, demand: ModelCall) -> ModelSettings:
        settings = ModelSettings(
            max_tokens=min(demand.max_tokens, self._manner.max_tokens),
            timeout=self._manner.timeout,
            request_timeout=self._manner.timeout,
            max_retries=0,
        )
        if self._takes_temperature:
            settings["temperature"] = 0.0
        return settings

    def _shape(self, demand: ModelCall, mode: Mode) -> Worded:
        """How the shape of a task's answer is asked for: the same at each call."""
        shape = self._shapes.get((demand.task, mode))
        if shape is None:
            shape = self._shapes[demand.task, mode] = self._worded(_shape(demand, mode))
        return shape

    def _said(self, response: ModelResponse, task: str) -> ModelReply:
        """What was said; a tool that was not handed out is not one."""
        calls = [part for part in response.parts if isinstance(part, ToolCallPart) and part.tool_name == task]
        text = calls[0].args_as_json_str() if calls else response.text or ""
        usage = response.usage
        refused = response.finish_reason == "content_filter" or "refusal" in (response.provider_details or {})
        cost = price_of(self.endpoint, self._manner, usage)
        return ModelReply(text, usage.input_tokens, usage.output_tokens, cost, refused)

    def _told(self, error: Exception) -> ModelUnavailable | ModelGarbled:
        """The error of ours that says the same, in one line and without the key.

        Of an answer that is not in its protocol's form, some of the library's clients trip over what lacks.
        """
        name = self.endpoint.name
        if isinstance(error, ModelContextWindowExceededError):
            return ModelGarbled(f"{name} cannot read so much at once - take a model with a longer context")
        if isinstance(error, ContentFilterError):
            return ModelGarbled(f"{name}'s provider held the answer back - take another model for such texts")
        wait = error.retry_after if isinstance(error, ModelAPIError) else None
        if isinstance(error, ModelAuthenticationError):
            self.locked_out = True
        wrong, mend = _explained(error, self._manner)
        words = self._key.hidden_in(_own_words(error))
        where = f" at {self.endpoint.base_url}" if self.endpoint.base_url else ""
        said = f" ({words})" if words else ""
        return ModelUnavailable(f"{name}{where} {wrong}{said} - {mend}", wait, lasting=_lasting(error))


def _lasting(error: Exception) -> bool:
    """Whether somebody has to mend something first. A key that a command prints may be another at the next call."""
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


def _explained(error: Exception, manner: CallSettings) -> tuple[str, str]:
    """What is wrong, and what mends it."""
    if isinstance(error, ModelRequestTimeout | ModelTimeoutError):
        return f"did not answer within {manner.timeout:g} s", "raise HMEM_MODEL_TIMEOUT, or take a faster model"
    for kind, wrong, mend in _EXPLAINED:
        if isinstance(error, kind):
            return wrong, mend
    return "fails", _LATER


def _own_words(error: Exception) -> str:
    """What the provider says of an error, in short."""
    if not isinstance(error, ModelAPIError) or isinstance(error, ModelRequestTimeout | ModelTimeoutError):
        return ""
    status = str(error.status_code) if isinstance(error, ModelHTTPError) else ""
    words = _message_in(error.body) or ("" if status else error.message)
    shown = " ".join(words.split())
    return ": ".join(filter(None, (status, shown[:_SHOWN])))


def _message_in(body: Any) -> str:
    """The message in the body of an error, wherever it stands."""
    if isinstance(body, dict):
        fields = cast("dict[str, Any]", body)
        return _message_in(fields.get("message") or fields.get("error"))
    return str(body) if body else ""


def _best_mode(model: Model) -> Mode:
    if model.profile.get("supports_json_schema_output"):
        return "native"
    return "tool" if model.profile.get("supports_tools") else "prompted"


def _messages(demand: ModelCall, mode: Mode) -> list[ModelMessage]:
    """The messages as the library has them. There is one system prompt: some servers take no second one."""
    instructions = demand.instructions
    if mode == "prompted":
        instructions += _TEMPLATE.format(schema=as_json(demand.schema))
    messages: list[ModelMessage] = []
    for place, text in enumerate(demand.messages):
        if place % 2:
            messages.append(ModelResponse(parts=[TextPart(content=text)]))
        else:
            messages.append(ModelRequest(parts=[UserPromptPart(content=text)], instructions=instructions))
    return messages


def _shape(demand: ModelCall, mode: Mode) -> ModelRequestParameters:
    schema = demand.schema
    if mode == "tool":
        tool = ToolDefinition(
            name=demand.task,
            parameters_json_schema=schema,
            description="Hand in the answer.",
            kind="output",
            strict=True,
        )
        return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)
    shape = OutputObjectDefinition(json_schema=schema, name=demand.task, strict=True)
    if mode == "native":
        return ModelRequestParameters(output_mode="native", output_object=shape)
    return ModelRequestParameters(
        output_mode="prompted", output_object=shape, prompted_output_template=False, allow_text_output=True
    )


def _piece(event: PartStartEvent | PartDeltaEvent) -> str:
    """What an event of a stream adds to the answer."""
    if isinstance(event, PartStartEvent):
        part = event.part
        if isinstance(part, TextPart):
            return part.content
        return _arguments(part.args) if isinstance(part, ToolCallPart) else ""
    delta = event.delta
    if isinstance(delta, TextPartDelta):
        return delta.content_delta
    return _arguments(delta.args_delta) if isinstance(delta, ToolCallPartDelta) else ""


def _arguments(said: Any) -> str:
    return said if isinstance(said, str) else json.dumps(said) if said else ""
