"""Memory store of Strands Agents over a memory. Needs the extra ``hmem[strands]``."""

import asyncio
from hashlib import sha256
from typing import Any, Final
from uuid import uuid4

from hmem.errors import ExtraMissing
from hmem.language.prompt_text import framed, without_frames
from hmem_agents.agent_memory import AgentMemory, AnyMemory, line

try:
    from strands.memory.types import (
        AddMessagesContext,
        InjectionFormatContext,
        MemoryEntry,
        MemoryInjectionConfig,
        MemoryStore,
        SearchOptions,
    )
    from strands.types.content import Message
except ImportError as error:
    raise ExtraMissing("strands-agents is not installed - pip install 'hmem[strands]'") from error

RESULTS: Final = 10


class HmemStrandsStore(MemoryStore):
    """Memory store: ``MemoryManager(stores=[HmemStrandsStore(memory)], injection=INJECTION)``.

    The manager recalls before each call of the model, offers the tool ``search_memory`` (and ``add_memory``, with
    ``add_tool_config=True``), and hands over what was said. An agent that is called with ``await`` needs
    ``await manager.flush()`` at its end.

    Args:
        memory: where turns are kept, here or at a server (``hmem.connect``); the caller closes it.
        name: the name of the store in the manager.
        description: a sentence for the model on what the store holds.
        session: the session of the turns; that of their day by default.
        speaker: the name of the person who talks with the agent.
        agent: the name that the agent speaks under.
        user: the user of the memory whose turns these are.
        results: the largest number of entries that a search returns.
        writable: whether anything is kept.
    """

    def __init__(
        self,
        memory: AnyMemory,
        *,
        name: str = "hmem",
        description: str | None = "What was said in earlier conversations.",
        session: str | None = None,
        speaker: str = "user",
        agent: str = "assistant",
        user: str | None = None,
        results: int = RESULTS,
        writable: bool = True,
    ) -> None:
        self.name = name
        self.description = description
        self.max_search_results = results
        self.writable = writable
        # With ``add_messages`` this calls no model.
        self.extraction = writable
        self._store = AgentMemory(memory, speaker=speaker, agent=agent, user=user)
        self._session = session
        # Strands numbers messages anew in each process.
        self._run = uuid4().hex

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Return the best pieces of evidence, each on one line and safe in a prompt."""
        limit = (options or {}).get("max_search_results") or self.max_search_results or RESULTS
        evidence = await asyncio.to_thread(self._store.evidence, without_frames(query), limit)
        # Metadata goes to the model with each result of the tool.
        return [MemoryEntry(content=line(item)) for item in evidence]

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> str:
        """Keep a text, with its metadata, and return the id of its turn.

        Raises:
            InvalidTurn: nothing is said in it.
            ServerUnavailable: the server cannot be reached; nothing was kept.
        """
        return await asyncio.to_thread(self._store.note, content, session=self._session, metadata=metadata)

    async def add_messages(self, messages: list[Message], context: AddMessagesContext | None = None) -> int:
        """Keep what the user and the agent say in messages, each once; return the number of turns."""
        numbers = context.sequence_numbers if context and context.sequence_numbers else [None] * len(messages)
        turns = [
            self._store.turn(text := _text(message), message["role"], message_id=self._id(number, text))
            for number, message in zip(numbers, messages, strict=True)
        ]
        return await asyncio.to_thread(self._store.keep, turns, self._session)

    def _id(self, number: int | None, text: str) -> str | None:
        # Several agents may share a store, each with numbers from 0.
        return None if number is None else f"strands:{self._run}:{number}:{sha256(text.encode()).hexdigest()[:16]}"


def _text(message: Message) -> str:
    return "\n".join(block["text"] for block in message["content"] if "text" in block)


def in_frame(context: InjectionFormatContext, **_: Any) -> str:
    """Return entries as they are put before a call of the model: a line each, in a frame that says that it is data."""
    return framed("\n".join(entry.content for entry in context.entries))


INJECTION: Final[MemoryInjectionConfig] = {"format": in_frame}
