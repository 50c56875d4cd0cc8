"""Regular expressions that are compiled when they are first used.

The rules have hundreds, and compiling them all would be much of what loading the engine is; a process that only asks,
or only keeps a turn, uses few.
"""

import re
from typing import Any, cast


class _Later:
    """Stands for a compiled expression, and becomes as fast as one once it has been used."""

    def __init__(self, written: str, flags: int) -> None:
        self._written = written
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = getattr(re.compile(self._written, self._flags), name)
        # From now on the attribute is found without coming here.
        setattr(self, name, value)
        return value

    def __repr__(self) -> str:
        return f"regex({self._written!r}, {self._flags})"


def regex(written: str, flags: int = 0) -> re.Pattern[str]:
    """An expression to be used as ``re.compile`` gives it: by its methods, not as an argument of those of ``re``.

    What is wrong with it shows when it is first used.
    """
    return cast("re.Pattern[str]", _Later(written, int(flags)))
