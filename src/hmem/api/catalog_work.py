"""Work of language models for all memories of a place, shared by any number of workers."""

from collections.abc import Callable
from dataclasses import replace
from threading import Event, Lock
from typing import Final

from hmem.api.memory import Memory
from hmem.errors import InputError, MemoryBusy, MemoryNotFound, StorageError, StorageUnavailable
from hmem.evolution.analyse import WorkOptions
from hmem.model.report import Worked
from hmem.model.span import now, to_stored
from hmem.storage.catalog import Catalog, WorkBoard, WorkClaim

Progress = Callable[[int, int], None]

# Seconds after which a claim ends by itself, as when its worker died; a model's own leases hold longer.
CLAIM_SECONDS: Final = 300.0
# Seconds until a memory is looked at again whose work something prevents.
_LATER: Final = 600.0
_MICROSECONDS: Final = 1_000_000


class CatalogWork:
    """Worker for the memories of a place that have work due. Claims keep two workers from one memory.

    Args:
        catalog: the place.
        analyst: the model that reads; by default each memory's own.
        options: parallel calls and waiting times, as of ``Memory``.

    Raises:
        InputError: the place does not tell which memories have work due.
    """

    def __init__(self, catalog: Catalog, analyst: str | None = None, options: WorkOptions | None = None) -> None:
        if catalog.work is None:
            raise InputError(f"{catalog.location} does not tell where work is due - name a memory by --memory")
        self._catalog = catalog
        self._board: WorkBoard = catalog.work
        self._analyst = analyst
        # Other memories have work to do while one waits.
        self._options = replace(options or WorkOptions(), patience=0.0)
        self._ending = Event()
        self._lock = Lock()
        self._at_work: Memory | None = None

    def run_jobs(
        self,
        limit: int | None = None,
        *,
        drain: bool = False,
        progress: Progress | None = None,
        concurrency: int | None = None,
    ) -> Worked:
        """Do what is due, memory by memory, until nothing is; return the sum of it.

        Arguments are as of ``memory.model.run_jobs``. ``stopped`` is why the last run that ended early did so.

        Raises:
            StorageError: the place cannot be used; claims end by themselves.
        """
        total = Worked(0, 0, 0, 0, 0)
        while not self._ending.is_set() and (limit is None or total.calls < limit):
            moment = _microseconds()
            claims = self._board.claim(moment, moment + int(CLAIM_SECONDS * _MICROSECONDS), 1)
            if not claims:
                break
            remaining = None if limit is None else limit - total.calls

            def work(memory: Memory, limit: int | None = remaining) -> Worked:
                return memory.model.run_jobs(limit, drain=drain, progress=progress, concurrency=concurrency)

            result = self._work(claims[0], work)
            total = replace(total + result, left=total.left + result.left, stopped=result.stopped or total.stopped)
        return total

    def _work(self, claim: WorkClaim, work: Callable[[Memory], Worked]) -> Worked:
        """Do the work of one memory, and tell when it has work again."""
        result, delay = Worked(0, 0, 0, 0, 0), None
        try:
            with Memory(
                self._catalog.locate(claim.name), create=False, analyst=self._analyst, working=self._options
            ) as memory:
                self._hold(memory)
                result = work(memory)
            delay = _LATER if result.stopped else self._options.idle_seconds if result.left else None
        except (MemoryNotFound, InputError):
            # It was dropped, or only rules read it by now.
            delay = None
        except (MemoryBusy, StorageUnavailable) as error:
            return replace(result, stopped=str(error))
        except StorageError as error:
            result, delay = replace(result, stopped=str(error)), _LATER
        finally:
            self._hold(None)
        self._board.settle(claim, None if delay is None else _microseconds() + int(delay * _MICROSECONDS))
        return result

    def _hold(self, memory: Memory | None) -> None:
        with self._lock:
            self._at_work = memory
            if memory is not None and self._ending.is_set():
                memory.model.stop_jobs()

    def stop_jobs(self) -> None:
        """End after the calls in progress; the rest stays due."""
        self._ending.set()
        with self._lock:
            if self._at_work is not None:
                self._at_work.model.stop_jobs()


def _microseconds() -> int:
    return to_stored(now())[0]
