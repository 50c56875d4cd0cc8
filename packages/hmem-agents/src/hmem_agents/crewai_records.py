"""Records of a CrewAI memory as turns: what CrewAI's storage does, without vectors."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final, Self

from crewai.memory.types import MemoryRecord, ScopeInfo

from hmem import Evidence, Turn
from hmem.errors import UnknownId
from hmem_agents.agent_memory import AgentMemory, line
from hmem_agents.turns import turns_of

STORE: Final = "crewai"
_PAGE: Final = 1_000
# Pieces of evidence that are looked at for each match, as categories and privacy may drop some.
_SPARE: Final = 3


class SpokenText(str):
    """Text with its speaker, on its way from ``extract_memories`` to ``remember_many``."""

    role: str
    speaker: str | None

    @classmethod
    def create(cls, text: str, role: str, speaker: str | None = None) -> Self:
        """Return a text said in a role, by a speaker or whoever has the role."""
        spoken_text = cls(text)
        spoken_text.role, spoken_text.speaker = role, speaker
        return spoken_text


def fields_of(
    scope: str,
    categories: list[str] | None,
    metadata: dict[str, Any] | None,
    importance: float | None,
    source: str | None,
    private: bool,  # noqa: FBT001 - as CrewAI hands it over
) -> dict[str, Any]:
    """Return the metadata of the turns of records; a search finds the labels of the scope one by one."""
    options = {"categories": categories, "metadata": metadata, "importance": importance, "source": source}
    fields = {name: value for name, value in options.items() if value is not None}
    return {"store": STORE, **_labels(scope), "record": {"scope": scope, "private": private, **fields}}


def _labels(scope: str) -> dict[str, Any]:
    return {f"scope_{depth}": label for depth, label in enumerate(scope.strip("/").split("/")) if label}


class CrewRecords:
    """Records of a memory. Those that CrewAI stored have scopes; a recall finds other turns too."""

    def __init__(self, store: AgentMemory, session: str | None) -> None:
        self._store = store
        self._memory = store.memory
        self._log = turns_of(store.memory, STORE)
        self._session = session

    # Writing.

    def remember(self, content: str, metadata: dict[str, Any], role: str | None) -> MemoryRecord:
        """Keep a text; return its record."""
        fields: dict[str, Any] = {"metadata": metadata, "session": self._session}
        speaker_fields = {"role": "assistant", "speaker": role} if role else {}
        return self.get_record(self._store.note(content, **speaker_fields, **fields))

    def remember_many(self, contents: Sequence[str], metadata: dict[str, Any], role: str | None) -> None:
        """Keep texts, in the role of an agent where no speaker is known."""
        default_role = "assistant" if role else "user"
        texts = [
            content if isinstance(content, SpokenText) else SpokenText.create(content, default_role, role)
            for content in contents
        ]
        turns = [self._store.turn(str(text), text.role, speaker=text.speaker) for text in texts]
        self._store.keep([turn and turn | {"metadata": metadata} for turn in turns], self._session)

    def correct(self, record: MemoryRecord, content: str) -> MemoryRecord:
        """Correct the text of a record, and return it, with the id that it has from now on."""
        change = self._memory.correct(record.id, content, by=STORE)
        return record.model_copy(update={"id": change.link, "content": content})

    # Reading.

    def matching(
        self, query: str, scope: str, limit: int, categories: list[str] | None
    ) -> list[tuple[Evidence, MemoryRecord]]:
        """Return the evidence for a query, best first, with its records, whose text is a line for a prompt."""
        conditions: dict[str, Any] = {"metadata": _labels(scope)} if scope != "/" else {}
        matches: list[tuple[Evidence, MemoryRecord]] = []
        for item in self._store.evidence(query, limit * _SPARE, **conditions):
            # Somebody may have erased it meanwhile.
            with suppress(UnknownId):
                record = self.get_record(item.id)
                if not categories or set(categories) & set(record.categories):
                    matches.append((item, record.model_copy(update={"content": line(item)})))
        return matches

    def get_record(self, record_id: str) -> MemoryRecord:
        """Return a record by its id.

        Raises:
            UnknownId: there is none.
        """
        turn = self._memory.get(record_id)
        if not isinstance(turn, Turn) or self._store.user not in (None, turn.user):
            raise UnknownId(f"there is no record {record_id!r} - recall it first")
        return _record(turn)

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        """Return the stored records under a scope, newest first."""
        return [*self._current_records(scope_prefix)][::-1][offset : offset + limit]

    def _current_records(self, scope: str | None) -> Iterator[MemoryRecord]:
        """Yield the records under a scope as they stand: none that was corrected or retracted."""
        withdrawn_ids = self._log.log().by_anyone
        return (record for record in self._all_records(scope) if record.id not in withdrawn_ids)

    def _all_records(self, scope: str | None) -> Iterator[MemoryRecord]:
        labels = _labels(scope or "/").items()
        after = None
        while page := self._memory.list(after=after, limit=_PAGE):
            for turn in page:
                ours = turn.metadata.get("store") == STORE and self._store.user in (None, turn.user)
                if ours and labels <= turn.metadata.items():
                    yield _record(turn)
            after = page[-1].id

    def get_scope_info(self, scope: str) -> ScopeInfo:
        """Return what a scope holds."""
        records = [*self._current_records(scope)]
        times = [record.created_at for record in records]
        return ScopeInfo(
            path=scope,
            record_count=len(records),
            categories=sorted({name for record in records for name in record.categories}),
            oldest_record=min(times, default=None),
            newest_record=max(times, default=None),
            child_scopes=self.list_scopes(scope),
        )

    def list_scopes(self, parent: str = "/") -> list[str]:
        """Return the scopes right below a scope."""
        base = parent.rstrip("/")
        labels = (record.scope.removeprefix(base).strip("/").split("/")[0] for record in self._current_records(parent))
        return sorted({f"{base}/{label}" for label in labels if label})

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        """Return how many records have each category."""
        return dict(Counter(name for record in self._current_records(scope_prefix) for name in record.categories))

    # Erasing.

    def delete(
        self,
        scope_prefix: str | None = None,
        categories: list[str] | None = None,
        record_ids: list[str] | None = None,
        older_than: datetime | None = None,
        metadata_filter: dict[str, Any] | None = None,
    ) -> int:
        """Erase the stored records that meet every condition, for good; return their number.

        What they said before they were corrected goes too.
        """
        withdrawn_ids = self._log.log().by_anyone
        ids = [
            record.id
            for record in self._all_records(scope_prefix)
            if (record_ids is None or record.id in record_ids)
            and (not categories or set(categories) & set(record.categories))
            and (older_than is None or record.created_at < _without_zone(older_than))
            and (metadata_filter or {}).items() <= record.metadata.items()
        ]
        if ids:
            self._memory.forget(*ids, by=STORE)
        return len(set(ids) - withdrawn_ids)

    def reset(self, scope_prefix: str | None = None) -> None:
        """Erase all stored records under a scope; turns that CrewAI did not store stay."""
        self.delete(scope_prefix)


def _without_zone(moment: datetime) -> datetime:
    """Return a time as CrewAI writes it: in UTC, without saying so."""
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _record(turn: Turn) -> MemoryRecord:
    time = _without_zone(turn.at)
    return MemoryRecord(
        id=turn.id, content=turn.content, created_at=time, last_accessed=time, **turn.metadata.get("record", {})
    )
