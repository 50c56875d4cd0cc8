"""Long-term memory for language-model agents: embedded, hierarchical, explained."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hmem import errors
    from hmem.memory import AsyncMemory, Memory, reembed
    from hmem.model.evidence import Context, Evidence, Found, Term, Trace, Why
    from hmem.model.report import Deletion, Stats, Verification
    from hmem.model.turn import Receipt, Session, Turn

__version__ = "0.1.0"

# The public names and where they live. They are loaded when first used, so that `import hmem` costs nothing.
_HOMES = {
    "AsyncMemory": "hmem.memory",
    "Context": "hmem.model.evidence",
    "Deletion": "hmem.model.report",
    "Evidence": "hmem.model.evidence",
    "Found": "hmem.model.evidence",
    "Memory": "hmem.memory",
    "Receipt": "hmem.model.turn",
    "Session": "hmem.model.turn",
    "Stats": "hmem.model.report",
    "Term": "hmem.model.evidence",
    "Trace": "hmem.model.evidence",
    "Turn": "hmem.model.turn",
    "Verification": "hmem.model.report",
    "Why": "hmem.model.evidence",
    "reembed": "hmem.memory",
}

__all__ = [
    "AsyncMemory",
    "Context",
    "Deletion",
    "Evidence",
    "Found",
    "Memory",
    "Receipt",
    "Session",
    "Stats",
    "Term",
    "Trace",
    "Turn",
    "Verification",
    "Why",
    "errors",
    "reembed",
]


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module("hmem.errors")
    if name not in _HOMES:
        raise AttributeError(f"module 'hmem' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
