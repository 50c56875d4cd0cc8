"""A small sentence encoder: all-MiniLM-L6-v2 with 8-bit weights, run by onnxruntime. Nothing is downloaded.

A text's vector is the mean of its tokens' last hidden states, scaled to length 1. Activations are quantised by the
range of one run, so each text has a run of its own: its vector is the same to the last bit alone and in any batch.
The same run gives the vectors of the sentences of a text (``Encoder.read``); a longer text takes several runs for them.
"""

import atexit
import json
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Event, Lock, Timer, current_thread
from time import monotonic, sleep
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["DIMENSION", "Encoder", "TextReading", "model_facts", "encoder", "means"]

DIMENSION: Final = 384
# Tokens of a run, the marks of its ends included: those that the model was trained on.
_TOKENS: Final = 256
# Most runs of a text whose sentences are read. The first of them alone gives the text's vector.
_RUNS: Final = 8
# Tokens of a run that are read in any case; behind them the next run takes over where a sentence ends, if one does.
_EARLY: Final = 192
_ENDS: Final = (".", "!", "?", "。", "\uff01", "\uff1f", "\u0964")
# Tokens whose hidden states are kept, of the texts that were encoded last: who stores a turn reads its sentences next.
_KEPT_TOKENS: Final = 16_384
# Characters that hold that many tokens in any case; what stands behind them is not even split into tokens.
_CHARACTERS: Final = 8_192
# Threads of a batch, at most; and texts from which a batch gets more than one.
_THREADS: Final = 4
_SERIAL_RUNS: Final = 4
# Seconds after the last use from which on the model is given back.
_IDLE: Final = 120.0
# Most seconds that the end of a program waits for what daemon threads have the model do.
_ENDING: Final = 10.0

_FOLDER: Final = Path(__file__).parent

Vectors = NDArray[np.float32]


class TextReading(NamedTuple):
    """A text that was read once: its unit vector, and those of its sentences, a row each."""

    vector: NDArray[np.float32]
    sentences: Vectors


class _Tokens(NamedTuple):
    """Tokens of a text without the marks of its ends: the numbers of each run, and the spans of those read from it."""

    ids: list[list[int]]
    spans: list[list[tuple[int, int]]]


class _Run(NamedTuple):
    """Result of a run: its unit vector, and the hidden states of the tokens read from it."""

    vector: NDArray[np.float32]
    states: NDArray[np.float16]


@cache
def model_facts() -> dict[str, str]:
    """Return what the model is made of: ``fingerprint``, a digest of weights, tokenizer and pooling, and ``source``."""
    return json.loads((_FOLDER / "about.json").read_text("utf-8"))


