"""Work of a language model for a memory: reading turns, writing texts, judging replies, and the account of it.

``add`` never waits for it: turns to be read wait in a queue in the memory's file.
"""

import json
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import groupby
from os import PathLike
from pathlib import Path
from threading import Event, Lock
from time import monotonic
from typing import Final
from weakref import ref

from hmem.api.components import Components
from hmem.corpus.embedding import Progress as Told
from hmem.derived.texts import Texts
from hmem.errors import InputError, StorageError
from hmem.evolution.accounts import (
    BUDGET,
    SpendingAccounts,
    budget_of,
    budget_text,
    exhausted,
    today,
    total,
    with_limits,
)
from hmem.evolution.analyse import STALE, ModelWorker, Progress, WorkOptions
from hmem.evolution.compose import Composer
from hmem.evolution.compress import Compressor
from hmem.evolution.consolidate import Activity, Background
from hmem.evolution.judge import ReactionJudge
from hmem.evolution.lessons import LessonDistiller
from hmem.formation.turn_analysis import without_echoes
from hmem.language.analyst import analyst as load_analyst
from hmem.language.analyst.language_model import (
    AnswerModel,
    BatchWorker,
    WorkerModel,
    answer_model,
    batch_worker,
    worker_model,
)
from hmem.language.analyst.spending import Budget
from hmem.model.report import BatchResult, ModelStats, SpentOn, Worked
from hmem.model.span import now, to_stored
from hmem.model.turn import Receipt, Turn
from hmem.storage.model_queue import PAIRED, READ_FROM, READINGS, Spending

# Seconds that closing waits for a call in progress; its turns are read again later.
_PATIENCE: Final = 1.0
_ROUNDS: Final = 8
# Seconds between two looks for work that has become due.
_LOOK: Final = 5.0
# Longest such interval, to which it grows while the model fails.
_LOOK_MOST: Final = 600.0
# Number of turns that a model is shown before those that it reads.
_CONTEXT: Final = 6


