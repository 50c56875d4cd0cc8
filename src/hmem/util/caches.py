"""What the process remembers of texts that it read, so that they are not read twice."""

import sys
from collections.abc import Iterator
from typing import Any, Final

# A smaller cache holds what was loaded from the package: word lists, models, embedders.
_LEAST: Final = 16


def caches() -> Iterator[Any]:
    """The caches of functions of this package that may hold texts, of the modules that are loaded."""
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
    """Let the process forget every text that it remembers; they are read again when needed."""
    for cache in caches():
        cache.cache_clear()
