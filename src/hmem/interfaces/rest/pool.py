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
from hmem.errors import HmemError, MemoryExists, MemoryNotFound, ServerUnavailable
from hmem.interfaces.bundle import lines
from hmem.interfaces.operations import OPERATIONS, Arguments, message_of, stream_answer
from hmem.interfaces.rest import names
from hmem.interfaces.rest.one_memory import catalog_of
from hmem.interfaces.rest.settings import Settings
from hmem.model.plain import plain, to_bytes
from hmem.model.turn import Receipt
from hmem.util.sizes import release_memory, resident_bytes

# Operation of the pool itself: the id of a memory, which another one of its name does not have.
IDENTITY: Final = "identity"
# And how far a memory is, by which a change of it is seen.
PROGRESS: Final = "progress"
# And all that it holds, piece by piece.
EXPORT: Final = "export"
_SWEEP_SECONDS: Final = 5.0
# Number of lines of an export in a piece.
_LINES: Final = 256
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


def _export(memory: Memory, tell: Callable[[str], None]) -> dict[str, int]:
    """Tell all that a memory holds, some lines at a time; return their number."""
    count, held = 0, lines(memory)
    while piece := list(islice(held, _LINES)):
        tell("".join(f"{to_bytes(each).decode()}\n" for each in piece))
        count += len(piece)
    return {"lines": count}


# Memories.


@dataclass(slots=True, eq=False)
class _OpenMemory:
    """Memory with the number of calls at work on it and the time when the last ended; ``lock`` guards its opening.

    ``gone``: another process deleted it, or put another in its place. ``bytes`` is its resident size when it was
    measured, after so many of its ``calls``.
    """

    lock: Lock = field(default_factory=Lock)
    memory: Memory | None = None
    adds: Gathering | None = None
    users: int = 0
    last: float = 0.0
    gone: bool = False
    bytes: int = 0
    calls: int = 0
    measured: int = 0

    @property
    def over_memory_budget(self) -> bool:
        """True if as many calls as before have come since it was measured: it grows by what they load."""
        return self.memory is not None and self.calls >= 2 * self.measured


@dataclass(slots=True)
class _Counts:
    """Counts since the pool was made: calls to a loaded memory, memories loaded, and closed to make room."""

    hits: int = 0
    loads: int = 0
    evictions: int = 0


