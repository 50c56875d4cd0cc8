"""Measured size of objects: bytes of all that they reach, without what every memory of a process shares."""

import gc
import sys
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any, Final, cast

import numpy as np

# A larger collection is measured by this many of its items, evenly spread.
_SAMPLED: Final = 512
# Code, and what stands for it, belongs to the process.
_CODE: Final = (type, ModuleType, FunctionType, BuiltinFunctionType, FrameType)
_SHARED_ROOMS: Final = ("hmem.language.", "hmem.recipes.")


def resident_bytes(*roots: object) -> int:
    """Return the bytes of objects with all that they alone reach.

    Embedders, analysts and recipes are not counted, as many memories share them; nor is what a library keeps outside of
    Python, unless the object that holds it tells so by ``__sizeof__``.
    """
    return int(_measured(roots, set[int]()))


def _measured(roots: Iterable[object], seen: set[int]) -> float:
    total = 0.0
    waiting = list(roots)
    while waiting:
        each = waiting.pop()
        if id(each) in seen or _is_shared(each):
            continue
        seen.add(id(each))
        total += sys.getsizeof(each)
        if isinstance(each, np.ndarray):
            # A view has its data elsewhere.
            waiting.append(each.base)
        elif isinstance(each, (list, tuple, dict, set, frozenset)) and len(cast("Any", each)) > 2 * _SAMPLED:
            some, share = _sample(cast("Any", each))
            total += _measured(some, seen) * share
        else:
            waiting += gc.get_referents(each)
    return total


def _sample(items: "dict[Any, Any] | Sequence[Any] | AbstractSet[Any]") -> tuple[list[Any], float]:
    """Return some items, evenly spread, and the factor by which all are more."""
    # A copy: another thread may change the collection.
    flat = list(items.copy().items() if isinstance(items, dict) else items.copy() if isinstance(items, set) else items)
    some = flat[:: max(len(flat) // _SAMPLED, 1)]
    return some, len(flat) / max(len(some), 1)


def _is_shared(each: object) -> bool:
    kind = type(each)
    if each is None or kind in (int, bool) or isinstance(each, _CODE):
        return True
    module = kind.__module__
    if module in ("builtins", "numpy", "collections"):
        return False
    return not module.startswith(("hmem.", "collections", "functools", "faiss")) or module.startswith(_SHARED_ROOMS)
