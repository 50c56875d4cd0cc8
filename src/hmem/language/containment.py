"""Containment: what an analyst, an embedder or our own code raises on a text becomes a value, and stops nobody else.

This is the one place that catches every error (decision 0076). It also lists the errors of libraries that run a model
in this process: out of memory, a missing file, a wrong shape.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
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


# Errors of libraries that run a model.

# Errors while a model runs: Python's own, which numpy, PyTorch (RuntimeError, and IndexError for an unknown token) and
# tokenizers raise. A TypeError or an AttributeError is a bug in the calling code, and is shown.
FAULTS: Final[tuple[type[Exception], ...]] = (IndexError, MemoryError, OSError, RuntimeError, ValueError)

# Errors while a model is loaded: libraries miss keys and attributes in the files of another kind of model.
LOAD_FAULTS: Final[tuple[type[Exception], ...]] = (*FAULTS, AttributeError, KeyError, TypeError)

_ONNX: Final = "onnxruntime.capi.onnxruntime_pybind11_state"
_SHOWN: Final = 200


def onnx_faults(faults: tuple[type[Exception], ...] = FAULTS) -> tuple[type[Exception], ...]:
    """Add the errors of onnxruntime, which share no base class; return ``faults`` alone if it is not installed."""
    try:
        offered = vars(import_module(_ONNX)).values()
    except ImportError:
        return faults
    own = [each for each in offered if isinstance(each, type) and issubclass(each, Exception) and each not in faults]
    return (*faults, *own)


def in_words(error: BaseException) -> str:
    """Return an error as part of one line."""
    said = " ".join(str(error).split())[:_SHOWN]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
