"""Calibrating an embedder: where its cosines lie for pairs of which it is known how alike they are.

The pairs come from bundled triples of sentences: a sentence, one that says the same in other words, and one about the
same topic. A sentence and one of another triple have nothing to do with each other.

Embedders of models that are not ours: what has to be known of one is measured at its first use, and remembered.
"""

import hashlib
import json
from abc import abstractmethod
from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from threading import Lock, RLock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.errors import EmbedderUnavailable
from hmem.language.embed import measurement_cache as remembered
from hmem.language.embed.base import PROBE, Calibration, Embedder, Prefixes, Role, prefixes_of
from hmem.language.embed.measurement_cache import ModelMeasurements
from hmem.language.faults import FAULTS, in_words

# On the common scale: the median of unrelated pairs and their 95th percentile; the 10th percentile of pairs that say
# the same, and their median.
ANCHORS: Final = (0.1, 0.3, 0.7, 0.85)

_FILE: Final = "similarity_triples.json"
# Cosines closer together than this are one point.
_APART: Final = 0.002


@lru_cache(maxsize=1)
def triples() -> tuple[tuple[str, str, str], ...]:
    """The bundled triples: a text, the same in other words, another of its topic."""
    held = json.loads(files("hmem.language.embed").joinpath(_FILE).read_text("utf-8"))
    return tuple((each["text"], each["same"], each["related"]) for each in held)


def calibrating_texts() -> list[str]:
    """The texts whose vectors ``calibrate`` needs, in its order."""
    return [text for said in (0, 1) for text in (each[said] for each in triples())]


def quantiles(rows: NDArray[np.float32]) -> tuple[float, float, float, float]:
    """Raw cosines at the anchors, from the unit vectors of ``calibrating_texts``."""
    texts, same = np.split(rows.astype(np.float64), 2)
    cosines = texts @ texts.T
    apart = cosines[~np.eye(len(texts), dtype=bool)]
    alike = (texts * same).sum(axis=1)
    found = (np.median(apart), np.quantile(apart, 0.95), np.quantile(alike, 0.1), np.median(alike))
    return tuple(round(float(value), 3) for value in found)  # pyright: ignore[reportReturnType] - four of them


def calibrate(rows: NDArray[np.float32]) -> Calibration:
    """The calibration that follows from the unit vectors of ``calibrating_texts``.

    An embedder that takes unrelated texts for alike has anchors that do not rise; those that do not are left out, so
    that the map is monotone all the same.
    """
    points: list[tuple[float, float]] = []
    for raw, common in zip(quantiles(rows), ANCHORS, strict=True):
        if (not points or raw - points[-1][0] >= _APART) and -1.0 + _APART < raw < 1.0 - _APART:
            points.append((raw, common))
    return Calibration(tuple(points))


Rows = NDArray[np.float32]

# A longer text is embedded by its first part, in characters: most models read 512 tokens, none more than 8,192.
LONGEST: Final = 8_000
# Bits of a signature. Vectors that differ by a thousandth, as those of another processor do, have the same bits but
# for one model in two hundred.
_BITS: Final = 16
_BITS_OF_NOISE: Final = 2
# Stands before a question among the texts whose vectors are kept; no text has it.
_ASKED: Final = "\0"


class VectorCache:
    """The latest vectors of texts, so that no text is paid for twice in a row. Safe to use from several threads."""

    def __init__(self, numbers: int) -> None:
        self._numbers = numbers
        self._kept: OrderedDict[str, Rows] = OrderedDict()
        self._held = 0
        self._lock = Lock()

    def get(self, texts: Sequence[str]) -> dict[str, Rows]:
        """The vectors of those of the texts that are kept."""
        with self._lock:
            found = {text: self._kept[text] for text in texts if text in self._kept}
            for text in found:
                self._kept.move_to_end(text)
        return found

    def put(self, texts: Sequence[str], rows: Rows) -> None:
        """Keep vectors; the oldest go when there is no more room."""
        with self._lock:
            for text, row in zip(texts, rows, strict=True):
                if text not in self._kept:
                    self._held += row.size
                self._kept[text] = row
            while self._held > self._numbers:
                _, oldest = self._kept.popitem(last=False)
                self._held -= oldest.size


@lru_cache(maxsize=16)
def kept_vectors(of: str) -> VectorCache:
    """The vectors that are kept of an embedder's texts, 32 MB at most.

    ``hmem.util.caches`` empties it, as every cache of texts, when something is forgotten.
    """
    del of
    return VectorCache(8_000_000)


