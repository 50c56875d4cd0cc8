"""Export of a memory as lines of JSON, and its import.

The first line is the header. The turns with all their fields and the log of changes follow; the import needs these
alone. Derived items (events, notes, episodes, personas) come last, each with its sources, as information: the importing
memory forms them anew.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final, cast, get_args

from hmem import Memory, Receipt, Turn, __version__
from hmem.derived.changes import REVISE, UNDO, change_number
from hmem.derived.chunks import MOST, number_in_turn, turn_of
from hmem.derived.personas import RENEW
from hmem.errors import InputError, InvalidFile
from hmem.evolution.erase import RETAIN, retained_days
from hmem.formation.capture import Defaults, to_turn
from hmem.interfaces.serialisation import by_fields
from hmem.model.change import Verb
from hmem.model.ids import kind_of, number_of, numbered, to_key
from hmem.model.span import from_stored, parse_time, to_stored
from hmem.model.span import zone as load_zone
from hmem.storage.base import LogEntry

NAME: Final = "hmem"
VERSION: Final = 1
_KIND: Final = "hmem-export"
_PAGE: Final = 1_000
_TURN: Final = (
    "text", "speaker", "session", "caption", "role", "attachments", "user", "agent", "message_id", "metadata"
)  # fmt: skip
_TURN_FIELDS: Final = (*_TURN, "at", "expires")
# Changes that formation logs, with the places of note numbers in the words of their keys.
_NUMBERED: Final = {REVISE: (1, 2), RENEW: (2,)}
_VERBS: Final = get_args(Verb)
_UTC: Final = load_zone("UTC")


def looks_like(line: Any) -> bool:
    """Tell if a line is the header of an export."""
    return isinstance(line, Mapping) and cast("Mapping[str, Any]", line).get("type") == _KIND


# Export.


def lines(memory: Memory, *, derived: bool = True) -> Iterator[dict[str, Any]]:
    """Yield a memory as JSON objects, each with its ``type``; derived items only with ``derived``.

    Raises:
        StorageError: it cannot be read.
    """
    storage = memory.corpus.storage
    with memory.corpus.reading():
        statistics = memory.stats()
        yield {
            "type": _KIND, "version": VERSION, "hmem": __version__, "memory": statistics.memory,
            "exported": datetime.now(UTC).isoformat(), "zone": statistics.zone, "retain_days": statistics.retain_days,
            "turns": statistics.turns, "changes": storage.state().recorded,
        }  # fmt: skip
        after = 0
        while page := storage.page(after, _PAGE):
            for seq, turn in page:
                yield {"type": "turn", "number": seq, **_without_empty(by_fields(turn))}
            after = page[-1].seq
        for entry in storage.recorded():
            yield {"type": "change", **_without_empty(entry._asdict() | {"at": from_stored(entry.at, 0).isoformat()})}
        if derived:
            yield from _derived(memory)


def _derived(memory: Memory) -> Iterator[dict[str, Any]]:
    for kind, page_of in (("event", memory.events), ("note", memory.notes), ("episode", memory.episodes)):
        start = 0
        while page := page_of(limit=_PAGE, offset=start):
            yield from ({"type": kind, **_without_empty(by_fields(item))} for item in page)
            start += len(page)
    for persona in memory.personas():
        yield {"type": "persona", **_without_empty(by_fields(replace(persona, vector=())))}


def _without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    empty: tuple[Any, ...] = (None, [], {}, ())
    return {name: value for name, value in fields.items() if name not in ("content", "vector") and value not in empty}


# Import.


class Restoring:
    """Import of an export into a memory, in batches of lines, in their order.

    Turns keep their ids; a turn or change that the memory has is a duplicate, so that an import can be repeated. Ids of
    notes, events and changes in the log are translated to those of the importing memory. ``kept`` counts the turns and
    changes that were stored.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._defaults = Defaults(_UTC, turn_characters=memory.stats().turn_characters)
        self.kept = 0
        self._source = ""
        self._turns: dict[str, str] = {}
        self._numbers: dict[int, str] = {}
        self._changes: dict[int, int] = {}

    def take(self, batch: Sequence[Any]) -> list[Receipt | None]:
        """Return a receipt for each line; None for a line that is information only.

        Raises:
            InvalidFile: it was written by a newer hmem.
            MemoryBusy, StorageFull, StorageError: of the turns, or of the change, nothing was kept.
        """
        receipts: list[Receipt | None] = []
        turns: list[Mapping[str, Any]] = []
        for line in batch:
            record: Mapping[str, Any] = cast("Mapping[str, Any]", line) if isinstance(line, Mapping) else {}
            if record.get("type") != "turn":
                receipts += self._keep(turns)
                turns = []
            match record.get("type"):
                case "turn":
                    turns.append(record)
                case "change":
                    receipts.append(self._record(record))
                case _:
                    receipts.append(self._read_header(record))
        return [*receipts, *self._keep(turns)]

    def _read_header(self, record: Mapping[str, Any]) -> Receipt | None:
        if record.get("type") == _KIND:
            if record.get("version") != VERSION:
                raise InvalidFile("the export was written by a newer hmem - update this one: pip install -U hmem")
            self._source = str(record.get("memory"))
            self._retain(record.get("retain_days"))
        elif not isinstance(record.get("type"), str):
            return Receipt("rejected", error='a line of an export has a "type" - this one has none')
        return None

    def _retain(self, days: Any) -> None:
        """Take over the retention period, if the memory is empty and has none."""
        storage = self._memory.corpus.storage
        with self._memory.corpus.reading():
            if isinstance(days, int) and storage.state().change == 0 and retained_days(storage) is None:
                storage.put_settings({RETAIN: str(days)})

    # Turns.

    def _keep(self, lines: Sequence[Mapping[str, Any]]) -> list[Receipt]:
        """Keep new turns in one transaction; those that the memory has are duplicates."""
        parsed = [self._turn(line) for line in lines]
        turns = {turn.id: turn for turn in parsed if isinstance(turn, Turn)}
        with self._memory.corpus.reading():
            existing = self._memory.corpus.storage.locate(list(turns))
        fresh = [turn for name, turn in turns.items() if name not in existing]
        appended = self._memory.corpus.append(fresh) if fresh else []
        results_by_id = dict(zip([turn.id for turn in fresh], appended, strict=True))
        receipts: list[Receipt] = []
        for line, outcome in zip(lines, parsed, strict=True):
            if not isinstance(outcome, Turn):
                receipts.append(outcome)
                continue
            append_result = results_by_id.pop(outcome.id, None)
            receipt = Receipt("duplicate", outcome.id) if append_result is None else Receipt(*append_result)
            receipts.append(receipt)
            self.kept += receipt.fate == "stored"
            self._learn(line, outcome.id, receipt.id)
        return receipts

    def _turn(self, line: Mapping[str, Any]) -> Turn | Receipt:
        fields = {name: line[name] for name in _TURN_FIELDS if name in line}
        try:
            turn = to_turn(fields, self._defaults)
        except InputError as error:
            return Receipt("rejected", error=str(error))
        name = line.get("id")
        if not isinstance(name, str) or kind_of(name) != "turn":
            return Receipt("rejected", error=f"a turn has an id such as turn_01JX..., not {name!r}")
        return replace(turn, id=name, echoes=tuple(_echoes(line.get("echoes"), len(turn.text))))

    def _learn(self, line: Mapping[str, Any], old: str, new: str | None) -> None:
        """Record the id here, and the number in the exported memory, of a turn."""
        if new is None:
            return
        self._turns[old] = new
        if isinstance(line.get("number"), int):
            self._numbers[int(line["number"])] = new

    # Changes.

    def _record(self, line: Mapping[str, Any]) -> Receipt:
        """Keep a change under a key, which prevents a second copy."""
        try:
            number, entry = self._entry(line)
        except InputError as error:
            return Receipt("rejected", error=str(error))
        with self._memory.corpus.reading():
            storage = self._memory.corpus.storage
            numbers = storage.record([entry])
            if numbers:
                self._changes[number] = numbers[0]
                self.kept += 1
                return Receipt("stored")
            existing = next((change for change in storage.recorded(item=entry.target) if change.key == entry.key), None)
        if existing is not None:
            self._changes[number] = existing.number
        return Receipt("duplicate")

    def _entry(self, line: Mapping[str, Any]) -> tuple[int, LogEntry]:
        """Return the number of a change in the exported memory, and its log entry for this one.

        Raises:
            InvalidFile, InvalidTime: it is no change.
        """
        number = line.get("number")
        texts = {name: line.get(name) for name in ("why", "before", "after", "link", "key")}
        author, verb, target = (line.get(name) for name in ("by", "verb", "target"))
        if not (
            isinstance(number, int) and isinstance(author, str) and isinstance(verb, str) and isinstance(target, str)
        ):
            raise InvalidFile("a change has a number, by, verb and target - this one has not")
        if verb not in _VERBS or any(not isinstance(text, str | None) for text in texts.values()):
            raise InvalidFile(f"there is no change {verb!r} with such fields - write it as `hmem export` does")
        time = to_stored(parse_time(cast("str", line.get("at")), _UTC))[0]
        link = texts["link"]
        local_link = None if link is None else self._local_id(link, undo=verb == UNDO)
        key = self._key(verb, texts["key"]) or f"import {self._source} {number}"
        return number, LogEntry(
            time, author, verb, self._local_id(target), texts["why"], texts["before"], texts["after"], local_link, key
        )

    def _key(self, verb: str, key: str | None) -> str | None:
        """Return the key of a change here, as formation makes it, so that nothing is logged twice.

        None without a key, or if a note in it is gone.
        """
        positions = _NUMBERED.get(verb)
        if key is None or positions is None:
            return key
        words = key.split(" ", 3)
        for position in positions:
            old = words[position] if position < len(words) else ""
            new = self._number(int(old)) if old.isdecimal() else None
            if new is None:
                return None
            words[position] = str(new)
        return " ".join(words)

    def _local_id(self, id: str, *, undo: bool = False) -> str:
        """Return the id in this memory for an id of the exported memory."""
        kind = kind_of(id)
        if kind == "turn":
            return self._turns.get(id, id)
        if kind in ("note", "event"):
            return self._local_derived_id(kind, id)
        if undo and kind == "change":
            new = self._changes.get(change_number(id))
            return id if new is None else _renumbered("change", id, new)
        return id

    def _local_derived_id(self, kind: str, id: str) -> str:
        """Return the id of a note or an event here; its number contains the number of its turn.

        If that turn is gone, the id refers to nothing: its number here may be that of another turn.
        """
        parsed = number_of(kind, id)
        if parsed is None:
            return id
        new = self._number(parsed[1])
        return _renumbered(kind, id, parsed[1] % MOST if new is None else new)

    def _number(self, old: int) -> int | None:
        """Return the number here of a note or an event; None if its turn is gone."""
        turn_id = self._numbers.get(turn_of(old))
        with self._memory.corpus.reading():
            new = 0 if turn_id is None else self._memory.corpus.storage.locate([turn_id]).get(turn_id, 0)
        return number_in_turn(new, old % MOST) if new else None


def _echoes(spans: Any, length: int) -> Iterator[tuple[int, int, str]]:
    """Yield the valid echo spans in a line, as (start, end, source id)."""
    for span in cast("list[Any]", spans) if isinstance(spans, list) else []:
        match span:
            case [int(start), int(end), str(source)] if 0 <= start <= end <= length:
                yield start, end, source
            case _:
                continue


def _renumbered(kind: str, id: str, number: int) -> str:
    key, parsed = to_key(kind, id), number_of(kind, id)
    if key is None or parsed is None:
        return id
    return numbered(kind, int.from_bytes(key[:6]), number, parsed[0])
