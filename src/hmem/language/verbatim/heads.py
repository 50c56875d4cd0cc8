"""Heads on the encoder, as formation uses them; where the encoder does not know a language, plain signs judge."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hmem_encoder import heads
from hmem_encoder.heads import MEMORABLE, SentenceJudgement, version

__all__ = ["MEMORABLE", "STANDING", "JudgedSentences", "SentenceJudgement", "judge", "version"]

Spans = Sequence[tuple[int, int]]

# Kinds of sentences that state something that lasts.
STANDING: Final = frozenset({"statement", "preference", "instruction", "plan"})


class JudgedSentences(NamedTuple):
    """Judgements of the sentences of a text, and their unit vectors, a row each."""

    judgements: Sequence[SentenceJudgement]
    vectors: NDArray[np.float32]


def judge(
    texts: Sequence[str], spans: Sequence[Spans], roles: Sequence[str], known: Sequence[bool]
) -> list[JudgedSentences]:
    """Judge the sentences of texts, given by their spans; ``known`` tells if the encoder knows a text's language."""
    found = heads.judge(texts, spans, roles, known)
    return [JudgedSentences(each.judgements, each.sentences) for each in found]
