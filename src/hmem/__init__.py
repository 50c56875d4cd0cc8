"""Long-term memory for language-model agents: embedded, hierarchical, explained."""

# Hooks pay for what is loaded here. Checkers know the name, and `typing` alone takes 20 ms.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hmem import errors as errors
    from hmem.api.interface import MemoryLike as MemoryLike
    from hmem.api.interface import ViewLike as ViewLike
    from hmem.api.memory import AsOf as AsOf
    from hmem.api.memory import AsyncAsOf as AsyncAsOf
    from hmem.api.memory import AsyncMemory as AsyncMemory
    from hmem.api.memory import Memory as Memory
    from hmem.api.rewriting import reembed as reembed
    from hmem.api.rewriting import rekey as rekey
    from hmem.interfaces.client import connect as connect
    from hmem.model.answer import Answer as Answer
    from hmem.model.answer import Usage as Usage
    from hmem.model.case import Case as Case
    from hmem.model.case import Lesson as Lesson
    from hmem.model.change import Change as Change
    from hmem.model.entity import Entity as Entity
    from hmem.model.entity import EntityProfile as EntityProfile
    from hmem.model.entity import KnowledgeGraph as KnowledgeGraph
    from hmem.model.entity import Relation as Relation
    from hmem.model.event import Episode as Episode
    from hmem.model.event import Event as Event
    from hmem.model.evidence import Context as Context
    from hmem.model.evidence import Evidence as Evidence
    from hmem.model.evidence import Found as Found
    from hmem.model.evidence import Outdated as Outdated
    from hmem.model.evidence import Term as Term
    from hmem.model.evidence import Trace as Trace
    from hmem.model.evidence import Why as Why
    from hmem.model.key import MemoryKey as MemoryKey
    from hmem.model.node import Branch as Branch
    from hmem.model.node import Node as Node
    from hmem.model.note import Conflict as Conflict
    from hmem.model.note import Note as Note
    from hmem.model.overview import Overview as Overview
    from hmem.model.overview import PersonBrief as PersonBrief
    from hmem.model.overview import Replacement as Replacement
    from hmem.model.persona import Persona as Persona
    from hmem.model.persona import Profile as Profile
    from hmem.model.persona import ProfileLine as ProfileLine
    from hmem.model.plan import FollowUp as FollowUp
    from hmem.model.plan import Plan as Plan
    from hmem.model.plan import SubQuestion as SubQuestion
    from hmem.model.report import Consolidation as Consolidation
    from hmem.model.report import Forgotten as Forgotten
    from hmem.model.report import Stats as Stats
    from hmem.model.report import Verification as Verification
    from hmem.model.span import Span as Span
    from hmem.model.tier import Record as Record
    from hmem.model.tier import Tiers as Tiers
    from hmem.model.turn import KeptReceipt as KeptReceipt
    from hmem.model.turn import Receipt as Receipt
    from hmem.model.turn import Session as Session
    from hmem.model.turn import Turn as Turn

__version__ = "0.2.0"

# The public names and where they live. They are loaded when first used, so that `import hmem` costs nothing.
_HOMES = {
    "Answer": "hmem.model.answer",
    "AsOf": "hmem.api.memory",
    "AsyncAsOf": "hmem.api.memory",
    "AsyncMemory": "hmem.api.memory",
    "Branch": "hmem.model.node",
    "Case": "hmem.model.case",
    "Change": "hmem.model.change",
    "Conflict": "hmem.model.note",
    "Consolidation": "hmem.model.report",
    "Context": "hmem.model.evidence",
    "Entity": "hmem.model.entity",
    "EntityProfile": "hmem.model.entity",
    "Episode": "hmem.model.event",
    "Event": "hmem.model.event",
    "Evidence": "hmem.model.evidence",
    "FollowUp": "hmem.model.plan",
    "Forgotten": "hmem.model.report",
    "Found": "hmem.model.evidence",
    "KnowledgeGraph": "hmem.model.entity",
    "KeptReceipt": "hmem.model.turn",
    "Lesson": "hmem.model.case",
    "Memory": "hmem.api.memory",
    "MemoryKey": "hmem.model.key",
    "MemoryLike": "hmem.api.interface",
    "Node": "hmem.model.node",
    "Note": "hmem.model.note",
    "Outdated": "hmem.model.evidence",
    "Overview": "hmem.model.overview",
    "PersonBrief": "hmem.model.overview",
    "Persona": "hmem.model.persona",
    "Plan": "hmem.model.plan",
    "Profile": "hmem.model.persona",
    "ProfileLine": "hmem.model.persona",
    "Receipt": "hmem.model.turn",
    "Record": "hmem.model.tier",
    "Relation": "hmem.model.entity",
    "Replacement": "hmem.model.overview",
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
    "ViewLike": "hmem.api.interface",
    "Why": "hmem.model.evidence",
    "connect": "hmem.interfaces.client",
    "errors": "hmem.errors",
    "reembed": "hmem.api.rewriting",
    "rekey": "hmem.api.rewriting",
}

if not TYPE_CHECKING:
    __all__ = list(_HOMES)


def __getattr__(name: str) -> "Any":
    from importlib import import_module  # noqa: PLC0415 - it costs as much as all the rest

    if name not in _HOMES:
        raise AttributeError(f"module 'hmem' has no attribute {name!r}")
    home = import_module(_HOMES[name])
    return home if home.__name__ == f"{__name__}.{name}" else getattr(home, name)


def __dir__() -> list[str]:
    return list(_HOMES)
