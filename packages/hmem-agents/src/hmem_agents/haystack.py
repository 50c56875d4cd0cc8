"""Memory store, components and tools of Haystack over a memory. Needs the extra ``hmem[haystack]``."""

from pathlib import Path
from typing import Annotated, Any

from hmem import Memory, MemoryLike, connect
from hmem.errors import ExtraMissing, InvalidRequest
from hmem.language.prompt_text import without_frames
from hmem_agents.agent_memory import TOKENS, AgentMemory, AnyMemory, line

try:
    from haystack import component, default_from_dict, default_to_dict
    from haystack.dataclasses import ChatMessage
    from haystack.tools.from_function import (
        create_tool_from_function,  # pyright: ignore[reportUnknownVariableType] - it takes any function
    )
    from haystack.tools.tool import Tool
    from haystack.utils import Secret
except ImportError as error:
    raise ExtraMissing("haystack-ai is not installed - pip install 'hmem[haystack]'") from error

RESULTS = 5


class HmemMemoryStore:
    """Memory store of pipelines and agents: ``HmemMemoryStore("maria.hmem")``.

    Args:
        memory: the path of a memory or its address at a server, which can be saved with a pipeline; or an open memory,
            which the caller closes.
        key: the key of the server, such as ``Secret.from_env_var("HMEM_KEY")``.
        speaker: the name of the person who talks with the agent.
        agent: the name that the agent speaks under.
        tokens: the budget of a recalled context, besides the marks around it.
    """

    def __init__(
        self,
        memory: str | Path | AnyMemory,
        *,
        key: Secret | None = None,
        speaker: str = "user",
        agent: str = "assistant",
        tokens: int = TOKENS,
    ) -> None:
        self._location = str(memory) if isinstance(memory, str | Path) else None
        self._options: dict[str, Any] = {"speaker": speaker, "agent": agent, "tokens": tokens}
        self._key = key
        backend = _open_memory(str(memory), key) if isinstance(memory, str | Path) else memory
        self._store = AgentMemory(backend, **self._options)

    def add_memories(
        self, *, messages: list[ChatMessage], user_id: str | None = None, run_id: str | None = None
    ) -> int:
        """Keep what the user and the agent say in messages, in the session ``run_id``; return the number of turns.

        A message whose ``meta`` has an ``id`` is kept once, and one with a ``name`` is said under it.
        """
        turns = [
            self._store.turn(
                "\n".join(message.texts), message.role.value, speaker=message.name, message_id=message.meta.get("id")
            )
            for message in messages
        ]
        return self._store.keep(turns, run_id, user=user_id)

    def search_memories(
        self, *, query: str, top_k: int = RESULTS, user_id: str | None = None, filters: dict[str, Any] | None = None
    ) -> list[ChatMessage]:
        """Return the best pieces of evidence, each on one line and safe in a prompt; ``filters`` are its conditions."""
        conditions: dict[str, Any] = {**(filters or {}), "user": user_id}
        evidence = self._store.evidence(query, top_k, **conditions)
        return [
            ChatMessage.from_system(
                line(item), meta={"id": item.id, "score": item.score, "session": item.session, "kind": item.kind}
            )
            for item in evidence
        ]

    def recall(self, query: str, user_id: str | None = None, **conditions: Any) -> str:
        """Return the context for a query in a frame; "" when nothing is found."""
        return self._store.recall(without_frames(query), **conditions, user=user_id)

    def tools(self) -> list[Tool]:
        """Return the tools ``remember`` and ``recall``; they take ``user_id`` and ``run_id`` from an agent's state."""

        def remember(
            text: Annotated[str, "a whole sentence that names whom and what the fact is about"],
            user_id: str | None = None,
            run_id: str | None = None,
        ) -> str:
            """Keep a fact about the user or the task for later conversations."""
            return self._store.remember(text, run_id, user=user_id)

        def recall(
            question: Annotated[str, "what to look up, as a question in plain words"], user_id: str | None = None
        ) -> str:
            """Look up what is remembered of earlier conversations."""
            return self._store.look_up(question, user=user_id)

        user = {"user_id": "user_id"}
        return [
            create_tool_from_function(remember, inputs_from_state={**user, "run_id": "run_id"}),
            create_tool_from_function(recall, inputs_from_state=user),
        ]

    def close(self) -> None:
        """Close the memory if this store opened it."""
        if self._location is not None:
            self._store.memory.close()

    def to_dict(self) -> dict[str, Any]:
        """Return the store as a pipeline saves it.

        Raises:
            InvalidRequest: it was given an open memory.
        """
        if self._location is None:
            raise InvalidRequest("an open memory cannot be saved with a pipeline - give its path or its address")
        key = None if self._key is None else self._key.to_dict()
        return default_to_dict(self, memory=self._location, key=key, **self._options)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "HmemMemoryStore":
        """Return a store that a pipeline saved."""
        parameters = dict(data["init_parameters"])
        key = parameters.pop("key", None)
        return cls(**parameters, key=None if key is None else Secret.from_dict(key))


def _open_memory(location: str, key: Secret | None) -> MemoryLike:
    if location.startswith(("http://", "https://")):
        return connect(location, key=None if key is None else key.resolve_value())
    return Memory(location)


class _WithStore:
    """Component that is saved with its store."""

    def __init__(self, memory_store: HmemMemoryStore) -> None:
        self.memory_store = memory_store

    def to_dict(self) -> dict[str, Any]:
        """Return the component as a pipeline saves it."""
        return default_to_dict(self, memory_store=self.memory_store.to_dict())

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Any:
        """Return a component that a pipeline saved."""
        store = HmemMemoryStore.from_dict(data["init_parameters"]["memory_store"])
        return default_from_dict(cls, {**data, "init_parameters": {"memory_store": store}})


@component
class HmemMemoryRetriever(_WithStore):
    """Component that recalls: its ``memories`` are one system message with the context for a query, or none."""

    @component.output_types(memories=list[ChatMessage])
    def run(self, query: str, user_id: str | None = None, filters: dict[str, Any] | None = None) -> dict[str, Any]:
        """Recall the context for a query, as data; ``filters`` are the conditions of ``Memory.search``."""
        recalled_text = self.memory_store.recall(query, user_id, **(filters or {}))
        return {"memories": [ChatMessage.from_system(recalled_text)] if recalled_text else []}


@component
class HmemMemoryWriter(_WithStore):
    """Component that keeps messages, such as those of the user and the replies of a generator or an agent."""

    @component.output_types(memories_written=int)
    def run(self, messages: list[ChatMessage], user_id: str | None = None, run_id: str | None = None) -> dict[str, Any]:
        """Keep what the user and the agent say in messages, in the session ``run_id``."""
        turn_count = self.memory_store.add_memories(messages=messages, user_id=user_id, run_id=run_id)
        return {"memories_written": turn_count}
