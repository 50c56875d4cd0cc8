"""One evaluation: a memory for each conversation, every question asked, the figures gathered."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

from hmem.errors import UnknownName
from hmem.evals.asking import Gold, Handles, Outcome, ask, gold_of
from hmem.evals.dataset import Conversation, Question
from hmem.evals.mechanisms import settings_without
from hmem.evals.summary import summarise
from hmem.memory import Memory
from hmem.read.pipeline import COUNTING
from hmem.recipes import DEFAULT
from hmem.recipes import recipe as load_recipe

ANALYSTS: Final = ("rules",)
BUDGET: Final = 1_272
DEPTH: Final = 100

Progress = Callable[[int, int], None]
Messages = Sequence[Mapping[str, Any]]


@dataclass(slots=True)
class Tally:
    """What adds up over the memories of one evaluation. ``rejected`` messages were not kept."""

    embedder: str = ""
    turns: int = 0
    rejected: int = 0
    seconds: float = 0.0
    truth_bytes: int = 0
    index_bytes: int = 0
    roles: set[str] = field(default_factory=set[str])


@dataclass(frozen=True, slots=True)
class Options:
    """How memories are opened and asked."""

    recipe: str
    settings: Mapping[str, str] | None
    embedder: str | None
    depth: int
    tokens: int
    replay: bool


def evaluate(
    dataset: str,
    conversations: Sequence[Conversation],
    *,
    recipe: str = DEFAULT,
    settings: Mapping[str, str] | None = None,
    without: Sequence[str] = (),
    embedder: str | None = None,
    analyst: str = "rules",
    depth: int = DEPTH,
    tokens: int = BUDGET,
    progress: Progress | None = None,
    replay: bool = False,
) -> dict[str, Any]:
    """The figures of one run, as the JSON of an evaluation; what was not measured is None.

    Each conversation gets a memory of its own in a temporary folder. ``depth`` is how many turns are ranked,
    ``tokens`` the budget of a context. With ``replay`` a question is asked right after the session that
    completes its evidence, else after all of them. ``progress`` is told the questions asked and their number.

    Raises:
        UnknownName: no such recipe, constant, embedder, analyst or mechanism.
    """
    settings = {**settings_without(without), **(settings or {})}
    if analyst not in ANALYSTS:
        raise UnknownName(f"no analyst is called {analyst!r} - choose one of: {', '.join(ANALYSTS)}")
    options, tally = Options(recipe, settings, embedder, depth, tokens, replay), Tally()
    total = sum(len(conversation.questions) for conversation in conversations)
    outcomes: list[Outcome] = []
    for conversation in conversations:
        for outcome in outcomes_of(conversation, options, tally):
            outcomes.append(outcome)
            if progress is not None:
                progress(len(outcomes), total)
    facts = {"dataset": dataset, "recipe": recipe, "without": list(without), "analyst": analyst, "replay": replay}
    return summarise(facts | {"conversations": len(conversations), "depth": depth, "tokens": tokens}, outcomes, tally)


def outcomes_of(conversation: Conversation, options: Options, tally: Tally) -> Iterator[Outcome]:
    """Fill a memory with a conversation and ask its questions."""
    with TemporaryDirectory(prefix="hmem-eval-") as folder, opened(Path(folder) / "memory.hmem", options) as handles:
        parts = parts_of(conversation, replay=options.replay)
        said: list[datetime] = []
        for number, (messages, asked) in enumerate(parts, 1):
            add(handles.memory, messages, tally, flush=number == len(parts))
            said += [message["at"] for message in messages]
            yield from answers_to(handles, asked, max(said, default=None), options)
        weigh(handles.memory, tally)


@contextmanager
def opened(path: Path, options: Options) -> Generator[Handles]:
    """A memory, and where its recipe counts uses, the same memory so that looking at it does not count."""
    with ExitStack() as stack:

        def handle(settings: Mapping[str, str]) -> Memory:
            made = Memory(path, recipe=options.recipe, settings=settings, embedder=options.embedder)
            return stack.enter_context(made)

        settings = options.settings or {}
        memory = handle(settings)
        counts = not COUNTING.isdisjoint(load_recipe(options.recipe, settings).reading.strategies)
        yield Handles(memory, handle({**settings, "tiered.record": "false"}) if counts else memory)


def answers_to(
    handles: Handles, asked: Sequence[tuple[Question, Gold]], latest: datetime | None, options: Options
) -> Iterator[Outcome]:
    """Ask questions, each at its own time, or else when the last message was said."""
    for question, gold in asked:
        at = question.at or latest
        yield ask(handles, question, gold, depth=options.depth, tokens=options.tokens, at=at)


def weigh(memory: Memory, tally: Tally) -> None:
    """Add what a memory takes on disk."""
    # The uses of what was asked for lie in the log of the file until it is settled.
    memory.flush()
    stats = memory.stats()
    tally.embedder = stats.embedder
    tally.truth_bytes += stats.truth_bytes
    tally.index_bytes += stats.index_bytes


def parts_of(conversation: Conversation, *, replay: bool) -> list[tuple[Messages, list[tuple[Question, Gold]]]]:
    """What is added at a time, and the questions that are asked after it."""
    asked = list(zip(conversation.questions, gold_of(conversation), strict=True))
    if not replay:
        return [(conversation.messages, asked)]
    sittings = [list(group) for _, group in groupby(conversation.messages, key=lambda message: message["session"])]
    completed = {name: place for place, sitting in enumerate(sittings) for name in _names(sitting)}
    parts: list[tuple[Messages, list[tuple[Question, Gold]]]] = [(sitting, []) for sitting in sittings]
    for question, gold in asked:
        # Without evidence a question waits for the end: nothing else says when it may be asked.
        places = [completed[name] for name in (*gold.evidence, *gold.sessions) if name in completed]
        parts[max(places, default=len(parts) - 1)][1].append((question, gold))
    return parts


def _names(sitting: Messages) -> Iterator[str]:
    """What a sitting completes: its own session, and each of its messages."""
    yield sitting[0]["session"]
    for message in sitting:
        yield message["message_id"]


def add(memory: Memory, messages: Messages, tally: Tally, *, flush: bool) -> None:
    """Add messages, and count them and the seconds."""
    started = perf_counter()
    receipts = memory.add(messages)
    if flush:
        memory.flush()
    tally.seconds += perf_counter() - started
    kept = sum(receipt.fate == "stored" for receipt in receipts)
    tally.turns += kept
    tally.rejected += len(receipts) - kept
    tally.roles.update(message["role"] for message in messages if message.get("role"))
