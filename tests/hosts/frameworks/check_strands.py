"""What the memory store promises, without a model."""

import asyncio

from strands.memory.types import AddMessagesContext, InjectionFormatContext

from hmem import Memory
from hmem_agents.strands import HmemStrandsStore, in_frame


async def main() -> None:
    with Memory(":memory:") as memory:
        store = HmemStrandsStore(memory, session="s1", speaker="Maria", agent="Helper", user="maria", results=2)
        said = [
            {"role": "user", "content": [{"text": "My puppy is called Coco"}]},
            {"role": "assistant", "content": [{"toolUse": {"toolUseId": "1", "name": "f", "input": {}}}]},
            {"role": "user", "content": [{"toolResult": {"toolUseId": "1", "content": [{"text": "x"}]}}]},
            {"role": "assistant", "content": [{"text": "A good"}, {"text": "name"}]},
        ]
        # A batch that is tried again is kept once; the same words said again are kept.
        for _ in range(2):
            assert await store.add_messages(said, AddMessagesContext(sequence_numbers=[0, 1, 2, 3])) == 2
        await store.add_messages([said[0]], AddMessagesContext(sequence_numbers=[4]))
        await store.add_messages([said[0]])
        assert [(turn.speaker, turn.text) for turn in memory.list(session="s1")] == [
            ("Maria", "My puppy is called Coco"),
            ("Helper", "A good\nname"),
            ("Maria", "My puppy is called Coco"),
            ("Maria", "My puppy is called Coco"),
        ]
        turn = memory.get(await store.add("She lives in Porto", {"a": 1}))
        assert (turn.user, dict(turn.metadata)) == ("maria", {"a": 1})
        found = await store.search("Where does she live?", {"max_search_results": 1})
        assert [each.content[17:] for each in found] == ["Maria: She lives in Porto"]
        assert len(await store.search("Which puppy?")) == 2
        assert await HmemStrandsStore(memory, user="eve").search("Which puppy?") == []
        assert not HmemStrandsStore(memory, writable=False).extraction
        text = in_frame(InjectionFormatContext(entries=found))
        assert text.startswith("<hmem-recalled>\n")
        assert await store.add_messages([{"role": "user", "content": [{"text": text}]}]) == 0


asyncio.run(main())
