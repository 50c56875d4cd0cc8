"""LangGraph's long-term store in a memory: facts told in one thread are known in the next.

Runs offline with hmem's stand-in as the model. Set OPENAI_BASE_URL and OPENAI_API_KEY to use another model.
`pip install 'hmem[langgraph,model]'`, then `python examples/agents/langgraph_store.py`.
"""

import os
import sys
from contextlib import ExitStack
from uuid import uuid4

from langgraph.store.base import BaseStore
from openai import OpenAI

from hmem import Memory
from hmem_agents.langgraph import HmemStore
from hmem_testing.fake_llm import StandIn

USER = ("users", "maria", "memories")


def answer(client: OpenAI, store: BaseStore, said: str) -> str:
    """Answer a message, as a graph's node that gets the store from `StateGraph.compile(store=store)`."""
    known = [item.value["text"] for item in store.search(USER, query=said, limit=3)]
    made = client.chat.completions.create(
        model=os.environ.get("MODEL", "stand-in"),
        messages=[
            {"role": "system", "content": "You know of the user:\n" + "\n".join(known)},
            {"role": "user", "content": said},
        ],
    )
    store.put(USER, str(uuid4()), {"text": said, "kind": "said"})
    return made.choices[0].message.content or ""


def main(path: str) -> None:
    """Run two threads, and print the stored items."""
    with ExitStack() as stack:
        url = os.environ.get("OPENAI_BASE_URL") or stack.enter_context(StandIn()).url
        client = stack.enter_context(OpenAI(base_url=url, api_key=os.environ.get("OPENAI_API_KEY", "any")))
        store = HmemStore(stack.enter_context(Memory(path)), fields=["text"])
        print("thread 1:", answer(client, store, "I adopted a puppy named Coco."))
        print("thread 2:", answer(client, store, "What is my puppy called?"))
        for item in store.search(USER, query="puppy", filter={"kind": "said"}):
            print(f"kept: {item.value['text']} (score {item.score or 0:.2f})")
        print("namespaces:", store.list_namespaces(prefix=("users",)))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "maria.hmem")
