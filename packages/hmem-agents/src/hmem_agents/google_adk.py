"""Memory service of Google's Agent Development Kit over a memory. Needs the extra ``hmem[google-adk]``."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from typing_extensions import override

from hmem.errors import ExtraMissing, UnknownId
from hmem.language.prompt_text import quoted_name
from hmem_agents.agent_memory import AgentMemory, AnyMemory, Message, words

try:
    from google.adk.events.event import Event
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions.session import Session
    from google.genai.types import Content, Part
except ImportError as error:
    raise ExtraMissing("google-adk is not installed - pip install 'hmem[google-adk]'") from error

RESULTS: Final = 10


def _own_user(app_name: str, user_id: str) -> str:
    return f"{app_name}/{user_id}"


class HmemMemoryService(BaseMemoryService):
    """Memory service: ``Runner(…, memory_service=HmemMemoryService(memory))``.

    Sessions are kept event by event, each once, however often a session is added. A user recalls what was said with
    them, in all sessions. The tools ``preload_memory_tool`` and ``load_memory_tool`` of ADK search it.

    Args:
        memory: where turns are kept, here or at a server (``hmem.connect``); the caller closes it.
        speaker: the name of the person; ADK's user id by default.
        results: the largest number of entries that a search returns.
        user_of: the user of the memory for an app's name and a user's id. By default apps do not share what they know.
    """

    def __init__(
        self,
        memory: AnyMemory,
        *,
        speaker: str | None = None,
        results: int = RESULTS,
        user_of: Callable[[str, str], str] = _own_user,
    ) -> None:
        self._store = AgentMemory(memory)
        self._speaker = speaker
        self._results = results
        self._user_of = user_of

    @override
    async def add_session_to_memory(self, session: Session) -> None:
        """Keep what was said in a session; events that are kept already are not kept again."""
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    @override
    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep what the user and agents say in events, each under its id. Calls of tools are not kept."""
        del custom_metadata
        user = self._user_of(app_name, user_id)
        turns = [self._turn(event, user_id) for event in events if not event.partial]
        await asyncio.to_thread(self._store.keep, turns, session_id, user=user)

    def _turn(self, event: Event, user_id: str) -> Message | None:
        text = _text(event.content)
        by_user = event.author == "user"
        return self._store.turn(
            text,
            "user" if by_user else "assistant",
            speaker=(self._speaker or user_id) if by_user else event.author or None,
            at=event.timestamp,
            message_id=f"adk:{event.id}",
        )

    @override
    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Keep entries as said by their authors; an entry with an id is kept once."""
        user = self._user_of(app_name, user_id)
        turns: list[Message | None] = []
        for entry in memories:
            turn = self._store.turn(_text(entry.content), "user", speaker=entry.author or self._speaker or user_id)
            if turn:
                metadata = {**(custom_metadata or {}), **entry.custom_metadata}
                fields: dict[str, Any] = {"at": entry.timestamp, "message_id": entry.id, "metadata": metadata}
                turns.append(turn | {name: value for name, value in fields.items() if value})
        await asyncio.to_thread(self._store.keep, turns, user=user)

    @override
    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return what was said about a query, best first, each text on one line and safe in a prompt."""
        user = self._user_of(app_name, user_id)
        evidence = await asyncio.to_thread(self._store.evidence, query, self._results, user=user)
        return SearchMemoryResponse(
            memories=[
                MemoryEntry(
                    id=item.id,
                    author=quoted_name(item.speaker) if item.speaker else None,
                    timestamp=item.when.isoformat(timespec="seconds"),
                    content=Content(role="user", parts=[Part(text=words(item))]),
                )
                for item in evidence
            ]
        )

    @override
    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Erase an entry for good, with all that was derived from it; one that is gone is no error."""
        if memory_id is None:
            return
        try:
            await asyncio.to_thread(self._store.memory.forget, memory_id, user=self._user_of(app_name, user_id))
        except UnknownId:
            return


def _text(content: Content | None) -> str:
    """Return what is said in a content, without the model's thoughts."""
    content_parts = content.parts if content and content.parts else []
    return "\n".join(fragment.text for fragment in content_parts if fragment.text and not fragment.thought)
