"""An agent of Microsoft's Agent Framework with a context provider."""

import asyncio
from typing import Any

from agent_framework import Agent
from agent_framework.openai import OpenAIChatCompletionClient

from hmem_agents.agent_framework import HmemContextProvider


def talk(memory: Any, url: str, session: str, said: list[str]) -> list[str]:
    async def run() -> list[str]:
        provider = HmemContextProvider(memory, speaker="Maria", tokens=300)
        client = OpenAIChatCompletionClient(model="any", base_url=url, api_key="any")
        agent = Agent(client, "You help Maria.", name="Helper", context_providers=[provider])
        conversation = agent.create_session(session_id=session)
        return [(await agent.run(each, session=conversation)).text for each in said]

    return asyncio.run(run())
