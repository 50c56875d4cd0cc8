"""Memories that are loaded in one process: on first use, within a bound in bytes, until others need the room."""

from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from threading import Condition, Event, Lock, Thread
from time import monotonic
from typing import Any, Final

from hmem import Memory
from hmem.api.ingestion import without_warnings
from hmem.errors import HmemError, MemoryExists, MemoryNotFound, ServerUnavailable, StorageUnavailable
from hmem.interfaces.bundle import lines
from hmem.interfaces.operations import OPERATIONS, Arguments, message_of, stream_answer
from hmem.interfaces.rest import names
from hmem.interfaces.rest.settings import Settings
from hmem.model.plain import plain, to_bytes
from hmem.model.turn import Receipt
from hmem.storage import open_storage
from hmem.util.sizes import process_bytes, release_memory, resident_bytes

# Operation of the pool itself: the id of a memory, which another one of its name does not have.
IDENTITY: Final = "identity"
# And how far a memory is, by which a change of it is seen.
PROGRESS: Final = "progress"
# And all that it holds, piece by piece.
EXPORT: Final = "export"
# Operations of a process's own time, and the seconds that one waits for another.
_RECALLS: Final = frozenset({"search", "context"})
_TURN_SECONDS: Final = 0.05
_SWEEP_SECONDS: Final = 5.0
_REST_SECONDS: Final = 1.0
# Share of the allowed bytes that closed memories may leave free before they are returned to the system.
_FREE_SHARE: Final = 0.05
# Seconds that a call waits for a database that is away; its client is told when to ask again.
_RECONNECT_SECONDS: Final = 0.5
# Number of lines of an export in a piece.
_LINES: Final = 256
# Number of waiting turns that are kept in one transaction.
_AT_ONCE: Final = 64
# Options that clients may choose. Those that load code or call other servers are for the operator alone.
_CREATE_OPTIONS: Final = {"recipe", "zone"}


# Turns of several callers.


@dataclass(slots=True, eq=False)
class _Waiting:
    """Message that waits to be kept, with its receipt or error."""

    message: Arguments
    options: Arguments
    finished: Event = field(default_factory=Event)
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
        entry = _Waiting(*message_of(arguments))
        with self._lock:
            self._waiting.append(entry)
        # The thread that gets the lock keeps what has gathered, also for the others.
        while not entry.finished.is_set():
            with self._working:
                if entry.finished.is_set():
                    break
                with self._lock:
                    batch, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
                self._keep(batch)
        if entry.error is not None:
            raise entry.error
        assert entry.receipt is not None  # noqa: S101 - for the type checker
        return entry.receipt

    def _keep(self, waiting: list[_Waiting]) -> None:
        """Keep some messages; those without arguments of their own go in one batch."""
        singles = [entry for entry in waiting if entry.options or len(waiting) == 1]
        batch = [entry for entry in waiting if entry not in singles]
        if batch:
            self._keep_together(batch)
        for single in singles:
            self._keep_alone(single)

    def _keep_together(self, waiting: list[_Waiting]) -> None:
        try:
            with without_warnings():
                receipts = self._memory.add([entry.message for entry in waiting])
        except HmemError as error:
            for waiter in waiting:
                waiter.error = error
                waiter.finished.set()
            return
        for waiter, receipt in zip(waiting, receipts, strict=True):
            if receipt.fate in ("rejected", "skipped"):
                # Kept alone, it raises its own error.
                self._keep_alone(waiter)
            else:
                waiter.receipt = receipt
                waiter.finished.set()

    def _keep_alone(self, entry: _Waiting) -> None:
        try:
            entry.receipt = self._memory.add(entry.message, **entry.options)
        except HmemError as error:
            entry.error = error
        finally:
            entry.finished.set()


def _export(memory: Memory, on_chunk: Callable[[str], None]) -> dict[str, int]:
    """Tell all that a memory holds, some lines at a time; return their number."""
    count, objects = 0, lines(memory)
    while batch := list(islice(objects, _LINES)):
        on_chunk("".join(f"{to_bytes(entry).decode()}\n" for entry in batch))
        count += len(batch)
    return {"lines": count}


