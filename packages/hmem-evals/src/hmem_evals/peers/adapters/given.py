"""Embedder of hmem by a function: offered as every embedder is, by an entry point, for this process only."""

import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hmem.language.embed import Calibration, Embedder
from hmem.language.embed.measured import calibrate, calibrating_texts

_NAME: Final = "given"
_ENTRY: Final = f"[hmem.embedders]\n{_NAME} = {__name__}:load\n"

_functions: Final[dict[str, Callable[[list[str]], Any]]] = {}


class GivenEmbedder(Embedder):
    """Embedder that asks a function, and measures its calibration."""

    def __init__(self, function: Callable[[list[str]], Any]) -> None:
        self._function = function

    @property
    def name(self) -> str:
        return _NAME

    @property
    def version(self) -> str:
        return "1"

    @cached_property
    def dimension(self) -> int:
        return int(self.embed([_NAME]).shape[1])

    @cached_property
    def calibration(self) -> Calibration:
        return calibrate(self.embed(calibrating_texts()))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._function(list(texts))


def offer(folder: Path, function: Callable[[list[str]], Any]) -> str:
    """Offer an embedder to this process; return its name. ``folder`` gets the metadata of a package that offers it."""
    _functions[_NAME] = function
    package = folder / f"{_NAME}-1.dist-info"
    package.mkdir(parents=True, exist_ok=True)
    (package / "entry_points.txt").write_text(_ENTRY, "utf-8")
    (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {_NAME}\nVersion: 1\n", "utf-8")
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    return _NAME


def load(_variant: str) -> GivenEmbedder:
    """Return the embedder that was offered."""
    return GivenEmbedder(_functions[_NAME])
