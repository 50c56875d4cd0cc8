"""Items of a LangGraph store as turns: their messages, and the index of current items."""

import json
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal, NamedTuple, cast

from langgraph.store.base import PutOp, get_text_at_path

from hmem import MemoryLike, Turn
from hmem_agents.turns import turns_of
from hmem_agents.values import json_object

STORE: Final = "langgraph"

Namespace = tuple[str, ...]


class ItemKey(NamedTuple):
    """Namespace and key of an item."""

    namespace: Namespace
    key: str

    @property
    def session(self) -> str:
        """Session of the item's turns: one for each of its versions."""
        return json.dumps([*self.namespace, self.key], ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class StoredItem:
    """Turn that is the current item; ``searchable`` is True if a query may find it, ``first`` the item's first turn."""

    key: ItemKey
    seq: int
    id: str
    first: int
    expires: datetime | None
    searchable: bool


# Writing.


def message_of(key: ItemKey, op: PutOp, created: datetime | None, fields: Sequence[str] | None) -> dict[str, Any]:
    """Return the message that keeps an item. ``created`` is when the item was first put; None means now."""
    value = json_object(op.value or {})
    text = _text(value, fields if op.index is None else op.index)
    metadata: dict[str, Any] = {field_of(depth): label for depth, label in enumerate(key.namespace)}
    metadata |= {"store": STORE, "item": key.session, "namespace": [*key.namespace], "key": key.key}
    metadata |= {"value": value, "indexed": text is not None, "ttl": op.ttl, "created": _iso(created)}
    return _message(text or key.key.strip() or STORE, metadata)


def message_again(turn: Turn) -> dict[str, Any]:
    """Return the message that keeps an item unchanged, with its time to live restarted."""
    times = {"created": _iso(created_of(turn)), "updated": _iso(updated_of(turn))}
    return _message(turn.text, {**turn.metadata, **times})


def _message(text: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
    message = {"text": text, "session": metadata["item"], "metadata": metadata}
    return message if metadata["ttl"] is None else message | {"ttl": timedelta(minutes=metadata["ttl"])}


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def field_of(depth: int) -> str:
    """Return the metadata field that has the label of a namespace at a depth."""
    return f"namespace_{depth}"


def _text(value: Mapping[str, Any], paths: Sequence[str] | Literal[False] | None) -> str | None:
    """Return the searchable text of a value; None if the item is not to be found by queries."""
    if paths is False:
        return None
    texts = list(_strings(value)) if paths is None else [text for path in paths for text in _texts_at(value, path)]
    content = "\n".join(text for text in texts if text.strip())
    return content or (json.dumps(value, ensure_ascii=False) if paths is None and value else None)


def _texts_at(value: Mapping[str, Any], path: str) -> list[str]:
    return get_text_at_path(value, path)


def _strings(value: Any) -> Iterator[str]:
    """Yield every string in a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for element in cast("Mapping[str, Any]", value).values():
            yield from _strings(element)
    elif isinstance(value, list | tuple):
        for element in cast("Sequence[Any]", value):
            yield from _strings(element)


# Reading.


def key_of(turn: Turn) -> ItemKey | None:
    """Return the key of the item that a turn belongs to; None for any other turn."""
    if turn.metadata.get("store") != STORE:
        return None
    return ItemKey(tuple(turn.metadata["namespace"]), turn.metadata["key"])


def created_of(turn: Turn) -> datetime:
    """Return the time when the item was first put."""
    return _time(turn, "created")


def updated_of(turn: Turn) -> datetime:
    """Return the time when the item was last put."""
    return _time(turn, "updated")


def _time(turn: Turn, name: str) -> datetime:
    timestamp = turn.metadata.get(name)
    return turn.at if timestamp is None else datetime.fromisoformat(timestamp)


class Items:
    """Current items of a memory by key, in the order in which they were first put. Values are read when needed."""

    def __init__(self, memory: MemoryLike) -> None:
        self._all = turns_of(memory, STORE)
        self._turns: dict[ItemKey, dict[int, StoredItem]] = {}
        self._keys: dict[int, ItemKey] = {}

    def get(self, key: ItemKey) -> StoredItem | None:
        """Return the item of a key; None without one."""
        return next(iter(self.lookup([key])), None)

    def lookup(self, keys: Iterable[ItemKey]) -> list[StoredItem]:
        """Return the items of some keys."""
        with self._caught_up():
            return list(self._current(keys))

    def with_prefix(self, prefix: Namespace = ()) -> list[StoredItem]:
        """Return the items whose namespace has a prefix."""
        depth = len(prefix)
        with self._caught_up():
            keys = [key for key in self._turns if key.namespace[:depth] == prefix]
            return sorted(self._current(keys), key=lambda item: item.first)

    def existing(self, keys: Iterable[ItemKey]) -> list[ItemKey]:
        """Return those keys that have, or had, an item."""
        candidates = list(keys)
        if not candidates:
            return []
        with self._caught_up():
            return [key for key in candidates if key in self._turns]

    def earlier_versions(self, current_turns: Mapping[ItemKey, str]) -> list[str]:
        """Return the ids of earlier versions of items, given their current turns; retracted ones are left out."""
        with self._caught_up():
            earlier = [version.id for key, turn in current_turns.items() for version in self._earlier(key, turn)]
            if not earlier:
                return []
            withdrawn_ids = self._all.log().by_anyone
            return [turn_id for turn_id in earlier if turn_id not in withdrawn_ids]

    def _earlier(self, key: ItemKey, turn: str) -> list[StoredItem]:
        turns = self._turns.get(key, {})
        last = next((seq for seq, version in turns.items() if version.id == turn), 0)
        return [version for seq, version in turns.items() if seq < last]

    def values(self, items: Iterable[StoredItem]) -> list[tuple[StoredItem, Turn]]:
        """Return items with their turns; those erased meanwhile are left out."""
        requested = list(items)
        if not requested:
            return []
        turns = self._all.numbered([item.seq for item in requested])
        return [(item, turns[item.seq]) for item in requested if item.seq in turns]

    def _current(self, keys: Iterable[ItemKey]) -> Iterator[StoredItem]:
        version_maps = [turns for item_key in keys if (turns := self._turns.get(item_key))]
        if not version_maps:
            return
        log, time = self._all.log(), datetime.now(UTC)
        for turns in version_maps:
            # A turn that corrects an item's text does not have its value.
            versions = (version for version in turns.values() if version.id not in log.corrections)
            current = max(versions, key=lambda candidate: candidate.seq, default=None)
            if current and current.id not in log.by_people and (current.expires is None or current.expires > time):
                yield current

    @contextmanager
    def _caught_up(self) -> Generator[None]:
        """Hold the memory still, after taking in the changes of all processes."""
        with self._all.reading():
            erased_numbers, fresh = self._all.news()
            for seq in erased_numbers:
                self._drop(seq)
            for seq, turn in fresh:
                self._take(seq, turn)
            yield

    def _take(self, seq: int, turn: Turn) -> None:
        key = key_of(turn)
        if key is None:
            return
        turns = self._turns.setdefault(key, {})
        overwrites = turns and turn.metadata["created"] is not None
        first = turns[max(turns)].first if overwrites else seq
        turns[seq] = StoredItem(key, seq, turn.id, first, turn.expires, turn.metadata["indexed"])
        self._keys[seq] = key

    def _drop(self, seq: int) -> None:
        key = self._keys.pop(seq, None)
        if key is None:
            return
        del self._turns[key][seq]
        if not self._turns[key]:
            del self._turns[key]
