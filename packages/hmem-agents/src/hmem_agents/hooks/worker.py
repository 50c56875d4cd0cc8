"""Worker: a background process of the user that holds memories open, answers hooks, and captures transcripts.

It listens on a Unix socket that only its user can open; a request and an answer are one line of JSON each. It ends when
idle, when a request of another version comes, and when another worker runs.
"""

import fcntl
import json
import os
import socket
import threading
from collections import OrderedDict, defaultdict
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic, sleep, time
from typing import IO, TYPE_CHECKING, Any, Final

from hmem import __version__
from hmem.errors import HmemError, MemoryNotFound
from hmem.interfaces.paths import project_memory, user_memory
from hmem.util.files import irregular, open_private, private_folder, private_root, restrict_permissions, tree
from hmem_agents.hooks.client import LARGEST, ask
from hmem_agents.hooks.hosts import output
from hmem_agents.hooks.settings import HookSettings, Quietly, note

# The engine takes a second to load: the first hook waits at the socket meanwhile, and need not look for it.
if TYPE_CHECKING:
    from hmem.api.memory import Memory
    from hmem.storage import Location

_MAX_MEMORIES: Final = 8
_TICK_SECONDS: Final = 0.5
_RETRY_SECONDS: Final = 30.0
_LINE_SECONDS: Final = 5.0
_TAKEOVER_SECONDS: Final = 10.0
_SETTLED_SECONDS: Final = 1.0
_KEPT_SECONDS: Final = 60 * 86_400


