"""Benchmark of a memory of a given size: ingest, search, recall of the vector index, opening, disk."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.api.memory import Memory
from hmem.errors import HmemError, InvalidQuery
from hmem.language.embed import DEFAULT, Embedder
from hmem.language.embed import embedder as load_embedder
from hmem_evals.bench.texts import blocks, questions
from hmem_evals.metrics import mean, recall
from hmem_evals.summary import milliseconds, rate

VECTOR_K: Final = 10

_READER: Final = Path(__file__).with_name("reader.py")

Progress = Callable[[int, int], None]
Values = NDArray[np.float32]


def run(
    records: int,
    *,
    queries: int = 100,
    embedder: str | None = None,
    recipe: str = "flat",
    folder: str | Path | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return ``records, ingest{…}, search_ms{p50, p95}, vector_recall{"10"}, open_s, rss_bytes, disk{…}``.

    The default recipe is flat, to measure storage and indices: formation takes far longer, and
    ``benchmarks/growth.py`` measures it. The memory lies in a temporary folder, inside ``folder`` if given, and is
    deleted at the end. A fresh process opens and searches it: ``open_s`` counts from before the import of hmem to the
    first answer, ``rss_bytes`` is its peak resident size after 50 searches. ``vector_recall`` compares the memory's
    ten nearest turns with those of an exact search in single precision over newly embedded texts.

    Raises:
        InvalidQuery: fewer than 1 record or 2 queries.
        UnknownName, EmbedderUnavailable: the embedder is unknown or cannot be loaded.
    """
    if records < 1 or queries < 2:
        raise InvalidQuery("a scale needs at least 1 record and 2 queries - raise them")
    loaded_embedder = load_embedder(embedder or DEFAULT)
    question_texts = questions(records, queries)
    with TemporaryDirectory(prefix="hmem-bench-", dir=folder) as directory:
        path = Path(directory) / "scale.hmem"
        with Memory(path, embedder=loaded_embedder.name, recipe=recipe) as memory:
            exact = _Exact(loaded_embedder, question_texts)
            ingest, text_bytes = _fill(memory, records, exact, progress)
            results = _nearest(memory, exact.vectors)
            stats = memory.stats()
        read = _read(path, question_texts)
    hits = [recall(result, best, VECTOR_K) for result, best in zip(results, exact.best, strict=True)]
    return {
        "records": records,
        "ingest": ingest,
        "search_ms": milliseconds(read["search_ms"]),
        "vector_recall": {str(VECTOR_K): round(mean(hits) or 0.0, 4)},
        "open_s": round(read["open_s"], 3),
        "rss_bytes": read["rss_bytes"],
        "disk": {"truth_bytes": stats.truth_bytes, "index_bytes": stats.index_bytes, "text_bytes": text_bytes},
        "embedder": loaded_embedder.name,
        "recipe": recipe,
        "queries": queries,
    }


class _Exact:
    """Exact nearest turns of each question, updated block by block."""

    def __init__(self, embedder: Embedder, question_texts: Sequence[str]) -> None:
        self.vectors = embedder.embed(question_texts)
        self._embedder = embedder
        self._names = np.empty((len(question_texts), 0), np.int64)
        self._cosines = np.empty((len(question_texts), 0), np.float32)

    def take(self, messages: Sequence[Mapping[str, Any]]) -> None:
        # A memory embeds a turn together with its speaker.
        texts = self._embedder.embed([f"{message['speaker']}: {message['text']}" for message in messages])
        names = np.array([int(message["message_id"]) for message in messages])
        cosines = np.concatenate([self._cosines, self.vectors @ texts.T], axis=1)
        all_names = np.concatenate([self._names, np.broadcast_to(names, (len(self.vectors), len(names)))], axis=1)
        best = np.argsort(-cosines, axis=1)[:, :VECTOR_K]
        self._cosines = np.take_along_axis(cosines, best, axis=1)
        self._names = np.take_along_axis(all_names, best, axis=1)

    @property
    def best(self) -> list[list[str]]:
        """The message ids nearest to each question."""
        return [[str(name) for name in row] for row in self._names.tolist()]


def _fill(memory: Memory, records: int, exact: _Exact, progress: Progress | None) -> tuple[dict[str, Any], int]:
    """Add all blocks, timing only the memory's work; return the rate and the bytes of text."""
    seconds, stored_count, text_bytes = 0.0, 0, 0
    for messages in blocks(records):
        start = perf_counter()
        receipts = memory.add(messages)
        seconds += perf_counter() - start
        stored_count += sum(receipt.fate == "stored" for receipt in receipts)
        text_bytes += sum(len(message["text"].encode()) for message in messages)
        exact.take(messages)
        if progress is not None:
            progress(stored_count, records)
    start = perf_counter()
    memory.flush()
    return rate(stored_count, seconds + perf_counter() - start), text_bytes


def _nearest(memory: Memory, vectors: Values) -> list[list[str]]:
    """Return the message ids nearest to each question by the memory's vector index."""
    corpus = memory.corpus
    rows: list[list[str]] = []
    with corpus.reading():
        for vector in vectors:
            turns = corpus.turns(corpus.nearest(vector, VECTOR_K))
            rows.append([turn.message_id or "" for turn in turns.values()])
    return rows


def _read(path: Path, question_texts: Sequence[str]) -> dict[str, Any]:
    """Return the measures of a fresh process that opens and searches the memory."""
    # Without -P the file's folder would come first in the module search path.
    process = subprocess.run(  # noqa: S603 - our own file, by our own interpreter
        [sys.executable, "-P", str(_READER), str(path)],
        input=json.dumps(list(question_texts)),
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode != 0:
        last = process.stderr.strip().splitlines()[-1:] or ["no message"]
        raise HmemError(f"the process that reads the memory failed ({last[0]}) - run `hmem doctor`")
    return json.loads(process.stdout)
