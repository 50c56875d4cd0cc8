"""Cancellation of model calls that nobody waits for any more, from any thread."""

from concurrent.futures import CancelledError, Future
from contextvars import ContextVar, Token
from threading import Lock
from types import TracebackType
from typing import Any, Self


class Breakable:
    """A block whose model calls can be cancelled. It holds for the thread, or the task, that enters it.

    A cancelled call, and every later one in the block, raises ``CancelledError`` (``concurrent.futures``): it is not a
    model error, after which the rules would answer.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._calls: set[Future[Any]] = set()
        self._broken = False
        self._token: Token[Breakable | None] | None = None

    @property
    def broken(self) -> bool:
        """True after ``break_off``."""
        return self._broken

    def break_off(self) -> None:
        """Cancel the calls under way and all later ones. Safe from any thread, and more than once."""
        with self._lock:
            self._broken, calls = True, list(self._calls)
        for call in calls:
            call.cancel()

    def hold(self, call: "Future[Any]") -> None:
        """Register a call that has begun.

        Raises:
            CancelledError: the block was broken off; the call is cancelled too.
        """
        with self._lock:
            broken = self._broken
            if not broken:
                self._calls.add(call)
        if broken:
            call.cancel()
            raise CancelledError
        call.add_done_callback(self._discard)

    def _discard(self, call: "Future[Any]") -> None:
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
    """Return the block of this thread or task, or None."""
    return _CURRENT.get()
