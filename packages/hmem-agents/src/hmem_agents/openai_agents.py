"""Session of the OpenAI Agents SDK over a memory, and recalled context as instructions. Needs ``hmem[openai-agents]``.

An agent is given what earlier sessions say about the user's message.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final, TypeVar, cast

from hmem import MemoryLike, Turn
from hmem.errors import ExtraMissing, InvalidQuery, InvalidTurn, UnknownId
from hmem.language.prompt_text import without_frames
from hmem_agents.agent_memory import TOKENS, AgentMemory, AnyMemory, blocking
from hmem_agents.turns import turns_of
from hmem_agents.values import json_object

try:
    from agents import SessionSettings, TResponseInputItem
    from agents.memory.session import SessionABC
    from agents.run_config import CallModelData, ModelInputData
except ImportError as error:
    raise ExtraMissing("openai-agents is not installed - pip install 'hmem[openai-agents]'") from error

SESSION: Final = "openai-agents"

_PAGE: Final = 1_000
_TEXTS: Final = frozenset({"input_text", "output_text", "text"})

_Result = TypeVar("_Result")


class HmemSession(SessionABC):
    """Conversation in a memory: items come back as they were given, and what people and the agent said is remembered.

    Calls of tools, their results and the like are kept with the session, and never recalled.

    Args:
        session_id: the id of the conversation, and of its session in the memory.
        memory: where it is kept, here or at a server (``hmem.connect``); the caller closes it.
        speaker: the name of the person who talks with the agent.
        agent: the name that the agent speaks under.
        session_settings: the SDK's own, such as how many items ``get_items`` gives.
    """

    def __init__(
        self,
        session_id: str,
        memory: AnyMemory,
        *,
        speaker: str = "user",
        agent: str = "assistant",
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._memory = blocking(memory)
        self._speakers = {"user": speaker, "assistant": agent}
        self._reader = turns_of(self._memory, SESSION)

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the items, oldest first; with a limit, only the latest ones."""
        max_items = limit if limit is not None else self.session_settings.limit if self.session_settings else None
        if max_items is not None and max_items <= 0:
            return []
        turns = await _in_thread(self._turns)
        return [turn.metadata["item"] for turn in turns[-max_items if max_items is not None else 0 :]]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Keep items, in one transaction.

        Raises:
            InvalidTurn: an item is not JSON; nothing was kept.
            MemoryBusy, StorageFull, StorageError: nothing was kept.
        """
        if items:
            await _in_thread(lambda: self._add(items))

    async def pop_item(self) -> TResponseInputItem | None:
        """Erase the latest item, with what was derived from it, and return it; None without one."""
        return await _in_thread(self._pop)

    async def clear_session(self) -> None:
        """Erase the conversation, with all that was derived from it. To begin another one, use another id."""
        await _in_thread(lambda: self._memory.forget(session=self.session_id, by=SESSION) if self._turns() else None)

    def last_time_of(self, text: str) -> datetime | None:
        """Return the time when the person last said a text in this conversation; None if they did not."""
        turns = [turn for turn in self._turns() if turn.role == "user" and turn.text == text]
        return turns[-1].at if turns else None

    # In a thread.

    def _turns(self) -> list[Turn]:
        """Return the turns of items, oldest first, without corrections and those that somebody withdrew."""
        log = self._reader.log()
        return [
            turn
            for turn in _session_turns(self._memory, self.session_id)
            if turn.metadata.get("store") == SESSION and turn.id not in log.by_people | log.corrections
        ]

    def _add(self, items: Sequence[TResponseInputItem]) -> None:
        messages = [self._message(cast("Mapping[str, Any]", item)) for item in items]
        for message, receipt in zip(messages, self._memory.add(messages, session=self.session_id), strict=True):
            if receipt.id is None:
                raise InvalidTurn(receipt.error or "an item could not be kept - look at its content")
            if not message["metadata"]["said"]:
                # A retracted turn is kept and never recalled.
                with suppress(InvalidQuery, UnknownId):
                    self._memory.retract(receipt.id, why="no message, but a part of the session", by=SESSION)

    def _message(self, item: Mapping[str, Any]) -> dict[str, Any]:
        text, role = text_of(item), item.get("role")
        metadata = {"store": SESSION, "item": json_object(item), "said": bool(text)}
        if not text:
            return {"text": f"[{item.get('type', 'item')}]", "role": "tool", "metadata": metadata}
        return {"text": text, "role": role, "speaker": self._speakers[str(role)], "metadata": metadata}

    def _pop(self) -> TResponseInputItem | None:
        turns = self._turns()
        if not turns:
            return None
        self._memory.forget(turns[-1].id, by=SESSION)
        return turns[-1].metadata["item"]


def text_of(item: Mapping[str, Any]) -> str:
    """Return the text of a user's or an assistant's message without recalled text; empty for anything else."""
    if item.get("role") not in ("user", "assistant") or item.get("type", "message") != "message":
        return ""
    content = item.get("content")
    blocks: Sequence[Any] = cast("Sequence[Any]", content) if isinstance(content, list | tuple) else ()
    texts = [content] if isinstance(content, str) else [_block_text(block) for block in blocks]
    return without_frames("\n".join(text for text in texts if text))


def _block_text(block: Any) -> str:
    if not isinstance(block, Mapping):
        return ""
    fields = cast("Mapping[str, Any]", block)
    return str(fields.get("text") or "") if fields.get("type") in _TEXTS else ""


def recalling(
    memory: AnyMemory, session: HmemSession | None = None, *, tokens: int = TOKENS, **conditions: Any
) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """Return a filter (``RunConfig(call_model_input_filter=…)``) that adds recalled context to the instructions.

    The context that answers the user's last message follows the agent's own instructions, marked as data, in at most
    ``tokens`` tokens besides the marks. It is written anew for each call of the model, and is not stored.
    ``session`` is that of the run: its last message is the question, and is not recalled. ``conditions`` are those of
    ``Memory.search``.
    """
    store = AgentMemory(memory, tokens=tokens)

    def recall(question: str) -> str:
        question_time = None if session is None else session.last_time_of(question)
        # Turns from that time on contain the question itself.
        bounds: dict[str, Any] = {} if question_time is None else {"until": question_time}
        return store.recall(question, **bounds | conditions)

    async def add_context(data: CallModelData[Any]) -> ModelInputData:
        model_input = data.model_data
        question = _question(model_input.input)
        recalled_text = await _in_thread(lambda: recall(question)) if question else ""
        instructions = "\n\n".join(text for text in (model_input.instructions, recalled_text) if text)
        return ModelInputData(input=model_input.input, instructions=instructions or None)

    return add_context


def _question(items: Sequence[TResponseInputItem]) -> str:
    """Return the user's last message; empty without one."""
    messages = (cast("Mapping[str, Any]", item) for item in reversed(items))
    return next((text for item in messages if item.get("role") == "user" and (text := text_of(item))), "")


def _session_turns(memory: MemoryLike, session: str) -> Iterator[Turn]:
    after = None
    while page := memory.list(session=session, after=after, limit=_PAGE):
        yield from page
        after = page[-1].id


async def _in_thread(do: Callable[[], _Result]) -> _Result:
    return await asyncio.to_thread(do)
