"""A memory for Haystack: what is said in one session is recalled in the next.

It asks the stand-in for a model, so it needs `pip install 'hmem[haystack]' hmem-testing`, and no network.
"""

from haystack import Pipeline
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret

from hmem_agents.haystack import HmemMemoryRetriever, HmemMemoryStore, HmemMemoryWriter
from hmem_testing.fake_llm import StandIn

store = HmemMemoryStore("maria.hmem", speaker="Maria", tokens=300)
retriever, writer = HmemMemoryRetriever(store), HmemMemoryWriter(store)


def converse(url: str, session: str, said: str) -> None:
    model = OpenAIChatGenerator(model="any", api_base_url=url, api_key=Secret.from_token("any"))
    agent = Agent(chat_generator=model, tools=store.tools())
    asked = ChatMessage.from_user(said)
    recalled = retriever.run(said)["memories"]
    answer = agent.run(messages=[*recalled, asked])["last_message"]
    writer.run([asked, answer], run_id=session)


with StandIn() as model:
    converse(model.url, "monday", "I adopted a puppy named Coco")
    converse(model.url, "tuesday", "Which puppy do I have?")
    assert "Maria: I adopted a puppy named Coco" in str(model.calls[1].request["messages"])
    found = store.search_memories(query="Who adopted a puppy?", top_k=1, filters={"speaker": "Maria"})
    assert found[0].meta["session"] == "monday"

# A store of a path or an address is saved with its pipeline.
pipeline = Pipeline()
pipeline.add_component("recall", retriever)
store.close()
again = Pipeline.loads(pipeline.dumps(), allowed_modules=["hmem_agents.haystack"])
recalled = again.run({"recall": {"query": "Which puppy?"}})["recall"]["memories"]
assert "Coco" in recalled[0].text
again.get_component("recall").memory_store.close()
