"""Embedders whose dimension, calibration and fingerprint are measured at first use, and kept on this machine.

Calibration compares cosines of sentence pairs with known similarity. The pairs come from bundled triples: a sentence, a
paraphrase, and a sentence on the same topic. Sentences of different triples are unrelated.
"""

import hashlib
import json
import os
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from threading import Lock, RLock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.errors import EmbedderUnavailable
from hmem.language.containment import FAULTS, in_words
from hmem.language.embed.base import PROBE, Calibration, Embedder, Prefixes, Role, prefixes_of
from hmem.util.amounts import amount

# On the common scale: median and 95th percentile of unrelated pairs, 10th percentile and median of paraphrases.
ANCHORS: Final = (0.1, 0.3, 0.7, 0.85)

_FILE: Final = "similarity_triples.json"
# Cosines closer together than this are one point.
_TOLERANCE: Final = 0.002


@lru_cache(maxsize=1)
def triples() -> tuple[tuple[str, str, str], ...]:
    """Return the bundled triples: a text, a paraphrase, another text on the same topic."""
    records = json.loads(files("hmem.language.embed").joinpath(_FILE).read_text("utf-8"))
    return tuple((record["text"], record["same"], record["related"]) for record in records)


def calibrating_texts() -> list[str]:
    """Return the texts whose vectors ``calibrate`` needs, in its order."""
    return [text for column in (0, 1) for text in (triple[column] for triple in triples())]


def quantiles(rows: NDArray[np.float32]) -> tuple[float, float, float, float]:
    """Return raw cosines at the anchors, from the unit vectors of ``calibrating_texts``."""
    texts, paraphrases = np.split(rows.astype(np.float64), 2)
    cosines = texts @ texts.T
    unrelated = cosines[~np.eye(len(texts), dtype=bool)]
    alike = (texts * paraphrases).sum(axis=1)
    anchors = (np.median(unrelated), np.quantile(unrelated, 0.95), np.quantile(alike, 0.1), np.median(alike))
    return tuple(round(float(value), 3) for value in anchors)  # pyright: ignore[reportReturnType] - four of them


def calibrate(rows: NDArray[np.float32]) -> Calibration:
    """Return the calibration from the unit vectors of ``calibrating_texts``.

    Anchors that do not rise, as with an embedder that finds unrelated texts similar, are left out, so that the map
    stays monotone.
    """
    points: list[tuple[float, float]] = []
    for raw, common in zip(quantiles(rows), ANCHORS, strict=True):
        if (not points or raw - points[-1][0] >= _TOLERANCE) and -1.0 + _TOLERANCE < raw < 1.0 - _TOLERANCE:
            points.append((raw, common))
    return Calibration(tuple(points))


# Measurements, kept in one file each in the user's cache folder: a name and numbers, no text of a memory and no key. A
# model without a readable file is measured again.

_VARIABLE: Final = "HMEM_CACHE"


@dataclass(frozen=True, slots=True)
class ModelMeasurements:
    """Length of a model's vectors, signature of its probe, and points of its calibration."""

    dimension: int
    signature: str
    points: tuple[tuple[float, float], ...]


