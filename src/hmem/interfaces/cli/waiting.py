"""Sign of life on stderr while a command that shows no progress takes longer than a second."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.status import Status

_PATIENCE: Final = 1.0


class _Sign:
    """Spinner with a text, shown after a while unless the work has ended."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lock = Lock()
        self._over = False
        self._shown: Status | None = None
        self._timer = Timer(_PATIENCE, self._show)
        self._timer.daemon = True
        self._timer.start()

    def _show(self) -> None:
        from rich.console import Console  # noqa: PLC0415 - a command that is quick does without
        from rich.status import Status  # noqa: PLC0415 - the same

        with self._lock:
            if not self._over:
                self._shown = Status(self._text, console=Console(stderr=True))
                self._shown.start()

    def stop(self) -> None:
        """Take the spinner away, for good."""
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._shown is not None:
                self._shown.stop()
                self._shown = None


_current: list[_Sign] = []


@contextmanager
def waiting(text: str) -> Generator[None]:
    """Show a text with a spinner if a block takes longer than a second, unless stderr is no terminal, or has one."""
    if _current or not sys.stderr.isatty():
        yield
        return
    _current.append(_Sign(text))
    try:
        yield
    finally:
        _current.pop().stop()


def enough() -> None:
    """Take the sign away: something else is about to be written."""
    for sign in _current:
        sign.stop()