class Encoder:
    """Model and tokenizer, loaded when first used and given back when idle. Safe to use from several threads."""

    def __init__(self, idle: float = _IDLE, folder: Path = _FOLDER) -> None:
        """Create an encoder that gives its model back after ``idle`` seconds without a call.

        ``folder`` holds ``model.onnx`` and ``tokenizer.json``; the package's own by default.
        """
        self._idle = idle
        self._folder = folder
        self._begin()
        atexit.register(self._end)
        if hasattr(os, "register_at_fork"):
            # A child must neither wait for a lock nor use a session that it inherits.
            os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._lock = Lock()
        self._model: tuple[Any, Any] | None = None
        self._kept: OrderedDict[tuple[str, int], _Run] = OrderedDict()
        self._kept_tokens = 0
        self._at_work = 0
        self._ending = False
        self._used = 0.0
        self._timer: Timer | None = None

    @property
    def loaded(self) -> bool:
        """True while the model is in memory."""
        return self._model is not None

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return unit rows of shape (len(texts), 384); a text without any token gives a row of zeros."""
        rows = np.zeros((len(texts), DIMENSION), np.float32)
        texts = [text[:_CHARACTERS] for text in texts]
        tokens = self._tokens(texts)
        positions = [position for position, text_tokens in enumerate(tokens) if text_tokens.ids]
        runs = self._run([(texts[position], 0, tokens[position]) for position in positions])
        for index, run in zip(positions, runs, strict=True):
            rows[index] = run.vector
        return rows

    def read(self, texts: Sequence[str], spans: Sequence[Sequence[tuple[int, int]]]) -> list[TextReading]:
        """Return the vectors of texts and of their sentences, given as spans of characters.

        A sentence's vector is the unit mean of the hidden states of its tokens within the text; zeros without any.
        Sentences are read as far as 8 runs go: about 2,000 tokens, and at most 8,192 characters.
        """
        return [
            TextReading(vector, means(states, tokens, text_spans))
            for (vector, states, tokens), text_spans in zip(self.hidden_states(texts), spans, strict=True)
        ]

    def hidden_states(
        self, texts: Sequence[str]
    ) -> list[tuple[NDArray[np.float32], NDArray[np.float16], list[tuple[int, int]]]]:
        """Return of each text its unit vector, and the hidden states and spans of its tokens, a row each."""
        texts = [text[:_CHARACTERS] for text in texts]
        tokens = self._tokens(texts)
        run_keys = [
            (text, i, text_tokens)
            for text, text_tokens in zip(texts, tokens, strict=True)
            for i in range(len(text_tokens.ids))
        ]
        runs = iter(self._run(run_keys))
        results: list[tuple[NDArray[np.float32], NDArray[np.float16], list[tuple[int, int]]]] = []
        for encoding in tokens:
            text_runs = [next(runs) for _ in encoding.ids]
            vector = text_runs[0].vector if text_runs else np.zeros(DIMENSION, np.float32)
            states = (
                np.concatenate([run.states for run in text_runs]) if text_runs else np.zeros((0, DIMENSION), np.float16)
            )
            results.append((vector, states, [span for spans in encoding.spans for span in spans]))
        return results

    def _tokens(self, texts: Sequence[str]) -> list[_Tokens]:
        """Return the tokens of texts, divided into runs."""
        if not texts:
            return []
        _, tokenizer = self._take()
        try:
            encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
        finally:
            self._give()
        return [_divided(encoding) for encoding in encoded]

    def _run(self, run_keys: Sequence[tuple[str, int, _Tokens]]) -> list[_Run]:
        """Return the results of runs, given by text, number and tokens of the text; the last ones are kept."""
        with self._lock:
            results = {key: self._kept[key] for key in ((text, i) for text, i, _ in run_keys) if key in self._kept}
        missing = {(text, i): tokens for text, i, tokens in run_keys if (text, i) not in results}
        if missing:
            session, tokenizer = self._take()
            try:
                ends = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
                keys = list(missing)
                outputs: list[_Run | None] = [None] * len(keys)

                def run(index: int) -> None:
                    tokens, number = missing[keys[index]], keys[index][1]
                    ids = np.array([[ends[0], *tokens.ids[number], ends[1]]], np.int64)
                    vector, states = session.run(None, {"ids": ids, "positions": np.arange(ids.shape[1])[None]})
                    # The mark of the beginning is no token of the text.
                    outputs[index] = _Run(vector[0], states[0, 1 : 1 + len(tokens.spans[number])].astype(np.float16))

                _run_in_threads(run, range(len(keys)))
            finally:
                self._give()
            new = {key: run for key, run in zip(keys, outputs, strict=True) if run is not None}
            results |= new
            self._keep(new)
        return [results[text, i] for text, i, _ in run_keys]

    def _keep(self, runs: dict[tuple[str, int], _Run]) -> None:
        """Keep the results of the last runs, as far as there is room."""
        with self._lock:
            fresh = {key: run for key, run in runs.items() if key not in self._kept}
            self._kept.update(fresh)
            self._kept_tokens += sum(len(run.states) for run in fresh.values())
            while self._kept_tokens > _KEPT_TOKENS:
                self._kept_tokens -= len(self._kept.popitem(last=False)[1].states)

    def cache_clear(self) -> None:
        """Forget the texts that were encoded last."""
        with self._lock:
            self._kept.clear()
            self._kept_tokens = 0

    def release(self) -> None:
        """Give the model's memory back; the next call loads it again."""
        with self._lock:
            self._drop()

    def _end(self) -> None:
        """Let no daemon thread be in the model when the interpreter ends, which would abort the process."""
        with self._lock:
            self._ending = True
        until = monotonic() + _ENDING
        while self._at_work and monotonic() < until:
            sleep(0.001)

    def _take(self) -> tuple[Any, Any]:
        with self._lock:
            if not (self._ending and current_thread().daemon):
                self._at_work += 1
                try:
                    if self._model is None:
                        self._model = _load(self._folder)
                except BaseException:
                    self._at_work -= 1
                    raise
                return self._model
        # The interpreter ends this thread while it waits.
        Event().wait()
        raise AssertionError("a thread went on behind the end of its program")

    def _give(self) -> None:
        with self._lock:
            self._at_work -= 1
            self._used = monotonic()
            # One that runs already sees what was used since.
            if self._timer is None:
                self._watch(self._idle)

    def _watch(self, seconds: float) -> None:
        self._timer = Timer(seconds, self._release_if_idle)
        self._timer.daemon = True
        self._timer.start()

    def _release_if_idle(self) -> None:
        with self._lock:
            self._timer = None
            remaining = self._used + self._idle - monotonic()
            if self._at_work or remaining <= 0:
                self._drop()
            else:
                self._watch(remaining)

    def _drop(self) -> None:
        if not self._at_work:
            self._model = None
            self._kept.clear()
            self._kept_tokens = 0