class ModelWork:
    """Work of a language model for a memory, on request or in the background, and its account.

    Args:
        components: the components of the memory.
        options: parallel calls, waiting times and the limit of failures.
    """

    def __init__(self, components: Components, options: WorkOptions | None = None) -> None:
        self._components = components
        self._corpus = components.corpus
        self._options = options or WorkOptions()
        self._accounts = SpendingAccounts(components.corpus)
        self._tending: Background | None = None
        self._ending = Event()
        self._workers: set[ModelWorker] = set()
        self._one_run = Lock()
        self._seen: tuple[int, str | None] | None = None
        self._look_again = 0.0
        self._failed = 0

    def model(self) -> WorkerModel | None:
        """Return the model of the memory's analyst, charged to the memory's account; None if only rules read it."""
        model = worker_model(self._components.analyst)
        return None if model is None else model.charged(self._accounts, self._budget())

    def answerer(self, analyst: str | None = None) -> AnswerModel | None:
        """Return the language model of an analyst, by default the memory's, charged for one call; None for rules.

        Raises:
            UnknownName: there is no such analyst.
        """
        model = answer_model(self._components.analyst if analyst is None else load_analyst(analyst))
        return None if model is None else model.charged(self._accounts, self._budget())

    def _required(self) -> WorkerModel:
        self._components.check_writable()
        model = self.model()
        if model is None:
            raise InputError("rules read this memory - open it with a model, such as analyst='openai:gpt-4o-mini'")
        return model

    # Working.

    def run_model_jobs(
        self,
        limit: int | None = None,
        *,
        drain: bool = True,
        progress: Told | None = None,
        concurrency: int | None = None,
    ) -> Worked:
        """Have the model read waiting turns, then rewrite the texts of the rules, until nothing is left.

        Several workers may run at once, in this process or in others: no reading takes effect twice, and each session
        is read in order. A run that was interrupted, even by a crash, is continued by the next one.

        Args:
            limit: the largest number of calls.
            drain: True to read also the last turns of each session, which may go on.
            progress: called with the number of turns read and the number to read.
            concurrency: number of sessions to read at once.

        Returns:
            The work done, the turns left, and the reason for stopping early: the model fails, or its budget is spent.

        Raises:
            InputError: no model reads this memory.
            MemoryBusy, StorageFull, StorageError: what was read so far is kept.
        """
        return self._run(self._required(), limit, drain=drain, progress=progress, concurrency=concurrency)

    def write_requests(self, path: str | PathLike[str], *, limit: int | None = None) -> int:
        """Write the calls that wait into a file, in the form of the provider's batch interface; return their number.

        Reading comes first: texts about turns that are still to be read are not requested. Nothing is sent. Later
        sessions of a person are read better when the responses to earlier ones were taken; ``limit=1`` asks so.

        Args:
            path: the file.
            limit: the largest number of requests.

        Raises:
            InputError: no model reads this memory, or it has no batch interface.
            StorageError: the file cannot be written.
        """
        model = self._batched(None)
        self._run(model, limit)
        lines = [f"{json.dumps(request, ensure_ascii=False)}\n" for request in model.batch.requests()]
        try:
            Path(path).write_text("".join(lines), "utf-8")
        except OSError as error:
            raise StorageError(f"{path} cannot be written ({error.strerror}) - write the requests elsewhere") from error
        return len(lines)

    def take_responses(self, path: str | PathLike[str]) -> BatchResult:
        """Take the responses to requests from a file, or from the files of a folder, in any order.

        Each is checked by itself, like an answer of the model: a broken or forged line harms no other, and what has no
        usable response still waits. Taking a file twice, or in parts, does no harm.

        Raises:
            InputError: no model reads this memory, or it has no batch interface.
            InvalidFile: the file cannot be read.
        """
        model = self._batched(Path(path))
        worked = self._run(model)
        refusals = tuple((line, reason) for line, reason in model.batch.refusals)
        return BatchResult(worked, model.batch.response_count, refusals, tuple(model.batch.unused))

    def _batched(self, responses: Path | None) -> BatchWorker:
        self._required()
        model = batch_worker(self._components.analyst, responses)
        if model is None:
            raise InputError("this model has no batch interface - open the memory with one such as openai:gpt-4o-mini")
        return model.charged(self._accounts, self._budget())

    def _run(
        self,
        model: WorkerModel,
        limit: int | None = None,
        *,
        drain: bool = True,
        progress: Told | None = None,
        concurrency: int | None = None,
    ) -> Worked:
        totals = Progress()
        worker = self._worker(concurrency)
        with self._registered(worker):
            backlog = worker.run(model, totals, limit=limit, drain=drain, on_progress=progress)
            verdicts = self._judge_replies(model, worker, totals, limit)
            # Texts about turns that are still to be read would be written twice.
            texts = self._compose(model, worker, totals, limit) if totals.turns or not backlog else 0
            texts += self._compress(model, worker, totals, limit)
            texts += self._distil(model, worker, totals, limit)
        return Worked(totals.calls, totals.turns, texts, totals.failures, backlog, totals.stopped, verdicts)

    def _judge_replies(
        self, model: WorkerModel, worker: ModelWorker, totals: Progress, limit: int | None = None
    ) -> int:
        """Have the model judge the messages that followed recalls; return their number."""
        try:
            return ReactionJudge(self._corpus, self._components.formation.derived, worker).run(model, totals, limit)
        finally:
            worker.let_go()

    def _compose(self, model: WorkerModel, worker: ModelWorker, totals: Progress, limit: int | None) -> int:
        """Have texts written, unless other workers still read turns that would change them."""
        with self._corpus.reading():
            holders = self._corpus.model_queue.holders(to_stored(now())[0])
        if holders or worker.halted(totals, limit):
            return 0
        formation = self._components.formation
        composer = Composer(self._corpus, formation.derived, formation.text_writer, self._components.analyst, worker)
        total = 0
        with self._one_run:
            # Each round allows the next: summaries of summaries, and texts that depend on a verdict.
            for _ in range(_ROUNDS):
                count = composer.run(model, totals, limit)
                self._form_read()
                total += count
                if not count:
                    break
        return total

    def _compress(self, model: WorkerModel, worker: ModelWorker, totals: Progress, limit: int | None) -> int:
        """Have long turns compressed, if contexts show them so; return their number."""
        if not self._components.retrieval_config.context.compressed:
            return 0
        return Compressor(self._corpus, self._components.formation.text_writer, worker).run(model, totals, limit)

    def _distil(self, model: WorkerModel, worker: ModelWorker, totals: Progress, limit: int | None) -> int:
        """Have lessons distilled from cases of similar tasks; return their number."""
        return LessonDistiller(self._corpus, self._components.formation.derived, worker).run(model, totals, limit)

    def _worker(self, concurrency: int | None = None) -> ModelWorker:
        options = self._options if concurrency is None else replace(self._options, concurrency=max(concurrency, 1))
        formation = self._components.formation
        strip_echoes = partial(without_echoes, lexicon=self._components.analyst.lexicon)
        as_read: Callable[[Turn], Turn] = strip_echoes if formation.config.echo else _as_it_is
        return ModelWorker(self._corpus, formation.derived, as_read, self._form_read, _CONTEXT, options, self._ending)

    def _form_read(self) -> int:
        return self._components.formation.pipeline.form()

    @contextmanager
    def _registered(self, worker: ModelWorker) -> Generator[None]:
        """Let the memory know a worker while it works, so that ``stop`` reaches it."""
        self._workers.add(worker)
        try:
            yield
        finally:
            self._workers.discard(worker)

    def read_now(self, receipts: Iterable[Receipt]) -> None:
        """Have the sessions of new turns read at once; turns that fail stay in the queue."""
        model = self.model()
        ids = [receipt.id for receipt in receipts if receipt.fate == "stored" and receipt.id is not None]
        if model is None or not ids:
            return
        with self._corpus.reading():
            seqs = list(self._corpus.storage.locate(ids).values())
            columns = self._corpus.columns
            sessions = frozenset(columns.session[columns.rows_of(seqs)].tolist())
        worker = self._worker()
        worker.options = replace(worker.options, patience=0.0)
        with self._registered(worker):
            worker.run(model, Progress(), drain=True, sessions=sessions)

    def start(self) -> None:
        """Work in the background, if there is a model, until ``stop`` or until nothing refers to this object."""
        work_of = ref(self)

        def activity() -> Activity:
            service = work_of()
            return None if service is None else ()

        def work() -> bool:
            service = work_of()
            return service is not None and service._work_a_little()  # noqa: SLF001 - this object, held weakly

        if worker_model(self._components.analyst) is not None:
            self._tending = Background(activity, work, name="hmem-model")

    def _work_a_little(self) -> bool:
        """Read turns that are ready, and judge and write if there is cause; return False."""
        model = self._required()
        worker, totals = self._worker(), Progress()
        worker.options = replace(worker.options, patience=0.0)
        with self._corpus.reading():
            version = self._corpus.watermark, self._corpus.storage.state().settings.get(READINGS)
        # Looking for work takes longer in a large memory, and mostly there is none.
        if (version == self._seen and monotonic() < self._look_again) or self._exhausted() is not None:
            return False
        with self._registered(worker):
            worker.run(model, totals)
            self._judge_replies(model, worker, totals)
            if totals.turns or self._texts_wait():
                self._compose(model, worker, totals, None)
                self._compress(model, worker, totals, None)
                self._distil(model, worker, totals, None)
        self._failed = self._failed + 1 if totals.failures else 0
        self._seen, self._look_again = version, monotonic() + min(_LOOK * 2.0**self._failed, _LOOK_MOST)
        return False

    def _texts_wait(self) -> bool:
        """Return True if turns were read whose texts and verdicts were not all requested."""
        with self._corpus.reading():
            settings = self._corpus.storage.state().settings
        return int(settings.get(PAIRED, "0")) < int(settings.get(READINGS, "0"))

    def stop_model_jobs(self) -> None:
        """End the model's work in this memory after the calls in progress; the rest stays in the queue."""
        self._ending.set()

    def stop(self) -> None:
        """Stop reading, and release the turns that this process holds."""
        self._ending.set()
        if self._tending is not None:
            self._tending.stop(_PATIENCE)
        for worker in list(self._workers):
            worker.let_go()

    # Reanalysis.

    def reanalyse(self) -> int:
        """Have the present model redo what rules or another model read and wrote; return the number of turns to read.

        The existing readings and texts stand until then.

        Raises:
            InputError: no model reads this memory.
        """
        model = self._required()
        with self._corpus.reading():
            storage = self._corpus.storage
            queue = self._corpus.model_queue
            queue.requeue({READ_FROM: "0", STALE: storage.state().settings.get(READINGS, "0")}, model.made_by)
            derived = self._components.formation.derived
            derived.catch_up()
            texts = [text for texts in derived.written.values() for text in (texts.summaries, texts.names)]
            if sum(_outdate(text, model.made_by) for text in [*texts, derived.profiles]):
                derived.store(derived.at.watermark)
            return len(queue.awaiting(0, int(storage.state().settings[STALE]), model.made_by))

    # Spending.

    def budget(self, **limits: float | None) -> Budget:
        """Return the limits of spending on models, after changing some of them by name.

        The limits are ``day_calls``, ``day_tokens``, ``day_cost``, and the same with ``memory_`` and ``call_``; None
        removes one. They are kept with the memory.

        Raises:
            InputError: there is no such limit, or it is no number from 0 on.
        """
        if limits:
            self._components.check_writable()
        with self._corpus.reading():
            budget = with_limits(self._budget(), limits)
            if limits:
                self._corpus.storage.put_settings({BUDGET: budget_text(budget)})
        return budget

    def _budget(self) -> Budget:
        with self._corpus.reading():
            return budget_of(self._corpus.storage.state().settings)

    def _exhausted(self) -> str | None:
        return exhausted(self._budget(), self._accounts.spent_today(), self._accounts.spent_in_memory())

    def stats(self) -> ModelStats | None:
        """Return the statistics of models; None if none ever worked here. Call it inside ``corpus.reading()``."""
        storage, model = self._corpus.storage, worker_model(self._components.analyst)
        queue, settings = storage.model_queue, self._corpus.state.settings
        if queue is None:
            return None
        spending = queue.spending()
        if model is None and READINGS not in settings and not spending:
            return None
        counts, waiting = queue.model_counts(to_stored(now())[0]), 0
        if model is not None and READ_FROM in settings:
            waiting = len(queue.awaiting(int(settings[READ_FROM]), int(settings.get(STALE, "0")), model.made_by))
        day = queue.spending(today(now()))
        return ModelStats(
            name=None if model is None else model.made_by,
            pending=waiting,
            held=counts.leased_turns,
            given_up=counts.given_up,
            read=counts.read,
            texts=counts.answers,
            today=_by_purpose(day),
            spent=_by_purpose(spending),
            problem=exhausted(budget_of(settings), total(day), total(spending))
            or (self._tending.problem if self._tending is not None else None),
            error=counts.error,
            unjudged=len(queue.pending_reactions()),
        )


def _as_it_is(turn: Turn) -> Turn:
    return turn


def _outdate(texts: Texts, author: str) -> int:
    """Mark the texts that others wrote as outdated; return their number."""
    outdated = [number for number in texts.numbers() if (text := texts.get(number)) and text.made_by != author]
    for number in outdated:
        texts.outdate(number)
    return len(outdated)


def _by_purpose(spending: Sequence[Spending]) -> tuple[SpentOn, ...]:
    """Return the spending by purpose and model, each summed over the days."""
    rows = sorted(spending, key=lambda row: (row.purpose, row.model))
    return tuple(
        SpentOn(purpose, model, summed.calls, summed.input_tokens, summed.output_tokens, summed.cost, summed.failures)
        for (purpose, model), group in groupby(rows, key=lambda row: (row.purpose, row.model))
        for summed in [total(list(group))]
    )
