"""txtai's hybrid index: FAISS and its own BM25."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from txtai import Embeddings


class Txtai:
    """Index of embeddings and words."""

    def __init__(self, folder: Path, embed: Callable[[list[str]], Any]) -> None:
        self._folder = folder
        # It calls whatever is no plain function to make one.
        self._index = Embeddings(
            method="external", transform=lambda texts: embed(list(texts)), hybrid=True, content=True
        )

    def add(self, turns: Sequence[Mapping[str, Any]]) -> None:
        """Index turns, the first time, or add to the index."""
        self._index.upsert([(turn["id"], turn["said"], None) for turn in turns])

    def finish(self) -> None:
        """Save the index."""
        self._index.save(str(self._folder / "index"))

    def search(self, query: str, k: int, at: str | None) -> list[str]:  # noqa: ARG002 - it knows no times
        """Return the ids of the best turns."""
        return [row["id"] for row in self._index.search(query, k)]

    def close(self) -> None:
        """Close the index."""
        self._index.close()


open_peer = Txtai
