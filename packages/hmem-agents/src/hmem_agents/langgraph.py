"""LangGraph's long-term store over a memory. Needs the extra ``hmem[langgraph]``."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from hmem import Turn
from hmem.errors import ExtraMissing, InvalidQuery, InvalidTurn, UnknownId
from hmem.formation.capture import Defaults, to_turn
from hmem.model.span import zone
from hmem_agents.agent_memory import AnyMemory, blocking

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        Item,
        ListNamespacesOp,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
    )

    from hmem_agents.langgraph_items import (
        STORE,
        ItemKey,
        Items,
        StoredItem,
        created_of,
        field_of,
        key_of,
        message_again,
        message_of,
        updated_of,
    )
    from hmem_agents.langgraph_match import meets, namespace_page
except ImportError as error:
    raise ExtraMissing("langgraph-checkpoint is not installed - pip install 'hmem[langgraph]'") from error

# Share of the time to live that must have passed before a read renews it, so that few reads are writes.
_WORTH_REFRESHING: Final = 0.1
# Maximal number of filtered items that are passed to a search by name; beyond it, the search returns more and is cut.
_MAX_FILTER_KEYS: Final = 200
_MAX_RESULTS: Final = 10_000


class HmemStore(BaseStore):
    """Items as turns of a memory: found by meaning and words, with their history, in one file.

    Each key (with its namespace) has a session, whose last turn is the item; earlier versions are retracted and stay in
    the history. Deleting an item erases all of them for good. The store may share its memory with conversations, and
    the file with other processes.

    Args:
        memory: where the items are kept, here or at a server (``hmem.connect``); the caller closes it.
        fields: the paths of a value whose texts can be found by a query, such as ``["text", "tags[*]"]``; by default
            all of its strings. ``put(…, index=…)`` overrides it for an item.
        speaker: the speaker of the turns.
        ttl: LangGraph's configuration: ``default_ttl`` (minutes) and ``refresh_on_read``. An expired item is gone at
            once, and erased at the next consolidation.
    """

    supports_ttl = True

    __slots__ = ("_fields", "_items", "_memory", "_speaker", "ttl_config")

    def __init__(
        self,
        memory: AnyMemory,
        *,
        fields: Sequence[str] | None = None,
        speaker: str = "user",
        ttl: TTLConfig | None = None,
    ) -> None:
        self._memory = blocking(memory)
        self._fields = fields
        self._speaker = speaker
        self._items = Items(self._memory)
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations: reads see the store as it was before; of several puts to a key the last one counts.

        All puts are one transaction.

        Raises:
            InvalidTurn: a value is not JSON; nothing was put.
            InvalidTime: a time to live is not above zero.
            InvalidQuery: a filter has an operator that does not exist, or an operation is unknown.
            MemoryBusy, StorageFull, StorageError: the memory's file cannot be used.
        """
        results: list[Result] = []
        puts: dict[ItemKey, PutOp] = {}
        for op in ops:
            if isinstance(op, PutOp):
                puts[ItemKey(tuple(op.namespace), op.key)] = op
                results.append(None)
            else:
                results.append(self._read(op))
        if puts:
            self._write(puts)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Do operations as ``batch`` does, in a thread."""
        return await asyncio.to_thread(self.batch, list(ops))

    # Reading.

    def _read(self, op: Op) -> Result:
        match op:
            case GetOp():
                return self._get(op)
            case SearchOp():
                return self._search(op)
            case ListNamespacesOp():
                return namespace_page({item.key.namespace for item in self._items.with_prefix()}, op)
            case _:
                raise InvalidQuery(f"a store has no operation {type(op).__name__} - get, put, search or list")

    def _get(self, op: GetOp) -> Item | None:
        item = self._items.get(ItemKey(tuple(op.namespace), op.key))
        items = self._items.values([item] if item is not None else [])
        if op.refresh_ttl:
            self._refresh(turn for _, turn in items)
        return next((Item(**_fields_of(entry, turn)) for entry, turn in items), None)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        query = (op.query or "").strip()
        items = [item for item in self._items.with_prefix(tuple(op.namespace_prefix)) if item.searchable or not query]
        if op.filter:
            items = [item for item, turn in self._items.values(items) if meets(turn.metadata["value"], op.filter)]
        scores = self._scores(query, op, items) if query and items else {}
        # Items that the search does not rank follow in the order in which they were put.
        ranking = sorted(items, key=lambda item: -scores.get(item.id, float("-inf")))
        page = self._items.values(ranking[op.offset : op.offset + op.limit])
        if op.refresh_ttl:
            self._refresh(turn for _, turn in page)
        return [SearchItem(**_fields_of(item, turn), score=scores.get(item.id)) for item, turn in page]

    def _scores(self, query: str, op: SearchOp, items: Sequence[StoredItem]) -> dict[str, float]:
        """Return the scores of the best items for a query, by the ids of their turns."""
        metadata: dict[str, Any] = {"store": STORE, "indexed": True}
        if op.filter and len(items) <= _MAX_FILTER_KEYS:
            metadata["item"] = [item.key.session for item in items]
        metadata |= {field_of(depth): label for depth, label in enumerate(op.namespace_prefix)}
        ids = {item.id for item in items}
        target_count = k = min(max(op.offset + op.limit, 1), len(ids))
        scores: dict[str, float] = {}
        while len(scores) < target_count and k < _MAX_RESULTS:
            k = min(k * 2, _MAX_RESULTS)
            results = self._memory.search(query, k, metadata=metadata)
            scores = {item.id: item.score for item in results if item.id in ids}
            if len(results) < k:
                break
        return scores

    def _refresh(self, turns: Iterable[Turn]) -> None:
        """Restart the time to live of items."""
        self._add([message_again(turn) for turn in turns if _worth_refreshing(turn)])

    # Writing.

    def _write(self, puts: Mapping[ItemKey, PutOp]) -> None:
        created = {item.key: created_of(turn) for item, turn in self._items.values(self._items.lookup(puts))}
        new_values = {item_key: op for item_key, op in puts.items() if op.value is not None}
        self._add(
            [message_of(item_key, op, created.get(item_key), self._fields) for item_key, op in new_values.items()]
        )
        for key in self._items.existing(item_key for item_key in puts if item_key not in new_values):
            self._memory.forget(session=key.session, by=STORE)

    def _add(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Keep new versions of items in one transaction, and retract their earlier ones."""
        defaults = Defaults(zone("UTC"), self._speaker)
        keys = [key_of(to_turn(message, defaults)) for message in messages]
        if not messages:
            return
        turn_ids: dict[ItemKey, str] = {}
        for key, receipt in zip(keys, self._memory.add(messages, speaker=self._speaker), strict=True):
            if key is None or receipt.id is None:
                raise InvalidTurn(receipt.error or "an item could not be kept - look at its value")
            turn_ids[key] = receipt.id
        for earlier in self._items.earlier_versions(turn_ids):
            # Another process may have retracted or erased it meanwhile.
            with suppress(InvalidQuery, UnknownId):
                self._memory.retract(earlier, why="another value was put in its place", by=STORE)


def _fields_of(item: StoredItem, turn: Turn) -> dict[str, Any]:
    """Return the fields that ``Item`` and ``SearchItem`` share."""
    return {
        "namespace": item.key.namespace,
        "key": item.key.key,
        "value": turn.metadata["value"],
        "created_at": created_of(turn),
        "updated_at": updated_of(turn),
    }


def _worth_refreshing(turn: Turn) -> bool:
    if turn.expires is None:
        return False
    lifetime = timedelta(minutes=turn.metadata["ttl"])
    return turn.expires - datetime.now(UTC) < lifetime * (1 - _WORTH_REFRESHING)
