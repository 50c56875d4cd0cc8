"""An assistant of AutoGen with a memory, whose results are kept after each run."""

import asyncio
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_core.models import ModelFamily, ModelInfo
from autogen_ext.models.openai import OpenAIChatCompletionClient

from hmem_agents.autogen import HmemAutoGenMemory

MODEL = ModelInfo(
    vision=False, function_calling=True, json_output=True, structured_output=True, family=ModelFamily.UNKNOWN
)


def talk(memory: Any, url: str, session: str, said: list[str]) -> list[str]:
    async def run() -> list[str]:
        remembering = HmemAutoGenMemory(memory, speaker="Maria", tokens=300)
        client = OpenAIChatCompletionClient(model="any", base_url=url, api_key="any", model_info=MODEL)
        agent = AssistantAgent("Helper", client, memory=[remembering], tools=remembering.tools(session),
                               system_message="You help Maria.")  # fmt: skip
        replies: list[str] = []
        for each in said:
            result = await agent.run(task=each)
            await remembering.capture(result.messages, session)
            replies.append(str(result.messages[-1].to_text()))
        await client.close()
        return replies

    return asyncio.run(run())
