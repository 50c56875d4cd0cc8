"""LangGraph's store in SQLite, with semantic search over the texts."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

try:
    # Not every Python's own module loads extensions.
    import pysqlite3 as sqlite3
except ImportError:
    import sqlite3

_NAMESPACE: Final = ("turns",)
_BATCH: Final = 1_000


class LangGraphStore:
    """Store of items, one for each turn."""

    def __init__(self, folder: Path, embed: Callable[[list[str]], Any]) -> None:
        self._connection = sqlite3.connect(folder / "store.db", check_same_thread=False, isolation_level=None)
        # The documentation says `fields`; the store in SQLite reads `text_fields`.
        index = {
            "dims": embed.dimension,
            "embed": lambda texts: embed(list(texts)).tolist(),
            "fields": ["text"],
            "text_fields": ["text"],
        }
        self._store = SqliteStore(self._connection, index=index)
        self._store.setup()

    def add(self, turns: Sequence[Mapping[str, Any]]) -> None:
        """Put turns in batches that a statement of SQLite can hold."""
        puts = [PutOp(_NAMESPACE, turn["id"], {"text": turn["said"], "at": turn["at"]}) for turn in turns]
        for first in range(0, len(puts), _BATCH):
            self._store.batch(puts[first : first + _BATCH])

    def finish(self) -> None:
        """Do nothing: what is put is kept and can be found."""

    def search(self, query: str, k: int, at: str | None) -> list[str]:  # noqa: ARG002 - it knows no times
        """Return the keys of the nearest items."""
        return [item.key for item in self._store.search(_NAMESPACE, query=query, limit=k)]

    def close(self) -> None:
        """Close its database."""
        self._connection.close()


open_peer = LangGraphStore
