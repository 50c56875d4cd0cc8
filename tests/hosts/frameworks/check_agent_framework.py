"""What the context provider promises, without a model."""

import asyncio
from types import SimpleNamespace
from typing import Any

from agent_framework import AgentResponse, AgentSession, Message, SessionContext

from hmem import Memory
from hmem_agents.agent_framework import HmemContextProvider


async def main() -> None:
    agent: Any = SimpleNamespace(name="Helper")
    with Memory(":memory:") as memory:
        provider = HmemContextProvider(memory, speaker="Maria", user="maria", tools=False)
        session = AgentSession(session_id="s1")

        async def run(said: list[Message], answered: list[Message]) -> SessionContext:
            context = SessionContext(session_id="s1", input_messages=said)
            await provider.before_run(agent=agent, session=session, context=context, state={})
            context._response = AgentResponse(messages=answered)
            await provider.after_run(agent=agent, session=session, context=context, state={})
            return context

        first = await run(
            [Message("user", ["My puppy is called Coco"]), Message("user", ["Hello"], author_name="Ben")],
            [Message("assistant", ["A good name"]), Message("tool", ["{}"])],
        )
        assert first.get_messages() == []
        assert first.tools == []
        assert [(turn.speaker, turn.text, turn.user) for turn in memory.list()] == [
            ("Maria", "My puppy is called Coco", "maria"),
            ("Ben", "Hello", "maria"),
            ("Helper", "A good name", "maria"),
        ]
        second = await run([Message("user", ["Which puppy?"])], [])
        (recalled,) = second.get_messages()
        assert "Coco" in recalled.text
        # What another provider or the user hands back is not kept.
        await run([Message("user", [recalled.text])], [])
        assert len(memory.list()) == 4

        eve = HmemContextProvider(memory, user="eve")
        context = SessionContext(session_id="s2", input_messages=[Message("user", ["Which puppy?"])])
        await eve.before_run(agent=agent, session=session, context=context, state={})
        assert context.get_messages() == []
        assert [each.name for each in context.tools] == ["remember", "recall"]


asyncio.run(main())
