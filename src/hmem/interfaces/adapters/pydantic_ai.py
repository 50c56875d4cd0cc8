"""Memory for agents of pydantic-ai: recalled context, capture, and tools. Needs ``hmem[pydantic-ai]``."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Final

from hmem import MemoryLike
from hmem.errors import ExtraMissing, InputError
from hmem.language.prompt_text import framed, without_frames

try:
    from pydantic_ai import ModelRetry, RunContext
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextContent, TextPart, UserPromptPart
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.run import AgentRunResult
    from pydantic_ai.toolsets import FunctionToolset
except ImportError as error:
    raise ExtraMissing("pydantic-ai is not installed - pip install 'hmem[pydantic-ai]'") from error

TOKENS: Final = 600


@dataclass
class Remembering(AbstractCapability[Any]):
    """Capability that gives an agent a memory: ``Agent(…, capabilities=[Remembering(memory)])``.

    Before each call of the model, context for the user's last message is put before it, marked as data, in at most
    ``tokens`` tokens besides the marks; it does not enter the history of the run. After a run, the messages of the user
    and the agent are kept, in the session of the conversation. With ``tools`` the model may also remember and recall on
    its own. The memory is here or at a server (``hmem.connect``); the caller closes it.

    ``speaker`` is the name of the person, ``agent`` the name that the agent speaks under.
    """

    memory: MemoryLike
    _: KW_ONLY
    speaker: str = "user"
    agent: str = "assistant"
    tokens: int = TOKENS
    tools: bool = True

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """Return the tools; None if they are not wanted."""
        return memory_tools(self.memory, speaker=self.speaker, tokens=self.tokens) if self.tools else None

    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Put recalled context before the user's last message."""
        del ctx
        messages = await asyncio.to_thread(with_recalled, self.memory, request_context.messages, self.tokens)
        return replace(request_context, messages=messages)

    async def after_run(self, ctx: RunContext[Any], *, result: AgentRunResult[Any]) -> AgentRunResult[Any]:
        """Keep the messages of the run."""
        session = ctx.conversation_id or ctx.run_id
        await asyncio.to_thread(
            capture, self.memory, result.new_messages(), session=session, speaker=self.speaker, agent=self.agent
        )
        return result


def recalling(
    memory: MemoryLike, *, tokens: int = TOKENS
) -> Callable[[list[ModelMessage]], Awaitable[list[ModelMessage]]]:
    """Return a history processor (``ProcessHistory(recalling(memory))``) that recalls and captures nothing."""

    async def process(messages: list[ModelMessage]) -> list[ModelMessage]:
        return await asyncio.to_thread(with_recalled, memory, messages, tokens)

    return process


def with_recalled(memory: MemoryLike, messages: Sequence[ModelMessage], tokens: int = TOKENS) -> list[ModelMessage]:
    """Return messages with context before the user's last one, and without the context of earlier ones.

    Raises:
        InvalidQuery: the budget is below 1 token.
    """
    clean = [_without_recalled(message) for message in messages]
    for place in range(len(clean) - 1, -1, -1):
        message = clean[place]
        prompts = [part for part in message.parts if isinstance(part, UserPromptPart)]
        question = said(prompts[-1]) if prompts else ""
        if isinstance(message, ModelRequest) and question:
            context = memory.context(question, tokens)
            if context.text:
                clean[place] = _before(message, prompts[-1], UserPromptPart(framed(context.text)))
            break
    return clean


def _before(message: ModelRequest, prompt: UserPromptPart, recalled: UserPromptPart) -> ModelRequest:
    place = next(number for number, part in enumerate(message.parts) if part is prompt)
    return replace(message, parts=[*message.parts[:place], recalled, *message.parts[place:]])


def _without_recalled(message: ModelMessage) -> ModelMessage:
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


def said(prompt: UserPromptPart) -> str:
    """Return the text of a prompt without recalled text; empty without any."""
    parts = [prompt.content] if isinstance(prompt.content, str) else prompt.content
    texts = [
        part.content if isinstance(part, TextContent) else part for part in parts if isinstance(part, str | TextContent)
    ]
    return without_frames("\n".join(texts))


# Capture.


def capture(
    memory: MemoryLike,
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
    turns = list(_turns(messages, speaker, agent))
    if turns:
        memory.add(turns, session=session)
    return len(turns)


def _turns(messages: Sequence[ModelMessage], speaker: str, agent: str) -> Iterator[Mapping[str, Any]]:
    for number, message in enumerate(messages):
        of_run = {} if message.run_id is None else {"message_id": f"{message.run_id}:{number}"}
        if isinstance(message, ModelResponse):
            text = without_frames("".join(part.content for part in message.parts if isinstance(part, TextPart)))
            if text:
                yield {"text": text, "role": "assistant", "speaker": agent, "at": message.timestamp, **of_run}
            continue
        prompts = [part for part in message.parts if isinstance(part, UserPromptPart)]
        text = "\n".join(filter(None, map(said, prompts)))
        if text:
            yield {"text": text, "role": "user", "speaker": speaker, "at": prompts[-1].timestamp, **of_run}


# Tools.


def memory_tools(memory: MemoryLike, *, speaker: str = "user", tokens: int = TOKENS) -> FunctionToolset[Any]:
    """Return the tools ``remember`` and ``recall`` over a memory; remembered texts are said by ``speaker``."""

    def remember(ctx: RunContext[Any], text: str) -> str:
        """Keep a fact about the user or the task for later conversations.

        Args:
            text: the fact, in a whole sentence that names whom and what it is about.
        """
        try:
            memory.add(without_frames(text), speaker=speaker, session=ctx.conversation_id or ctx.run_id)
        except InputError as error:
            raise ModelRetry(str(error)) from error
        return "Remembered."

    def recall(question: str) -> str:
        """Look up what is remembered of earlier conversations.

        Args:
            question: what to look up, as a question in plain words.
        """
        try:
            context = memory.context(question, tokens)
        except InputError as error:
            raise ModelRetry(str(error)) from error
        return framed(context.text) if context.text else "Nothing about this is remembered."

    return FunctionToolset([remember, recall], id="hmem")
