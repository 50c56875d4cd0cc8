"""One evaluation: it fills a memory for each conversation, asks every question and gathers the figures."""

import shutil
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

from hmem.api.ingestion import without_warnings
from hmem.api.memory import Memory
from hmem.errors import ModelUnavailable
from hmem.language.analyst import analyst as load_analyst
from hmem.model.answer import Usage
from hmem.recipes import DEFAULT, settings_without
from hmem.recipes import recipe as load_recipe
from hmem.retrieval.config import counts_uses
from hmem.util.amounts import amount
from hmem_evals.asking import Gold, Handles, Mark, Outcome, ask, gold_of
from hmem_evals.conversations import Conversation, Question
from hmem_evals.costs import model_figures, together
from hmem_evals.journal import Journal, digest
from hmem_evals.judge import Judge
from hmem_evals.summary import summarise

BUDGET: Final = 1_272
DEPTH: Final = 100
JUDGING: Final = "orchestrated"
# Tries of a model that fails while it forms a memory.
_TRIES: Final = 3

Progress = Callable[[int, int], None]
Messages = Sequence[Mapping[str, Any]]


@dataclass(slots=True)
class Tally:
    """Totals over the memories of one evaluation. ``rejected`` counts messages that were not stored."""

    embedder: str = ""
    turns: int = 0
    rejected: int = 0
    seconds: float = 0.0
    truth_bytes: int = 0
    index_bytes: int = 0
    roles: set[str] = field(default_factory=set[str])
    formation: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Options:
    """Options for opening and asking memories."""

    recipe: str
    settings: Mapping[str, str] | None
    embedder: str | None
    depth: int
    tokens: int
    replay: bool
    analyst: str = "verbatim"
    repeats: int = 1
    mark: Mark | None = None
    folder: Path | None = None


def evaluate(
    dataset: str,
    conversations: Sequence[Conversation],
    *,
    recipe: str = DEFAULT,
    settings: Mapping[str, str] | None = None,
    without: Sequence[str] = (),
    embedder: str | None = None,
    analyst: str = "verbatim",
    depth: int = DEPTH,
    tokens: int = BUDGET,
    progress: Progress | None = None,
    replay: bool = False,
    judge: str | None = None,
    judging: str = JUDGING,
    repeats: int = 1,
    folder: Path | None = None,
) -> dict[str, Any]:
    """Run an evaluation and return its figures as JSON; figures that were not measured are None.

    Each conversation gets its own memory in a temporary folder. ``depth`` is the number of ranked turns, ``tokens``
    the budget of a context. With ``replay`` a question is asked right after the session that completes its evidence,
    else after all sessions. ``progress`` gets the number of questions asked and the total.

    A language model as ``analyst`` reads every conversation before the questions, and answers them; a ``judge``
    decides by the protocol ``judging`` which answers are right. Each question is answered ``repeats`` times by one
    plan. ``folder`` keeps memories and outcomes, from which an interrupted run resumes.

    Raises:
        UnknownName: no such recipe, constant, embedder, analyst, judge, protocol or mechanism.
        ModelError: a model is unavailable or fails; the folder keeps the results so far.
    """
    settings = {**settings_without(without), **(settings or {})}
    load_analyst(analyst)
    judging_model = None if judge is None else Judge(judge, judging)
    mark = None if judging_model is None else judging_model.marked
    options = Options(recipe, settings, embedder, depth, tokens, replay, analyst, repeats, mark, folder)
    facts = {"dataset": dataset, "recipe": recipe, "without": list(without), "analyst": analyst, "replay": replay}
    run = {"settings": settings, "embedder": embedder, "judge": judge, "judging": judging, "repeats": repeats}
    journal = Journal(folder, digest(conversations, {**facts, **run, "depth": depth, "tokens": tokens}))
    tally, outcomes = Tally(), list[Outcome]()
    total = sum(len(conversation.questions) for conversation in conversations)
    for conversation in conversations:
        for outcome in outcomes_of(conversation, options, tally, journal):
            outcomes.append(outcome)
            if progress is not None:
                progress(len(outcomes), total)
    judge_name = None if judging_model is None else judging_model.made_by
    figures = model_figures(outcomes, tally.formation, judge_name, repeats)
    facts |= {"model": figures | {"judging": judging if judge is not None else None}}
    return summarise(facts | {"conversations": len(conversations), "depth": depth, "tokens": tokens}, outcomes, tally)


def outcomes_of(
    conversation: Conversation, options: Options, tally: Tally, journal: Journal | None = None
) -> Iterator[Outcome]:
    """Fill a memory with a conversation and yield the outcome of each question; the journal's are not asked again."""
    journal = Journal(None, "") if journal is None else journal
    with home(conversation, options) as path, open_handles(path, options) as handles:
        batches = batches_of(conversation, replay=options.replay)
        times: list[datetime] = []
        record = journal.get(f"formed {conversation.id}")
        # Turns that an interrupted run stored come back as duplicates.
        conversation_tally, before = Tally(), handles.memory.stats().turns
        for number, (messages, questions) in enumerate(batches, 1):
            add(handles.memory, messages, conversation_tally, flush=number == len(batches))
            conversation_tally.formation = together([conversation_tally.formation, read_by_model(handles.memory)])
            times += [message["at"] for message in messages]
            if number == len(batches) and record is None:
                record = {
                    "turns": conversation_tally.turns + before,
                    "rejected": conversation_tally.rejected - before,
                    "seconds": conversation_tally.seconds,
                }
                record |= {"formation": asdict(_formation(handles.memory, conversation_tally.formation.milliseconds))}
                journal.note(f"formed {conversation.id}", record)
            yield from answers_to(handles, questions, max(times, default=None), options, journal)
        if record is not None:
            _take(tally, record, conversation_tally)
        weigh(handles.memory, tally)


