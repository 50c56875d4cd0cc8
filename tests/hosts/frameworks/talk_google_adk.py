"""An agent of Google's ADK with a memory service, whose sessions are kept after each run."""

import asyncio
from typing import Any

from anthropic import AsyncAnthropic
from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.models.anthropic_llm import AnthropicLlm
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import load_memory, preload_memory
from google.genai.types import Content, Part

from hmem_agents.google_adk import HmemMemoryService


async def keep(callback_context: CallbackContext) -> None:
    await callback_context.add_session_to_memory()


def talk(memory: Any, url: str, session: str, said: list[str]) -> list[str]:
    async def run() -> list[str]:
        model = AnthropicLlm(model="any", client=AsyncAnthropic(base_url=url, api_key="any"))
        agent = LlmAgent(
            name="Helper",
            model=model,
            instruction="You help Maria.",
            tools=[preload_memory, load_memory],
            after_agent_callback=keep,
        )
        sessions = InMemorySessionService()
        await sessions.create_session(app_name="app", user_id="Maria", session_id=session)
        service = HmemMemoryService(memory)
        runner = Runner(app_name="app", agent=agent, session_service=sessions, memory_service=service)
        replies: list[str] = []
        for each in said:
            message = Content(role="user", parts=[Part(text=each)])
            events = [each async for each in runner.run_async(user_id="Maria", session_id=session, new_message=message)]
            parts = events[-1].content.parts if events[-1].content else None
            replies.append("".join(part.text or "" for part in parts or []))
        return replies

    return asyncio.run(run())
