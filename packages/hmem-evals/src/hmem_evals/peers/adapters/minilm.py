"""hmem's encoder: no peer, but the embedder of several."""

from collections.abc import Sequence
from pathlib import Path

from hmem.language.embed import embedder


class MiniLm:
    """Sentence transformer on the processor."""

    def __init__(self, _folder: Path, _embed: object) -> None:
        self._embedder = embedder("minilm")

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a unit vector for each text."""
        return self._embedder.embed(list(texts)).tolist()

    def close(self) -> None:
        """Do nothing."""


open_peer = MiniLm
