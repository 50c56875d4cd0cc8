"""Speed and size of peers by the number of turns that they hold."""

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from hmem.errors import HmemError, InvalidQuery
from hmem_evals.asking import TIMED_K
from hmem_evals.bench.texts import BLOCK_TURNS, block, blocks, questions
from hmem_evals.metrics import mean
from hmem_evals.peers.catalogue import Peer
from hmem_evals.peers.conditions import conditions
from hmem_evals.peers.environment import interpreter
from hmem_evals.peers.process import PeerProcess
from hmem_evals.peers.quality import Keep, Progress, on_the_wire, size_of
from hmem_evals.peers.vectors import TOKENS, Vectors, vectors_of
from hmem_evals.summary import milliseconds, rate

# Compared by default: those whose search is meant to stay fast in a large memory.
NAMES: Final = ("fusion", "flat", "faiss+bm25s", "lancedb", "chroma")
SIZES: Final = (20_000, 100_000)

# Searches before the timed ones.
_WARM: Final = 5
# Turns that are added one at a time to the full memory.
_SINGLE_TURNS: Final = 5


def run(
    sizes: Sequence[int],
    peers: Sequence[Peer],
    *,
    home: Path,
    queries: int = 100,
    progress: Progress | None = None,
    keep: Keep | None = None,
) -> dict[str, Any]:
    """Return ``conditions{…}, queries, rows[{name, turns, add{…}, add_one_ms, search_ms{p50, p95}, …}]``.

    All get the same synthetic turns and questions, and hmem's own embedder. ``found`` is the fraction of questions
    whose turn is among the ten best; ``add_one_ms`` are the times of single turns added to the full memory until each
    can be found. The row of a peer that fails has only its name, its size and the reason, ``failed``. ``progress`` gets
    the number of turns added and the total, and ``keep`` the figures so far after each peer.

    Raises:
        InvalidQuery: a size or the number of queries is below 2.
    """
    if min(*sizes, queries) < 2:
        raise InvalidQuery("a measurement of growth needs at least 2 turns and 2 queries - raise them")
    total, before = sum(sizes) * len(peers), 0
    rows: list[dict[str, Any]] = []
    report = {"conditions": conditions(), "embedder": TOKENS, "queries": queries, "rows": rows}
    for turns in sizes:
        for peer in peers:

            def advance(count: int, before: int = before) -> None:
                if progress is not None:
                    progress(before + count, total)

            # A memory of many turns is large, so that no two lie on the disk at once.
            with TemporaryDirectory(prefix="hmem-peers-") as directory, vectors_of(TOKENS, Path(directory)) as vectors:
                rows.append(_row(peer, turns, queries, home, Path(directory), vectors, advance))
            before += turns
            if keep is not None:
                keep(report)
    return report


def _row(
    peer: Peer, turns: int, queries: int, home: Path, directory: Path, vectors: Vectors, advance: Callable[[int], None]
) -> dict[str, Any]:
    row: dict[str, Any] = {"name": peer.name, "turns": turns, "settings": peer.settings}
    try:
        with PeerProcess(peer, interpreter(peer, home), directory, embedder=vectors.description) as process:
            return {**row, **_measure(process, turns, queries, directory / peer.name, advance)}
    except HmemError as error:
        return {**row, "failed": str(error)}


def _measure(
    process: PeerProcess, turns: int, queries: int, folder: Path, advance: Callable[[int], None]
) -> dict[str, Any]:
    process.ask("open", folder=str(folder))
    wall_ms, used, count, text_bytes = 0.0, 0.0, 0, 0
    for messages in blocks(turns):
        reply = process.ask("add", turns=[on_the_wire(message) for message in messages])
        wall_ms, used = wall_ms + reply["ms"], used + reply["cpu_ms"]
        count += len(messages)
        text_bytes += sum(len(message["text"].encode()) for message in messages)
        advance(count)
    reply = process.ask("finish")
    wall_ms, used = wall_ms + reply["ms"], used + reply["cpu_ms"]
    searches = _searches(process, turns, queries)
    single_times = [_time_single_add(process, message) for message in _later(turns, _SINGLE_TURNS)]
    facts = process.ask("about", packages=list(process.peer.packages))["result"]
    process.ask("close")
    return {
        **facts,
        "add": {**rate(turns, wall_ms / 1_000), "cpu_ms_per_turn": round(used / turns, 3)},
        "add_one_ms": milliseconds(single_times),
        **searches,
        "disk_bytes": size_of(folder),
        "text_bytes": text_bytes,
    }


def _searches(process: PeerProcess, turns: int, queries: int) -> dict[str, Any]:
    """Return times of the searches, and the fraction that found the turn asked about."""
    question_texts = questions(turns, queries)
    # These are the turns that the questions were made of.
    turn_numbers = [number * (turns - 1) // (queries - 1) for number in range(queries)]
    for query in question_texts[:_WARM]:
        process.ask("search", query=query, k=TIMED_K, at=None)
    replies = [process.ask("search", query=query, k=TIMED_K, at=None) for query in question_texts]
    hits = [float(str(turn) in reply["result"]) for turn, reply in zip(turn_numbers, replies, strict=True)]
    return {
        "search_ms": milliseconds([reply["ms"] for reply in replies]),
        "search_cpu_ms": milliseconds([reply["cpu_ms"] for reply in replies]),
        "found": round(mean(hits) or 0.0, 4),
    }


def _later(turns: int, count: int) -> list[dict[str, Any]]:
    """Return messages that come after those of a memory of this many turns."""
    return [on_the_wire(message) for message in block(-(-turns // BLOCK_TURNS), count)]


def _time_single_add(process: PeerProcess, turn: dict[str, Any]) -> float:
    """Return the milliseconds until a turn is durable and can be found."""
    wall_ms = process.ask("add", turns=[turn])["ms"]
    return wall_ms if process.peer.at_once else wall_ms + process.ask("finish")["ms"]
