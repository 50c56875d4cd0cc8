"""A memory for Google ADK: what is said in one session is recalled in the next.

It asks the stand-in for a model, so it needs `pip install 'hmem[google-adk]' hmem-testing`, and no network.
"""

import asyncio

from anthropic import AsyncAnthropic
from google.adk.agents import LlmAgent
from google.adk.models.anthropic_llm import AnthropicLlm
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import preload_memory
from google.genai.types import Content, Part

from hmem import Memory
from hmem_agents.google_adk import HmemMemoryService
from hmem_testing.fake_llm import StandIn


async def keep(callback_context) -> None:
    await callback_context.add_session_to_memory()


async def converse(memory: Memory, url: str, session: str, said: str) -> None:
    model = AnthropicLlm(model="any", client=AsyncAnthropic(base_url=url, api_key="any"))
    agent = LlmAgent(name="Helper", model=model, tools=[preload_memory], after_agent_callback=keep)
    sessions = InMemorySessionService()
    await sessions.create_session(app_name="app", user_id="Maria", session_id=session)
    service = HmemMemoryService(memory)
    runner = Runner(app_name="app", agent=agent, session_service=sessions, memory_service=service)
    message = Content(role="user", parts=[Part(text=said)])
    async for _ in runner.run_async(user_id="Maria", session_id=session, new_message=message):
        pass


with Memory("maria.hmem") as memory, StandIn() as model:
    asyncio.run(converse(memory, model.url, "monday", "I adopted a puppy named Coco"))
    asyncio.run(converse(memory, model.url, "tuesday", "Which puppy do I have?"))
    assert "Maria: I adopted a puppy named Coco" in str(model.calls[1].request["messages"])
    assert [(turn.user, turn.speaker) for turn in memory.list()] == [
        ("app/Maria", "Maria"),
        ("app/Maria", "Helper"),
    ] * 2
