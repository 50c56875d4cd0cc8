"""Agent of pydantic-ai with a memory: turns of one run are put before the next one, as data.

Runs offline with hmem's stand-in as the model. Set OPENAI_BASE_URL and OPENAI_API_KEY to use another model.
`pip install 'hmem[pydantic-ai,model]'`, then `python examples/agents/pydantic_ai_memory.py`.
"""

import asyncio
import os
import sys
from contextlib import ExitStack

from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from hmem import Memory
from hmem_agents.pydantic_ai import Remembering
from hmem_testing.fake_llm import StandIn


async def converse(memory: Memory, url: str) -> None:
    """Hold two runs that share only the memory."""
    async with AsyncOpenAI(base_url=url, api_key=os.environ.get("OPENAI_API_KEY", "any")) as client:
        model = OpenAIChatModel(os.environ.get("MODEL", "stand-in"), provider=OpenAIProvider(openai_client=client))
        agent = Agent(model, capabilities=[Remembering(memory, speaker="Maria", tokens=300)])
        for said in ["I adopted a puppy named Coco.", "What is my puppy called?"]:
            result = await agent.run(said)
            print(f"{said} -> {result.output}")
    print(f"{len(memory.list())} turns are kept")


def main(path: str) -> None:
    """Run the conversations, with the stand-in if no other model is set."""
    with ExitStack() as stack:
        url = os.environ.get("OPENAI_BASE_URL") or stack.enter_context(StandIn()).url
        asyncio.run(converse(stack.enter_context(Memory(path)), url))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "maria.hmem")
