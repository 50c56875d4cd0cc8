"""Program that runs one peer and answers requests, a JSON object a line. Run as a file by the peer's interpreter.

It is given the file of an adapter, the embedder and the adapter's options as one JSON argument. An adapter is a module
with ``open_peer(folder, embed, **options)``, which returns an object with these methods:

- ``add(turns)``: keep these turns, each a mapping with ``id``, ``said`` (its speaker, text and caption), ``session``, …
- ``finish()``: return when all of them are durable and can be found
- ``search(query, k, at)``: the ids of the best ``k`` turns, best first
- ``close()``

Each request names one of them under ``do``; the reply has the milliseconds of it, by the clock and by the processor,
without those that the worker waited for a vector.
"""

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from time import perf_counter, process_time
from types import ModuleType
from typing import Any, TextIO

FOLDER = Path(__file__).parent


def load(file: Path) -> ModuleType:
    """Return the module in a file, whose name may be that of the package it imports."""
    spec = importlib.util.spec_from_file_location(f"peer_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} is no module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class PeerWorker:
    """Peer behind a line protocol: ``requests`` come in, ``replies`` go out."""

    def __init__(self, setup: dict[str, Any], requests: TextIO, replies: TextIO) -> None:
        self._requests, self._replies = requests, replies
        self._waited = self._waiting_cost = 0.0
        self._options: dict[str, Any] = setup["options"]
        self._adapter = load(FOLDER / f"{setup['adapter']}.py")
        self._embed: Callable[[list[str]], Any] | None = None
        if setup["embedder"] is not None:
            self._embed = load(FOLDER / "embedding.py").embedder_of(setup["embedder"], self._vectors)
        self._peer: Any = None

    def serve(self) -> None:
        """Answer requests until there are no more."""
        for request in self._lines():
            self._write(self._answer(request))

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        do = request.pop("do")
        self._waited = self._waiting_cost = 0.0
        start, used = perf_counter(), process_time()
        result = self._handle(do, request)
        seconds = perf_counter() - start - self._waited
        reply = {"ms": seconds * 1_000, "cpu_ms": (process_time() - used - self._waiting_cost) * 1_000}
        return {**reply, "result": result}

    def _handle(self, do: str, request: dict[str, Any]) -> Any:
        if do == "open":
            folder = Path(request["folder"])
            folder.mkdir(parents=True, exist_ok=True)
            self._peer = self._adapter.open_peer(folder, self._embed, **self._options)
            return None
        if do == "about":
            return {"rss_bytes": load(FOLDER.parents[1] / "bench" / "reader.py").resident_bytes(), **versions(request)}
        return getattr(self._peer, do)(**request)

    def _vectors(self, texts: list[str]) -> list[list[float]]:
        """Ask the other side for vectors; the wait is not the peer's, nor is reading them."""
        start, used = perf_counter(), process_time()
        self._write({"embed": texts})
        vectors = next(self._lines())["vectors"]
        self._waited += perf_counter() - start
        self._waiting_cost += process_time() - used
        return vectors

    def _lines(self) -> Iterator[dict[str, Any]]:
        while line := self._requests.readline():
            yield json.loads(line)

    def _write(self, reply: dict[str, Any]) -> None:
        self._replies.write(f"{json.dumps(reply)}\n")
        self._replies.flush()


def versions(request: dict[str, Any]) -> dict[str, Any]:
    """Return the installed versions of the packages that a request names."""
    return {"versions": {name: metadata.version(name) for name in request["packages"]}}


def main() -> None:
    """Serve on standard input and output; what the peer itself prints goes to standard error."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    PeerWorker(json.loads(sys.argv[1]), sys.stdin, replies).serve()


if __name__ == "__main__":
    main()
