"""Memory of the process: the bytes that objects reach, and how to return what is free to the system."""

import ctypes
import gc
import os
import sys
from collections.abc import Generator, Iterable, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from pathlib import Path
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any, Final, cast

import numpy as np

# A larger collection is measured by this many of its items, evenly spread.
_SAMPLED: Final = 128
# Code, and what stands for it, belongs to the process.
_CODE: Final = (type, ModuleType, FunctionType, BuiltinFunctionType, FrameType)
_STATM: Final = Path("/proc/self/statm")
_SHARED_ROOMS: Final = ("hmem.language.", "hmem.recipes.")


def resident_bytes(*roots: object) -> int:
    """Return the bytes of objects with all that they alone reach.

    Embedders, analysts and recipes are not counted, as many memories share them; nor is what a library keeps outside of
    Python, unless the object that holds it tells so by ``__sizeof__``.
    """
    return int(_measure(roots, set[int]()))


def _measure(roots: Iterable[object], visited: set[int]) -> float:
    total = 0.0
    waiting = list(roots)
    while waiting:
        item = waiting.pop()
        if id(item) in visited or _is_shared(item):
            continue
        visited.add(id(item))
        total += sys.getsizeof(item)
        if isinstance(item, np.ndarray):
            # A view has its data elsewhere.
            waiting.append(item.base)
        elif isinstance(item, (list, tuple, dict, set, frozenset)) and len(cast("Any", item)) > 2 * _SAMPLED:
            sample, share = _sample(cast("Any", item))
            total += _measure(sample, visited) * share
        else:
            # Most are numbers, which are many and small.
            waiting += [part for part in gc.get_referents(item) if type(part) is not int]
    return total


def _sample(items: "dict[Any, Any] | Sequence[Any] | AbstractSet[Any]") -> tuple[list[Any], float]:
    """Return some items, evenly spread, and the factor by which all are more."""
    # A copy: another thread may change the collection.
    stable = items.copy() if isinstance(items, (dict, set)) else items
    flat = list(stable)
    sample = flat[:: max(len(flat) // _SAMPLED, 1)]
    share = len(flat) / max(len(sample), 1)
    # No pairs are made of a dictionary: objects that are gone again would lend their addresses to others.
    return ([part for key in sample for part in (key, stable[key])] if isinstance(stable, dict) else sample), share


def _is_shared(item: object) -> bool:
    kind = type(item)
    if item is None or kind in (int, bool) or isinstance(item, _CODE):
        return True
    module = kind.__module__
    if module in ("builtins", "numpy", "collections"):
        return False
    return not module.startswith(("hmem.", "collections", "functools", "faiss")) or module.startswith(_SHARED_ROOMS)


def process_bytes() -> int | None:
    """Return the bytes of this process that are in memory; None where the system does not tell (Linux does)."""
    try:
        pages = int(_STATM.read_text("utf-8").split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def release_memory() -> None:
    """Free what nothing refers to any more, and return free pages, where the C library keeps them for later (glibc)."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


@contextmanager
def collection_paused() -> Generator[None]:
    """Collect no garbage inside, where many objects are made that stay: each pass would look at all of them."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
