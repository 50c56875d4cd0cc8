"""Caches of functions that may hold texts, and how to empty them."""

import sys
from collections.abc import Iterator
from typing import Any, Final

# Smaller caches hold no texts, only word lists, models and embedders.
_LEAST: Final = 16


def caches() -> Iterator[Any]:
    """Yield the caches of this package's loaded modules that may hold texts."""
    seen: set[int] = set()
    for name, module in sorted(sys.modules.items()):
        if name != "hmem" and not name.startswith("hmem."):
            continue
        for value in list(vars(module).values()):
            parameters = getattr(value, "cache_parameters", None)
            if parameters is not None and id(value) not in seen and (parameters()["maxsize"] or 0) >= _LEAST:
                seen.add(id(value))
                yield value


def clear_caches() -> None:
    """Empty every cache that may hold texts."""
    for cache in caches():
        cache.cache_clear()
