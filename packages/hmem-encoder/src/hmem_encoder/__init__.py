"""A small sentence encoder: all-MiniLM-L6-v2 with 8-bit weights, run by onnxruntime. Nothing is downloaded.

A text's vector is the mean of its tokens' last hidden states, scaled to length 1. Activations are quantised by the
range of one run, so each text has a run of its own: its vector is the same to the last bit alone and in any batch.
"""

import json
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock, Timer
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["DIMENSION", "Encoder", "about", "encoder"]

DIMENSION: Final = 384
# Tokens of a text that are read, the marks of its ends included: those that the model was trained on.
_TOKENS: Final = 256
# Characters that hold that many tokens in any case; what stands behind them is not even split into tokens.
_CHARACTERS: Final = 8_192
# Threads of a batch, at most; and texts from which a batch gets more than one.
_THREADS: Final = 4
_FEW: Final = 4
# Seconds after the last use from which on the model is given back.
_IDLE: Final = 120.0

_HERE: Final = Path(__file__).parent

Vectors = NDArray[np.float32]


@cache
def about() -> dict[str, str]:
    """Return what the model is made of: ``fingerprint``, a digest of weights, tokenizer and pooling, and ``source``."""
    return json.loads((_HERE / "about.json").read_text("utf-8"))


class Encoder:
    """Model and tokenizer, loaded when first used and given back when idle. Safe to use from several threads."""

    def __init__(self, idle: float = _IDLE, folder: Path = _HERE) -> None:
        """Create an encoder that gives its model back after ``idle`` seconds without a call.

        ``folder`` holds ``model.onnx`` and ``tokenizer.json``; the package's own by default.
        """
        self._idle = idle
        self._folder = folder
        self._begin()
        if hasattr(os, "register_at_fork"):
            # A child must neither wait for a lock nor use a session that it inherits.
            os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._lock = Lock()
        self._model: tuple[Any, Any] | None = None
        self._at_work = 0
        self._timer: Timer | None = None

    @property
    def loaded(self) -> bool:
        """True while the model is in memory."""
        return self._model is not None

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return unit rows of shape (len(texts), 384); a text without any token gives a row of zeros."""
        rows = np.zeros((len(texts), DIMENSION), np.float32)
        if not texts:
            return rows
        session, tokenizer = self._take()
        try:
            encoded = tokenizer.encode_batch_fast([text[:_CHARACTERS] for text in texts])
            # The marks of the ends are no tokens of the text.
            tokens = {place: each.ids for place, each in enumerate(encoded) if len(each.ids) > 2}

            def run(place: int) -> None:
                ids = np.array([tokens[place]], np.int64)
                rows[place] = session.run(None, {"ids": ids, "positions": np.arange(ids.shape[1])[None]})[0][0]

            _each(run, list(tokens))
        finally:
            self._give()
        return rows

    def release(self) -> None:
        """Give the model's memory back; the next call loads it again."""
        with self._lock:
            self._drop()

    def _take(self) -> tuple[Any, Any]:
        with self._lock:
            self._at_work += 1
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            try:
                if self._model is None:
                    self._model = _load(self._folder)
            except BaseException:
                self._at_work -= 1
                raise
            return self._model

    def _give(self) -> None:
        with self._lock:
            self._at_work -= 1
            if not self._at_work and self._model is not None:
                self._timer = Timer(self._idle, self.release)
                self._timer.daemon = True
                self._timer.start()

    def _drop(self) -> None:
        if not self._at_work:
            self._model = None
            self._timer = None


def _load(folder: Path) -> tuple[Any, Any]:
    """Return a session of the model, which works in the calling thread, and the tokenizer."""
    runtime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = runtime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(_TOKENS)
    return session, tokenizer


def _each(run: Callable[[int], None], places: Sequence[int]) -> None:
    """Call ``run`` for each place, in a few threads if there are many."""
    threads = min(_THREADS, os.cpu_count() or 1)
    if len(places) <= _FEW or threads == 1:
        for place in places:
            run(place)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, places))


@cache
def encoder() -> Encoder:
    """Return the encoder of this process."""
    return Encoder()
