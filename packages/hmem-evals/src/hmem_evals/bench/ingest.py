"""Benchmark of ingestion: all of LoCoMo in one batch, then single turns."""

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

from hmem.api.memory import Memory
from hmem.errors import InvalidFile
from hmem.interfaces.formats.conversations import Conversation
from hmem.interfaces.formats.locomo import load
from hmem.recipes import DEFAULT
from hmem_evals.summary import milliseconds, rate

SINGLES: Final = 200

Progress = Callable[[int, int], None]
Messages = Sequence[Mapping[str, Any]]


def run(
    path: str | Path, *, embedder: str | None = None, recipe: str = DEFAULT, progress: Progress | None = None
) -> dict[str, Any]:
    """Return ``ingest{turns, seconds, turns_per_s, single_ms{p50, p95}}, disk{truth_bytes, index_bytes, text_bytes}``.

    A batch is timed until it is durable, formed and in every index; a single turn until it is durable, searchable and
    formed. ``progress`` gets the number of added turns and the total.

    Raises:
        InvalidFile: the file is missing, not LoCoMo's or without turns.
        UnknownName, EmbedderUnavailable: the embedder is unknown or cannot be loaded.
    """
    conversations = [_prefixed(conversation) for conversation in load(path)]
    messages = [message for conversation in conversations for message in conversation]
    if not messages:
        raise InvalidFile(f"{path} has no turns - give LoCoMo's own file")
    report = progress or _silent
    total = len(messages) + SINGLES
    with TemporaryDirectory(prefix="hmem-bench-") as folder:
        batch, disk = _batch(Path(folder) / "batch.hmem", messages, embedder, recipe)
        report(len(messages), total)
        singles = _singles(
            Path(folder) / "single.hmem",
            conversations,
            embedder,
            recipe,
            lambda done: report(len(messages) + done, total),
        )
    text_bytes = sum(len(f"{message['text']}{message['caption'] or ''}".encode()) for message in messages)
    return {"ingest": {**batch, "single_ms": milliseconds(singles)}, "disk": {**disk, "text_bytes": text_bytes}}


def _silent(_done: int, _total: int) -> None:
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
    """Load the embedder's weights and run every code path once, in an empty memory."""
    memory.search("Who is there?")
    memory.delete(memory.add("Nobody yet.").id or "")


def _batch(path: Path, messages: Messages, embedder: str | None, recipe: str) -> tuple[dict[str, Any], dict[str, int]]:
    with Memory(path, embedder=embedder, recipe=recipe) as memory:
        _warm_up(memory)
        started = perf_counter()
        receipts = memory.add(messages)
        memory.flush()
        seconds = perf_counter() - started
        stats = memory.stats()
    kept = sum(receipt.fate == "stored" for receipt in receipts)
    return rate(kept, seconds), {"truth_bytes": stats.truth_bytes, "index_bytes": stats.index_bytes}


def _singles(
    path: Path,
    conversations: Sequence[Messages],
    embedder: str | None,
    recipe: str,
    report: Callable[[int], None],
) -> list[float]:
    """Return the milliseconds of each single add to a memory that holds the first conversation."""
    rest = [message for conversation in conversations[1:] for message in conversation] or conversations[0]
    took: list[float] = []
    with Memory(path, embedder=embedder, recipe=recipe) as memory:
        memory.add(conversations[0])
        memory.flush()
        for number, message in enumerate(islice(cycle(rest), SINGLES)):
            single = {**message, "message_id": f"single/{number}"}
            started = perf_counter()
            memory.add(single)
            took.append((perf_counter() - started) * 1_000)
            report(number + 1)
    return took
