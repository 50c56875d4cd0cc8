"""A function agent of LlamaIndex with a chat memory."""

import asyncio
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.llms.openai_like import OpenAILike

from hmem_agents.llama_index import HmemChatMemory, HmemMemoryBlock


def talk(memory: Any, url: str, session: str, said: list[str]) -> list[str]:
    async def run() -> list[str]:
        llm = OpenAILike(
            model="any", api_base=url, api_key="any", is_chat_model=True, is_function_calling_model=True, max_retries=0
        )
        block = HmemMemoryBlock(memory, speaker="Maria", tokens=300)
        chat = HmemChatMemory.from_defaults(session_id=session, memory_blocks=[block])
        agent = FunctionAgent(llm=llm, tools=block.tools(session), system_prompt="You help Maria.")
        return [str(await agent.run(each, memory=chat)) for each in said]

    return asyncio.run(run())
