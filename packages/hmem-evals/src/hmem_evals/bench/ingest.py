"""Benchmark of ingestion: all of LoCoMo in one batch, then single turns, alone and in a burst."""

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import enumerate as threads
from time import perf_counter
from typing import Any, Final

from hmem.api.memory import Memory
from hmem.errors import InvalidFile
from hmem.formation.worker import THREAD
from hmem.recipes import DEFAULT
from hmem_evals.conversations import Conversation
from hmem_evals.locomo import load
from hmem_evals.summary import milliseconds, rate

SINGLES: Final = 200

Progress = Callable[[int, int], None]
Messages = Sequence[Mapping[str, Any]]


def run(
    path: str | Path, *, embedder: str | None = None, recipe: str = DEFAULT, progress: Progress | None = None
) -> dict[str, Any]:
    """Return ``ingest{turns, seconds, turns_per_s, NAME{p50, p95}}, disk{truth_bytes, index_bytes, text_bytes}``.

    A batch is timed until it is durable, formed and in every index. ``single_ms`` is a turn alone, until it is durable
    and searchable, and ``formed_ms`` the same turn until it is formed behind its ``add``. ``burst_ms`` is a turn among
    others without a pause. ``within_ms`` is a turn that is formed within its ``add``; these turns alternate with the
    single ones, so that other work on the machine burdens both alike. ``progress`` gets the number of added turns and
    the total.

    Raises:
        InvalidFile: the file is missing, not LoCoMo's or without turns.
        UnknownName, EmbedderUnavailable: the embedder is unknown or cannot be loaded.
    """
    conversations = [_prefixed(conversation) for conversation in load(path)]
    messages = [message for conversation in conversations for message in conversation]
    if not messages:
        raise InvalidFile(f"{path} has no turns - give LoCoMo's own file")
    report = progress or _silent
    total = len(messages) + 3 * SINGLES
    with TemporaryDirectory(prefix="hmem-bench-") as folder:
        batch, disk = _batch(Path(folder) / "batch.hmem", messages, embedder, recipe)
        report(len(messages), total)
        singles = _singles(
            Path(folder),
            conversations,
            embedder,
            recipe,
            lambda count: report(len(messages) + count, total),
        )
    text_bytes = sum(len(f"{message['text']}{message['caption'] or ''}".encode()) for message in messages)
    times = {name: milliseconds(durations) for name, durations in singles.items()}
    return {"ingest": {**batch, **times}, "disk": {**disk, "text_bytes": text_bytes}}


def _silent(_count: int, _total: int) -> None:
    pass


def _prefixed(conversation: Conversation) -> list[dict[str, Any]]:
    """Return a conversation's messages with its id before theirs, so that conversations can share a memory."""
    return [
        {
            **message,
            "session": f"{conversation.id}/{message['session']}",
            "message_id": f"{conversation.id}/{message['message_id']}",
        }
        for message in conversation.messages
    ]


def _warm_up(memory: Memory) -> None:
    """Load all models and run every code path once, in an empty memory."""
    memory.search("Who is there?")
    for text in ("Nobody yet.", "Todavía no ha venido nadie, pero mañana vendrán todos."):
        memory.delete(memory.add(text).id or "")


def _batch(path: Path, messages: Messages, embedder: str | None, recipe: str) -> tuple[dict[str, Any], dict[str, int]]:
    with Memory(path, embedder=embedder, recipe=recipe) as memory:
        _warm_up(memory)
        start = perf_counter()
        receipts = memory.add(messages)
        memory.flush()
        seconds = perf_counter() - start
        stats = memory.stats()
    stored_count = sum(receipt.fate == "stored" for receipt in receipts)
    return rate(stored_count, seconds), {"truth_bytes": stats.truth_bytes, "index_bytes": stats.index_bytes}


def _singles(
    folder: Path,
    conversations: Sequence[Messages],
    embedder: str | None,
    recipe: str,
    report: Callable[[int], None],
) -> dict[str, list[float]]:
    """Return the milliseconds of single adds to memories that hold the first conversation, by how they are timed."""
    other_messages = [message for conversation in conversations[1:] for message in conversation] or conversations[0]
    turns = [
        {**message, "message_id": f"single/{number}"}
        for number, message in enumerate(islice(cycle(other_messages), 2 * SINGLES))
    ]
    durations: dict[str, list[float]] = {"single_ms": [], "formed_ms": [], "within_ms": [], "burst_ms": []}
    with (
        Memory(folder / "behind.hmem", embedder=embedder, recipe=recipe) as background_memory,
        Memory(folder / "within.hmem", embedder=embedder, recipe=recipe, form_later=False) as inline_memory,
    ):
        for memory in (background_memory, inline_memory):
            memory.add(conversations[0])
            memory.flush()
        for number, single in enumerate(turns[:SINGLES]):
            start = perf_counter()
            background_memory.add(single)
            durations["single_ms"].append(_since(start))
            _await_formed()
            durations["formed_ms"].append(_since(start))
            start = perf_counter()
            inline_memory.add(single)
            durations["within_ms"].append(_since(start))
            report(2 * (number + 1))
        for number, single in enumerate(turns[SINGLES:]):
            start = perf_counter()
            background_memory.add(single)
            durations["burst_ms"].append(_since(start))
            report(2 * SINGLES + number + 1)
    return durations


def _since(start: float) -> float:
    return (perf_counter() - start) * 1_000


def _await_formed() -> None:
    """Wait until the turns were formed behind their ``add``: to ask for what is formed would hurry that."""
    for thread in threads():
        if thread.name == THREAD:
            thread.join()
