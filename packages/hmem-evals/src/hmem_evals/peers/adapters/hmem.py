"""hmem itself, as any program uses it, under the same protocol as its peers."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from hmem import Memory

_FIELDS: Final = ("speaker", "role", "at", "session", "caption")


class Hmem:
    """Memory in a file, by one recipe, with its own embedder of the name that its peers' has."""

    def __init__(self, folder: Path, embed: Any, *, recipe: str) -> None:
        self._memory = Memory(folder / "memory.hmem", recipe=recipe, embedder=embed.name)

    def add(self, turns: Sequence[Mapping[str, Any]]) -> None:
        """Add turns in one batch, with speaker, time and session in their own fields."""
        self._memory.add(
            [
                {**{name: turn[name] for name in _FIELDS if turn[name]}, "text": turn["text"], "message_id": turn["id"]}
                for turn in turns
            ]
        )

    def finish(self) -> None:
        """Wait until all turns are formed."""
        self._memory.flush()

    def search(self, query: str, k: int, at: str | None) -> list[str]:
        """Return the ids of the best turns, asked at a time."""
        moment = None if at is None else datetime.fromisoformat(at)
        results = self._memory.search(query, k, at=moment, min_score=0.0)
        return [item.message_id for item in results if item.message_id is not None]

    def close(self) -> None:
        """Close the memory."""
        self._memory.close()


open_peer = Hmem
