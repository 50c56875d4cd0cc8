"""Signs of life on stderr while a command works, and waiting in the main thread until a signal."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from threading import Event, Lock, Timer
from typing import Final

Advance = Callable[[int, int | None], None]

_PATIENCE: Final = 1.0
_LOOK_SECONDS: Final = 0.2
_CLEAR: Final = "\r\x1b[K"


class _Sign:
    """Text on the last line of a terminal, shown after a while unless the work has ended."""

    def __init__(self, text: str) -> None:
        self._lock = Lock()
        self._over = False
        self._shown = False
        self._timer = Timer(_PATIENCE, partial(self.show, f"{text} …"))
        self._timer.daemon = True
        self._timer.start()

    def show(self, text: str) -> None:
        """Write a text in the place of the last one."""
        with self._lock:
            if not self._over:
                self._shown = True
                sys.stderr.write(f"{_CLEAR}{text}")
                sys.stderr.flush()

    def stop(self) -> None:
        """Take the text away, for good."""
        self._timer.cancel()
        with self._lock:
            if self._shown and not self._over:
                sys.stderr.write(_CLEAR)
                sys.stderr.flush()
            self._over = True


_current: list[_Sign] = []


@contextmanager
def waiting(text: str) -> Generator[None]:
    """Show a text if a block takes longer than a second, unless stderr is no terminal or shows one already."""
    if _current or not sys.stderr.isatty():
        yield
        return
    _current.append(_Sign(text))
    try:
        yield
    finally:
        _current.pop().stop()


def clear_sign() -> None:
    """Take the sign away: something else is about to be written."""
    for sign in _current:
        sign.stop()


@contextmanager
def progress_bar(description: str, *, quiet: bool) -> Generator[Advance | None]:
    """Show progress on stderr and yield its update (done, total); None if quiet or without a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    clear_sign()
    sign = _Sign(description)
    try:
        yield lambda count, total: sign.show(
            f"{description}: {count:,}" + (f" of {total:,} ({count / total:.0%})" if total else "")
        )
    finally:
        sign.stop()


def wait_for(event: Event) -> None:
    """Wait until an event is set, also if the handler of a signal sets it.

    The system may deliver a signal to any thread, but Python runs its handler in the main thread, between instructions:
    a wait without a timeout would block it forever.
    """
    while not event.wait(_LOOK_SECONDS):
        pass
