"""Waiting in the main thread for what a signal ends."""

from threading import Event
from typing import Final

_LOOK_SECONDS: Final = 0.2


def wait_for(event: Event) -> None:
    """Wait until an event is set, be it by the handler of a signal.

    The system may deliver a signal to any thread, and Python runs its handler in the main thread once that goes on: a
    wait without an end would never go on.
    """
    while not event.wait(_LOOK_SECONDS):
        pass
