"""Caches that may hold texts, and how to empty them."""

import sys
from collections.abc import Iterator
from threading import Lock
from typing import Any, Final, Protocol
from weakref import WeakSet

# Smaller caches hold no texts, only word lists, models and embedders.
_SMALLEST_TEXT_CACHE: Final = 16


class TextCache(Protocol):
    """A cache of an object, emptied as those of functions are."""

    def cache_clear(self) -> None:
        """Forget everything."""
        ...


_lock: Final = Lock()
_of_objects: Final[WeakSet[TextCache]] = WeakSet()


def register_cache(cache: TextCache) -> None:
    """Empty the cache of an object with all others from now on."""
    with _lock:
        _of_objects.add(cache)


def caches() -> Iterator[Any]:
    """Yield the caches of this package's loaded modules that may hold texts."""
    visited: set[int] = set()
    for name, module in sorted(sys.modules.items()):
        if name != "hmem" and not name.startswith("hmem."):
            continue
        for value in list(vars(module).values()):
            parameters = getattr(value, "cache_parameters", None)
            if (
                parameters is not None
                and id(value) not in visited
                and (parameters()["maxsize"] or 0) >= _SMALLEST_TEXT_CACHE
            ):
                visited.add(id(value))
                yield value


def clear_caches() -> None:
    """Empty every cache that may hold texts."""
    with _lock:
        objects = list(_of_objects)
    for cache in (*caches(), *objects):
        cache.cache_clear()
