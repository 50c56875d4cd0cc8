"""An agent of Haystack between a retriever and a writer."""

from typing import Any

from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret

from hmem_agents.haystack import HmemMemoryRetriever, HmemMemoryStore, HmemMemoryWriter


def talk(memory: Any, url: str, session: str, said: list[str]) -> list[str]:
    store = HmemMemoryStore(memory, speaker="Maria", tokens=300)
    retriever, writer = HmemMemoryRetriever(store), HmemMemoryWriter(store)
    model = OpenAIChatGenerator(model="any", api_base_url=url, api_key=Secret.from_token("any"))
    agent = Agent(chat_generator=model, tools=store.tools(), system_prompt="You help Maria.")
    replies: list[str] = []
    for each in said:
        asked = ChatMessage.from_user(each)
        recalled = retriever.run(each)["memories"]
        answer = agent.run(messages=[*recalled, asked])["last_message"]
        writer.run([asked, answer], run_id=session)
        replies.append(answer.text)
    return replies
