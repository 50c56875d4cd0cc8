"""A memory for Microsoft Agent Framework: what is said in one session is recalled in the next.

It asks the stand-in for a model, so it needs `pip install 'hmem[agent-framework]' hmem-testing`, and no network.
"""

import asyncio

from agent_framework import Agent
from agent_framework.openai import OpenAIChatCompletionClient

from hmem import Memory
from hmem_agents.agent_framework import HmemContextProvider
from hmem_testing.fake_llm import StandIn


async def converse(memory: Memory, url: str, session: str, said: str) -> None:
    client = OpenAIChatCompletionClient(model="any", base_url=url, api_key="any")
    provider = HmemContextProvider(memory, speaker="Maria", tokens=300)
    agent = Agent(client, "You help Maria.", name="Helper", context_providers=[provider])
    await agent.run(said, session=agent.create_session(session_id=session))


with Memory("maria.hmem") as memory, StandIn() as model:
    asyncio.run(converse(memory, model.url, "monday", "I adopted a puppy named Coco"))
    asyncio.run(converse(memory, model.url, "tuesday", "Which puppy do I have?"))
    assert "Maria: I adopted a puppy named Coco" in str(model.calls[1].request["messages"])
    assert [turn.speaker for turn in memory.list()] == ["Maria", "Helper", "Maria", "Helper"]
