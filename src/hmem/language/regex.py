"""Regular expressions that are compiled on first use.

The rules have hundreds; compiling them all would take much of the engine's start, and a process that only asks, or only
writes a turn, uses few.
"""

import re
from typing import Any, cast


class _Later:
    """Stand-in for a compiled expression, as fast as one after first use."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(re.compile(self._pattern, self._flags), name)
        # Later accesses find the attribute without this method.
        setattr(self, name, value)
        return value

    def __repr__(self) -> str:
        return f"regex({self._pattern!r}, {self._flags})"


def regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a lazy ``re.compile``: use its methods; do not pass it to functions of ``re``.

    A syntax error shows on first use.
    """
    return cast("re.Pattern[str]", _Later(pattern, int(flags)))
