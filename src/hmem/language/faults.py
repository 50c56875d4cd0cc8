"""Errors of libraries that run a model here: out of memory, a file that is gone, a shape that does not fit."""

from importlib import import_module
from typing import Final

# Errors while a model runs: Python's own, which numpy, PyTorch (RuntimeError, and IndexError for a token that it does
# not know) and tokenizers raise. A TypeError or an AttributeError is a slip in the code that calls them, and is shown.
FAULTS: Final[tuple[type[Exception], ...]] = (IndexError, MemoryError, OSError, RuntimeError, ValueError)

# Errors while a model is loaded: of files that are not those of such a model, libraries miss what they look for.
LOAD_FAULTS: Final[tuple[type[Exception], ...]] = (*FAULTS, AttributeError, KeyError, TypeError)

_ONNX: Final = "onnxruntime.capi.onnxruntime_pybind11_state"
_SHOWN: Final = 200


def onnx_faults(faults: tuple[type[Exception], ...] = FAULTS) -> tuple[type[Exception], ...]:
    """Add the errors of onnxruntime, which have no base of their own; without it, nothing is added."""
    try:
        offered = vars(import_module(_ONNX)).values()
    except ImportError:
        return faults
    own = [each for each in offered if isinstance(each, type) and issubclass(each, Exception) and each not in faults]
    return (*faults, *own)


def in_words(error: BaseException) -> str:
    """Return an error as a part of one line."""
    said = " ".join(str(error).split())[:_SHOWN]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
