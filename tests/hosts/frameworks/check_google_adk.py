"""What ADK's interface promises, without a model."""

import asyncio

from google.adk.events import Event
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import InMemorySessionService
from google.genai.types import Content, FunctionCall, Part

from hmem import Memory
from hmem_agents.google_adk import HmemMemoryService


def event(author: str, *parts: Part, **fields: object) -> Event:
    return Event(author=author, content=Content(role="user", parts=list(parts)), **fields)


async def main() -> None:
    with Memory(":memory:") as memory:
        service = HmemMemoryService(memory, results=3)
        sessions = InMemorySessionService()
        session = await sessions.create_session(app_name="app", user_id="maria", session_id="s1")
        said = [
            event("user", Part(text="My puppy is called Coco"), timestamp=1.5e9),
            event("Helper", Part(text="Let me think", thought=True), Part(text="A good name")),
            event("Helper", Part(function_call=FunctionCall(name="f", args={}))),
            event("Helper", Part(text="A go"), partial=True),
        ]
        for each in said[:2]:
            await sessions.append_event(session, each)
        # A session is added again as it grows.
        for _ in range(2):
            session = await sessions.get_session(app_name="app", user_id="maria", session_id="s1")
            assert session is not None
            await service.add_session_to_memory(session)
        await service.add_events_to_memory(app_name="app", user_id="maria", events=said, session_id="s1")
        turns = memory.list()
        assert [(turn.speaker, turn.text, turn.session) for turn in turns] == [
            ("maria", "My puppy is called Coco", "s1"),
            ("Helper", "A good name", "s1"),
        ]
        assert turns[0].at.timestamp() == 1.5e9

        # Users and apps know of each other nothing.
        who = {"app_name": "app", "user_id": "maria"}
        question = "What is the puppy called?"
        (first, *_) = (await service.search_memory(**who, query=question)).memories
        assert (first.author, first.content.parts[0].text) == ("maria", "My puppy is called Coco")
        assert first.timestamp == "2017-07-14T02:40:00+00:00"
        for other in ({**who, "user_id": "ben"}, {**who, "app_name": "other"}):
            assert (await service.search_memory(**other, query=question)).memories == []
        shared = HmemMemoryService(memory, user_of=lambda _, user: f"app/{user}")
        assert (await shared.search_memory(app_name="other", user_id="maria", query=question)).memories

        entry = MemoryEntry(
            id="e1", content=Content(parts=[Part(text="She lives in Porto")]), author="Ben", custom_metadata={"a": 1}
        )
        for _ in range(2):
            await service.add_memory(**who, memories=[entry])
        assert [(turn.speaker, dict(turn.metadata)) for turn in memory.list()[2:]] == [("Ben", {"a": 1})]

        await service.delete_memory(app_name="app", user_id="ben", memory_id=first.id)
        assert len(memory.list()) == 3
        for _ in range(2):
            await service.delete_memory(**who, memory_id=first.id)
        assert len(memory.list()) == 2


asyncio.run(main())
