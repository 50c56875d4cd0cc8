"""An answer, with what it stands on."""

from dataclasses import dataclass

from hmem.model.evidence import Evidence, Trace
from hmem.model.plan import Plan


@dataclass(frozen=True, slots=True)
class Answer:
    """What a memory answers to a question.

    ``text`` is short: a date, a name, a list, "Yes"; when ``abstained`` it says that the memory does not tell.
    ``evidence`` is what it was read from, best first; ``confidence`` is the chance that it is right, 0 to 1.
    """

    question: str
    text: str
    confidence: float
    abstained: bool
    evidence: tuple[Evidence, ...]
    plan: Plan
    made_by: str = "rules"
    trace: Trace | None = None

    def __str__(self) -> str:
        return self.text
