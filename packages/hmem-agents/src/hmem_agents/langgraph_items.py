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
from hmem_agents.values import checked

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
class Held:
    """Turn that is the current item; ``found`` is True if a query may find it, ``first`` the item's first turn."""

    place: ItemKey
    seq: int
    id: str
    first: int
    expires: datetime | None
    found: bool


# Writing.


def message_of(place: ItemKey, op: PutOp, created: datetime | None, fields: Sequence[str] | None) -> dict[str, Any]:
    """Return the message that keeps an item. ``created`` is when the item was first put; None means now."""
    value = checked(op.value or {})
    text = _text(value, fields if op.index is None else op.index)
    metadata: dict[str, Any] = {field_of(depth): label for depth, label in enumerate(place.namespace)}
    metadata |= {"store": STORE, "item": place.session, "namespace": [*place.namespace], "key": place.key}
    metadata |= {"value": value, "indexed": text is not None, "ttl": op.ttl, "created": _written(created)}
    return _message(text or place.key.strip() or STORE, metadata)


def message_again(turn: Turn) -> dict[str, Any]:
    """Return the message that keeps an item unchanged, with its time to live restarted."""
    times = {"created": _written(created_of(turn)), "updated": _written(updated_of(turn))}
    return _message(turn.text, {**turn.metadata, **times})


def _message(text: str, metadata: Mapping[str, Any]) -> dict[str, Any]:
    made = {"text": text, "session": metadata["item"], "metadata": metadata}
    return made if metadata["ttl"] is None else made | {"ttl": timedelta(minutes=metadata["ttl"])}


def _written(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def field_of(depth: int) -> str:
    """Return the metadata field that has the label of a namespace at a depth."""
    return f"namespace_{depth}"


def _text(value: Mapping[str, Any], paths: Sequence[str] | Literal[False] | None) -> str | None:
    """Return the searchable text of a value; None if the item is not to be found by queries."""
    if paths is False:
        return None
    texts = list(_strings(value)) if paths is None else [text for path in paths for text in _at(value, path)]
    found = "\n".join(text for text in texts if text.strip())
    return found or (json.dumps(value, ensure_ascii=False) if paths is None and value else None)


def _at(value: Mapping[str, Any], path: str) -> list[str]:
    return get_text_at_path(value, path)


def _strings(value: Any) -> Iterator[str]:
    """Yield every string in a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in cast("Mapping[str, Any]", value).values():
            yield from _strings(each)
    elif isinstance(value, list | tuple):
        for each in cast("Sequence[Any]", value):
            yield from _strings(each)


# Reading.


def place_of(turn: Turn) -> ItemKey | None:
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
    told = turn.metadata.get(name)
    return turn.at if told is None else datetime.fromisoformat(told)


class Items:
    """Current items of a memory by key, in the order in which they were first put. Values are read when needed."""

    def __init__(self, memory: MemoryLike) -> None:
        self._all = turns_of(memory, STORE)
        self._turns: dict[ItemKey, dict[int, Held]] = {}
        self._place_of: dict[int, ItemKey] = {}

    def at(self, place: ItemKey) -> Held | None:
        """Return the item of a key; None without one."""
        return next(iter(self.among([place])), None)

    def among(self, places: Iterable[ItemKey]) -> list[Held]:
        """Return the items of some keys."""
        with self._caught_up():
            return list(self._standing(places))

    def under(self, prefix: Namespace = ()) -> list[Held]:
        """Return the items whose namespace has a prefix."""
        depth = len(prefix)
        with self._caught_up():
            places = [place for place in self._turns if place.namespace[:depth] == prefix]
            return sorted(self._standing(places), key=lambda held: held.first)

    def known(self, places: Iterable[ItemKey]) -> list[ItemKey]:
        """Return those keys that have, or had, an item."""
        wanted = list(places)
        if not wanted:
            return []
        with self._caught_up():
            return [place for place in wanted if place in self._turns]

    def before(self, kept: Mapping[ItemKey, str]) -> list[str]:
        """Return the ids of earlier versions of items, given their current turns; retracted ones are left out."""
        with self._caught_up():
            earlier = [held.id for place, turn in kept.items() for held in self._earlier(place, turn)]
            if not earlier:
                return []
            withdrawn = self._all.log().by_anyone
            return [each for each in earlier if each not in withdrawn]

    def _earlier(self, place: ItemKey, turn: str) -> list[Held]:
        turns = self._turns.get(place, {})
        last = next((seq for seq, held in turns.items() if held.id == turn), 0)
        return [held for seq, held in turns.items() if seq < last]

    def values(self, held: Iterable[Held]) -> list[tuple[Held, Turn]]:
        """Return items with their turns; those erased meanwhile are left out."""
        wanted = list(held)
        if not wanted:
            return []
        kept = self._all.numbered([each.seq for each in wanted])
        return [(each, kept[each.seq]) for each in wanted if each.seq in kept]

    def _standing(self, places: Iterable[ItemKey]) -> Iterator[Held]:
        known = [turns for place in places if (turns := self._turns.get(place))]
        if not known:
            return
        log, now = self._all.log(), datetime.now(UTC)
        for turns in known:
            # A turn that corrects an item's text does not have its value.
            each = (held for held in turns.values() if held.id not in log.corrections)
            held = max(each, key=lambda held: held.seq, default=None)
            if held and held.id not in log.by_people and (held.expires is None or held.expires > now):
                yield held

    @contextmanager
    def _caught_up(self) -> Generator[None]:
        """Hold the memory still, after taking in the changes of all processes."""
        with self._all.reading():
            gone, fresh = self._all.news()
            for seq in gone:
                self._drop(seq)
            for seq, turn in fresh:
                self._take(seq, turn)
            yield

    def _take(self, seq: int, turn: Turn) -> None:
        place = place_of(turn)
        if place is None:
            return
        turns = self._turns.setdefault(place, {})
        overwrites = turns and turn.metadata["created"] is not None
        first = turns[max(turns)].first if overwrites else seq
        turns[seq] = Held(place, seq, turn.id, first, turn.expires, turn.metadata["indexed"])
        self._place_of[seq] = place

    def _drop(self, seq: int) -> None:
        place = self._place_of.pop(seq, None)
        if place is None:
            return
        del self._turns[place][seq]
        if not self._turns[place]:
            del self._turns[place]
