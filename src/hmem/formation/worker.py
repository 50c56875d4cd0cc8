"""Formation behind ``add``: a thread forms new turns in the pauses between additions.

A turn is durable and searchable by its words and its vector before it is formed. Whoever reads what is formed calls
``finish`` first, and so never sees less than was added. Each step is one transaction: a process that is killed leaves
the rest to the next that opens the memory.
"""

from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import partial
from os import getpid
from threading import Condition, Thread, main_thread
from time import monotonic
from typing import Final, Protocol

from hmem.errors import EmbedderMismatch
from hmem.language.containment import Fault, contained
from hmem.util.forks import register_fork_lock

# Number of turns that may wait to be formed: no reader waits for more.
WAITING_TURNS: Final = 64
# Number of backlog turns that are formed besides those that were added: the work for one turn stays bounded.
BEHIND_TURNS: Final = 64
# Number of turns that the thread forms in one step, unless there is a backlog; an addition waits for at most one step.
STEP_TURNS: Final = 16
# Seconds without an addition after which the thread begins: what is added in quick succession is formed together.
PAUSE: Final = 0.02
# Seconds between two looks at whether the program is ending, while turns are being added.
_LOOK: Final = 1.0

# Name of each memory's thread.
THREAD: Final = "hmem-formation"


class Form(Protocol):
    """Former of turns in their order: at most so many. Returns their number, 0 if that fails now.

    If ``patient``, other processes may go first with what they added before.
    """

    def __call__(self, limit: int, /, *, patient: bool = False) -> int: ...


class FormationWorker:
    """Thread that forms the turns of one memory behind the calls that add them. Thread-safe.

    It is started when turns are left to it and ends when none waits, so that an idle memory has no thread. It is no
    daemon: a program that ends without closing its memory waits for it. ``problem`` is the error that stopped it.
    """

    def __init__(self, form: Form) -> None:
        self._form = form
        self._changed = Condition()
        register_fork_lock(self)
        # Number of turns that were left here and may be unformed; and how often turns were left.
        self._waiting = 0
        self._left = 0
        self._adding = 0
        self._added = 0.0
        self._wanted = False
        self._thread: Thread | None = None
        self._closed = False
        self._process = getpid()
        self.problem: str | None = None

    @contextmanager
    def adding(self) -> Generator[None]:
        """Let the thread wait while turns are added in a block."""
        with self._changed:
            self._adding += 1
        try:
            yield
        finally:
            with self._changed:
                self._adding -= 1
                self._added = monotonic()
                self._changed.notify_all()

    def leave(self, turns: int, limit: int = WAITING_TURNS) -> None:
        """Leave new turns to the thread; form them here if more than ``limit`` would wait.

        Where a higher limit lets a backlog gather, it waits for who reads what is formed: additions go first.
        """
        with self._changed:
            self._waiting += turns
            self._left += 1
            is_backlog = WAITING_TURNS < self._waiting <= limit
            if not turns or is_backlog or (self._waiting <= limit and self._start()):
                return
        self.finish(patient=True)

    def finish(self, *, patient: bool = False) -> None:
        """Form the turns that wait, as far as possible now; return at once if none does."""
        if self._waiting:
            self._run_step(self._waiting + BEHIND_TURNS, patient=patient)

    def finish_for_reader(self) -> None:
        """Form the turns that wait, unless the thread is at work on more than a reader waits for."""
        if self._waiting <= WAITING_TURNS or self._thread is None:
            self.finish()

    def form_behind(self, turns: int) -> bool:
        """Have the thread form turns, whoever added them; return False if it cannot."""
        with self._changed:
            self._waiting = max(self._waiting, turns)
            self._left += 1
            return not self._closed and self._start()

    def close(self) -> None:
        """Form the turns that wait, and end the thread. Closing twice is no error.

        A backlog is left to who opens the memory next. If another process has replaced the embedder, the turns are
        formed when the memory is opened anew.
        """
        if getpid() != self._process:
            # In a forked process there is no thread, and SQLite forbids the use of its parent's connection.
            return
        with self._changed:
            self._closed = True
            thread = self._thread
            self._changed.notify_all()
        if thread is not None:
            thread.join()
        with suppress(EmbedderMismatch):
            if self._waiting <= WAITING_TURNS:
                self.finish()

    def before_fork(self) -> None:
        """Keep the state as it is; a step in progress waits for the corpus."""
        self._changed.acquire()

    def after_fork(self) -> None:
        """Let the state change again."""
        self._changed.release()

    def _start(self) -> bool:
        """Have the thread form what waits; return False if that is too late. Call it while the state is held."""
        if self._closed:
            return True
        if self._thread is None or not self._thread.is_alive():
            if _ending():
                return False
            thread = Thread(target=self._work, name=THREAD, daemon=False)
            try:
                thread.start()
            except RuntimeError:
                return False
            self._thread = thread
        self._wanted = True
        return True

    def _work(self) -> None:
        while self._await_pause():
            # Larger steps form a backlog in two thirds of the time.
            limit = STEP_TURNS if self._waiting <= WAITING_TURNS else WAITING_TURNS
            fault = contained(partial(self._run_step, limit, patient=True), raising=())
            if isinstance(fault, Fault):
                self.problem = str(fault)
                self._record(0, limit, self._left)

    def _await_pause(self) -> bool:
        """Wait until no turn is being added; return False, and end the thread, if nothing is left to do."""
        with self._changed:
            while self._wanted and not self._closed and not _ending():
                pause = self._added + PAUSE - monotonic()
                if not self._adding and pause <= 0:
                    break
                self._changed.wait(_LOOK if self._adding else pause)
            if self._closed or not self._wanted:
                self._thread = None
            return self._thread is not None

    def _run_step(self, limit: int, *, patient: bool) -> None:
        batch_number = self._left
        self._record(self._form(limit, patient=patient), limit, batch_number)

    def _record(self, turns: int, limit: int, batch_number: int) -> None:
        """Count the turns that a run formed; none waits if they were below its limit and none was added meanwhile."""
        with self._changed:
            is_complete = turns < limit and batch_number == self._left
            self._waiting = 0 if is_complete else max(self._waiting - turns, 0)
            self._wanted &= not is_complete


def _ending() -> bool:
    """Tell if the program is ending: threads that are started now would keep it from that."""
    return not main_thread().is_alive()
