"""What a library raises while it runs a model here: out of memory, a file that is gone, a shape that does not fit."""

from importlib import import_module
from typing import Final

# What Python's own errors are of them. PyTorch's are RuntimeErrors.
FAULTS: Final[tuple[type[Exception], ...]] = (
    ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError,
)  # fmt: skip

_ONNX: Final = "onnxruntime.capi.onnxruntime_pybind11_state"
_SHOWN: Final = 200


def onnx_faults() -> tuple[type[Exception], ...]:
    """These and those of onnxruntime, which have no base of their own; without it, these."""
    try:
        offered = vars(import_module(_ONNX)).values()
    except ImportError:
        return FAULTS
    own = [each for each in offered if isinstance(each, type) and issubclass(each, Exception) and each not in FAULTS]
    return (*FAULTS, *own)


def in_words(error: BaseException) -> str:
    """An error as a part of one line."""
    said = " ".join(str(error).split())[:_SHOWN]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
