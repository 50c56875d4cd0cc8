"""Memory of AutoGen's agents over a memory. Needs the extra ``hmem[autogen]``."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from pydantic import BaseModel
from typing_extensions import override

from hmem.errors import ExtraMissing, InvalidQuery, InvalidTurn
from hmem.language.prompt_text import without_frames
from hmem_agents.agent_memory import TOKENS, AgentMemory, AnyMemory, line

try:
    from autogen_agentchat.messages import BaseAgentEvent, BaseChatMessage, MultiModalMessage, TextMessage
    from autogen_core import CancellationToken
    from autogen_core.memory import Memory, MemoryContent, MemoryMimeType, MemoryQueryResult, UpdateContextResult
    from autogen_core.model_context import ChatCompletionContext
    from autogen_core.models import UserMessage
    from autogen_core.tools import FunctionTool
except ImportError as error:
    raise ExtraMissing("autogen-agentchat is not installed - pip install 'hmem[autogen]'") from error

RESULTS: Final = 10

_SOURCE: Final = "hmem"


class HmemAutoGenMemory(Memory):
    """Memory of an agent: ``AssistantAgent(…, memory=[HmemAutoGenMemory(memory)])``.

    Before each run the agent is given the context for the user's last message, as data, in place of that of the run
    before. AutoGen hands no memory what was said: pass ``capture`` the messages of a result.

    Args:
        memory: where turns are kept, here or at a server (``hmem.connect``); the caller closes it.
        speaker: the name of the person, whose messages have the source "user".
        user: the user of the memory whose turns these are.
        tokens: the budget of the recalled context, besides the marks around it.
    """

    component_config_schema = BaseModel

    def __init__(
        self,
        memory: AnyMemory,
        *,
        speaker: str = "user",
        user: str | None = None,
        tokens: int = TOKENS,
    ) -> None:
        self._store = AgentMemory(memory, speaker=speaker, user=user, tokens=tokens)

    @override
    async def update_context(self, model_context: ChatCompletionContext) -> UpdateContextResult:
        """Put the context for the user's last message before it, and take out what was recalled before."""
        # The state has all messages, of which the context may show a part only.
        state = await model_context.save_state()
        messages = [message for message in state["messages"] if not _is_recalled(message)]
        user_positions = [number for number, message in enumerate(messages) if message["type"] == "UserMessage"]
        question = _text(messages[user_positions[-1]]["content"]) if user_positions else ""
        recalled_text = await asyncio.to_thread(self._store.recall, question)
        if recalled_text:
            # Some models take one system message only.
            messages.insert(user_positions[-1], UserMessage(content=recalled_text, source=_SOURCE).model_dump())
        if recalled_text or len(messages) < len(state["messages"]):
            await model_context.load_state({**state, "messages": messages})
        results = [MemoryContent(content=recalled_text, mime_type=MemoryMimeType.TEXT)] if recalled_text else []
        return UpdateContextResult(memories=MemoryQueryResult(results=results))

    @override
    async def query(
        self, query: str | MemoryContent, cancellation_token: CancellationToken | None = None, **kwargs: Any
    ) -> MemoryQueryResult:
        """Return the best pieces of evidence, each on one line and safe in a prompt.

        ``kwargs`` are ``k``, and the conditions of ``Memory.search``.
        """
        del cancellation_token
        conditions: dict[str, Any] = {"k": RESULTS, **kwargs}
        evidence = await asyncio.to_thread(self._store.evidence, _words(query), **conditions)
        return MemoryQueryResult(
            results=[
                MemoryContent(
                    content=line(item),
                    mime_type=MemoryMimeType.TEXT,
                    metadata={"id": item.id, "score": item.score, "session": item.session},
                )
                for item in evidence
            ]
        )

    @override
    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Keep a text, with its metadata.

        Raises:
            InvalidTurn: the content is no text.
            ServerUnavailable: the server cannot be reached; nothing was kept.
        """
        del cancellation_token
        await asyncio.to_thread(self._store.note, _words(content), metadata=content.metadata)

    async def capture(self, messages: Sequence[BaseAgentEvent | BaseChatMessage], session: str | None = None) -> int:
        """Keep what the user and agents say in messages, such as those of a ``TaskResult``, each once.

        Calls of tools, their results and other events are not kept. Returns the number of turns.
        """
        turns = [
            self._store.turn(
                _text(message.content),
                "user" if message.source == "user" else "assistant",
                speaker=None if message.source == "user" else message.source,
                at=message.created_at,
                message_id=f"autogen:{message.id}",
            )
            for message in messages
            if isinstance(message, TextMessage | MultiModalMessage)
        ]
        return await asyncio.to_thread(self._store.keep, turns, session)

    def tools(self, session: str | None = None) -> list[FunctionTool]:
        """Return the tools ``remember`` and ``recall`` for an agent."""
        return [FunctionTool(function, description=function.__doc__ or "") for function in self._store.tools(session)]

    @override
    async def clear(self) -> None:
        """Erase all turns of the user for good.

        Raises:
            InvalidQuery: the adapter has no user, so others may use this memory too; nothing was erased.
        """
        if self._store.user is None:
            raise InvalidQuery("this adapter has no user of its own - give user=…, or use Memory.forget")
        await asyncio.to_thread(self._store.memory.forget, user=self._store.user)

    @override
    async def close(self) -> None:
        """Do nothing: who opened the memory closes it."""


def _words(content: str | MemoryContent) -> str:
    text = content if isinstance(content, str) else content.content
    if not isinstance(text, str):
        raise InvalidTurn(f"a memory keeps texts, not {type(text).__name__} - give it as text")
    return text


def _text(content: object) -> str:
    """Return the texts of a message's content, without pictures and recalled text."""
    fragments = cast("list[object]", content) if isinstance(content, list) else [content]
    return without_frames("\n".join(fragment for fragment in fragments if isinstance(fragment, str)))


def _is_recalled(message: Mapping[str, Any]) -> bool:
    return message["type"] == "UserMessage" and message["source"] == _SOURCE and not _text(message["content"])
