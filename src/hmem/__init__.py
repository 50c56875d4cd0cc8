"""Long-term memory for language-model agents: embedded, hierarchical, explained."""

# Hooks pay for what is loaded here. Checkers know the name, and `typing` alone takes 20 ms.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hmem import errors
    from hmem.api.as_of import AsOf
    from hmem.api.async_memory import AsyncMemory
    from hmem.api.memory import Memory
    from hmem.api.reembedding import reembed
    from hmem.interfaces.client import connect
    from hmem.model.answer import Answer, Usage
    from hmem.model.change import Change
    from hmem.model.entity import Entity, KnowledgeGraph, Profile, Relation
    from hmem.model.episode import Episode
    from hmem.model.event import Event
    from hmem.model.evidence import Context, Evidence, Found, Term, Trace, Why
    from hmem.model.node import Branch, Node
    from hmem.model.note import Conflict, Note
    from hmem.model.persona import Persona
    from hmem.model.plan import FollowUp, Plan, SubQuestion
    from hmem.model.report import Consolidation, Forgotten, Stats, Verification
    from hmem.model.span import Span
    from hmem.model.tier import Record, Tiers
    from hmem.model.turn import Receipt, Session, Turn

__version__ = "0.1.0"

# The public names and where they live. They are loaded when first used, so that `import hmem` costs nothing.
_HOMES = {
    "Answer": "hmem.model.answer",
    "AsOf": "hmem.api.as_of",
    "AsyncMemory": "hmem.api.async_memory",
    "Branch": "hmem.model.node",
    "Change": "hmem.model.change",
    "Conflict": "hmem.model.note",
    "Consolidation": "hmem.model.report",
    "Context": "hmem.model.evidence",
    "Entity": "hmem.model.entity",
    "Episode": "hmem.model.episode",
    "Event": "hmem.model.event",
    "Evidence": "hmem.model.evidence",
    "FollowUp": "hmem.model.plan",
    "Forgotten": "hmem.model.report",
    "Found": "hmem.model.evidence",
    "KnowledgeGraph": "hmem.model.entity",
    "Memory": "hmem.api.memory",
    "Node": "hmem.model.node",
    "Note": "hmem.model.note",
    "Persona": "hmem.model.persona",
    "Plan": "hmem.model.plan",
    "Profile": "hmem.model.entity",
    "Receipt": "hmem.model.turn",
    "Record": "hmem.model.tier",
    "Relation": "hmem.model.entity",
    "Session": "hmem.model.turn",
    "Span": "hmem.model.span",
    "Stats": "hmem.model.report",
    "SubQuestion": "hmem.model.plan",
    "Term": "hmem.model.evidence",
    "Tiers": "hmem.model.tier",
    "Trace": "hmem.model.evidence",
    "Turn": "hmem.model.turn",
    "Usage": "hmem.model.answer",
    "Verification": "hmem.model.report",
    "Why": "hmem.model.evidence",
    "connect": "hmem.interfaces.client",
    "reembed": "hmem.api.reembedding",
}

__all__ = [
    "Answer",
    "AsOf",
    "AsyncMemory",
    "Branch",
    "Change",
    "Conflict",
    "Consolidation",
    "Context",
    "Entity",
    "Episode",
    "Event",
    "Evidence",
    "FollowUp",
    "Forgotten",
    "Found",
    "KnowledgeGraph",
    "Memory",
    "Node",
    "Note",
    "Persona",
    "Plan",
    "Profile",
    "Receipt",
    "Record",
    "Relation",
    "Session",
    "Span",
    "Stats",
    "SubQuestion",
    "Term",
    "Tiers",
    "Trace",
    "Turn",
    "Usage",
    "Verification",
    "Why",
    "connect",
    "errors",
    "reembed",
]


def __getattr__(name: str) -> "Any":
    from importlib import import_module  # noqa: PLC0415 - it costs as much as all the rest

    if name == "errors":
        return import_module("hmem.errors")
    if name not in _HOMES:
        raise AttributeError(f"module 'hmem' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
