"""Memories that are open in one process: opened on first use, and closed when idle."""

import shutil
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Event, Lock, Thread
from time import monotonic
from typing import Any, Final

from hmem import Memory
from hmem.errors import HmemError, MemoryNotFound, ServerUnavailable
from hmem.interfaces.operations import OPERATIONS, Arguments, ask_in_pieces, message_of
from hmem.interfaces.rest import names
from hmem.interfaces.rest.settings import Settings
from hmem.interfaces.serialisation import plain, to_bytes
from hmem.model.turn import Receipt
from hmem.storage import Location

# Operation of the pool itself: the id of a memory, which another one of its name does not have.
IDENTITY: Final = "identity"
_SWEEP_SECONDS: Final = 5.0
# Number of waiting turns that are kept in one transaction.
_AT_ONCE: Final = 64
# Options that clients may choose. Those that load code or call other servers are for the operator alone.
_KEPT: Final = {"recipe", "zone"}


# Turns of several callers.


@dataclass(slots=True, eq=False)
class _Waiting:
    """Message that waits to be kept, with its receipt or error."""

    message: Arguments
    beside: Arguments
    done: Event = field(default_factory=Event)
    receipt: Receipt | None = None
    error: HmemError | None = None


class Gathering:
    """Group commit of turns from many threads; each call returns when its turn is durable."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._lock = Lock()
        self._waiting: list[_Waiting] = []
        self._working = Lock()

    def add(self, arguments: Arguments) -> Receipt:
        """Keep the message of a request and return its receipt.

        Raises:
            HmemError: as ``Memory.add``.
        """
        mine = _Waiting(*message_of(arguments))
        with self._lock:
            self._waiting.append(mine)
        # The thread that gets the lock keeps what has gathered, also for the others.
        with self._working:
            if not mine.done.is_set():
                with self._lock:
                    now, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
                self._keep(now)
        while not mine.done.is_set():
            with self._working:
                with self._lock:
                    now, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
                self._keep(now)
        if mine.error is not None:
            raise mine.error
        assert mine.receipt is not None  # noqa: S101 - for the type checker
        return mine.receipt

    def _keep(self, waiting: list[_Waiting]) -> None:
        """Keep some messages; those without arguments of their own go in one batch."""
        alone = [each for each in waiting if each.beside or len(waiting) == 1]
        together = [each for each in waiting if each not in alone]
        if together:
            self._keep_together(together)
        for each in alone:
            self._keep_alone(each)

    def _keep_together(self, waiting: list[_Waiting]) -> None:
        try:
            receipts = self._memory.add([each.message for each in waiting])
        except HmemError as error:
            for each in waiting:
                each.error = error
                each.done.set()
            return
        for each, receipt in zip(waiting, receipts, strict=True):
            if receipt.fate == "rejected":
                # Kept alone, it raises its own error.
                self._keep_alone(each)
            else:
                each.receipt = receipt
                each.done.set()

    def _keep_alone(self, each: _Waiting) -> None:
        try:
            each.receipt = self._memory.add(each.message, **each.beside)
        except HmemError as error:
            each.error = error
        finally:
            each.done.set()


# Memories.


@dataclass(slots=True, eq=False)
class _OpenMemory:
    """Memory with the number of calls at work on it and the time when the last ended; ``lock`` guards its opening.

    ``gone``: another process deleted its file, or put another in its place.
    """

    lock: Lock = field(default_factory=Lock)
    memory: Memory | None = None
    adds: Gathering | None = None
    users: int = 0
    last: float = 0.0
    gone: bool = False


class Pool:
    """Open memories under a root. Thread-safe; a memory is never closed while a call is at work on it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._root = settings.root
        self._changed = Condition()
        self._held: OrderedDict[str, _OpenMemory] = OrderedDict()
        self._leaving: set[str] = set()
        self._ended = Event()
        self._sweeper = Thread(target=self._sweep, name="hmem-idle", daemon=True)
        self._sweeper.start()

    def __len__(self) -> int:
        return sum(held.memory is not None for held in list(self._held.values()))

    def call(
        self, name: str, operation: str, arguments: Arguments, tell: Callable[[str], None] = lambda _: None
    ) -> bytes:
        """Do an operation on a memory and return its result as JSON. ``tell`` gets the text pieces of ``ask_stream``.

        Raises:
            HmemError: as the operation does; without the root's path in its message.
        """
        try:
            told = self._call(name, operation, arguments, tell)
            # A dict is plain already; evidence has hundreds of parts, too many to go through twice.
            return to_bytes(told if isinstance(told, dict) else plain(told))
        except HmemError as error:
            said = str(error).replace(f"{self._root}/", "")
            if said == str(error):
                raise
            raise type(error)(said) from error

    def _call(self, name: str, operation: str, arguments: Arguments, tell: Callable[[str], None]) -> Any:
        match operation:
            case "create_memory":
                return self.create(name, arguments)
            case "delete_memory":
                return self.drop(name)
            case _:
                with self._using(name) as held:
                    assert held.memory is not None and held.adds is not None  # noqa: S101, PT018 - for the type checker
                    if operation == "add":
                        return held.adds.add(arguments)
                    if operation == IDENTITY:
                        with held.memory.corpus.reading():
                            return held.memory.corpus.storage.memory
                    if operation == "ask_stream":
                        return ask_in_pieces(held.memory, arguments, tell)
                    return OPERATIONS[operation](held.memory, arguments)

    def create(self, given: str, arguments: Arguments) -> dict[str, Any]:
        """Create a memory and return its name and statistics.

        Raises:
            InvalidName, MemoryExists: it cannot have this name.
            HmemError: as ``Memory`` does.
        """
        with self._changed:
            # Under the lock, so that two calls cannot create the same name.
            path = names.free(self._root, given)
            options = {name: value for name, value in arguments.items() if name in _KEPT and value is not None}
            Memory(path, key=self._settings.key, **options).close()
        name = names.checked(given)
        return {"name": name, **self._call(name, "stats", {}, lambda _: None)}

    def drop(self, given: str) -> dict[str, Any]:
        """Erase a memory with its files, once the calls at work on it have ended.

        Raises:
            MemoryNotFound: there is none of this name.
        """
        name, path = names.find(self._root, given)
        with self._changed:
            if name in self._leaving:
                raise MemoryNotFound(f"there is no memory {name!r} any more - create it anew")
            self._leaving.add(name)
            held = self._held.get(name)
            self._changed.wait_for(lambda: held is None or held.users == 0)
            self._held.pop(name, None)
        try:
            if held is not None and held.memory is not None:
                held.memory.close()
            erase(path)
        finally:
            with self._changed:
                self._leaving.discard(name)
                self._changed.notify_all()
        return {"name": name, "deleted": True}

    @contextmanager
    def _using(self, given: str) -> Generator[_OpenMemory]:
        name = names.checked(given)
        held = self._enter(name)
        try:
            with held.lock:
                if held.memory is None:
                    self._open(held, given)
            yield held
        except MemoryNotFound:
            held.gone = True
            raise
        finally:
            with self._changed:
                held.users -= 1
                held.last = monotonic()
                if held.gone and self._held.get(name) is held:
                    # The next call opens what stands there then.
                    del self._held[name]
                left = held.memory if held.gone and held.users == 0 else None
                self._changed.notify_all()
            if left is not None:
                left.close()
            self._close_some()

    def _enter(self, name: str) -> _OpenMemory:
        with self._changed:
            if self._ended.is_set():
                raise ServerUnavailable("the server is going down - try again")
            if name in self._leaving:
                raise MemoryNotFound(f"there is no memory {name!r} any more - create it anew")
            held = self._held.setdefault(name, _OpenMemory())
            self._held.move_to_end(name)
            held.users += 1
            return held

    def _open(self, held: _OpenMemory, given: str) -> None:
        _, path = names.find(self._root, given)
        memory = Memory(path, recipe=self._settings.recipe, create=False, background=True, key=self._settings.key)
        held.memory, held.adds = memory, Gathering(memory)

    # Closing.

    def _close_some(self, idle: float | None = None) -> None:
        """Close memories beyond the limit, least recently used first, and those idle for ``idle`` seconds."""
        while (held := self._take_idle(idle)) is not None:
            if held.memory is not None:
                held.memory.close()

    def _take_idle(self, idle: float | None) -> _OpenMemory | None:
        with self._changed:
            much, now = len(self._held) > self._settings.memories, monotonic()
            for name, held in self._held.items():
                late = idle is not None and now - held.last >= idle
                if held.users == 0 and (much or late or held.memory is None):
                    return self._held.pop(name)
        return None

    def _sweep(self) -> None:
        while not self._ended.wait(_SWEEP_SECONDS):
            self._close_some(self._settings.idle_seconds)

    def close(self) -> None:
        """Close every memory once the calls at work have ended. Later calls are refused; closing twice is no error."""
        self._ended.set()
        with self._changed:
            self._changed.wait_for(
                lambda: all(held.users == 0 for held in self._held.values()), self._settings.stop_seconds
            )
            held = [self._held.pop(name) for name in list(self._held)]
        for each in held:
            if each.memory is not None:
                each.memory.close()
        self._sweeper.join()


def erase(path: Path) -> None:
    """Remove a memory's files, the database first: without it the others are worthless."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    if (folder := Location.parse(path).index_folder) is not None:
        shutil.rmtree(folder, ignore_errors=True)
