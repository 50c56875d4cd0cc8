"""A command that takes long shows that it is at work, on a screen alone."""

import subprocess
import sys
from io import StringIO

import pytest
from tests.processes import SECONDS

from hmem.interfaces.cli import waiting as module
from hmem.interfaces.cli.waiting import clear_sign, progress_bar, waiting


class Screen(StringIO):
    """A stream whose methods can be replaced."""


class AtOnce:
    """A timer that goes off when it is started."""

    def __init__(self, seconds: float, do: object) -> None:
        assert seconds >= 1
        self.do = do

    def start(self) -> None:
        self.do()  # type: ignore[operator]

    def cancel(self) -> None:
        pass


class Never(AtOnce):
    def start(self) -> None:
        pass


def on_screen(monkeypatch: pytest.MonkeyPatch, timer: type[AtOnce], *, terminal: bool = True) -> Screen:
    """Put a screen in the place of stderr; a fixture cannot, since pytest puts its own there for the test."""
    monkeypatch.setattr(sys, "stderr", made := Screen())
    monkeypatch.setattr(made, "isatty", lambda: terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(module, "Timer", timer)
    return made


def test_work_that_takes_long_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch, AtOnce)
    with waiting("hmem verify"):
        pass
    assert "hmem verify" in screen.getvalue()
    # The line is cleared again.
    assert screen.getvalue().endswith("\r\x1b[K")


def test_nothing_is_shown_after_something_else_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch, Never)
    with waiting("hmem forget"):
        clear_sign()
        module._current[-1].show("forgetting")
    assert screen.getvalue() == ""
    clear_sign()


@pytest.mark.parametrize(("timer", "terminal"), [(Never, True), (AtOnce, False)])
def test_quick_work_and_a_file_show_nothing(
    monkeypatch: pytest.MonkeyPatch, timer: type[AtOnce], *, terminal: bool
) -> None:
    screen = on_screen(monkeypatch, timer, terminal=terminal)
    with waiting("hmem stats"):
        pass
    assert screen.getvalue() == ""


def test_work_within_work_is_one_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch, AtOnce)
    with waiting("hmem doctor"), waiting("hmem stats"):
        pass
    assert "hmem doctor" in screen.getvalue()
    assert "hmem stats" not in screen.getvalue()


def test_an_error_takes_the_sign_away(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch, AtOnce)
    with pytest.raises(ValueError, match="no"), waiting("hmem verify"):
        raise ValueError("no")
    assert module._current == []
    assert screen.getvalue()


def test_progress_counts_on_a_screen_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch, Never)
    with progress_bar("Copying", quiet=False) as advance:
        assert advance is not None
        advance(250, 1_000)
        advance(7, None)
    assert "Copying: 250 of 1,000 (25%)" in screen.getvalue()
    assert screen.getvalue().endswith("Copying: 7\r\x1b[K")
    with progress_bar("Copying", quiet=True) as advance:
        assert advance is None


# Waiting for what a signal ends.

WAITING = """
import signal, threading
from hmem.interfaces.cli.waiting import wait_for

ended = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: ended.set())
# The system gives the signal to this thread, which nothing wakes the main thread from.
other = threading.Timer(0.3, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM))
other.start()
wait_for(ended)
print("ended")
"""


def test_a_signal_that_another_thread_is_given_ends_the_wait() -> None:
    done = subprocess.run([sys.executable, "-c", WAITING], capture_output=True, text=True, check=True, timeout=SECONDS)
    assert done.stdout == "ended\n"
