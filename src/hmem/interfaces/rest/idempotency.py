"""Idempotency store: answers to requests with an Idempotency-Key, kept for a day to prevent a second execution.

It is a small SQLite file under the root, and holds no word of a memory: so no forgetting, by whatever process, leaves a
word in it. Of an answer it keeps ids and numbers; of a request and its Idempotency-Key, digests. A change is read again
from the memory's own log, which a forgetting has redacted.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import time
from typing import Any, Final

from hmem.errors import InvalidRequest, RepeatConflict, StorageError
from hmem.interfaces.operations import Deleted, Done, MemoryShape, Operation, Retained, Turns
from hmem.language.analyst.spending import Budget
from hmem.model.change import Change
from hmem.model.key import MemoryKey
from hmem.model.report import Consolidation, Forgotten, Worked
from hmem.model.turn import Receipt
from hmem.storage.sqlite.driver import Connection, Error
from hmem.util.files import private_file, private_folder, restrict_permissions

LONGEST: Final = 200
_KEPT_SECONDS: Final = 86_400
# The table of the first edition held whole answers.
_SCHEMA: Final = """
drop table if exists repeats;
create table if not exists answers (
    request text primary key, memory text not null, same text not null, status integer not null, body blob not null,
    at real not null) without rowid;
create index if not exists answers_at on answers (at);
"""

Answer = tuple[int, bytes]
Json = Any

# What is kept of an answer.


def _all(answer: Json) -> Json:
    return answer


def _of_change(change: Json) -> Json:
    return {"id": change["id"], "at": change["at"]}


def _of_changes(changes: Json) -> Json:
    return [_of_change(each) for each in changes]


def _of_receipt(receipt: Json) -> Json:
    # The error quotes the message.
    told = "this message was refused when it came first - send it with another Idempotency-Key to be told why"
    return receipt if receipt["error"] is None else {**receipt, "error": told}


def _of_receipts(receipts: Json) -> Json:
    return [_of_receipt(each) for each in receipts]


def _of_erasure(report: Json) -> Json:
    return {**report, "words": [], "samples": []}


def _of_work(report: Json) -> Json:
    # The reason may quote a model.
    return {**report, "stopped": None}


_KEPT_OF: Final[Mapping[Any, Callable[[Json], Json]]] = {
    Change: _of_change,
    list[Change]: _of_changes,
    Receipt: _of_receipt,
    list[Receipt]: _of_receipts,
    Forgotten: _of_erasure,
    Worked: _of_work,
    **dict.fromkeys((MemoryShape, Deleted, Consolidation, Done, Retained, Budget, Turns), _all),
}


def kept_of(operation: Operation, body: bytes) -> bytes:
    """Return an answer without words, as it is kept: of changes, their ids and times."""
    answer = _KEPT_OF[operation.result](json.loads(body))
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode()


def changes_of(operation: Operation, kept: bytes) -> list[Json] | None:
    """Return the ids and times of the changes in a kept answer; None if it is an answer of another kind."""
    if operation.result not in (Change, list[Change]):
        return None
    answer: Json = json.loads(kept)
    return answer if operation.result is not Change else [answer]


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """Request that may be repeated: digests of client and Idempotency-Key and of the rest, and the memory's id.

    The id is that of the memory itself, which another one of its name does not have; empty for a request that makes or
    deletes it.
    """

    request: str
    memory: str
    same: str
    operation: Operation

    @classmethod
    def of(
        cls, who: str, what: str, memory: str, operation: Operation, arguments: Any, *, name: str
    ) -> "IdempotentRequest":
        """Return a request of a client with an Idempotency-Key, to the memory of an id and a name.

        Raises:
            InvalidRequest: the Idempotency-Key is empty or too long.
        """
        if not 0 < len(what) <= LONGEST or not what.isprintable():
            raise InvalidRequest(f"an Idempotency-Key has 1 to {LONGEST} printable characters - a UUID is a good one")
        # With the key in it, the digest of a short text is not found by trying texts.
        same = _digest(who, what, name, operation.name, arguments)
        return cls(_digest(who, what), memory, same, operation)


class IdempotencyStore:
    """Answers by client and Idempotency-Key. A repeated request waits while the first one is at work."""

    def __init__(self, path: Path, key: MemoryKey | None = None) -> None:
        private_folder(path.parent)
        private_file(path)
        restrict_permissions(
            [path.parent, path, *(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal"))]
        )
        self._lock = Lock()
        self._at_work: dict[str, tuple[asyncio.Lock, set[object]]] = {}
        try:
            self._file = Connection(str(path), key=key)
            self._file.execute("pragma secure_delete = on")
            self._file.execute("pragma synchronous = full")
            self._file.execute(_SCHEMA)
        except Error as error:
            raise StorageError(f"{path.name} cannot be used ({error}) - take it away to begin anew") from error

    async def once(self, asked: IdempotentRequest, do: Callable[[], Awaitable[Answer]]) -> tuple[Answer, bool]:
        """Do a request, unless it was done before; return the answer, and True if it is a kept one, without words.

        Raises:
            RepeatConflict: another request had this Idempotency-Key.
            HmemError: as ``do`` does; that is not kept.
        """
        name, me = asked.request, object()
        lock, waiting = self._at_work.setdefault(name, (asyncio.Lock(), set()))
        waiting.add(me)
        try:
            async with lock:
                kept = await asyncio.to_thread(self._find, asked)
                if kept is not None:
                    return kept, True
                answer = await do()
                await asyncio.to_thread(self._keep, asked, answer)
                return answer, False
        finally:
            waiting.discard(me)
            if not waiting:
                self._at_work.pop(name, None)

    def _find(self, asked: IdempotentRequest) -> Answer | None:
        row = self._run(
            "select same, status, body from answers where request = ? and memory = ? and at > ?",
            asked.request, asked.memory, time() - _KEPT_SECONDS,
        )  # fmt: skip
        if not row:
            return None
        same, status, body = row[0]
        if same != asked.same:
            raise RepeatConflict("this Idempotency-Key came with another request before - take a new one")
        return status, body

    def _keep(self, asked: IdempotentRequest, answer: Answer) -> None:
        now = time()
        self._run("delete from answers where at <= ?", now - _KEPT_SECONDS)
        self._run(
            "insert or replace into answers values (?, ?, ?, ?, ?, ?)",
            asked.request, asked.memory, asked.same, answer[0], kept_of(asked.operation, answer[1]), now,
        )  # fmt: skip

    def _run(self, statement: str, *values: Any) -> list[Any]:
        try:
            with self._lock:
                return self._file.execute(statement, values).fetchall()
        except Error as error:
            raise StorageError(f"what was answered before cannot be looked up ({error}) - try again") from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()


def _digest(*parts: Any) -> str:
    said = json.dumps(parts, sort_keys=True)
    return sha256(said.encode("utf-8", "surrogatepass")).hexdigest()
