"""Containment: what an analyst, an embedder or our own code raises on a text becomes a value, and stops nobody else.

This is the one place that catches every error (decision 0076).
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from traceback import walk_tb
from typing import Final, TypeVar

from hmem.errors import EmbedderError, IndexingError, ModelError, NumberTooLarge, StorageError

Result = TypeVar("Result")

# Faults of the surroundings that have a name here: who calls a memory knows them.
NAMED: Final = (StorageError, IndexingError, EmbedderError, ModelError)


@dataclass(frozen=True, slots=True)
class Fault:
    """Error that a piece of work raised. As text it is an error of hmem in its own words, or its ``place``."""

    error: Exception

    def __str__(self) -> str:
        return str(self.error) if isinstance(self.error, NAMED) else self.place

    @property
    def place(self) -> str:
        """Type of the error and line that raised it, without its words, which may quote what the work was about."""
        name = type(self.error).__name__
        places = [(frame.f_code.co_filename, line) for frame, line in walk_tb(self.error.__traceback__)]
        return f"{name} in {PurePath(places[-1][0]).name}:{places[-1][1]}" if places else name

    @property
    def of_surroundings(self) -> bool:
        """True if a disk, a lock, memory, an encoder or a provider may be missing now, whatever the work is about."""
        return isinstance(self.error, (*NAMED, OSError, MemoryError)) and not isinstance(self.error, NumberTooLarge)


def contained(work: Callable[[], Result], raising: tuple[type[Exception], ...] = NAMED) -> Result | Fault:
    """Return the result of some work, or the fault that it met; raise only errors of the types ``raising``."""
    try:
        return work()
    except Exception as error:
        if isinstance(error, raising):
            raise
        return Fault(error)


def attempted(work: Callable[[], Result], otherwise: Result) -> Result:
    """Return the result of some work, another one if it fails; raise only what the storage raises."""
    made = contained(work, raising=(StorageError,))
    return otherwise if isinstance(made, Fault) else made
