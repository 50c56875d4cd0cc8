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

# Errors of the environment that are raised to the caller of a memory under these names.
ENVIRONMENT_ERRORS: Final = (StorageError, IndexingError, EmbedderError, ModelError)


@dataclass(frozen=True, slots=True)
class Fault:
    """Error that a piece of work raised. As text it is an error of hmem in its own words, or its ``location``."""

    error: Exception

    def __str__(self) -> str:
        return str(self.error) if isinstance(self.error, ENVIRONMENT_ERRORS) else self.location

    @property
    def location(self) -> str:
        """Type of the error and line that raised it, without its words, which may quote what the work was about."""
        name = type(self.error).__name__
        frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(self.error.__traceback__)]
        return f"{name} in {PurePath(frames[-1][0]).name}:{frames[-1][1]}" if frames else name

    @property
    def of_surroundings(self) -> bool:
        """True if a disk, a lock, memory, an encoder or a provider may be missing now, whatever the work is about."""
        return isinstance(self.error, (*ENVIRONMENT_ERRORS, OSError, MemoryError)) and not isinstance(
            self.error, NumberTooLarge
        )


def contained(work: Callable[[], Result], raising: tuple[type[Exception], ...] = ENVIRONMENT_ERRORS) -> Result | Fault:
    """Return the result of some work, or the fault that it met; raise only errors of the types ``raising``."""
    try:
        return work()
    except Exception as error:
        if isinstance(error, raising):
            raise
        return Fault(error)


def attempted(work: Callable[[], Result], otherwise: Result) -> Result:
    """Return the result of some work, another one if it fails; raise only what the storage raises."""
    outcome = contained(work, raising=(StorageError,))
    return otherwise if isinstance(outcome, Fault) else outcome


# Errors of libraries that run a model.

# Errors while a model runs: Python's own, which numpy, PyTorch (RuntimeError, and IndexError for an unknown token) and
# tokenizers raise. A TypeError or an AttributeError is a bug in the calling code, and is shown.
FAULTS: Final[tuple[type[Exception], ...]] = (IndexError, MemoryError, OSError, RuntimeError, ValueError)

# Errors while a model is loaded: libraries miss keys and attributes in the files of another kind of model.
LOAD_FAULTS: Final[tuple[type[Exception], ...]] = (*FAULTS, AttributeError, KeyError, TypeError)

_ONNX: Final = "onnxruntime.capi.onnxruntime_pybind11_state"
_MESSAGE_LENGTH: Final = 200


def onnx_faults(faults: tuple[type[Exception], ...] = FAULTS) -> tuple[type[Exception], ...]:
    """Add the errors of onnxruntime, which share no base class; return ``faults`` alone if it is not installed."""
    try:
        members = vars(import_module(_ONNX)).values()
    except ImportError:
        return faults
    errors = [
        member
        for member in members
        if isinstance(member, type) and issubclass(member, Exception) and member not in faults
    ]
    return (*faults, *errors)


def in_words(error: BaseException) -> str:
    """Return an error as part of one line."""
    message = " ".join(str(error).split())[:_MESSAGE_LENGTH]
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
