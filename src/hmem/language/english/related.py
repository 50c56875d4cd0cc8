"""Related words: words that people say near each other, with the strength of the tie.

``data/related.npz`` has for each stem those whose neighbours are most alike: "instrument" goes with "guitar" and
"piano", "hobby" with "paint". ``benchmarks/train_related.py`` makes it from talk under a free licence.
"""

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import as_file, files
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

_NAME: Final = "related.npz"
# Strengths are stored in a byte each.
_SCALE: Final = 255.0
_CACHED: Final = 4_096


class _Table(NamedTuple):
    """Stems by number, the number of each, and for each the numbers and strengths of its ties; strength 0 is none."""

    stems: list[str]
    numbers: dict[str, int]
    ties: NDArray[np.uint16]
    strengths: NDArray[np.uint8]


@lru_cache(maxsize=_CACHED)
def related(stem: str) -> Mapping[str, float]:
    """Return the stems related to one, with strengths from 0 to 1, strongest last; none for an unknown stem."""
    table = _table()
    number = table.numbers.get(stem)
    if number is None:
        return {}
    pairs = zip(table.ties[number, ::-1].tolist(), table.strengths[number, ::-1].tolist(), strict=True)
    return {table.stems[tied]: strength / _SCALE for tied, strength in pairs if strength}


@lru_cache(maxsize=1)
def _table() -> _Table:
    with as_file(files("hmem.language.english") / "data" / _NAME) as path, np.load(path) as kept:
        known = bytes(kept["stems"]).decode().split("\n")
        return _Table(known, {stem: number for number, stem in enumerate(known)}, kept["ties"], kept["strengths"])
