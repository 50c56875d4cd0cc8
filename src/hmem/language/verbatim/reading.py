"""Readings of turns: their sentences, and what the heads on the encoder judge of each.

Where the encoder does not know a language, plain signs judge.
"""

from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem.language.sentences import split
from hmem.language.stemming import reads_as_english
from hmem.language.verbatim.prose import prose
from hmem.model.turn import Turn
from hmem.util.caches import register_cache

# Turns whose readings are kept: each is asked for by several stages of formation.
_CACHE_SIZE: Final = 1_024
# Most sentences of a turn that are read.
_MAX_SENTENCES: Final = 200

_USER: Final = "user"

# Kinds of sentences that state something that lasts.
LASTING_KINDS: Final = frozenset({"statement", "preference", "instruction", "plan"})
# Those that tell what a person wants.
PREFERENCES: Final = frozenset({"preference", "instruction"})
# Importance from which a memorable sentence is a note without other sentences.
_ALONE_IMPORTANCE: Final = 6.0


class _Key(NamedTuple):
    """Key of a reading: all that it depends on."""

    speaker: str
    text: str
    caption: str
    role: str

    @property
    def content(self) -> str:
        return f"{self.text} {self.caption}" if self.caption else self.text


class SentenceName(NamedTuple):
    """A name: a span of the content, its type, if it surely is a name, and a type that is likely but not certain."""

    start: int
    end: int
    type: str
    certain: bool
    likely_type: str


class ReadSentence(NamedTuple):
    """A sentence of a turn: characters ``start`` to ``end`` of its content, and the heads' judgement.

    ``memorable`` is a chance, ``importance`` 1 to 10. ``vector`` is the unit vector of the sentence within its turn.
    """

    text: str
    start: int
    end: int
    memorable: float
    importance: float
    kind: str
    names: tuple[SentenceName, ...]
    vector: NDArray[np.float32]


class Reader:
    """Reader of turns, which keeps the readings of the last ones. Safe to use from several threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, tuple[ReadSentence, ...]] = OrderedDict()
        self._lock = Lock()
        register_cache(self)

    def cache_clear(self) -> None:
        """Forget the readings, and the texts that the encoder read last."""
        with self._lock:
            self._kept.clear()
        import_module("hmem_encoder").encoder().cache_clear()

    def read(self, turns: Sequence[Turn]) -> list[tuple[ReadSentence, ...]]:
        """Return the sentences of each turn, in order."""
        keys = [_Key(turn.speaker, turn.text, turn.caption or "", turn.role or _USER) for turn in turns]
        with self._lock:
            readings = {key: self._kept[key] for key in dict.fromkeys(keys) if key in self._kept}
        fresh = [key for key in dict.fromkeys(keys) if key not in readings]
        readings.update(zip(fresh, _read(fresh), strict=True))
        with self._lock:
            self._kept.update((key, readings[key]) for key in fresh)
            while len(self._kept) > _CACHE_SIZE:
                self._kept.popitem(last=False)
        return [readings[key] for key in keys]


def _read(keys: Sequence[_Key]) -> list[tuple[ReadSentence, ...]]:
    # The text that is embedded for recall, so that the encoder reads it once.
    leads = [f"{key.speaker}: " for key in keys]
    texts = [f"{lead}{key.content}" for lead, key in zip(leads, keys, strict=True)]
    spans = [_spans(key, len(lead)) for lead, key in zip(leads, keys, strict=True)]
    readings = _heads().judge(texts, spans, [key.role for key in keys], [reads_as_english(key.text) for key in keys])
    return [
        tuple(
            _sentence(text, len(lead), span, judgement, row)
            for span, judgement, row in zip(turn_spans, reading.judgements, reading.sentences, strict=True)
        )
        for text, lead, turn_spans, reading in zip(texts, leads, spans, readings, strict=True)
    ]


def _sentence(text: str, lead: int, span: tuple[int, int], judgement: Any, vector: NDArray[np.float32]) -> ReadSentence:
    start, end = span
    names = tuple(SentenceName(first - lead, last - lead, *sort) for first, last, *sort in judgement.names)
    return ReadSentence(
        text[start:end],
        start - lead,
        end - lead,
        judgement.memorable,
        judgement.importance,
        judgement.kind,
        names,
        vector,
    )


def _spans(key: _Key, lead: int) -> list[tuple[int, int]]:
    """Return the spans of the sentences of a turn behind the name of its speaker; a caption is one."""
    sentences = [sentence for sentence in split(prose(key.text).text) if not sentence.code][:_MAX_SENTENCES]
    spans = [
        (lead + sentence.start, lead + sentence.end) for sentence in sentences if any(map(str.isalnum, sentence.text))
    ]
    if key.caption:
        first = lead + len(key.text) + 1
        spans.append((first, first + len(key.caption)))
    return spans


@cache
def _heads() -> Any:
    return import_module("hmem_encoder.heads")


def is_memorable(chance: float, kind: str) -> bool:
    """Tell if a sentence of a kind is memorable, given its chance."""
    return chance >= (_heads().PREFERRED if kind in PREFERENCES else _heads().MEMORABLE)


def stands_alone(importance: float) -> bool:
    """Tell if a memorable sentence is a note without other sentences, given its importance."""
    return importance >= _ALONE_IMPORTANCE


@cache
def version() -> str:
    """Return the version of the heads: it differs when what they judge may differ."""
    return _heads().version()
