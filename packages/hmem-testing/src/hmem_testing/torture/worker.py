"""A process that writes to a memory as it is told, until it is killed: ``Worker`` starts it and gives it its orders."""

import builtins
import os
import resource
import signal
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from datetime import UTC, datetime, timedelta
from importlib import import_module
from itertools import count
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

import time_machine

from hmem import Memory, reembed
from hmem.corpus import corpus
from hmem.errors import HmemError

READY: Final = "ready"
REFUSED: Final = "refused"

# Longest wait for a process to end after it was told to, in seconds.
_END_SECONDS: Final = 60

_travel: time_machine.travel | None = None
_patched: tuple[Any, str, Any] | None = None

PROCESSES: Final[Any] = get_context("forkserver" if "forkserver" in get_all_start_methods() else "spawn")
PROCESSES.set_forkserver_preload(["hmem_testing.torture.worker", "hmem_testing.torture.warm", "hmem.interfaces.cli"])


class Refused(Exception):
    """An operation was refused by one of hmem's errors: its name and what it says."""


class Worker:
    """A process with a memory open, encrypted if there is a ``key``."""

    def __init__(self, path: Path, key: str | None = None) -> None:
        self._ours, child_end = PROCESSES.Pipe()
        self._process: BaseProcess = PROCESSES.Process(target=_serve, args=(child_end, str(path), key), daemon=True)
        self._process.start()
        child_end.close()

    def ready(self) -> None:
        """Wait until the memory is open.

        Raises:
            EOFError: the process was killed meanwhile.
        """
        self._receive()

    def order(self, verb: str, *arguments: Any) -> Any:
        """Have something done, and return what came of it.

        Raises:
            Refused: hmem refused it, and said so.
            EOFError: the process was killed meanwhile.
        """
        try:
            self._ours.send((verb, arguments))
        except OSError as error:
            raise EOFError from error
        return self._receive()

    def kill(self) -> None:
        """Kill the process, wherever it is."""
        if self._process.pid is not None and self._process.is_alive():
            os.kill(self._process.pid, signal.SIGKILL)

    def end(self) -> int | None:
        """Let the process end by itself, if it has not ended yet, and return its exit code."""
        with suppress(OSError):
            self._ours.send(None)
        self._process.join(_END_SECONDS)
        self._ours.close()
        return self._process.exitcode

    def _receive(self) -> Any:
        try:
            status, outcome = self._ours.recv()
        except OSError as error:
            raise EOFError from error
        if status == REFUSED:
            raise Refused(outcome)
        return outcome


def _serve(orders: Connection, path: str, key: str | None) -> None:
    if key is not None:
        # For commands too.
        os.environ["HMEM_KEY"] = key
    # The same code, brought to its rarer paths sooner.
    corpus.ALONE_TURNS, corpus.SAVE_TURNS = 0, 21
    # A file that grows too large is an error, as on a full disk, and no signal.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    memory = Memory(path)
    orders.send((READY, None))
    while (order := orders.recv()) is not None:
        verb, arguments = order
        status, outcome = READY, None
        try:
            if verb in _SETTINGS:
                _SETTINGS[verb](*arguments)
            elif verb == "reembed":
                memory.close()
                outcome = reembed(path, *arguments)
            else:
                outcome = OPERATIONS[verb](memory, *arguments)
        except (HmemError, Refused) as error:
            status, outcome = REFUSED, refusal(error)
        if status != READY or verb == "reembed":
            # After a switch of the embedder, a memory must be opened anew; after a refusal, it may.
            memory.close()
            limit = resource.getrlimit(resource.RLIMIT_FSIZE)
            _limit(None)
            memory = Memory(path)
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        orders.send((status, outcome))
    memory.close()


def refusal(error: Exception) -> str:
    """Return the name of an error, and what it says."""
    return str(error) if isinstance(error, Refused) else f"{type(error).__name__}: {error}"


def _limit(size: int | None) -> None:
    """Let no file of this process grow beyond so many bytes."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard if size is None else size, hard))


def _clock(seconds: float) -> None:
    """Set the clock of this process, in seconds from the right one."""
    global _travel  # noqa: PLW0603 - there is one clock
    if _travel is not None:
        _travel.stop()
    _travel = time_machine.travel(datetime.now(UTC) + timedelta(seconds=seconds), tick=True)
    _travel.start()


def _fault(function: str | None, error: str = "", interval: int = 1) -> None:
    """Have every so many-th call at a place, as ``module:name.name``, raise an error; None lifts that."""
    global _patched  # noqa: PLW0603 - there is one fault at a time
    if _patched is not None:
        owner, name, original = _patched
        setattr(owner, name, original)
        _patched = None
    if function is None:
        return
    module, _, path = function.partition(":")
    *parents, name = path.split(".")
    owner: Any = import_module(module)
    for parent in parents:
        owner = getattr(owner, parent)
    original, calls = getattr(owner, name), count(1)

    def failing(*arguments: Any, **options: Any) -> Any:
        if next(calls) % interval == 0:
            raise getattr(builtins, error)("a fault of the torture")
        return original(*arguments, **options)

    _patched = owner, name, original
    setattr(owner, name, failing)


def _add(memory: Memory, message: dict[str, Any]) -> str | None:
    return memory.add(message).id


def _batch(memory: Memory, messages: Sequence[dict[str, Any]]) -> list[str | None]:
    return [receipt.id for receipt in memory.add(messages)]


def _import(memory: Memory, file: str, batch: int) -> int:
    from hmem.interfaces.cli import main  # noqa: PLC0415 - registers the commands

    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        code = main(["import", file, "--memory", str(memory.stats().path), "--batch", str(batch)])
    if code:
        raise Refused(f"Import: it ended with code {code}")
    return code


def _correct(memory: Memory, id: str, text: str) -> tuple[str, str | None]:
    change = memory.correct(id, text)
    return change.id, change.link


def _retract(memory: Memory, id: str) -> str:
    return memory.retract(id).id


def _undo(memory: Memory, change: str) -> str:
    return memory.undo(change).id


def _forget(memory: Memory, *ids: str) -> str | None:
    return memory.forget(*ids).pending


def _forget_session(memory: Memory, session: str) -> str | None:
    return memory.forget(session=session).pending


def _retain(memory: Memory, days: int | None) -> None:
    memory.retain(days)


def _consolidate(memory: Memory) -> int:
    return memory.consolidate().forgotten


def _rebuild(memory: Memory) -> None:
    memory.rebuild()


def _search(memory: Memory, question: str) -> list[str]:
    return [evidence.text for evidence in memory.search(question, k=3)]


OPERATIONS: Final[dict[str, Callable[..., Any]]] = {
    "add": _add,
    "batch": _batch,
    "import": _import,
    "correct": _correct,
    "retract": _retract,
    "undo": _undo,
    "forget": _forget,
    "forget session": _forget_session,
    "retain": _retain,
    "consolidate": _consolidate,
    "rebuild": _rebuild,
    "search": _search,
}

# What concerns the process rather than its memory.
_SETTINGS: Final[dict[str, Callable[..., None]]] = {"limit": _limit, "clock": _clock, "fault": _fault}
