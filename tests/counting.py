"""Storage that counts its calls, each of which may be a round trip to a database."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from hmem import Memory
from hmem.storage import Storage, open_storage

# These return parts of the storage, whose calls count too.
_CAPABILITIES = ("model_queue", "erasure")


class Counted:
    """Proxy that forwards every call to a storage and records its name."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name in _CAPABILITIES:
            return self
        found = getattr(self._storage, name)
        if not callable(found):
            return found

        def call(*given: Any, **named: Any) -> Any:
            self.calls.append(name)
            return found(*given, **named)

        return call

    def take(self) -> list[str]:
        """Return the calls since this was last asked."""
        calls, self.calls = self.calls, []
        return calls


@contextmanager
def counted(path: Path | str = ":memory:", **options: Any) -> Generator[tuple[Memory, Counted]]:
    """Yield a memory, and the counted calls of its storage."""
    storage = Counted(open_storage(path))
    with Memory(storage=cast("Storage", storage), **options) as memory:
        yield memory, storage
