"""A memory for AutoGen: what is said in one session is recalled in the next.

It asks the stand-in for a model, so it needs `pip install 'hmem[autogen]' hmem-testing`, and no network.
"""

import asyncio

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import ModelFamily, ModelInfo
from autogen_ext.models.openai import OpenAIChatCompletionClient

from hmem import Memory
from hmem_agents.autogen import HmemAutoGenMemory
from hmem_testing.fake_llm import StandIn


async def converse(memory: Memory, url: str, session: str, said: str) -> None:
    info = ModelInfo(
        vision=False, function_calling=True, json_output=True, structured_output=True, family=ModelFamily.UNKNOWN
    )
    client = OpenAIChatCompletionClient(model="any", base_url=url, api_key="any", model_info=info)
    remembering = HmemAutoGenMemory(memory, speaker="Maria", tokens=300)
    agent = AssistantAgent("Helper", client, memory=[remembering])
    result = await agent.run(task=said)
    await remembering.capture(result.messages, session)
    await client.close()


with Memory("maria.hmem") as memory, StandIn() as model:
    asyncio.run(converse(memory, model.url, "monday", "I adopted a puppy named Coco"))
    asyncio.run(converse(memory, model.url, "tuesday", "Which puppy do I have?"))
    assert "Maria: I adopted a puppy named Coco" in str(model.calls[1].request["messages"])
    assert [turn.speaker for turn in memory.list()] == ["Maria", "Helper", "Maria", "Helper"]