class Pool:
    """Loaded memories of a folder or database. Thread-safe; a memory is never closed while a call is at work on it.

    Those least recently used are closed when all together outgrow ``settings.memory_bytes``, or are more than
    ``settings.memories``. The one used last stays, however large it is.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._catalog = catalog_of(settings)
        self._making = Lock()
        self._changed = Condition()
        self._held: OrderedDict[str, _OpenMemory] = OrderedDict()
        self._leaving: set[str] = set()
        self._counts = _Counts()
        self._given_back = 0
        self._ended = Event()
        self._sweeper = Thread(target=self._sweep, name="hmem-idle", daemon=True)
        self._sweeper.start()

    def figures(self) -> dict[str, int]:
        """Return the number of loaded memories, their bytes, and the counts of hits, loads and evictions."""
        with self._changed:
            loaded = [held for held in self._held.values() if held.memory is not None]
            counts = self._counts
            return {
                "open": len(loaded),
                "bytes": sum(held.bytes for held in loaded),
                "hits": counts.hits,
                "loads": counts.loads,
                "evictions": counts.evictions,
            }

    def call(
        self, name: str, operation: str, arguments: Arguments, tell: Callable[[str], None] = lambda _: None
    ) -> bytes:
        """Do an operation on a memory and return its result as JSON. ``tell`` gets the text pieces of ``ask_stream``.

        Raises:
            HmemError: as the operation does; without the place of the memories in its message.
        """
        try:
            told = self._call(name, operation, arguments, tell)
            # A dict is plain already; evidence has hundreds of parts, too many to go through twice.
            return to_bytes(told if isinstance(told, dict) else plain(told))
        except HmemError as error:
            place = self._catalog.location
            known = {f"{place}/": "", str(self._catalog.locate(name)): name, str(place): "the storage"}
            said = str(error)
            for hidden, shown in known.items():
                said = said.replace(hidden, shown)
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
                    if operation == PROGRESS:
                        with held.memory.corpus.reading():
                            state = held.memory.corpus.state
                            return {"turns": state.change, "changes": state.recorded, "formed": state.formed.step}
                    if operation == EXPORT:
                        return _export(held.memory, tell)
                    if operation == "ask_stream":
                        return stream_answer(held.memory, arguments, tell)
                    return OPERATIONS[operation](held.memory, arguments)

    def create(self, given: str, arguments: Arguments) -> dict[str, Any]:
        """Create a memory and return its name and statistics.

        Raises:
            InvalidName, MemoryExists: it cannot have this name.
            HmemError: as ``Memory`` does.
        """
        options = {name: value for name, value in arguments.items() if name in _KEPT and value is not None}
        with self._making:
            # Two calls here cannot create names that differ in case only.
            name = names.free(self._catalog, given)
            with Memory(self._catalog.locate(name), key=self._settings.key, **options) as memory:
                if not memory.corpus.storage.made:
                    # Another server was faster.
                    raise MemoryExists(f"there is a memory {name!r} already - take another name")
        return {"name": name, **self._call(name, "stats", {}, lambda _: None)}

    def drop(self, given: str) -> dict[str, Any]:
        """Erase a memory with its files, once the calls at work on it have ended.

        Raises:
            MemoryNotFound: there is none of this name.
        """
        name = names.find(self._catalog, given)
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
            self._catalog.drop(name)
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
            if not held.measured:
                self._measure(held)
        except MemoryNotFound:
            held.gone = True
            raise
        finally:
            self._leave(name, held)
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
            held.calls += 1
            self._counts.hits += held.memory is not None
            return held

    def _leave(self, name: str, held: _OpenMemory) -> None:
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

    def _open(self, held: _OpenMemory, given: str) -> None:
        place = self._catalog.locate(names.find(self._catalog, given))
        memory = Memory(place, recipe=self._settings.recipe, create=False, background=True, key=self._settings.key)
        held.memory, held.adds = memory, Gathering(memory)
        with self._changed:
            self._counts.loads += 1

    @staticmethod
    def _measure(held: _OpenMemory) -> None:
        """Measure a memory. Nobody may close it meanwhile."""
        held.bytes, held.measured = resident_bytes(held.memory, held.adds), held.calls

    # Closing.

    def _close_some(self, idle: float | None = None) -> None:
        """Close memories beyond the bounds, least recently used first, and those idle for ``idle`` seconds."""
        while (held := self._take_idle(idle)) is not None:
            if held.memory is not None:
                held.memory.close()

    def _take_idle(self, idle: float | None) -> _OpenMemory | None:
        with self._changed:
            much, now = self._too_much(), monotonic()
            for name, held in self._held.items():
                late = idle is not None and now - held.last >= idle
                if held.users == 0 and (much or late or held.memory is None):
                    self._counts.evictions += held.memory is not None
                    return self._held.pop(name)
        return None

    def _too_much(self) -> bool:
        loaded = len(self._held)
        held = sum(held.bytes for held in self._held.values())
        return loaded > self._settings.memories or (loaded > 1 and held > self._settings.memory_bytes)

    def _sweep(self) -> None:
        while not self._ended.wait(_SWEEP_SECONDS):
            self._measure_some()
            self._close_some(self._settings.idle_seconds)
            self._give_back()

    def _measure_some(self) -> None:
        with self._changed:
            grown = [(name, held) for name, held in self._held.items() if held.over_memory_budget]
            for _, held in grown:
                held.users += 1
        for name, held in grown:
            last = held.last
            try:
                self._measure(held)
            finally:
                self._leave(name, held)
                held.last = last

    def _give_back(self) -> None:
        """Return to the system what closed memories held; nothing frees such webs of objects at once."""
        if self._counts.evictions > self._given_back:
            self._given_back = self._counts.evictions
            release_memory()

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
        self._catalog.close()
