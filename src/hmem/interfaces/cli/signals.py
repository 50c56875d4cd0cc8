"""Waiting in the main thread until a signal."""

from threading import Event
from typing import Final

_LOOK_SECONDS: Final = 0.2


def wait_for(event: Event) -> None:
    """Wait until an event is set, also if the handler of a signal sets it.

    The system may deliver a signal to any thread, but Python runs its handler in the main thread, between instructions:
    a wait without a timeout would block it forever.
    """
    while not event.wait(_LOOK_SECONDS):
        pass
