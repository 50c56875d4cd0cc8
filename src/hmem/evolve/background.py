"""Work in the background: a thread that wakes when a memory was left alone for a moment, and works in small pieces."""

from collections.abc import Callable
from threading import Event, Thread
from typing import Final

from hmem.errors import HmemError, MemoryClosed

# A memory is idle when for so many seconds nothing was written to it, by any process, or recalled from it.
IDLE: Final = 0.5
# Between two pieces of work, in seconds: whoever waits for the memory gets it.
_BREATH: Final = 0.01
# After an error, such as a full disk.
_LATER: Final = 5.0

# What the memory was last asked and told, as anything that can be compared; None for a memory that is gone.
Activity = tuple[int, ...] | None


class Background:
    """A thread that calls ``work`` as long as it says that there is more, while ``activity`` stays the same.

    It is a daemon, and holds nothing between two calls. ``problem`` tells what keeps it from its work.
    """

    def __init__(
        self,
        activity: Callable[[], Activity],
        work: Callable[[], bool],
        idle: float = IDLE,
        *,
        name: str = "hmem-consolidation",
    ) -> None:
        self._activity = activity
        self._work = work
        self._idle = idle
        self._ended = Event()
        self.problem: str | None = None
        self._thread = Thread(target=self._tend, name=name, daemon=True)
        self._thread.start()

    def stop(self, patience: float | None = None) -> None:
        """End it: the piece of work in hand is the last, for which it is waited so many seconds, or as long as it
        takes. Stopping twice is no error."""
        self._ended.set()
        self._thread.join(patience)

    def _tend(self) -> None:
        seen: Activity = ()
        pause = self._idle
        while not self._ended.wait(pause):
            try:
                before, seen = seen, self._activity()
                if seen is None:
                    return
                pause = _BREATH if seen == before and self._work() else self._idle
                self.problem = None
            except MemoryClosed:
                return
            except HmemError as error:
                self.problem, pause = str(error), _LATER