class HookWorker:
    """Server of hooks that answers and captures until it is idle. Thread-safe."""

    def __init__(self, settings: HookSettings) -> None:
        self._settings = settings
        self._memories: OrderedDict[Location, Memory] = OrderedDict()
        self._lock = threading.Lock()
        # A program may call two hooks of a session at once, and neither may tell the lines of the other.
        self._session_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._capture_requests: SimpleQueue[None] = SimpleQueue()
        self._stop = threading.Event()
        self._last = monotonic()

    def run(self) -> bool:
        """Serve until idle; return False at once if another worker runs.

        Raises:
            OSError: the socket cannot be made.
        """
        self._settings.make_folders()
        private_root(self._settings.root)
        restrict_permissions(tree(self._settings.folder))
        with open_private(self._settings.folder / "worker.lock", append=True) as lock:
            if not self._is_only_worker(lock):
                return False
            # Hooks read the worker's version here.
            lock.truncate(0)
            lock.write(__version__.encode())
            lock.flush()
            self._prune()
            self._settings.socket.unlink(missing_ok=True)
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
                before = os.umask(0o177)
                try:
                    listening.bind(str(self._settings.socket))
                finally:
                    os.umask(before)
                listening.listen(16)
                listening.settimeout(_TICK_SECONDS)
                capturing = threading.Thread(target=self._capture_all, name="hmem-capture")
                capturing.start()
                self._capture_requests.put(None)
                try:
                    self._listen(listening)
                finally:
                    self._stop.set()
                    self._settings.socket.unlink(missing_ok=True)
                    capturing.join()
                    self._close()
        return True

    def _is_only_worker(self, lock: IO[bytes]) -> bool:
        """Tell if this is the only worker, after waiting for one of another version to end."""
        until = monotonic() + _TAKEOVER_SECONDS
        while not _locked(lock):
            if monotonic() > until or ask(self._settings, {"do": "ping"}, _TICK_SECONDS) is not None:
                return False
            sleep(_TICK_SECONDS)
        return True

    def _prune(self) -> None:
        """Remove old state of sessions: without it they would only be read again."""
        oldest = time() - _KEPT_SECONDS
        for path in (self._settings.folder / "sessions").glob("*.json"):
            if path.stat().st_mtime < oldest:
                path.unlink(missing_ok=True)

    def _listen(self, listening: socket.socket) -> None:
        while not self._stop.is_set() and monotonic() - self._last < self._settings.idle_seconds:
            try:
                line, _ = listening.accept()
            except TimeoutError:
                if not self._settings.socket.exists():
                    return  # The folder was removed, so nobody can reach it any more.
                continue
            threading.Thread(target=self._serve, args=(line,), name="hmem-hook", daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        with Quietly(self._settings, "worker"), line:
            line.settimeout(_LINE_SECONDS)
            answer = b"{}\n"
            try:
                with line.makefile("rb") as lines:
                    request = json.loads(lines.readline(LARGEST))
                answer = json.dumps(self._answer(request)).encode() + b"\n"
            finally:
                # A hook without an answer takes the worker for dead. One that captures does not wait for it.
                with suppress(BrokenPipeError, ConnectionResetError):
                    line.sendall(answer)

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a hook; an error is logged, and answered by its name."""
        if request.get("version") != __version__:
            self._stop.set()
            return {"stale": True}
        self._last = monotonic()
        try:
            return self._handle(request)
        except HmemError as error:
            note(self._settings, f"{request.get('do')}: {type(error).__name__}: {error}")
            return {"error": type(error).__name__}

    def _handle(self, request: dict[str, Any]) -> dict[str, Any]:
        do = request.get("do")
        if do == "capture":
            self._capture_requests.put(None)
        elif do == "hook":
            from hmem_agents.hooks.capture import event_of  # noqa: PLC0415
            from hmem_agents.hooks.context import context  # noqa: PLC0415

            event, folder = event_of(request)
            name = str(request["name"])
            with self._session_locks[str(event.get("session_id", ""))]:
                return output(event, name, context(self._settings, name, event, *self._memory_pair(folder)))
        elif do == "stop":
            self._stop.set()
        return {}

    # Memories.

    def _memory_pair(self, folder: str) -> "tuple[Memory, Memory | None]":
        """Return the project's memory, and the user's; None if that does not exist."""
        project, user_location = locate_memories(self._settings, folder)
        memory = self._memory(project)
        try:
            return memory, self._memory(user_location, create=False)
        except MemoryNotFound:
            return memory, None

    def _memory(self, location: "Location", *, create: bool = True) -> "Memory":
        from hmem.api.memory import Memory  # noqa: PLC0415

        with self._lock:
            if location in self._memories and not self._memories[location].corpus.usable():
                self._memories.pop(location).close()
            if location not in self._memories:
                if location.path is not None and create:
                    private_folder(location.path.parent)
                memory = self._memories[location] = Memory(location, background=True, create=create)
                threading.Thread(target=self._load_encoder, args=(memory,), name="hmem-encoder", daemon=True).start()
            self._memories.move_to_end(location)
            return self._memories[location]

    def _load_encoder(self, memory: "Memory") -> None:
        """Load the encoder, which takes half a second, before the first prompt needs it."""
        with Quietly(self._settings, "encoder"):
            memory.corpus.embedder.embed_query(["ready"])

    def _shed(self) -> None:
        """Close the least recently used memories beyond the limit; called while nothing is being captured."""
        with self._lock:
            while len(self._memories) > _MAX_MEMORIES:
                self._memories.popitem(last=False)[1].close()

    def _close(self) -> None:
        with self._lock:
            for memory in self._memories.values():
                memory.close()
            self._memories.clear()

    # Capture.

    def _capture_all(self) -> None:
        """Capture what waits, on request, and retry after a while what failed."""
        is_pending, retry_time = False, 0.0
        while not self._stop.is_set():
            try:
                self._capture_requests.get(timeout=_TICK_SECONDS)
            except Empty:
                # A hook may have left something without reaching this worker, which was just starting.
                if (
                    monotonic() < retry_time
                    if is_pending
                    else not any((self._settings.folder / "spool").glob("*.json"))
                ):
                    continue
            is_pending, retry_time = self._capture_waiting(), monotonic() + _RETRY_SECONDS
            self._shed()

    def _capture_waiting(self) -> bool:
        """Capture what waits, and return True if something is left for later."""
        from hmem_agents.hooks.capture import capture, queue_entries, take_events  # noqa: PLC0415

        pending = 1
        with Quietly(self._settings, "capture"):
            take_events(self._settings)
            pending = 0
        for path, entry in queue_entries(self._settings):
            pending += 1
            with Quietly(self._settings, f"capture of {path.stem}"):
                modified = path.stat().st_mtime_ns
                transcript = Path(entry.transcript)
                if (kind := irregular(transcript)) is not None:
                    # It never will be one, so it is not tried again.
                    note(self._settings, f"capture: {transcript} is {kind}, not a transcript")
                elif transcript.exists():
                    memory = self._memory(locate_memories(self._settings, entry.folder)[0])
                    capture(self._settings, memory, entry)
                # An entry renewed meanwhile stays, to be captured again.
                if path.stat().st_mtime_ns != modified:
                    self._capture_requests.put(None)
                    continue
                pending -= 1
                if _is_settled(path, transcript):
                    path.unlink()
            self._last = monotonic()
        return pending > 0


def _is_settled(entry: Path, transcript: Path) -> bool:
    """Tell if nothing was written for a while: a host may write its last messages after the hook that tells of them."""
    changed = max(path.stat().st_mtime for path in (entry, transcript) if path.exists())
    return not 0 <= time() - changed < _SETTLED_SECONDS


def locate_memories(settings: HookSettings, folder: str) -> "tuple[Location, Location]":
    """Return the locations of the memory of a working folder's project, and of the user's."""
    from hmem.interfaces.places import memory_in  # noqa: PLC0415
    from hmem.storage import Location  # noqa: PLC0415

    root = Location.parse(settings.database or settings.root)
    return memory_in(root, lambda base: project_memory(base, Path(folder))), memory_in(root, user_memory)


def _locked(lock: IO[bytes]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
