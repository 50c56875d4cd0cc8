"""LanceDB's hybrid search: its full-text index and its vectors, by its default reranker, reciprocal rank fusion."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import lancedb
import pyarrow as pa
from lancedb.index import FTS

# Its documentation advises an index of vectors above this many rows, and an exact scan below.
_INDEXED: Final = 100_000


class LanceDb:
    """One table in a folder."""

    def __init__(self, folder: Path, embed: Callable[[list[str]], Any]) -> None:
        self._embed = embed
        vector = pa.list_(pa.float32(), embed.dimension)
        fields = {"id": pa.string(), "text": pa.string(), "at": pa.string(), "session": pa.string(), "vector": vector}
        self._table = lancedb.connect(folder).create_table("turns", schema=pa.schema(list(fields.items())))
        self._indexed = False

    def add(self, turns: Sequence[Mapping[str, Any]]) -> None:
        """Add turns as rows."""
        rows = [
            {"id": turn["id"], "text": turn["said"], "at": turn["at"], "session": turn["session"], "vector": vector}
            for turn, vector in zip(turns, self._embed([turn["said"] for turn in turns]), strict=True)
        ]
        self._table.add(rows)

    def finish(self) -> None:
        """Index the words, the first time, or take what is new into the index."""
        if self._indexed:
            self._table.optimize()
            return
        self._table.create_index("text", config=FTS())
        if self._table.count_rows() > _INDEXED:
            self._table.create_index(metric="cosine", index_type="IVF_HNSW_SQ", vector_column_name="vector")
        self._indexed = True

    def search(self, query: str, k: int, at: str | None) -> list[str]:  # noqa: ARG002 - it knows no times
        """Return the ids of the best turns."""
        matches = self._table.search(query_type="hybrid").vector(self._embed([query])[0]).text(query)
        return matches.select(["id"]).limit(k).to_arrow()["id"].to_pylist()

    def close(self) -> None:
        """Do nothing: all is saved."""


open_peer = LanceDb
