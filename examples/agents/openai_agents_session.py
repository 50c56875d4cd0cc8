"""Session of the OpenAI Agents SDK in a memory: conversations are stored and recalled in the next one.

Runs offline with hmem's stand-in as the model. Set OPENAI_BASE_URL and OPENAI_API_KEY to use another model.
`pip install 'hmem[openai-agents,model]'`, then `python examples/agents/openai_agents_session.py`.
"""

import asyncio
import os
import sys
from contextlib import ExitStack

from agents import Agent, OpenAIChatCompletionsModel, RunConfig, Runner
from openai import AsyncOpenAI

from hmem import Memory
from hmem_agents.openai_agents import HmemSession, recalling
from hmem_testing.fake_llm import StandIn


async def converse(memory: Memory, url: str) -> None:
    """Hold two conversations, of which the second recalls the first."""
    async with AsyncOpenAI(base_url=url, api_key=os.environ.get("OPENAI_API_KEY", "any")) as client:
        model = OpenAIChatCompletionsModel(model=os.environ.get("MODEL", "stand-in"), openai_client=client)
        agent = Agent(name="Helper", instructions="You help Maria.", model=model)
        for number, said in enumerate(["I adopted a puppy named Coco.", "What is my puppy called?"], start=1):
            session = HmemSession(f"conversation-{number}", memory, speaker="Maria")
            config = RunConfig(tracing_disabled=True, call_model_input_filter=recalling(memory, session, tokens=300))
            result = await Runner.run(agent, said, session=session, run_config=config)
            print(f"conversation {number}: {result.final_output}")
            print(f"  {len(await session.get_items())} items")


def main(path: str) -> None:
    """Run the conversations, with the stand-in if no other model is set."""
    with ExitStack() as stack:
        url = os.environ.get("OPENAI_BASE_URL") or stack.enter_context(StandIn()).url
        asyncio.run(converse(stack.enter_context(Memory(path)), url))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "maria.hmem")
