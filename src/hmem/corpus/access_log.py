"""Access log: uses of turns, recorded in batches a moment later, so that recall waits for no file.

This process knows its uses at once; the record is for other processes, which use it when somebody repeats what was
recalled here.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from threading import RLock, Timer
from typing import Final

from hmem.errors import StorageError
from hmem.storage.base import Storage

# Seconds: less than anybody needs to read a recall and reply to it.
MOMENT: Final = 0.2
# Number of recalls that may wait to be recorded.
MAX_WAITING: Final = 64
# Within this time a turn that is recalled again and again counts once.
WINDOW: Final = timedelta(hours=1)
# Number of turns whose last count is known.
_MAX_COUNTED: Final = 10_000


class AccessLog:
    """Uses of turns that wait to be recorded. Thread-safe by the given lock.

    A use is lost, and no recall fails, if it cannot be written: on a full or read-only disk, while another process
    writes, or if the process is killed in that moment. ``problem`` is the reason why the last uses were not written.
    """

    def __init__(self, storage: Storage, lock: RLock) -> None:
        self._storage = storage
        self._lock = lock
        self._waiting: list[tuple[Sequence[int], datetime | None]] = []
        self._timer: Timer | None = None
        self._counted: dict[int, datetime] = {}
        self.problem: str | None = None

    def enqueue(self, seqs: Sequence[int], moment: datetime | None) -> None:
        """Record in a moment that turns were used, or without a time that they were shown.

        Nothing is recorded in a memory that can only be read.
        """
        if self._storage.read_only:
            return
        with self._lock:
            self._waiting.append((seqs, moment))
            if len(self._waiting) >= MAX_WAITING:
                self.flush()
            elif self._timer is None:
                # No daemon: a program that ends without closing its memory waits for this timer.
                self._timer = Timer(MOMENT, self.flush)
                self._timer.start()

    def enqueue_recalled(self, seqs: Sequence[int], moment: datetime) -> None:
        """Record in a moment that turns were recalled, each counted once within ``WINDOW`` by this process."""
        with self._lock:
            if len(self._counted) > _MAX_COUNTED:
                self._counted.clear()
            fresh = [seq for seq in seqs if not self._is_counted(seq, moment)]
            self._counted.update(dict.fromkeys(fresh, moment))
        if fresh:
            self.enqueue(fresh, moment)

    def _is_counted(self, seq: int, moment: datetime) -> bool:
        last = self._counted.get(seq)
        return last is not None and abs(moment - last) < WINDOW

    def flush(self) -> None:
        """Record the waiting uses."""
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
