"""Plans that a language model made, kept in the process: a question that is asked again is not planned again."""

from collections.abc import Callable, Sequence
from datetime import datetime
from threading import Lock
from typing import Final, NamedTuple

from hmem.model.plan import Plan

_REMEMBERED: Final = 256


class Asked(NamedTuple):
    """All that a plan is made of: who makes it, the question, the minute in which it is asked, and the people."""

    made_by: str
    question: str
    minute: str
    people: tuple[str, ...]

    @classmethod
    def of(cls, made_by: str, question: str, asked: datetime, people: Sequence[str]) -> "Asked":
        """What a model is shown to make a plan."""
        return cls(made_by, question, asked.isoformat(timespec="minutes"), tuple(people))


class Plans:
    """The latest plans. Safe to use from several threads; nothing is locked while one is made."""

    def __init__(self) -> None:
        self._made: dict[Asked, Plan] = {}
        self._lock = Lock()

    def get(self, asked: Asked, make: Callable[[], Plan]) -> Plan:
        """The plan of a question, made if it is not known."""
        with self._lock:
            known = self._made.get(asked)
        if known is not None:
            return known
        plan = make()
        with self._lock:
            while len(self._made) >= _REMEMBERED:
                del self._made[next(iter(self._made))]
            self._made[asked] = plan
        return plan
