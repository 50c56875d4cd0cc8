"""Single turns of several callers, kept together: one transaction for all that came while the last one was at work."""

from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any, Final

from hmem import Memory
from hmem.errors import HmemError
from hmem.interfaces.shapes import plain

_AT_ONCE: Final = 64


@dataclass(slots=True, eq=False)
class _Waiting:
    """A message that is to be kept, and what became of it."""

    arguments: dict[str, Any]
    done: Event = field(default_factory=Event)
    receipt: dict[str, Any] | None = None
    error: HmemError | None = None


class Gathering:
    """Keeps turns of a memory for many threads. Each call returns when its turn is durable."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._lock = Lock()
        self._waiting: list[_Waiting] = []
        self._working = Lock()

    def add(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Keep one message, with the fields that ``Memory.add`` takes beside it under ``defaults``; its receipt.

        Raises:
            HmemError: as ``Memory.add``.
        """
        mine = _Waiting(arguments)
        with self._lock:
            self._waiting.append(mine)
        # Whoever gets the lock keeps what has gathered, of the others too.
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
        """Keep some messages; those that nothing holds for but themselves go together."""
        alone = [each for each in waiting if each.arguments.get("defaults") or len(waiting) == 1]
        together = [each for each in waiting if each not in alone]
        if together:
            self._keep_together(together)
        for each in alone:
            self._keep_alone(each)

    def _keep_together(self, waiting: list[_Waiting]) -> None:
        try:
            receipts = self._memory.add([each.arguments["message"] for each in waiting])
        except HmemError as error:
            for each in waiting:
                each.error = error
                each.done.set()
            return
        for each, receipt in zip(waiting, receipts, strict=True):
            if receipt.fate == "rejected":
                # By itself it is refused with its own error.
                self._keep_alone(each)
            else:
                each.receipt = plain(receipt)
                each.done.set()

    def _keep_alone(self, each: _Waiting) -> None:
        try:
            each.receipt = plain(self._memory.add(each.arguments["message"], **each.arguments.get("defaults", {})))
        except HmemError as error:
            each.error = error
        finally:
            each.done.set()
