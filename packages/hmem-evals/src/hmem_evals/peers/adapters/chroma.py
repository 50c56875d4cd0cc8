"""Chroma's persistent client: its HNSW index by cosine."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import chromadb
from chromadb.config import Settings


class Chroma:
    """One collection in a folder."""

    def __init__(self, folder: Path, embed: Callable[[list[str]], Any]) -> None:
        self._embed = embed
        self._client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
        self._turns = self._client.create_collection(
            "turns", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def add(self, turns: Sequence[Mapping[str, Any]]) -> None:
        """Add turns in the largest batches that it takes."""
        batch_size = self._client.get_max_batch_size()
        for first in range(0, len(turns), batch_size):
            batch = turns[first : first + batch_size]
            texts = [turn["said"] for turn in batch]
            times = [{"at": turn["at"], "session": turn["session"]} for turn in batch]
            self._turns.add([turn["id"] for turn in batch], self._embed(texts), times, texts)

    def finish(self) -> None:
        """Do nothing: what is added is kept and can be found."""

    def search(self, query: str, k: int, at: str | None) -> list[str]:  # noqa: ARG002 - it knows no times
        """Return the ids of the nearest turns."""
        return self._turns.query(query_embeddings=self._embed([query]), n_results=k, include=[])["ids"][0]

    def close(self) -> None:
        """Close the client."""
        self._client.close()


open_peer = Chroma
