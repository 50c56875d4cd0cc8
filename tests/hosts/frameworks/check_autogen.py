"""What AutoGen's interface promises, without a model."""

import asyncio

from autogen_agentchat.messages import MultiModalMessage, TextMessage, ToolCallSummaryMessage
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import AssistantMessage, UserMessage

from hmem import AsyncMemory
from hmem.errors import InvalidQuery, InvalidTurn
from hmem_agents.autogen import HmemAutoGenMemory

TEXT = MemoryMimeType.TEXT


def refused(error: type[Exception], do: object) -> bool:
    try:
        asyncio.run(do)  # type: ignore[arg-type]
    except error:
        return True
    return False


async def main() -> None:
    async with await AsyncMemory.open(":memory:") as memory:
        maria = HmemAutoGenMemory(memory, speaker="Maria", user="maria", tokens=200)
        ben = HmemAutoGenMemory(memory, speaker="Ben", user="ben")
        await maria.add(MemoryContent(content="My puppy is called Coco", mime_type=TEXT, metadata={"kind": "pet"}))
        await ben.add(MemoryContent(content="My puppy is called Rex", mime_type=TEXT))

        found = (await maria.query("What is the puppy called?", k=3, metadata={"kind": "pet"})).results
        assert [str(each.content)[17:] for each in found] == ["Maria: My puppy is called Coco"]
        assert (await maria.query(MemoryContent(content="Who has a puppy?", mime_type=TEXT))).results

        # The context of an earlier question gives way to that of the next, even where the context shows a part only.
        context = BufferedChatCompletionContext(buffer_size=3)
        for question in ("What is the puppy called?", "And my dog?"):
            await context.add_message(UserMessage(content=question, source="user"))
            assert (await maria.update_context(context)).memories.results
            shown = await context.get_messages()
            assert [each.source for each in shown if isinstance(each, UserMessage)][-2:] == ["hmem", "user"]
            await context.add_message(AssistantMessage(content="Coco", source="Helper"))
        kept = (await context.save_state())["messages"]
        assert [each["source"] for each in kept] == ["user", "Helper", "hmem", "user", "Helper"]
        assert "Rex" not in str(kept)

        said = [
            TextMessage(content="I live in Porto", source="user"),
            MultiModalMessage(content=["Porto is lovely"], source="Helper"),
            ToolCallSummaryMessage(content="{}", source="Helper", tool_calls=[], results=[]),
        ]
        assert [await maria.capture(said, "s1") for _ in range(2)] == [2, 2]
        turns = await memory.list(session="s1")
        assert [(turn.speaker, turn.text) for turn in turns] == [
            ("Maria", said[0].content),
            ("Helper", "Porto is lovely"),
        ]

        await maria.clear()
        assert [turn.user for turn in await memory.list()] == ["ben"]
        await maria.close()
        nobody = HmemAutoGenMemory(memory)
        assert await asyncio.to_thread(refused, InvalidQuery, nobody.clear())
        assert await asyncio.to_thread(refused, InvalidTurn, nobody.add(MemoryContent(content=b"x", mime_type="x/y")))


asyncio.run(main())
