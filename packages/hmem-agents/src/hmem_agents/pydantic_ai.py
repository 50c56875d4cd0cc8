"""Memory for agents of pydantic-ai: recalled context, capture, and tools. Needs ``hmem[pydantic-ai]``."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any

from hmem.errors import ExtraMissing
from hmem.language.prompt_text import without_frames
from hmem_agents.agent_memory import TOKENS, AgentMemory, AnyMemory, Message

try:
    from pydantic_ai import RunContext
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextContent, TextPart, UserPromptPart
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.run import AgentRunResult
    from pydantic_ai.toolsets import FunctionToolset
except ImportError as error:
    raise ExtraMissing("pydantic-ai is not installed - pip install 'hmem[pydantic-ai]'") from error


@dataclass
class Remembering(AbstractCapability[Any]):
    """Capability that gives an agent a memory: ``Agent(…, capabilities=[Remembering(memory)])``.

    Before each call of the model, context for the user's last message is put before it, marked as data, in at most
    ``tokens`` tokens besides the marks; it does not enter the history of the run. After a run, the messages of the user
    and the agent are kept, in the session of the conversation. With ``tools`` the model may also remember and recall on
    its own. The memory is here or at a server (``hmem.connect``); the caller closes it.

    ``speaker`` is the name of the person, ``agent`` the name that the agent speaks under, ``user`` the user of the
    memory whose turns these are.
    """

    memory: AnyMemory
    _: KW_ONLY
    speaker: str = "user"
    agent: str = "assistant"
    user: str | None = None
    tokens: int = TOKENS
    tools: bool = True
    _store: AgentMemory = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Prepare the memory."""
        self._store = AgentMemory(
            self.memory, speaker=self.speaker, agent=self.agent, user=self.user, tokens=self.tokens
        )

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """Return the tools; None if they are not wanted."""
        return _toolset(self._store) if self.tools else None

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Put recalled context before the user's last message."""
        del ctx
        messages = await asyncio.to_thread(_with_recalled, self._store, request_context.messages)
        return replace(request_context, messages=messages)

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Keep the messages of the run."""
        session = ctx.conversation_id or ctx.run_id
        await asyncio.to_thread(_capture, self._store, result.new_messages(), session)
        return result


def recalling(
    memory: AnyMemory, *, tokens: int = TOKENS
) -> Callable[[list[ModelMessage]], Awaitable[list[ModelMessage]]]:
    """Return a history processor (``ProcessHistory(recalling(memory))``) that recalls and captures nothing."""
    store = AgentMemory(memory, tokens=tokens)

    async def process(messages: list[ModelMessage]) -> list[ModelMessage]:
        return await asyncio.to_thread(_with_recalled, store, messages)

    return process


def with_recalled(memory: AnyMemory, messages: Sequence[ModelMessage], tokens: int = TOKENS) -> list[ModelMessage]:
    """Return messages with context before the user's last one, and without the context of earlier ones.

    Raises:
        InvalidQuery: the budget is below 1 token.
    """
    return _with_recalled(AgentMemory(memory, tokens=tokens), messages)


def _with_recalled(store: AgentMemory, messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    clean = [_drop_recalled(message) for message in messages]
    for index in range(len(clean) - 1, -1, -1):
        message = clean[index]
        prompts = [part for part in message.parts if isinstance(part, UserPromptPart)]
        question = prompt_text(prompts[-1]) if prompts else ""
        if isinstance(message, ModelRequest) and question:
            if recalled_text := store.recall(question):
                clean[index] = _before(message, prompts[-1], UserPromptPart(recalled_text))
            break
    return clean


def _before(message: ModelRequest, prompt: UserPromptPart, context_part: UserPromptPart) -> ModelRequest:
    position = next(number for number, part in enumerate(message.parts) if part is prompt)
    return replace(message, parts=[*message.parts[:position], context_part, *message.parts[position:]])


def _drop_recalled(message: ModelMessage) -> ModelMessage:
    if not isinstance(message, ModelRequest) or not any(map(_is_recalled, message.parts)):
        return message
    return replace(message, parts=[part for part in message.parts if not _is_recalled(part)])


def _is_recalled(part: object) -> bool:
    """Tell if a part contains only recalled text."""
    return (
        isinstance(part, UserPromptPart)
        and isinstance(part.content, str)
        and "<hmem-recalled>" in part.content
        and (not without_frames(part.content))
    )


def prompt_text(prompt: UserPromptPart) -> str:
    """Return the text of a prompt without recalled text; empty without any."""
    contents = [prompt.content] if isinstance(prompt.content, str) else prompt.content
    texts = [
        content.content if isinstance(content, TextContent) else content
        for content in contents
        if isinstance(content, str | TextContent)
    ]
    return without_frames("\n".join(texts))


# Capture.


def capture(
    memory: AnyMemory,
    messages: Sequence[ModelMessage],
    *,
    session: str | None = None,
    speaker: str = "user",
    agent: str = "assistant",
) -> int:
    """Keep what people and the agent say in messages, and return the number of turns. Repeating it keeps them once.

    Messages without the id of a run cannot be recognised, and are kept each time. Calls of tools, instructions and the
    model's thoughts are not kept.
    """
    return _capture(AgentMemory(memory, speaker=speaker, agent=agent), messages, session)


def _capture(store: AgentMemory, messages: Sequence[ModelMessage], session: str | None) -> int:
    return store.keep(_turns(store, messages), session)


def _turns(store: AgentMemory, messages: Sequence[ModelMessage]) -> Iterator[Message | None]:
    for number, message in enumerate(messages):
        of_run = None if message.run_id is None else f"{message.run_id}:{number}"
        if isinstance(message, ModelResponse):
            text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
            yield store.turn(text, "assistant", at=message.timestamp, message_id=of_run)
            continue
        prompts = [part for part in message.parts if isinstance(part, UserPromptPart)]
        if prompts:
            text = "\n".join(filter(None, map(prompt_text, prompts)))
            yield store.turn(text, "user", at=prompts[-1].timestamp, message_id=of_run)


# Tools.


def memory_tools(memory: AnyMemory, *, speaker: str = "user", tokens: int = TOKENS) -> FunctionToolset[Any]:
    """Return the tools ``remember`` and ``recall`` over a memory; remembered texts are said by ``speaker``."""
    return _toolset(AgentMemory(memory, speaker=speaker, tokens=tokens))


def _toolset(store: AgentMemory) -> FunctionToolset[Any]:
    def remember(ctx: RunContext[Any], text: str) -> str:
        """Keep a fact about the user or the task for later conversations.

        Args:
            text: the fact, in a whole sentence that names whom and what it is about.
        """
        return store.remember(text, ctx.conversation_id or ctx.run_id)

    def recall(question: str) -> str:
        """Look up what is remembered of earlier conversations.

        Args:
            question: what to look up, as a question in plain words.
        """
        return store.look_up(question)

    return FunctionToolset([remember, recall], id="hmem")
