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
from typing import Any, Final, get_args

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
_SCHEMA: Final = """
create table if not exists answers (
    request text primary key, memory text not null, same text not null, status integer not null, body blob not null,
    at real not null) without rowid;
create index if not exists answers_at on answers (at);
"""

Answer = tuple[int, bytes]
Json = Any

# What is kept of an answer.


def _identity(answer: Json) -> Json:
    return answer


def _of_receipt(receipt: Json) -> Json:
    # The error quotes the message.
    reason = "this message was refused when it came first - send it with another Idempotency-Key to be told why"
    return receipt if receipt["error"] is None else {**receipt, "error": reason}


_REDUCERS: Final[Mapping[Any, Callable[[Json], Json]]] = {
    Change: lambda change: {"id": change["id"], "at": change["at"]},
    Receipt: _of_receipt,
    Forgotten: lambda report: {**report, "words": [], "samples": []},
    # The reason may quote a model.
    Worked: lambda report: {**report, "stopped": None},
    **dict.fromkeys((MemoryShape, Deleted, Consolidation, Done, Retained, Budget, Turns), _identity),
}


def without_words(operation: Operation, body: bytes) -> bytes:
    """Return an answer without words, as it is kept: of changes, their ids and times."""
    answer, (item, *_) = json.loads(body), (*get_args(operation.result), operation.result)
    reduce = _REDUCERS[item]
    kept = [reduce(entry) for entry in answer] if item is not operation.result else reduce(answer)
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()


def changes_of(operation: Operation, body: bytes) -> list[Json] | None:
    """Return the ids and times of the changes in a kept answer; None if it is an answer of another kind."""
    if operation.result not in (Change, list[Change]):
        return None
    answer: Json = json.loads(body)
    return answer if operation.result is not Change else [answer]


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """Request that may be repeated: digests of client and Idempotency-Key and of the rest, and the memory's id.

    The id is that of the memory itself, which another one of its name does not have; empty for a request that makes or
    deletes it.
    """

    key_digest: str
    memory: str
    fingerprint: str
    operation: Operation

    @classmethod
    def build(
        cls, client: str, idempotency_key: str, memory: str, operation: Operation, arguments: Any, *, name: str
    ) -> "IdempotentRequest":
        """Return a request of a client with an Idempotency-Key, to the memory of an id and a name.

        Raises:
            InvalidRequest: the Idempotency-Key is empty or too long.
        """
        if not 0 < len(idempotency_key) <= LONGEST or not idempotency_key.isprintable():
            raise InvalidRequest(f"an Idempotency-Key has 1 to {LONGEST} printable characters - a UUID is a good one")
        # With the key in it, the digest of a short text is not found by trying texts.
        fingerprint = _digest(client, idempotency_key, name, operation.name, arguments)
        return cls(_digest(client, idempotency_key), memory, fingerprint, operation)


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

    async def once(self, request: IdempotentRequest, do: Callable[[], Awaitable[Answer]]) -> tuple[Answer, bool]:
        """Do a request, unless it was done before; return the answer, and True if it is a kept one, without words.

        Raises:
            RepeatConflict: another request had this Idempotency-Key.
            HmemError: as ``do`` does; that is not kept.
        """
        name, me = request.key_digest, object()
        lock, waiting = self._at_work.setdefault(name, (asyncio.Lock(), set()))
        waiting.add(me)
        try:
            async with lock:
                stored_answer = await asyncio.to_thread(self._find, request)
                if stored_answer is not None:
                    return stored_answer, True
                answer = await do()
                await asyncio.to_thread(self._keep, request, answer)
                return answer, False
        finally:
            waiting.discard(me)
            if not waiting:
                self._at_work.pop(name, None)

    def _find(self, request: IdempotentRequest) -> Answer | None:
        row = self._run(
            "select same, status, body from answers where request = ? and memory = ? and at > ?",
            request.key_digest, request.memory, time() - _KEPT_SECONDS,
        )  # fmt: skip
        if not row:
            return None
        fingerprint, status, body = row[0]
        if fingerprint != request.fingerprint:
            raise RepeatConflict("this Idempotency-Key came with another request before - take a new one")
        return status, body

    def _keep(self, request: IdempotentRequest, answer: Answer) -> None:
        current_time = time()
        self._run("delete from answers where at <= ?", current_time - _KEPT_SECONDS)
        self._run(
            "insert or replace into answers values (?, ?, ?, ?, ?, ?)",
            request.key_digest, request.memory, request.fingerprint, answer[0],
            without_words(request.operation, answer[1]), current_time,
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


def _digest(*values: Any) -> str:
    text = json.dumps(values, sort_keys=True)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