def _progress(memory: Memory) -> dict[str, int]:
    """Return the numbers that tell of a change, and how many of how many turns are still to be formed."""
    with memory.corpus.reading():
        state, (unformed, stored) = memory.corpus.state, memory.unformed
    return {
        "turns": state.change, "changes": state.recorded, "formed": state.progress.step,
        "stored": stored, "unformed": unformed,
    }  # fmt: skip


# Memories.


@dataclass(slots=True, eq=False)
class _OpenMemory:
    """Memory with the number of calls at work on it and the time when the last ended; ``lock`` guards its opening.

    ``deleted``: another process deleted it, or put another in its place. ``bytes`` is its resident size when it was
    measured, at ``calls_at_measurement`` of its ``calls``.
    """

    lock: Lock = field(default_factory=Lock)
    memory: Memory | None = None
    adds: Gathering | None = None
    users: int = 0
    last: float = 0.0
    deleted: bool = False
    bytes: int = 0
    calls: int = 0
    calls_at_measurement: int = 0

    @property
    def over_memory_budget(self) -> bool:
        """True if as many calls as before have come since it was measured: it grows by what they load."""
        return self.memory is not None and self.calls >= 2 * self.calls_at_measurement


@dataclass(slots=True)
class _Counts:
    """Counts since the pool was made: calls to a loaded memory, memories loaded, and closed to make room."""

    hits: int = 0
    loads: int = 0
    evictions: int = 0