class MeasuredEmbedder(Embedder):
    """An embedder whose dimension, calibration and fingerprint come from one batch of bundled sentences.

    They are remembered on this machine, so that a memory opens without asking the model anything. The first batch that
    a process asks for brings the probe along: a model that gives other vectors than it did is told of. ``faults`` are
    what ``vectors`` may raise beside ``EmbedderUnavailable`` while a model runs; they count as that.
    """

    faults: tuple[type[Exception], ...] = FAULTS

    def __init__(self) -> None:
        self._facts: ModelMeasurements | None = None
        self._proved = False
        self._measuring = RLock()

    @property
    @abstractmethod
    def model(self) -> str:
        """The model as a fingerprint names it: where it is served or stored is no part of it."""

    @property
    def prefixes(self) -> Prefixes:
        """What stands before questions and before passages; by default what the model's card asks for."""
        return prefixes_of(self.model)

    @property
    def asks_otherwise(self) -> bool:
        """Whether the model embeds a question otherwise than the same words to be found."""
        return self.prefixes.query != self.prefixes.passage

    @abstractmethod
    def vectors(self, texts: Sequence[str], role: Role = "passage") -> Rows:
        """A vector for each text, of any length, by the model itself; no text is blank. Prefixes are there already.

        Raises:
            EmbedderUnavailable: the vectors cannot be had now.
        """

    @property
    def facts(self) -> ModelMeasurements:
        """What is known of the model, measured when it is not remembered.

        Raises:
            EmbedderUnavailable: it cannot be measured now.
        """
        with self._measuring:
            if self._facts is None:
                self._facts = remembered.load_measurements(self._key) or self._measure()
            return self._facts

    @property
    def dimension(self) -> int:
        return self.facts.dimension

    @property
    def calibration(self) -> Calibration:
        return Calibration(self.facts.points)

    @cached_property
    def fingerprint(self) -> str:
        """The model, its dimension, and 16 signs of a probe's vector, which survive another processor's rounding; with
        a mark of what stands before a passage. What stands before a question changes nothing that is kept."""
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
        wanted = list(dict.fromkeys(text for text in cut if text.strip()))
        cache, sign = kept_vectors(self._key), _ASKED if role == "query" else ""
        found = cache.get([sign + text for text in wanted])
        if missing := [text for text in wanted if sign + text not in found]:
            made, keys = self._made(missing, role), [sign + text for text in missing]
            cache.put(keys, made)
            found.update(zip(keys, made, strict=True))
        for row, text in zip(rows, cut, strict=True):
            if sign + text in found:
                row[:] = found[sign + text]
        return rows

    @property
    def _key(self) -> str:
        passage = self.prefixes.passage
        return f"{self.name} {self.version}" + (f" {passage}" if passage else "")

    def _asked(self, texts: Sequence[str], role: Role) -> Rows:
        """The model's vectors of texts, with what stands before them."""
        before = self.prefixes.query if role == "query" else self.prefixes.passage
        try:
            return self.vectors([before + text for text in texts] if before else texts, role)
        except self.faults as error:
            raise EmbedderUnavailable(
                f"{self.name} failed ({in_words(error)}) - free memory, or choose a smaller model"
            ) from error

    def _made(self, texts: Sequence[str], role: Role) -> Rows:
        """The vectors of texts, proved on the first call to come from the model that was measured."""
        if not self._proved and role == "query":
            self._made([], "passage")
        if self._proved:
            return self._unit(self._asked(texts, role), len(texts))
        rows = self._unit(self._asked([PROBE, *texts], role), len(texts) + 1)
        if _bits_apart(self.facts.signature, signature(rows[0])) > _BITS_OF_NOISE:
            remembered.delete_measurements(self._key)
            raise EmbedderUnavailable(
                f"{self.name} gives other vectors than it did - run `hmem reembed --embedder {self.name}` to go over"
            )
        self._proved = True
        return rows[1:]

    def _measure(self) -> ModelMeasurements:
        texts = [PROBE, *calibrating_texts()]
        rows = _normed(self._finite(self._asked(texts, "passage"), len(texts)))
        facts = ModelMeasurements(rows.shape[1], signature(rows[0]), calibrate(rows[1:]).points)
        remembered.store_measurements(self._key, facts)
        self._proved = True
        return facts

    def _unit(self, made: Rows, count: int) -> Rows:
        rows = self._finite(made, count)
        if rows.shape[1] != self.dimension:
            raise EmbedderUnavailable(
                f"{self.name} gave vectors of {rows.shape[1]} numbers, not {self.dimension} - check the model"
            )
        return _normed(rows)

    def _finite(self, made: Rows, count: int) -> Rows:
        rows = np.asarray(made, np.float32)
        if rows.ndim != 2 or len(rows) != count or not rows.shape[1] or not np.isfinite(rows).all():
            raise EmbedderUnavailable(f"{self.name} did not give one vector a text - check that it embeds texts")
        return rows


def _normed(rows: Rows) -> Rows:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.maximum(lengths, np.float32(1e-12))


def signature(row: Rows) -> str:
    """The signs of a vector along fixed directions, as hexadecimal digits."""
    bits = 0
    for number in range(_BITS):
        drawn = hashlib.shake_128(f"hmem {number}".encode()).digest(len(row) // 8 + 1)
        direction = np.unpackbits(np.frombuffer(drawn, np.uint8))[: len(row)].astype(np.float64) * 2 - 1
        bits = bits << 1 | (float(direction @ row) > 0)
    return f"{bits:0{_BITS // 4}x}"


def _bits_apart(one: str, other: str) -> int:
    return (int(one, 16) ^ int(other, 16)).bit_count()
