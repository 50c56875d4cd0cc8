"""The uses of turns, recorded together a moment later, so that a recall waits for no file.

What was shown is known in this process at once; the record is for other processes, which go by it when somebody repeats
what was shown here.
"""

from collections.abc import Sequence
from datetime import datetime
from threading import RLock, Timer
from typing import Final

from hmem.errors import StorageError
from hmem.storage.base import Storage

# Seconds: before anybody can have read what was shown, and said something of it.
MOMENT: Final = 0.2
# So many recalls are kept back at most.
MOST: Final = 64


class AccessLog:
    """The uses that a memory has yet to record. Thread-safe by the lock that it is given.

    A use is lost, and no recall fails, where it cannot be written: on a full or read-only disk, while another process
    is writing, or when the process is killed in that moment. ``problem`` tells what kept the last ones from being
    written.
    """

    def __init__(self, storage: Storage, lock: RLock) -> None:
        self._storage = storage
        self._lock = lock
        self._waiting: list[tuple[Sequence[int], datetime]] = []
        self._timer: Timer | None = None
        self.problem: str | None = None

    def enqueue(self, seqs: Sequence[int], at: datetime) -> None:
        """Count a use of each turn, in a moment; in a memory that can only be read nothing is counted."""
        if self._storage.read_only:
            return
        with self._lock:
            self._waiting.append((seqs, at))
            if len(self._waiting) >= MOST:
                self.flush()
            elif self._timer is None:
                # No daemon: a program that ends without closing its memory waits this moment.
                self._timer = Timer(MOMENT, self.flush)
                self._timer.start()

    def flush(self) -> None:
        """Record what waits."""
        with self._lock:
            timer, self._timer = self._timer, None
            if timer is not None:
                timer.cancel()
            waiting, self._waiting = self._waiting, []
            if not waiting:
                return
            try:
                self._storage.record_uses(waiting)
                self.problem = None
            except StorageError as error:
                self.problem = str(error)
