"""Idempotency store: answers to requests with an Idempotency-Key, kept for a day to prevent a second execution.

It is a small SQLite file under the root. When a memory forgets, the answers about it are erased and overwritten.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from time import time
from typing import Any, Final

from hmem.errors import InvalidRequest, RepeatConflict, StorageError
from hmem.model.key import MemoryKey
from hmem.storage.sqlite.driver import Connection, Error

LONGEST: Final = 200
_KEPT_SECONDS: Final = 86_400
_SCHEMA: Final = """
create table if not exists repeats (
    who text not null, what text not null, memory text not null, same text not null, status integer not null,
    body blob not null, at real not null, primary key (who, what)) without rowid;
create index if not exists repeats_at on repeats (at);
"""
# Fields of an erasure report that contain the erased words.
_NOT_KEPT: Final = ("words", "samples")

Answer = tuple[int, bytes]


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """Request that may be repeated: client, Idempotency-Key, memory, and a digest of the rest.

    Raises:
        InvalidRequest: the Idempotency-Key is empty or too long.
    """

    who: str
    what: str
    memory: str
    same: str

    @classmethod
    def of(cls, who: str, what: str, memory: str, operation: str, arguments: Any) -> "IdempotentRequest":
        """Return a request with the digest of its operation and arguments."""
        if not 0 < len(what) <= LONGEST or not what.isprintable():
            raise InvalidRequest(f"an Idempotency-Key has 1 to {LONGEST} printable characters - a UUID is a good one")
        said = json.dumps([memory, operation, arguments], sort_keys=True)
        return cls(who, what, memory, sha256(said.encode("utf-8", "surrogatepass")).hexdigest())


class IdempotencyStore:
    """Answers by client and Idempotency-Key. A repeated request waits while the first one is at work."""

    def __init__(self, path: Path, key: MemoryKey | None = None) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = Lock()
        self._at_work: dict[tuple[str, str], tuple[asyncio.Lock, set[object]]] = {}
        try:
            self._file = Connection(str(path), key=key)
            self._file.execute("pragma secure_delete = on")
            self._file.execute("pragma synchronous = full")
            self._file.execute(_SCHEMA)
        except Error as error:
            raise StorageError(f"{path.name} cannot be used ({error}) - take it away to begin anew") from error

    async def once(self, asked: IdempotentRequest, do: Callable[[], Awaitable[Answer]]) -> tuple[Answer, bool]:
        """Do a request, unless it was done before; return the answer, and True if it is a kept one.

        Raises:
            RepeatConflict: another request had this Idempotency-Key.
            HmemError: as ``do`` does; that is not kept.
        """
        name, me = (asked.who, asked.what), object()
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
            "select same, status, body from repeats where who = ? and what = ? and at > ?",
            asked.who, asked.what, time() - _KEPT_SECONDS,
        )  # fmt: skip
        if not row:
            return None
        same, status, body = row[0]
        if same != asked.same:
            raise RepeatConflict("this Idempotency-Key came with another request before - take a new one")
        return status, body

    def _keep(self, asked: IdempotentRequest, answer: Answer) -> None:
        now = time()
        self._run("delete from repeats where at <= ?", now - _KEPT_SECONDS)
        self._run(
            "insert or replace into repeats values (?, ?, ?, ?, ?, ?, ?)",
            asked.who, asked.what, asked.memory, asked.same, answer[0], _without_words(answer[1]), now,
        )  # fmt: skip

    def forget(self, memory: str) -> None:
        """Erase every answer about a memory."""
        self._run("delete from repeats where memory = ?", memory)

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


def _without_words(body: bytes) -> bytes:
    """Return an answer without the words that were just forgotten."""
    if not body.startswith(b"{") or not any(f'"{name}"'.encode() in body for name in _NOT_KEPT):
        return body
    said: dict[str, Any] = json.loads(body)
    kept: dict[str, Any] = {name: [] if name in _NOT_KEPT else value for name, value in said.items()}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()
