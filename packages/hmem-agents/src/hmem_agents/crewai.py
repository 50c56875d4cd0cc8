"""Memory of CrewAI's agents, crews and flows over a memory. Needs the extra ``hmem[crewai]``."""

import re
from typing import Any, Final, Literal, cast

from pydantic import PrivateAttr
from typing_extensions import override

from hmem.errors import ExtraMissing, InvalidRequest
from hmem.language.prompt_text import framed
from hmem_agents.agent_memory import AgentMemory, AnyMemory

try:
    from crewai.memory.types import MemoryMatch, MemoryRecord
    from crewai.memory.unified_memory import Memory
    from crewai.memory.utils import join_scope_paths, normalize_scope_path

    from hmem_agents.crewai_records import CrewRecords, SpokenText, fields_of
except ImportError as error:
    raise ExtraMissing("crewai is not installed - pip install 'hmem[crewai]'") from error

_OPENING, _, _CLOSING = framed("\0").partition("\0")

# What an agent hands over after a task: what it was asked, who it is, and its result.
_RUN: Final = re.compile(
    r"(?:Task|Input): (?P<asked>.*)\nAgent: (?P<agent>[^\n]*)\n(?:Expected result: .*?\n)?Result: (?P<result>.*)\Z",
    re.DOTALL,
)


class RecalledMatch(MemoryMatch):
    """Match whose text is safe in a prompt. The first and the last of a recall have the marks around all of them."""

    first: bool = False
    last: bool = False

    def format(self) -> str:
        """Return the line for a prompt, without categories and metadata, which anybody may have written."""
        return f"{_OPENING if self.first else ''}- {self.record.content}{_CLOSING if self.last else ''}"


class HmemCrewMemory(Memory):
    """Memory of an agent, a crew or a flow: ``Crew(…, memory=HmemCrewMemory(memory))``.

    It stores what was asked and answered as it was said and calls no model for that, and it recalls by hmem's own
    ranking, from everything that the memory holds; within a scope, from what was stored under it.

    Args:
        memory: where turns are kept, here or at a server (``hmem.connect``); the caller closes it.
        session: the session of the turns; that of their day by default.
        speaker: the name of the person who gives the tasks.
        user: the user of the memory whose turns these are.
        **fields: fields of CrewAI's memory that still count: ``read_only`` and ``root_scope``.
    """

    _records: CrewRecords = PrivateAttr()

    def __init__(
        self,
        memory: AnyMemory,
        *,
        session: str | None = None,
        speaker: str = "user",
        user: str | None = None,
        **fields: Any,
    ) -> None:
        records = CrewRecords(AgentMemory(memory, speaker=speaker, user=user), session)
        # What CrewAI itself asks of a storage, without vectors.
        super().__init__(storage=cast("Any", records), **fields)
        self._records = records

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> "HmemCrewMemory":
        """Return the same memory: copies of a crew share it."""
        return self

    @override
    def remember(
        self, content: str, scope: str | None = None, categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None, importance: float | None = None, source: str | None = None,
        private: bool = False, agent_role: str | None = None, root_scope: str | None = None,
    ) -> MemoryRecord | None:  # fmt: skip
        """Store a text, and return its record; None in a read-only memory.

        Raises:
            InvalidTurn: nothing is said in it.
            ServerUnavailable: the server cannot be reached; nothing was stored.
        """
        if self.read_only:
            return None
        path = self._scope_path(scope, root_scope)
        fields = fields_of(path, categories, metadata, importance, source, private)
        return self._records.remember(content, fields, agent_role)

    @override
    def remember_many(
        self, contents: list[str], scope: str | None = None, categories: list[str] | None = None,
        metadata: dict[str, Any] | None = None, importance: float | None = None, source: str | None = None,
        private: bool = False, agent_role: str | None = None, root_scope: str | None = None,
    ) -> list[MemoryRecord]:  # fmt: skip
        """Store texts at once, in one transaction; the list that CrewAI wants is empty."""
        if not self.read_only:
            path = self._scope_path(scope, root_scope)
            fields = fields_of(path, categories, metadata, importance, source, private)
            self._records.remember_many(contents, fields, agent_role)
        return []

    @override
    def extract_memories(self, content: str) -> list[str]:
        """Return what was asked and what was answered in the report of a task, word for word."""
        match = _RUN.match(content)
        if match is None:
            return [content]
        return [
            SpokenText.create(match["asked"], "user"),
            SpokenText.create(match["result"], "assistant", match["agent"]),
        ]

    @override
    def recall(
        self, query: str, scope: str | None = None, categories: list[str] | None = None, limit: int = 10,
        depth: Literal["shallow", "deep"] = "deep", source: str | None = None, include_private: bool = False,
    ) -> list[MemoryMatch]:  # fmt: skip
        """Return the best matches, best first; the depth makes no difference."""
        matches = self._records.matching(query, self._scope_path(scope, None), limit, categories)
        visible = [
            (item, record)
            for item, record in matches
            if include_private or not record.private or (source is not None and record.source == source)
        ][:limit]
        return [
            RecalledMatch(
                record=record,
                score=item.score,
                match_reasons=[*item.why.strategies],
                first=number == 1,
                last=number == len(visible),
            )
            for number, (item, record) in enumerate(visible, 1)
        ]

    @override
    def update(
        self, record_id: str, content: str | None = None, scope: str | None = None,
        categories: list[str] | None = None, metadata: dict[str, Any] | None = None, importance: float | None = None,
    ) -> MemoryRecord:  # fmt: skip
        """Correct the text of a record, which has another id then; the wrong one stays in the history.

        Raises:
            InvalidRequest: another field than the text is to change.
            UnknownId: there is no such record.
        """
        if any(value is not None for value in (scope, categories, metadata, importance)):
            raise InvalidRequest("only the text of a record can be corrected - forget it, and remember it anew")
        record = self._records.get_record(record_id)
        return record if content is None or self.read_only else self._records.correct(record, content)

    def _scope_path(self, scope: str | None, root: str | None) -> str:
        base = root if root is not None else self.root_scope
        return normalize_scope_path(join_scope_paths(base, scope) if base else scope or "/")