class Pool:
    """Loaded memories of a folder or database. Thread-safe; a memory is never closed while a call is at work on it.

    Those least recently used are closed when the process outgrows ``settings.memory_bytes``, or they are more than
    ``settings.memories``. The one used last stays, however large it is. Where the system does not tell what the process
    holds, the memories' own bytes count.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._catalog = names.catalog_of(settings)
        self._making = Lock()
        self._recalling = Lock()
        self._changed = Condition()
        self._memories: OrderedDict[str, _OpenMemory] = OrderedDict()
        self._leaving: set[str] = set()
        self._counts = _Counts()
        # Bytes of closed memories that the process still holds.
        self._free_bytes = 0
        self._ended, self._sweeps = Event(), Event()
        self._sweeper = Thread(target=self._sweep, name="hmem-idle", daemon=True)
        self._sweeper.start()

    def check_away(self) -> None:
        """Refuse a call that would wait for others, which wait for a database.

        Raises:
            StorageUnavailable: it is away.
        """
        if self._catalog.away:
            raise StorageUnavailable("the storage is away - try again")

    def figures(self) -> dict[str, int]:
        """Return the number of loaded memories, their bytes, and the counts of hits, loads and evictions."""
        with self._changed:
            loaded = [open_memory for open_memory in self._memories.values() if open_memory.memory is not None]
            counts = self._counts
            return {
                "open": len(loaded),
                "bytes": sum(open_memory.bytes for open_memory in loaded),
                "hits": counts.hits,
                "loads": counts.loads,
                "evictions": counts.evictions,
            }

    def call(
        self, name: str, operation: str, arguments: Arguments, on_chunk: Callable[[str], None] = lambda _: None
    ) -> bytes:
        """Do an operation on a memory and return its result as JSON. ``on_chunk`` gets the text of ``ask_stream``.

        Raises:
            HmemError: as the operation does; without the place of the memories in its message.
        """
        try:
            result = self._call(name, operation, arguments, on_chunk)
            # A dict is plain already; evidence has hundreds of parts, too many to go through twice.
            return to_bytes(result if isinstance(result, dict) else plain(result))
        except HmemError as error:
            location = self._catalog.location
            replacements = {f"{location}/": "", str(self._catalog.locate(name)): name, str(location): "the storage"}
            message = str(error)
            for path, replacement in replacements.items():
                message = message.replace(path, replacement)
            if message == str(error):
                raise
            raise type(error)(message) from error

    def _call(self, name: str, operation: str, arguments: Arguments, on_chunk: Callable[[str], None]) -> Any:
        match operation:
            case "create_memory":
                return self.create(name, arguments)
            case "delete_memory":
                return self.drop(name)
            case _:
                with self._using(name) as open_memory:
                    assert open_memory.memory is not None and open_memory.adds is not None  # noqa: S101, PT018 - for the type checker
                    if operation == "add":
                        return open_memory.adds.add(arguments)
                    if operation == IDENTITY:
                        with open_memory.memory.corpus.reading():
                            return open_memory.memory.corpus.storage.memory
                    if operation == PROGRESS:
                        return _progress(open_memory.memory)
                    if operation == EXPORT:
                        return _export(open_memory.memory, on_chunk)
                    if operation == "ask_stream":
                        return stream_answer(open_memory.memory, arguments, on_chunk)
                    with self._turn_of(operation):
                        return OPERATIONS[operation](open_memory.memory, arguments)

    @contextmanager
    def _turn_of(self, operation: str) -> Generator[None]:
        """Let recalls go one after another: threads that fight for the interpreter take twice its time.

        A recall that waits for long, as behind one that asks another server, goes on beside it.
        """
        has_turn = operation in _RECALLS and self._recalling.acquire(timeout=_TURN_SECONDS)
        try:
            yield
        finally:
            if has_turn:
                self._recalling.release()

    def create(self, spelling: str, arguments: Arguments) -> dict[str, Any]:
        """Create a memory and return its name and statistics.

        Raises:
            InvalidName, MemoryExists: it cannot have this name.
            HmemError: as ``Memory`` does.
        """
        options = {name: value for name, value in arguments.items() if name in _CREATE_OPTIONS and value is not None}
        with self._making:
            # Two calls here cannot create names that differ in case only.
            name = names.free(self._catalog, spelling)
            with Memory(self._catalog.locate(name), key=self._settings.key, **options) as memory:
                if not memory.corpus.storage.created:
                    # Another server was faster.
                    raise MemoryExists(f"there is a memory {name!r} already - take another name")
        return {"name": name, **self._call(name, "stats", {}, lambda _: None)}

    def drop(self, spelling: str) -> dict[str, Any]:
        """Erase a memory with its files, once the calls at work on it have ended.

        Raises:
            MemoryNotFound: there is none of this name.
        """
        name = names.find(self._catalog, spelling)
        with self._changed:
            if name in self._leaving:
                raise MemoryNotFound(f"there is no memory {name!r} any more - create it anew")
            self._leaving.add(name)
            open_memory = self._memories.get(name)
            self._changed.wait_for(lambda: open_memory is None or open_memory.users == 0)
            self._memories.pop(name, None)
        try:
            if open_memory is not None and open_memory.memory is not None:
                open_memory.memory.close()
            self._catalog.drop(name)
        finally:
            with self._changed:
                self._leaving.discard(name)
                self._changed.notify_all()
        return {"name": name, "deleted": True}

    @contextmanager
    def _using(self, spelling: str) -> Generator[_OpenMemory]:
        name = names.normalise(spelling)
        open_memory = self._enter(name)
        try:
            with open_memory.lock:
                if open_memory.memory is None:
                    self._open(open_memory, spelling)
            yield open_memory
            if not open_memory.calls_at_measurement:
                self._measure(open_memory)
        except MemoryNotFound:
            open_memory.deleted = True
            raise
        finally:
            self._leave(name, open_memory)
            self._close_some()

    def _enter(self, name: str) -> _OpenMemory:
        with self._changed:
            if self._ended.is_set():
                raise ServerUnavailable("the server is going down - try again")
            if name in self._leaving:
                raise MemoryNotFound(f"there is no memory {name!r} any more - create it anew")
            open_memory = self._memories.setdefault(name, _OpenMemory())
            self._memories.move_to_end(name)
            open_memory.users += 1
            open_memory.calls += 1
            self._counts.hits += open_memory.memory is not None
            return open_memory

    def _leave(self, name: str, open_memory: _OpenMemory) -> None:
        with self._changed:
            open_memory.users -= 1
            open_memory.last = monotonic()
            if open_memory.deleted and self._memories.get(name) is open_memory:
                # The next call opens what stands there then.
                del self._memories[name]
            closable = open_memory.memory if open_memory.deleted and open_memory.users == 0 else None
            self._changed.notify_all()
        if closable is not None:
            closable.close()

    def _open(self, open_memory: _OpenMemory, spelling: str) -> None:
        storage = open_storage(
            self._catalog.locate(names.find(self._catalog, spelling)),
            create=False,
            key=self._settings.key,
            reconnect_seconds=_RECONNECT_SECONDS,
        )
        memory = Memory(storage=storage, recipe=self._settings.recipe, background=True)
        open_memory.memory, open_memory.adds = memory, Gathering(memory)
        with self._changed:
            self._counts.loads += 1

    @staticmethod
    def _measure(open_memory: _OpenMemory) -> None:
        """Measure a memory. Nobody may close it meanwhile."""
        open_memory.bytes, open_memory.calls_at_measurement = (
            resident_bytes(open_memory.memory, open_memory.adds),
            open_memory.calls,
        )

    # Closing.

    def _close_some(self, idle: float | None = None) -> None:
        """Close memories beyond the bounds, least recently used first, and those idle for ``idle`` seconds."""
        while (open_memory := self._take_idle(idle)) is not None:
            if open_memory.memory is not None:
                open_memory.memory.close()

    def _take_idle(self, idle: float | None) -> _OpenMemory | None:
        with self._changed:
            over_budget, moment = self._over_budget(), monotonic()
            for name, open_memory in self._memories.items():
                late = idle is not None and moment - open_memory.last >= idle
                if open_memory.users == 0 and (over_budget or late or open_memory.memory is None):
                    self._counts.evictions += open_memory.memory is not None
                    self._free_bytes += open_memory.bytes
                    if self._free_bytes >= self._settings.memory_bytes * _FREE_SHARE:
                        self._sweeps.set()
                    return self._memories.pop(name)
        return None

    def _over_budget(self) -> bool:
        loaded = len(self._memories)
        return loaded > self._settings.memories or (loaded > 1 and self._bytes() > self._settings.memory_bytes)

    def _bytes(self) -> int:
        """Return what the process holds, without what closed memories left free."""
        if (total_bytes := process_bytes()) is not None:
            return total_bytes - self._free_bytes
        return sum(open_memory.bytes for open_memory in self._memories.values())

    def _sweep(self) -> None:
        while not self._ended.is_set():
            # A collection stops all threads for a while.
            self._ended.wait(_REST_SECONDS)
            self._sweeps.wait(_SWEEP_SECONDS)
            self._sweeps.clear()
            self._measure_some()
            self._release()
            self._close_some(self._settings.idle_seconds)

    def _measure_some(self) -> None:
        with self._changed:
            grown = [(name, candidate) for name, candidate in self._memories.items() if candidate.over_memory_budget]
            for _, open_memory in grown:
                open_memory.users += 1
        for name, open_memory in grown:
            last = open_memory.last
            try:
                self._measure(open_memory)
            finally:
                self._leave(name, open_memory)
                open_memory.last = last

    def _release(self) -> None:
        """Return to the system what closed memories held; nothing frees such webs of objects at once."""
        with self._changed:
            free_bytes = self._free_bytes
        if free_bytes:
            release_memory()
            with self._changed:
                self._free_bytes -= free_bytes

    def close(self) -> None:
        """Close every memory once the calls at work have ended. Later calls are refused; closing twice is no error."""
        self._ended.set()
        self._sweeps.set()
        with self._changed:
            self._changed.wait_for(
                lambda: all(candidate.users == 0 for candidate in self._memories.values()), self._settings.stop_seconds
            )
            open_memories = [self._memories.pop(name) for name in list(self._memories)]
        for open_memory in open_memories:
            if open_memory.memory is not None:
                open_memory.memory.close()
        self._sweeper.join()
        self._catalog.close()
