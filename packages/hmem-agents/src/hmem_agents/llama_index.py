"""Memory block and chat memory of LlamaIndex over a memory. Needs the extra ``hmem[llama-index]``."""

import asyncio
from datetime import UTC, datetime
from typing import Any, Final, cast

from pydantic import PrivateAttr

from hmem.errors import ExtraMissing
from hmem.language.prompt_text import without_frames
from hmem_agents.agent_memory import TOKENS, AgentMemory, AnyMemory

try:
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import BaseMemoryBlock, Memory
    from llama_index.core.tools import FunctionTool
except ImportError as error:
    raise ExtraMissing("llama-index-core is not installed - pip install 'hmem[llama-index]'") from error

_NAME: Final = "hmem"


class HmemMemoryBlock(BaseMemoryBlock[str]):
    """Long-term memory of a LlamaIndex ``Memory``: ``memory_blocks=[HmemMemoryBlock(memory)]``.

    It gives the context for the user's last message, as data, and keeps the messages that leave the short-term memory.
    In an ``HmemChatMemory`` it keeps every message as soon as it is put.

    Args:
        memory: where turns are kept, here or at a server (``hmem.connect``); the caller closes it.
        speaker: the name of the person who talks with the agent.
        agent: the name that the agent speaks under.
        user: the user of the memory whose turns these are.
        tokens: the budget of the recalled context, besides the marks around it.
        priority: LlamaIndex's; 0 is never left out when the prompt gets too long.
    """

    _store: AgentMemory = PrivateAttr()
    # By sessions whose messages are kept when they are put: the user's last message, and when it was said.
    _questions: dict[str, tuple[str, datetime]] = PrivateAttr(default_factory=dict[str, tuple[str, datetime]])

    def __init__(
        self,
        memory: AnyMemory,
        *,
        speaker: str = "user",
        agent: str = "assistant",
        user: str | None = None,
        tokens: int = TOKENS,
        priority: int = 0,
    ) -> None:
        super().__init__(name=_NAME, priority=priority)
        self._store = AgentMemory(memory, speaker=speaker, agent=agent, user=user, tokens=tokens)

    async def capture(self, messages: list[ChatMessage], session: str | None = None) -> int:
        """Keep what the user and the agent say in messages, and return the number of turns.

        Messages of tools and of the system are not kept. A message has no id, so one that is captured twice is kept
        twice.
        """
        turns = [self._store.turn(text_of(message), message.role.value) for message in messages]
        for turn in turns:
            if turn and turn["role"] == "user" and session:
                self._questions[session] = (turn["text"], turn["at"])
        return await asyncio.to_thread(self._store.keep, turns, session)

    def tools(self, session: str | None = None) -> list[FunctionTool]:
        """Return the tools ``remember`` and ``recall`` for an agent."""
        return [FunctionTool.from_defaults(fn=tool, description=tool.__doc__) for tool in self._store.tools(session)]

    def captures(self, session: str) -> None:
        """Keep the messages of a session when they are put, and not again when they leave the short-term memory."""
        self._questions.setdefault(session, ("", datetime.now(UTC)))

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        question = next((text_of(message) for message in reversed(messages or []) if message.role.value == "user"), "")
        text, time = self._questions.get(str(block_kwargs.get("session_id")), ("", None))
        # The question itself may be kept already, and tells nothing.
        bounds: dict[str, Any] = {"until": time} if time is not None and text == question else {}
        return await asyncio.to_thread(self._store.recall, question, **bounds)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        sessions: dict[str | None, list[ChatMessage]] = {}
        for message in messages:
            sessions.setdefault(message.additional_kwargs.get("session_id"), []).append(message)
        for session, session_messages in sessions.items():
            if session not in self._questions:
                await self.capture(session_messages, session)


class HmemChatMemory(Memory):
    """LlamaIndex's ``Memory`` whose ``HmemMemoryBlock`` keeps every message when it is put.

    ``HmemChatMemory.from_defaults(session_id=…, memory_blocks=[HmemMemoryBlock(memory)])``. LlamaIndex's own class
    gives a block only what no longer fits into the prompt, so a short conversation would be lost with it. A history
    that is set (``agent.run(…, chat_history=…)``) is not kept, as it was said before.
    """

    async def aput(self, message: ChatMessage) -> None:
        """Put a message into the short-term memory, and keep it."""
        await self.aput_messages([message])

    async def aput_messages(self, messages: list[ChatMessage]) -> None:
        """Put messages into the short-term memory, and keep them."""
        all_blocks = cast("list[object]", self.memory_blocks)  # pyright: ignore[reportUnknownMemberType] - it is generic
        blocks = [block for block in all_blocks if isinstance(block, HmemMemoryBlock)]
        for block in blocks:
            block.captures(self.session_id)
        await super().aput_messages(messages)
        for block in blocks:
            await block.capture(messages, self.session_id)


def text_of(message: ChatMessage) -> str:
    """Return the text of a message without recalled text; "" without any."""
    return without_frames(message.content or "")
