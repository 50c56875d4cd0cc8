"""Errors of libraries that run a model in this process: out of memory, a missing file, a wrong shape."""

from importlib import import_module
from typing import Final

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
