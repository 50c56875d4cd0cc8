"""Lists: the things that several statements name, each once."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hmem.language.analyst.rules.wordlist import words
from hmem.language.inflection import root
from hmem.read.answer.spans import Candidates

# How far below the best a further item may lie, how many there may be, and how many words an item has.
MARGIN: Final = 1.75
MOST: Final = 4
_LONGEST: Final = 3


def collected(candidates: Candidates, scores: NDArray[np.float32], question: frozenset[str]) -> list[int]:
    """The candidates that make up a list, best first: at most one of a turn, none that says what another says."""
    order = np.argsort(-scores, kind="stable").tolist()
    chosen: list[int] = []
    said: set[str] = set()
    for place in order:
        if len(chosen) == MOST or scores[place] < scores[order[0]] - MARGIN:
            break
        words = _roots(candidates.text(place)) - question
        turn = candidates.statement(place).turn
        if not words or words & said or any(candidates.statement(i).turn == turn for i in chosen):
            continue
        if chosen and len(words) > _LONGEST:
            continue
        said |= words
        chosen.append(place)
    return chosen


def _roots(text: str) -> set[str]:
    return {root(word.strip(".,'\"!?")) for word in text.lower().split() if word.strip(".,'\"!?")} - _SMALL


_SMALL: Final = words("a an the and or of in on at to for with my our your his her their")


def joined(texts: Sequence[str]) -> str:
    """The items of a list in one line."""
    return ", ".join(texts)
