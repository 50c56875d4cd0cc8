"""A change: what was done to a memory, by whom, when and why."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

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
]


@dataclass(frozen=True, slots=True)
class Change:
    """An entry of the log of a memory.

    ``target`` is the id of what was changed, or the name of a person or of a slot. ``link`` is the id of what stands in
    its place, of what brought the change about, or of the change that was undone. ``before`` and ``after`` are texts;
    of what was forgotten they are None, and so is ``why``; of a forgetting itself ``target`` names the kinds of its
    conditions, and ``after`` says how many turns went. ``undone`` says that a later change took it back.
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