def _load(folder: Path) -> tuple[Any, Any]:
    """Return a session of the model, which works in the calling thread, and the tokenizer."""
    runtime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = runtime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return session, tokenizer


def _divided(encoded: Any) -> _Tokens:
    """Divide the tokens of a text into runs.

    Each takes as many as the model reads, so the first is that of the text's vector; the next one begins behind the
    last sentence that ends within it, and what both read is taken from the next one.
    """
    ids, spans, words = encoded.ids, encoded.offsets, encoded.tokens
    runs, start, limit = _Tokens([], []), 0, _TOKENS - 2
    while start < len(ids) and len(runs.ids) < _RUNS:
        end = after = min(start + limit, len(ids))
        if end < len(ids) and len(runs.ids) < _RUNS - 1:
            after = next((i + 1 for i in range(end - 1, start + _EARLY, -1) if words[i] in _ENDS), end)
        runs.ids.append(ids[start:end])
        runs.spans.append(spans[start:after])
        start = after
    return runs


def means(states: NDArray[np.float16], tokens: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int]]) -> Vectors:
    """Return the unit means of the states of the tokens within each span, a row each; zeros for a span without any."""
    rows = np.zeros((len(spans), DIMENSION), np.float32)
    if not len(tokens):
        return rows
    starts = np.array([start for start, _ in tokens])
    sums = np.zeros((len(tokens) + 1, DIMENSION), np.float64)
    np.cumsum(states, axis=0, dtype=np.float64, out=sums[1:])
    bounds = np.searchsorted(starts, np.array(spans).reshape(-1, 2))
    for row, (first, last) in enumerate(bounds.tolist()):
        mean = sums[last] - sums[first]
        rows[row] = mean / max(float(np.sqrt(mean @ mean)), 1e-12)
    return rows


def _run_in_threads(run: Callable[[int], None], indices: Sequence[int]) -> None:
    """Call ``run`` for each place, in a few threads if there are many."""
    threads = min(_THREADS, os.cpu_count() or 1)
    if len(indices) <= _SERIAL_RUNS or threads == 1:
        for number in indices:
            run(number)
        return
    with ThreadPoolExecutor(threads) as pool:
        futures: list[Future[None]] = []
        # A program that is ending starts no more threads, but what was added to its memory is still read.
        with suppress(RuntimeError):
            futures.extend(pool.submit(run, index) for index in indices)
        for number in indices[len(futures) :]:
            run(number)
        for future in futures:
            future.result()


@cache
def encoder() -> Encoder:
    """Return the encoder of this process."""
    return Encoder()
