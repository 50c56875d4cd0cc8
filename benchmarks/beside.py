"""Searches of formed memories by `fusion` beside others that hold the same turns and the same vectors.

    python -m benchmarks.beside MEMORY... [--peers faiss+bm25s,lancedb] [--home out/peers] [--json OUT]

All have the vectors that the memory keeps, and those of the questions are known before, so none pays for the encoder.
Each runs in a process of its own with one thread for linear algebra, and all are asked a question before the next one.
Milliseconds are of the processor, medians over questions that none was asked before; a ratio is how many times as long
`fusion` takes, which also orders by features, marks what is outdated and tells its reasons.
"""

import argparse
import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
from benchmarks.speed import ASKED, WARM, vectors_known

from hmem import Memory
from hmem_evals.bench.texts import questions
from hmem_evals.peers.catalogue import select_peers
from hmem_evals.peers.environment import interpreter
from hmem_evals.peers.process import PeerProcess
from hmem_evals.peers.quality import on_the_wire

PEERS = ("faiss+bm25s", "lancedb", "chroma")
AT_ONCE = 2_000
K = 10


def turns_of(memory: Memory) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the turns of a memory as adapters take them, and the vector of the text of each."""
    corpus = memory.corpus
    with corpus.reading():
        rows = np.flatnonzero(corpus.columns.alive)
        kept = corpus.turns(rows, once=True)
        vectors = corpus.vectors_at(rows)
    turns = [
        on_the_wire({"text": turn.text, "speaker": turn.speaker, "at": turn.at, "session": turn.session,
                     "message_id": turn.id})
        for turn in kept.values()
    ]  # fmt: skip
    return turns, dict(zip((turn["said"] for turn in turns), vectors, strict=True))


def compared(path: Path, peers: Sequence[str], home: Path) -> dict[str, Any]:
    """Return the median milliseconds of a search of each, and how many times as long that of `fusion` takes."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(TemporaryDirectory()))
        memory = opened.enter_context(Memory(path, read_only=True))
        asked: dict[str, Any] = {}
        opened.enter_context(vectors_known(memory, asked))
        turns, vectors = turns_of(memory)
        embedder = memory.corpus.embedder
        texts = questions(len(turns), WARM + ASKED)
        vectors |= {text: embedder.embed_query([text])[0] for text in texts}
        workers: dict[str, PeerProcess] = {}
        for peer in select_peers(peers):
            worker = opened.enter_context(
                PeerProcess(peer, interpreter(peer, home), folder,
                            embedder={"name": embedder.name, "dimension": embedder.dimension},
                            embed=lambda wanted: [vectors[text].tolist() for text in wanted])
            )  # fmt: skip
            worker.ask("open", folder=str(folder / peer.name))
            for first in range(0, len(turns), AT_ONCE):
                worker.ask("add", turns=turns[first : first + AT_ONCE])
            worker.ask("finish")
            workers[peer.name] = worker
        spent: dict[str, list[float]] = {name: [] for name in ("fusion", *workers)}
        for text in texts:
            used = process_time()
            memory.search(text, K)
            spent["fusion"].append((process_time() - used) * 1e3)
            for name, worker in workers.items():
                spent[name].append(worker.ask("search", query=text, k=K, at=None)["cpu_ms"])
    taken = {name: round(median(each[WARM:]), 2) for name, each in spent.items()}
    over = {name: round(taken["fusion"] / taken[name], 2) for name in workers}
    print(f"{path.name}: {len(turns):,} turns, ms {taken}, `fusion` over each {over}", flush=True)
    return {"turns": len(turns), "ms": taken, "over": over}


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("memories", type=Path, nargs="+")
    parser.add_argument("--peers", type=lambda text: text.split(","), default=PEERS)
    parser.add_argument("--home", type=Path, default=Path("out") / "peers")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures = [compared(path, options.peers, options.home) for path in options.memories]
    if options.json:
        options.json.write_text(json.dumps(figures), "utf-8")


if __name__ == "__main__":
    main()
