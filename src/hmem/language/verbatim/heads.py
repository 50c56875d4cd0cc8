"""Heads on the encoder, as formation uses them; where the encoder does not know a language, plain signs judge."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Spans = Sequence[tuple[int, int]]
Vectors = NDArray[np.float32]

# Kinds of sentences that state something that lasts.
STANDING: Final = frozenset({"statement", "preference", "instruction", "plan"})
# Those that tell what a person wants.
PREFERENCES: Final = frozenset({"preference", "instruction"})
# Importance from which a memorable sentence is a note without other sentences.
_ALONE: Final = 6.0


class JudgedSentences(NamedTuple):
    """Judgements of the sentences of a text, and their unit vectors, a row each."""

    judgements: Sequence[Any]
    vectors: Vectors


@cache
def _heads() -> Any:
    return import_module("hmem_encoder.heads")


def judge(
    texts: Sequence[str], spans: Sequence[Spans], roles: Sequence[str], known: Sequence[bool]
) -> list[JudgedSentences]:
    """Judge the sentences of texts, given by their spans; ``known`` tells if the encoder knows a text's language."""
    found = _heads().judge(texts, spans, roles, known)
    return [JudgedSentences(each.judgements, each.sentences) for each in found]


def is_memorable(chance: float, kind: str) -> bool:
    """Tell if a sentence of a kind is memorable, given its chance."""
    return chance >= (_heads().PREFERRED if kind in PREFERENCES else _heads().MEMORABLE)


def stands_alone(importance: float) -> bool:
    """Tell if a memorable sentence is a note without other sentences, given its importance."""
    return importance >= _ALONE


@cache
def version() -> str:
    """Return the version of the heads: it differs when what they judge may differ."""
    return _heads().version()
