"""Calls of models that nobody waits for any more: they are broken off, from whatever thread learns of it."""

from concurrent.futures import CancelledError, Future
from contextvars import ContextVar, Token
from threading import Lock
from types import TracebackType
from typing import Any, Self


class Breakable:
    """A block whose calls of models can be broken off. It holds for the thread, or the task, that enters it.

    A call that is broken off, and every later one of the block, raises ``CancelledError`` (``concurrent.futures``): no
    error of a model, after which the rules would answer.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._calls: set[Future[Any]] = set()
        self._broken = False
        self._token: Token[Breakable | None] | None = None

    @property
    def broken(self) -> bool:
        """Whether it was broken off."""
        return self._broken

    def break_off(self) -> None:
        """End the calls under way; there is no other. From any thread, and more than once."""
        with self._lock:
            self._broken, calls = True, list(self._calls)
        for call in calls:
            call.cancel()

    def hold(self, call: "Future[Any]") -> None:
        """Take a call that has begun.

        Raises:
            CancelledError: the block was broken off, and so is the call.
        """
        with self._lock:
            broken = self._broken
            if not broken:
                self._calls.add(call)
        if broken:
            call.cancel()
            raise CancelledError
        call.add_done_callback(self._ended)

    def _ended(self, call: "Future[Any]") -> None:
        with self._lock:
            self._calls.discard(call)

    def __enter__(self) -> Self:
        self._token = _CURRENT.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._token is not None  # noqa: S101 - for the type checker
        _CURRENT.reset(self._token)


_CURRENT: ContextVar[Breakable | None] = ContextVar("breakable", default=None)


def breakable() -> Breakable | None:
    """The block that this thread, or this task, is in."""
    return _CURRENT.get()
