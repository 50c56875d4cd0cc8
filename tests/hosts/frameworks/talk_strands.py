"""An agent of Strands with a memory manager."""

from typing import Any

from strands import Agent
from strands.memory import MemoryManager
from strands.models.openai import OpenAIModel

from hmem_agents.strands import INJECTION, HmemStrandsStore


def talk(memory: Any, url: str, session: str, said: list[str]) -> list[str]:
    store = HmemStrandsStore(memory, session=session, speaker="Maria")
    manager = MemoryManager(stores=[store], add_tool_config=True, injection=INJECTION)
    model = OpenAIModel(client_args={"base_url": url, "api_key": "any"}, model_id="any")
    agent = Agent(model=model, system_prompt="You help Maria.", memory_manager=manager, callback_handler=None)
    return [str(agent(each)).strip() for each in said]
