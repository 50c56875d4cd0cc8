"""Changes to a memory: the operation, its author, time and reason."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from hmem.model.value import Value

Verb = Literal[
    "correct",
    "retract",
    "forget",
    "undo",
    "pin",
    "feedback",
    "persona",
    "resolve",
    "rule",
    "retain",
    "revise",
    "renew",
    "learn",
    "merge",
    "split",
    "rename",
]


@dataclass(frozen=True, slots=True, repr=False)
class Change(Value):
    """An entry in the log of a memory.

    ``target`` is the id of the changed item, or the name of a person, an entity or a slot. ``link`` is the id of the
    item that replaces it, of the cause of the change, or of the change that was undone; for a merge or a split, the
    user to whom the entity belongs. For a rename, ``target`` is the first leaf of the node and ``link`` its tree and
    level. ``before`` and ``after`` are texts; for
    an item that was forgotten they are None, and so is ``why``. For a forgetting itself, ``target`` names the kinds of
    its conditions, and ``after`` says how many turns were erased. ``undone`` is True if a later change took this one
    back.
    """

    id: str
    at: datetime
    by: str
    verb: Verb
    target: str
    why: str | None = None
    before: str | None = None
    after: str | None = None
    link: str | None = None
    undone: bool = False
