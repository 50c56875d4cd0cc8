"""A memory for LlamaIndex: what is said in one session is recalled in the next.

It asks the stand-in for a model, so it needs `pip install 'hmem[llama-index]' hmem-testing`, and no network.
"""

import asyncio

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike

from hmem import Memory
from hmem_agents.llama_index import HmemChatMemory, HmemMemoryBlock
from hmem_testing.fake_llm import StandIn


async def converse(memory: Memory, url: str, session: str, said: str) -> None:
    llm = OpenAILike(model="any", api_base=url, api_key="any", is_chat_model=True, is_function_calling_model=True)
    block = HmemMemoryBlock(memory, speaker="Maria", tokens=300)
    chat = HmemChatMemory.from_defaults(session_id=session, memory_blocks=[block])
    agent = FunctionAgent(llm=llm, tools=block.tools(session), system_prompt="You help Maria.")
    await agent.run(said, memory=chat)


with Memory("maria.hmem") as memory, StandIn() as model:
    asyncio.run(converse(memory, model.url, "monday", "I adopted a puppy named Coco"))
    asyncio.run(converse(memory, model.url, "tuesday", "Which puppy do I have?"))
    assert "Maria: I adopted a puppy named Coco" in str(model.calls[1].request["messages"])
    assert [turn.speaker for turn in memory.list()] == ["Maria", "assistant", "Maria", "assistant"]
