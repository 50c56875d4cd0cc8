"""What LlamaIndex's memories promise, without a model."""

import asyncio

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory as ChatMemory
from llama_index.core.storage.chat_store.base_db import MessageStatus

from hmem import Memory
from hmem_agents.llama_index import HmemChatMemory, HmemMemoryBlock


async def main() -> None:
    with Memory(":memory:") as memory:
        # A message is kept when it is put, and not again when it leaves the short-term memory.
        block = HmemMemoryBlock(memory, speaker="Maria", user="maria", tokens=200)
        chat = HmemChatMemory.from_defaults(session_id="s1", token_limit=60, token_flush_size=10, memory_blocks=[block])
        for number in range(6):
            await chat.aput(ChatMessage(role="user", content=f"My puppy number {number} likes to swim in the sea"))
            await chat.aput(ChatMessage(role="assistant", content="ok"))
        await chat.aput(ChatMessage(role="system", content="Be brief"))
        assert len(await chat.aget_all()) > len(await chat.aget_all(MessageStatus.ACTIVE))
        turns = memory.list()
        assert [turn.role for turn in turns] == ["user", "assistant"] * 6
        assert {(turn.user, turn.session) for turn in turns} == {("maria", "s1")}
        assert [turn.speaker for turn in turns[:2]] == ["Maria", "assistant"]

        # The question is kept already, and is no part of its own context.
        await chat.aput(ChatMessage(role="user", content="Which puppy likes the sea?"))
        text = str(await chat.aget())
        assert "puppy number 3" in text
        assert text.count("Which puppy likes the sea?") == 1

        # A plain memory hands over what it flushes.
        plain = ChatMemory.from_defaults(
            session_id="s2", token_limit=60, token_flush_size=10, memory_blocks=[HmemMemoryBlock(memory, speaker="Ben")]
        )
        for number in range(6):
            await plain.aput(ChatMessage(role="user", content=f"My cat number {number} likes to sleep on the sofa"))
            await plain.aput(ChatMessage(role="assistant", content="ok"))
        flushed = [turn.text for turn in memory.list(session="s2") if turn.speaker == "Ben"]
        assert flushed
        assert flushed == [f"My cat number {number} likes to sleep on the sofa" for number in range(len(flushed))]
        assert "Ben: My cat" in str(await plain.aget(input="Which cat?"))


asyncio.run(main())
