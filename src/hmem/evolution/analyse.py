"""Worker: has a model read the turns that wait, a session at a time, and keeps the readings.

A worker leases turns in the memory's file while it reads them, so that several workers share the work; nothing is
locked during a call to the model. What a dead worker held is free for others, at once on the same machine, else after a
while.
"""

import os
import random
import socket
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import takewhile
from threading import Event, Lock, Thread
from typing import Final, Literal, TypeVar

from hmem.corpus.corpus import Corpus
from hmem.derived.changes import kept_extraction
from hmem.derived.state import DerivedState
from hmem.errors import (
    BudgetSpent,
    EmbedderError,
    HmemError,
    ModelGarbled,
    ModelPending,
    ModelUnavailable,
    StorageError,
)
from hmem.evolution.batches import Batch, batches, related_notes, storage_time
from hmem.language.analyst import Passage
from hmem.language.analyst.base import Claim, TurnExtraction
from hmem.language.analyst.language_model import WorkerModel
from hmem.language.containment import Fault, contained
from hmem.model.ids import new_key
from hmem.model.scope import owner_of, scoped
from hmem.model.span import now, to_stored
from hmem.model.turn import Turn
from hmem.storage.model_queue import READ_FROM, READINGS, Attempt
from hmem.util.amounts import amount

# Setting with the number of the last reading that another model is to repeat.
STALE: Final = "model.stale"

_MICROSECONDS: Final = 1_000_000
_PERSONAS: Final = 2

Answer = TypeVar("Answer")
CallOutcome = Literal["read", "later", "taken", "pending", "failed", "barred", "spent"]


@dataclass(frozen=True, slots=True)
class WorkOptions:
    """Options of a worker. Times are in seconds.

    The last turns of a session are read when it was left alone for ``idle_seconds``. A lease ends after
    ``lease_seconds``, which is longer than any call. A failed call is tried again after ``backoff``, then twice as long
    and so on, up to ``backoff_most``, and up to half as long again at random. After ``garbled`` unusable answers the
    turns are left to the rules. A run ends after ``failures`` failed calls in a row; it waits for work that is due
    within ``patience``.
    """

    concurrency: int = 4
    idle_seconds: float = 60.0
    lease_seconds: float = 900.0
    backoff: float = 1.0
    backoff_most: float = 600.0
    garbled: int = 3
    failures: int = 5
    patience: float = 30.0


@dataclass(slots=True)
class Progress:
    """Progress of a run, and why it stopped, if something stopped it; ``pending`` calls wait for their answers."""

    calls: int = 0
    pending: int = 0
    turns: int = 0
    failures: int = 0
    in_a_row: int = 0
    stopped: str | None = None
    lock: Lock = field(default_factory=Lock)

    def count_call(self, outcome: CallOutcome, turns: int, error: str | None = None, failure_limit: int = 0) -> None:
        """Count one batch that ended; stop if its error ends the run."""
        with self.lock:
            is_failure = outcome in ("failed", "barred")
            self.calls += is_failure or outcome in ("read", "later")
            self.pending += outcome == "pending"
            self.turns += turns
            self.failures += is_failure
            self.in_a_row = self.in_a_row + 1 if is_failure else 0
            if outcome in ("spent", "barred") or (is_failure and self.in_a_row >= failure_limit):
                self.stopped = error


