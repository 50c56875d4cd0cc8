"""A memory for Strands Agents: what is said in one session is recalled in the next.

It asks the stand-in for a model, so it needs `pip install 'hmem[strands]' hmem-testing`, and no network.
"""

from strands import Agent
from strands.memory import MemoryManager
from strands.models.openai import OpenAIModel

from hmem import Memory
from hmem_agents.strands import INJECTION, HmemStrandsStore
from hmem_testing.fake_llm import StandIn


def converse(memory: Memory, url: str, session: str, said: str) -> None:
    store = HmemStrandsStore(memory, session=session, speaker="Maria")
    manager = MemoryManager(stores=[store], injection=INJECTION)
    model = OpenAIModel(client_args={"base_url": url, "api_key": "any"}, model_id="any")
    Agent(model=model, memory_manager=manager, callback_handler=None)(said)


with Memory("maria.hmem") as memory, StandIn() as model:
    converse(memory, model.url, "monday", "I adopted a puppy named Coco")
    converse(memory, model.url, "tuesday", "Which puppy do I have?")
    assert "Maria: I adopted a puppy named Coco" in str(model.calls[1].request["messages"])
    assert [turn.speaker for turn in memory.list()] == ["Maria", "assistant", "Maria", "assistant"]