def load_measurements(key: str) -> ModelMeasurements | None:
    """Return the measurements under a key; None if there are none or they cannot be read."""
    try:
        record: dict[str, Any] = json.loads(_file(key).read_bytes())
        points = tuple((float(raw), float(common)) for raw, common in record["points"])
        int(record["signature"], 16)
        return (
            ModelMeasurements(int(record["dimension"]), record["signature"], points) if record["key"] == key else None
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def store_measurements(key: str, facts: ModelMeasurements) -> None:
    """Store measurements atomically; do nothing if the folder cannot be written."""
    file = _file(key)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_suffix(f".{os.getpid()}")
        temporary.write_text(json.dumps({"key": key, **asdict(facts)}), "utf-8")
        temporary.replace(file)


def delete_measurements(key: str) -> None:
    """Delete the measurements under a key, so that the next process measures anew."""
    with suppress(OSError):
        _file(key).unlink(missing_ok=True)


def _file(key: str) -> Path:
    setting = os.environ.get(_VARIABLE)
    caches = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    folder = Path(setting).expanduser() if setting else caches / "hmem"
    return folder / "embedders" / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"


Rows = NDArray[np.float32]

# Characters of a text that are embedded: most models read 512 tokens, none more than 8,192.
LONGEST: Final = 8_000
# Bits of a signature. Vectors that differ by a thousandth, as on another processor, have the same bits for all but one
# model in two hundred.
_BITS: Final = 16
_BITS_OF_NOISE: Final = 2
# Prefix of queries in the cache; no text contains it.
_QUERY_MARK: Final = "\0"


class VectorCache:
    """Cache of recent vectors, so that no text is paid for twice in a row. Safe to use from several threads."""

    def __init__(self, numbers: int) -> None:
        self._numbers = numbers
        self._kept: OrderedDict[str, Rows] = OrderedDict()
        self._held = 0
        self._lock = Lock()

    def get(self, texts: Sequence[str]) -> dict[str, Rows]:
        """Return the cached vectors by text; texts without one are left out."""
        with self._lock:
            rows = {text: self._kept[text] for text in texts if text in self._kept}
            for text in rows:
                self._kept.move_to_end(text)
        return rows

    def store(self, texts: Sequence[str], rows: Rows) -> None:
        """Add vectors; the oldest go when there is no more room."""
        with self._lock:
            for text, row in zip(texts, rows, strict=True):
                if text not in self._kept:
                    self._held += row.size
                self._kept[text] = row
            while self._held > self._numbers:
                _, oldest = self._kept.popitem(last=False)
                self._held -= oldest.size


@lru_cache(maxsize=16)
def vector_cache(embedder_key: str) -> VectorCache:
    """Return the cache of an embedder's vectors, 32 MB at most.

    ``hmem.util.caches`` empties it, like every cache of texts, when something is forgotten.
    """
    del embedder_key
    return VectorCache(8_000_000)


class MeasuredEmbedder(Embedder):
    """An embedder whose dimension, calibration and fingerprint come from one batch of bundled sentences.

    The measurements are kept on this machine, so that a memory opens without a call to the model. The first batch of a
    process includes the probe, so that a changed model is noticed. ``faults`` are errors of ``vectors`` that count as
    ``EmbedderUnavailable``.
    """

    faults: tuple[type[Exception], ...] = FAULTS

    def __init__(self) -> None:
        self._facts: ModelMeasurements | None = None
        self._proved = False
        self._measuring = RLock()

    @property
    @abstractmethod
    def model(self) -> str:
        """Name of the model in a fingerprint, without the place where it is served or stored."""

    @property
    def prefixes(self) -> Prefixes:
        """Prefixes of questions and passages; by default those of the model's card."""
        return prefixes_of(self.model)

    @property
    def asks_otherwise(self) -> bool:
        """True if the model embeds a question differently from the same words as a passage."""
        return self.prefixes.query != self.prefixes.passage

    @abstractmethod
    def vectors(self, texts: Sequence[str], role: Role = "passage") -> Rows:
        """Return the model's vector of each text, of any length; no text is blank, and prefixes are already there.

        Raises:
            EmbedderUnavailable: the vectors cannot be had now.
        """

    @property
    def facts(self) -> ModelMeasurements:
        """Measurements of the model, made if none are kept.

        Raises:
            EmbedderUnavailable: it cannot be measured now.
        """
        with self._measuring:
            if self._facts is None:
                self._facts = load_measurements(self._key) or self._measure()
            return self._facts

    @property
    def dimension(self) -> int:
        return self.facts.dimension

    @property
    def calibration(self) -> Calibration:
        return Calibration(self.facts.points)

    @cached_property
    def fingerprint(self) -> str:
        """Model, dimension, signature of the probe's vector, and a mark of the passage prefix.

        The signature is 16 signs, which survive another processor's rounding. The query prefix is left out, since
        stored vectors do not depend on it.
        """
        passage = self.prefixes.passage
        mark = f"+{hashlib.sha256(passage.encode()).hexdigest()[:4]}" if passage else ""
        return f"{self.model}/{self.dimension}/{self.facts.signature}{mark}"

    def embed(self, texts: Sequence[str]) -> Rows:
        return self._rows(texts, "passage")

    def embed_query(self, texts: Sequence[str]) -> Rows:
        return self._rows(texts, "query" if self.asks_otherwise else "passage")

    def _rows(self, texts: Sequence[str], role: Role) -> Rows:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        cut = [text[:LONGEST] for text in texts]
        distinct = list(dict.fromkeys(text for text in cut if text.strip()))
        cache, sign = vector_cache(self._key), _QUERY_MARK if role == "query" else ""
        cached = cache.get([sign + text for text in distinct])
        if missing := [text for text in distinct if sign + text not in cached]:
            fresh_rows, keys = self._checked_rows(missing, role), [sign + text for text in missing]
            cache.store(keys, fresh_rows)
            cached.update(zip(keys, fresh_rows, strict=True))
        for row, text in zip(rows, cut, strict=True):
            if sign + text in cached:
                row[:] = cached[sign + text]
        return rows

    @property
    def _key(self) -> str:
        passage = self.prefixes.passage
        return f"{self.name} {self.version}" + (f" {passage}" if passage else "")

    def _model_rows(self, texts: Sequence[str], role: Role) -> Rows:
        """Return the model's vectors of texts, with the role's prefix."""
        before = self.prefixes.query if role == "query" else self.prefixes.passage
        try:
            return self.vectors([before + text for text in texts] if before else texts, role)
        except self.faults as error:
            raise EmbedderUnavailable(
                f"{self.name} failed ({in_words(error)}) - free memory, or choose a smaller model"
            ) from error

    def _checked_rows(self, texts: Sequence[str], role: Role) -> Rows:
        """Return the vectors of texts; on the first call, check that the model is the one that was measured."""
        if not self._proved and role == "query":
            self._checked_rows([], "passage")
        if self._proved:
            return self._unit(self._model_rows(texts, role), len(texts))
        rows = self._unit(self._model_rows([PROBE, *texts], role), len(texts) + 1)
        if _bits_apart(self.facts.signature, signature(rows[0])) > _BITS_OF_NOISE:
            delete_measurements(self._key)
            raise EmbedderUnavailable(
                f"{self.name} gives other vectors than it did - run `hmem reembed --embedder {self.name}` to go over"
            )
        self._proved = True
        return rows[1:]

    def _measure(self) -> ModelMeasurements:
        texts = [PROBE, *calibrating_texts()]
        rows = _normed(self._finite(self._model_rows(texts, "passage"), len(texts)))
        facts = ModelMeasurements(rows.shape[1], signature(rows[0]), calibrate(rows[1:]).points)
        store_measurements(self._key, facts)
        self._proved = True
        return facts

    def _unit(self, raw_rows: Rows, count: int) -> Rows:
        rows = self._finite(raw_rows, count)
        if rows.shape[1] != self.dimension:
            numbers_text = f"{amount(rows.shape[1], 'number')}, not {self.dimension}"
            raise EmbedderUnavailable(f"{self.name} gave vectors of {numbers_text} - check the model")
        return _normed(rows)

    def _finite(self, raw_rows: Rows, count: int) -> Rows:
        rows = np.asarray(raw_rows, np.float32)
        if rows.ndim != 2 or len(rows) != count or not rows.shape[1] or not np.isfinite(rows).all():
            raise EmbedderUnavailable(f"{self.name} did not give one vector a text - check that it embeds texts")
        return rows


def _normed(rows: Rows) -> Rows:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.maximum(lengths, np.float32(1e-12))


def signature(row: Rows) -> str:
    """Return the signs of a vector along 16 fixed directions, as four hexadecimal digits."""
    bits = 0
    for number in range(_BITS):
        digest = hashlib.shake_128(f"hmem {number}".encode()).digest(len(row) // 8 + 1)
        direction = np.unpackbits(np.frombuffer(digest, np.uint8))[: len(row)].astype(np.float64) * 2 - 1
        bits = bits << 1 | (float(direction @ row) > 0)
    return f"{bits:0{_BITS // 4}x}"


def _bits_apart(first: str, second: str) -> int:
    return (int(first, 16) ^ int(second, 16)).bit_count()