class ModelWorker:
    """Worker on one memory: one run, which leases turns under a unique name.

    Args:
        as_read: turns a stored turn into the form that the model reads.
        form: forms new turns, and those that were read since.
        context: number of turns that the model is shown before those that it reads.
        ending: ends the run when it is set; running calls are the last.
    """

    def __init__(
        self,
        corpus: Corpus,
        derived: DerivedState,
        as_read: Callable[[Turn], Turn],
        form: Callable[[], int],
        context: int,
        options: WorkOptions | None = None,
        ending: Event | None = None,
    ) -> None:
        self._corpus = corpus
        self._derived = derived
        self._as_read = as_read
        self._form = form
        self._context = context
        self.options = options or WorkOptions()
        self.holder = f"{socket.gethostname()} {os.getpid()} {new_key().hex()}"
        self.ending = ending or Event()
        # The last reading when the pending turns were listed: a later one means that another worker read the turn.
        self._known = 0
        # Batches that were read and formed one after another.
        self._formed_apart: list[Batch] = []

    # Pending turns.

    def pending(self, producer: str, sessions: Collection[int] | None = None) -> dict[int, list[Batch]]:
        """Return the batches to be read, by session number, in order; of all sessions, or of some."""
        with self._corpus.reading():
            self._derived.catch_up()
            settings = self._corpus.storage.state().settings
            if READ_FROM not in settings:
                return {}
            self._known = int(settings.get(READINGS, "0"))
            waiting = self._corpus.model_queue.awaiting(
                int(settings[READ_FROM]), int(settings.get(STALE, "0")), producer
            )
            if sessions is not None:
                waiting = [turn for turn in waiting if turn.session in sessions]
            return batches(self._corpus, self._derived.judgements, waiting, self._context)

    def _ready(self, batch: Batch, moment: int, *, drain: bool) -> bool:
        """Tell if a batch is to be read at a moment."""
        if batch.due > moment:
            return False
        if drain or not batch.open:
            return True
        with self._corpus.reading():
            last = self._corpus.storage.turns(batch.seqs[-1:])
        return bool(last) and storage_time(last[0].turn.id) + self.options.idle_seconds * _MICROSECONDS <= moment

    def _heads(self, waiting: dict[int, list[Batch]], moment: int, *, drain: bool) -> list[list[Batch]]:
        """Return the ready batches of each owner, in order; of a session, those before the first that is not ready.

        Later sessions may revise notes of earlier ones, so an owner's are read one after another.
        """
        chains: dict[str, list[Batch]] = {}
        for queue in waiting.values():
            for batch in takewhile(lambda candidate: self._ready(candidate, moment, drain=drain), queue):
                chains.setdefault(batch.owner, []).append(batch)
        return [sorted(chain, key=lambda batch: batch.seqs[0]) for chain in chains.values()]

    # Working.

    def run(
        self,
        model: WorkerModel,
        progress: Progress,
        *,
        limit: int | None = None,
        drain: bool = False,
        sessions: Collection[int] | None = None,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """Read what is ready until nothing is, ``limit`` calls are made, or something stops it.

        Return the number of turns that still wait.

        Raises:
            MemoryBusy, StorageFull, StorageError: what was read so far is kept.
        """
        self._release_dead_holders()
        try:
            while True:
                self._form()
                waiting, moment = self.pending(model.made_by, sessions), to_stored(now())[0]
                chains = self._heads(waiting, moment, drain=drain)
                if chains and not self.halted(progress, limit):
                    before = progress.calls
                    self._read_all(model, chains, progress, limit, on_progress)
                    if progress.calls > before:
                        continue
                self._form_together()
                # A batch that became due meanwhile is waited for too: no time at all.
                if self.halted(progress, limit) or not self._wait(waiting, moment, drain=drain):
                    return sum(len(batch.seqs) for chain in waiting.values() for batch in chain)
        finally:
            self.let_go()

    def _form_together(self) -> None:
        """Form what was read in several batches once more, at once and in order.

        A batch is formed before the next is read, while the rules' entities and notes of later turns are still there.
        """
        batches_formed, self._formed_apart = self._formed_apart, []
        if len(batches_formed) > 1:
            with self._corpus.reading():
                self._corpus.model_queue.renumber(sorted(seq for batch in batches_formed for seq in batch.seqs))
        self._form()

    def let_go(self) -> None:
        """Release everything that is still leased."""
        with self._corpus.reading():
            self._corpus.model_queue.dismiss([self.holder])

    def halted(self, progress: Progress, limit: int | None) -> bool:
        """Tell if no more calls are to be made."""
        return (
            progress.stopped is not None
            or self.ending.is_set()
            or (limit is not None and progress.calls + progress.pending >= limit)
        )

    def _wait(self, waiting: dict[int, list[Batch]], moment: int, *, drain: bool) -> bool:
        """Wait for the next batch that becomes due soon after a moment; return False if none does or the run ends."""
        due = [chain[0].due for chain in waiting.values() if chain and (drain or not chain[0].open)]
        soon = [time for time in due if moment < time <= moment + self.options.patience * _MICROSECONDS]
        return bool(soon) and not self.ending.wait(max(min(soon) - to_stored(now())[0], 0) / _MICROSECONDS)

    def _read_all(
        self,
        model: WorkerModel,
        chains: Sequence[Sequence[Batch]],
        progress: Progress,
        limit: int | None,
        on_progress: Callable[[int, int], None] | None,
    ) -> None:
        """Read chains of batches, several at once; each in order, without a session's after one that fails."""
        total = progress.turns + sum(len(batch.seqs) for chain in chains for batch in chain)
        counts, lock = Counter[str](), Lock()

        def may_start() -> bool:
            with lock:
                if self.halted(progress, None if limit is None else limit - counts["running"]):
                    return False
                counts["running"] += 1
                return True

        def read(chain: Sequence[Batch]) -> None:
            blocked_sessions = set[int]()
            for batch in chain:
                if batch.session in blocked_sessions:
                    continue
                if not may_start():
                    return
                try:
                    outcome, error = self._read(model, batch, progress.in_a_row)
                finally:
                    with lock:
                        counts["running"] -= 1
                progress.count_call(outcome, len(batch.seqs) if outcome == "read" else 0, error, self.options.failures)
                if on_progress is not None:
                    on_progress(progress.turns, total)
                if outcome != "read":
                    blocked_sessions.add(batch.session)

        self._run_in_threads(read, chains)

    def _run_in_threads(self, read: Callable[[Sequence[Batch]], None], chains: Sequence[Sequence[Batch]]) -> None:
        """Read chains in several daemon threads; wait until they are done."""
        queue, errors = deque(chains), list[HmemError]()

        def work() -> None:
            while not errors:
                try:
                    chain = queue.popleft()
                except IndexError:
                    return
                try:
                    read(chain)
                except HmemError as error:
                    errors.append(error)

        count = min(self.options.concurrency, len(chains))
        threads = [Thread(target=work, name=f"hmem-model-{i}", daemon=True) for i in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]

    def _read(self, model: WorkerModel, batch: Batch, failures: int) -> tuple[CallOutcome, str | None]:
        """Have one batch read; return how it ended, and the error."""
        prepared = self._prepare(batch)
        if prepared is None:
            return "taken", None
        passage, persona = prepared
        readings = contained(lambda: _read_passage(model, passage, persona), raising=(StorageError, EmbedderError))
        if isinstance(readings, Fault):
            outcome, message, trial = self.failure(readings.error, model.made_by, failures, batch.attempts)
            with self._corpus.reading():
                self._corpus.model_queue.release(batch.seqs, self.holder, trial)
            return outcome, message
        seqs, readings = batch.passage_seqs, [self._resolve_claims(reading, batch) for reading in readings]
        records = [
            kept_extraction(seq, reading, seqs[0], seqs[-1]) for seq, reading in zip(batch.seqs, readings, strict=True)
        ]
        with self._corpus.reading():
            is_stored = self._corpus.model_queue.keep_readings(records, self.holder, seqs)
            if is_stored:
                self._formed_apart.append(batch)
        return ("read" if is_stored else "later"), None

    def _resolve_claims(self, reading: TurnExtraction, batch: Batch) -> TurnExtraction:
        """Resolve the sequence numbers in claims to the ids of the owner's earlier turns; drop those of other turns."""
        numbers = {claim.revises.seq for claim in reading.claims if claim.revises and not claim.revises.turn}
        if not numbers:
            return reading
        with self._corpus.reading():
            earlier_seqs = [seq for seq in numbers if seq < batch.seqs[0] and self._owner(seq) == batch.owner]
            ids = {row.seq: row.turn.id for row in self._corpus.storage.turns(sorted(earlier_seqs))}
        return replace(reading, claims=tuple(_with_turn_id(claim, ids) for claim in reading.claims))

    def _owner(self, seq: int) -> str | None:
        judgements = self._derived.judgements
        return judgements.owner(seq) if seq in judgements else None

    def _prepare(self, batch: Batch) -> tuple[Passage, str] | None:
        """Lease a batch; return its passage and personas, or None if another has it or it changed."""
        # What was read before this batch may be what it revises.
        self._form()
        with self._corpus.reading():
            storage, moment = self._corpus.storage, to_stored(now())[0]
            queue = self._corpus.model_queue
            until = moment + int(self.options.lease_seconds * _MICROSECONDS)
            if not queue.lease(batch.seqs, self.holder, moment, until, self._known):
                return None
            numbered_turns = ((row.seq, self._as_read(row.turn)) for row in storage.turns(batch.passage_seqs))
            turns = tuple(self._derived.names.unified(numbered_turns))
            if len(turns) != len(batch.passage_seqs):
                queue.release(batch.seqs, self.holder, Attempt(is_counted=False))
                return None
            speakers = self._speakers(batch)
            notes = related_notes(self._corpus, self._derived, batch.seqs)
            return Passage(turns, len(batch.context), speakers, notes), self._personas(turns[len(batch.context) :])

    def _speakers(self, batch: Batch) -> tuple[str, ...]:
        """Return the owner's speakers in the session up to the end of a batch, in the order of their first turns."""
        columns, judgements, canonical_name = (
            self._corpus.columns,
            self._derived.judgements,
            self._derived.names.first_spelling,
        )
        owner = judgements.owner(batch.seqs[0])
        mask = (columns.session == batch.session) & columns.alive & (columns.seq <= batch.seqs[-1])
        order = columns.seq[mask].argsort()
        names = {speaker.number: canonical_name(owner, speaker.name) for speaker in self._corpus.speakers}
        speakers = zip(columns.seq[mask][order].tolist(), columns.speaker[mask][order].tolist(), strict=True)
        return tuple(dict.fromkeys(names[number] for seq, number in speakers if judgements.owner(seq) == owner))

    def _personas(self, turns: Sequence[Turn]) -> str:
        """Return the personas of the speakers, by which importance is judged."""
        texts: list[str] = []
        for name in dict.fromkeys(scoped(owner_of(turn), turn.speaker) for turn in turns):
            person = self._derived.names.find(name)
            persona = None if person is None else self._derived.personas.get(person)
            if persona is not None and persona.text:
                texts.append(persona.text)
        return "\n".join(texts[:_PERSONAS])

    def failure(
        self, error: Exception, producer: str, in_a_row: int, attempts: int
    ) -> tuple[CallOutcome, str, Attempt]:
        """Return how a failed call ended, its error, and the trial with the time of the next attempt.

        The trial counts against the turns only if the model's answer was unusable.
        """
        if isinstance(error, BudgetSpent):
            return "spent", str(error), Attempt(0, str(error), is_counted=False)
        if isinstance(error, ModelPending):
            return "pending", str(error), Attempt(is_counted=False)
        if isinstance(error, ModelUnavailable):
            wait = max(error.retry_after or 0.0, self.backoff(in_a_row))
            return failure_outcome(error), str(error), Attempt(later(wait), str(error), is_counted=False)
        message = str(error) if isinstance(error, ModelGarbled) else f"{type(error).__name__} in {producer}"
        given_up = attempts + 1 >= self.options.garbled
        return "failed", message, Attempt(later(self.backoff(attempts)), message, given_up=given_up)

    def backoff(self, attempts: int) -> float:
        """Return the seconds to wait after ``attempts`` earlier failures and this one."""
        wait = min(self.options.backoff * 2.0**attempts, self.options.backoff_most)
        return wait * random.uniform(1.0, 1.5)  # noqa: S311 - no secret

    def _pause(self, progress: Progress, error: ModelUnavailable) -> bool:
        """Wait until a failed call may be repeated; return False if that is too late for this run."""
        progress.count_call(failure_outcome(error), 0, str(error), self.options.failures)
        wait = max(error.retry_after or 0.0, self.backoff(progress.in_a_row - 1))
        if progress.stopped is None and wait > self.options.patience:
            progress.stopped = str(error)
        return progress.stopped is None and not self.ending.wait(wait)

    def ask(self, call: Callable[[], Answer], progress: Progress, limit: int | None) -> Answer | Fault | None:
        """Return a model's answer to a call, or the fault of an unusable one; None if it cannot be asked in this run.

        Raises:
            StorageError, EmbedderError: no answer is to blame for it.
        """
        while not self.halted(progress, limit):
            try:
                return contained(call, raising=(BudgetSpent, ModelUnavailable, StorageError, EmbedderError))
            except BudgetSpent as error:
                progress.count_call("spent", 0, str(error))
                return None
            except ModelPending as error:
                progress.count_call("pending", 0, str(error))
                return None
            except ModelUnavailable as error:
                if not self._pause(progress, error):
                    return None
        return None

    def wait_for(self, seconds: float) -> bool:
        """Wait some seconds, if that is within ``patience``; return False if it is not, or the run ends."""
        return seconds <= self.options.patience and not self.ending.wait(max(seconds, 0.0))

    def _release_dead_holders(self) -> None:
        """Release what dead processes of this machine held."""
        with self._corpus.reading():
            queue = self._corpus.model_queue
            dead = [holder for holder in queue.holders(to_stored(now())[0]) if _is_dead(holder)]
            if dead:
                queue.dismiss(dead)


def _with_turn_id(claim: Claim, ids: Mapping[int, str]) -> Claim:
    revises = claim.revises
    if revises is None or revises.turn:
        return claim
    turn = ids.get(revises.seq)
    return replace(claim, revises=None if turn is None else replace(revises, turn=turn))


def _read_passage(model: WorkerModel, passage: Passage, persona: str) -> Sequence[TurnExtraction]:
    readings, count = model.read(passage, persona), len(passage.targets)
    if len(readings) != count:
        raise ModelGarbled(f"{model.made_by} read {len(readings)} of {amount(count, 'turn')} - take another model")
    return readings


def failure_outcome(error: ModelUnavailable) -> CallOutcome:
    """Return how a call ended that could not be made: ``barred`` if it would fail again, which ends the run."""
    return "barred" if error.lasting else "failed"


def later(seconds: float) -> int:
    """Return the moment in ``seconds`` from now, in µs since 1970 UTC."""
    return to_stored(now() + timedelta(seconds=seconds))[0]


def _is_dead(holder: str) -> bool:
    """Tell if a holder was a process of this machine that has ended; False if that is unknown."""
    host, _, process = holder.partition(" ")
    number = process.partition(" ")[0]
    if os.name != "posix" or host != socket.gethostname() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
