"""Giving memory of the process back to the system."""

import ctypes
import gc
from contextlib import suppress


def give_back() -> None:
    """Free what nothing refers to any more, and return free pages, where the C library keeps them for later (glibc)."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