def _take(tally: Tally, record: Mapping[str, Any], conversation_tally: Tally) -> None:
    """Add the costs of forming a conversation to the totals, as recorded when it was formed."""
    tally.turns += record["turns"]
    tally.rejected += record["rejected"]
    tally.seconds += record["seconds"]
    tally.formation = together([tally.formation, Usage(**record["formation"])])
    tally.roles |= conversation_tally.roles


@contextmanager
def home(conversation: Conversation, options: Options) -> Generator[Path]:
    """Yield the path of a conversation's memory, in a temporary folder or in the run's."""
    if options.folder is None:
        with TemporaryDirectory(prefix="hmem-eval-") as folder:
            yield Path(folder) / "memory.hmem"
        return
    path = options.folder / f"{blake2b(conversation.id.encode(), digest_size=8).hexdigest()}.hmem"
    if options.replay:
        # Questions between sessions need a memory of the turns up to then: a full one cannot serve again.
        for old in options.folder.glob(f"{path.name}*"):
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    yield path


def read_by_model(memory: Memory) -> Usage:
    """Let the memory's model, if any, process all pending work; return a usage with the milliseconds only.

    Raises:
        ModelUnavailable: the model fails repeatedly.
    """
    if memory.stats().model is None:
        return Usage()
    start, jobs = perf_counter(), memory.model.run_jobs()
    for _ in range(_TRIES):
        if not jobs.left:
            return Usage(milliseconds=(perf_counter() - start) * 1_000)
        jobs = memory.model.run_jobs()
    raise ModelUnavailable(f"{amount(jobs.left, 'turn')} could not be read ({jobs.stopped}) - run it again to go on")


def _formation(memory: Memory, milliseconds: float) -> Usage:
    """Return the usage of reading and writing texts, as the memory counted it."""
    model = memory.stats().model
    spending = [] if model is None else [entry for entry in model.spent if entry.purpose not in ("plan", "answer")]
    used = together(Usage(entry.calls, entry.input_tokens, entry.output_tokens, entry.cost) for entry in spending)
    return replace(used, milliseconds=milliseconds)


@contextmanager
def open_handles(path: Path, options: Options) -> Generator[Handles]:
    """Yield handles on a memory; if its recipe counts uses, the second handle does not."""
    with ExitStack() as stack:

        def handle(settings: Mapping[str, str]) -> Memory:
            memory = Memory(
                path, recipe=options.recipe, settings=settings, embedder=options.embedder, analyst=options.analyst
            )
            return stack.enter_context(memory)

        settings = options.settings or {}
        memory = handle(settings)
        counts = counts_uses(load_recipe(options.recipe, settings).retrieval)
        yield Handles(memory, handle({**settings, "retrieval.record": "false"}) if counts else memory)


def answers_to(
    handles: Handles,
    questions: Sequence[tuple[Question, Gold]],
    latest: datetime | None,
    options: Options,
    journal: Journal | None = None,
) -> Iterator[Outcome]:
    """Yield the outcome of each question, asked at its own time or at that of the last message."""
    journal = Journal(None, "") if journal is None else journal
    for question, gold in questions:
        key = f"asked {question.id}"
        outcome = journal.outcome(key, question, gold)
        if outcome is None:
            time = question.at or latest
            depth, tokens, repeats = options.depth, options.tokens, options.repeats
            outcome = ask(
                handles, question, gold, depth=depth, tokens=tokens, time=time, repeats=repeats, mark=options.mark
            )
            journal.note_outcome(key, outcome)
        yield outcome


def weigh(memory: Memory, tally: Tally) -> None:
    """Add the size of a memory on disk to the totals."""
    # Recorded uses lie in the file's write-ahead log until it is flushed.
    memory.flush()
    stats = memory.stats()
    tally.embedder = stats.embedder
    tally.truth_bytes += stats.truth_bytes
    tally.index_bytes += stats.index_bytes


def batches_of(conversation: Conversation, *, replay: bool) -> list[tuple[Messages, list[tuple[Question, Gold]]]]:
    """Return the batches of messages, each with the questions to ask after it."""
    questions = list(zip(conversation.questions, gold_of(conversation), strict=True))
    if not replay:
        return [(conversation.messages, questions)]
    session_windows = [
        list(group) for _, group in groupby(conversation.messages, key=lambda message: message["session"])
    ]
    completed = {
        name: position for position, session_window in enumerate(session_windows) for name in _names(session_window)
    }
    batches: list[tuple[Messages, list[tuple[Question, Gold]]]] = [
        (session_window, []) for session_window in session_windows
    ]
    for question, gold in questions:
        # A question without evidence waits for the end: nothing says when it may be asked.
        positions = [completed[name] for name in (*gold.evidence, *gold.sessions) if name in completed]
        batches[max(positions, default=len(batches) - 1)][1].append((question, gold))
    return batches


def _names(session_window: Messages) -> Iterator[str]:
    """Yield the names that a session completes: its own and those of its messages."""
    yield session_window[0]["session"]
    for message in session_window:
        yield message["message_id"]


def add(memory: Memory, messages: Messages, tally: Tally, *, flush: bool) -> None:
    """Add messages to a memory, and their numbers and the seconds to the totals."""
    start = perf_counter()
    with without_warnings():
        receipts = memory.add(messages)
    if flush:
        memory.flush()
    tally.seconds += perf_counter() - start
    stored_count = sum(receipt.fate == "stored" for receipt in receipts)
    tally.turns += stored_count
    tally.rejected += len(receipts) - stored_count
    tally.roles.update(message["role"] for message in messages if message.get("role"))
