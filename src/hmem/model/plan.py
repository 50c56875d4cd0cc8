"""Plans of questions: the parts of a question and what each needs."""

from dataclasses import dataclass
from typing import Literal

from hmem.model.span import Span
from hmem.model.value import Value

Scope = Literal["short", "long", "mixed"]
Coverage = Literal["local", "latest", "global"]
Mode = Literal["sequential", "intersective"]
AnswerType = Literal[
    "person", "place", "organization", "time", "duration", "frequency", "count", "yes_no", "choice", "reason",
    "manner", "activity", "thing", "any",
]  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class SubQuestion(Value):
    """A part of a question that can be looked up alone, after the parts in ``needs`` (their positions).

    ``scope`` says which levels help: turns and events (short), events and summaries (long), or all (mixed);
    ``coverage`` is global if every occurrence counts, latest if only the newest does. ``mode`` is intersective if the
    question has an absolute time frame; ``spans`` are the times that it names, ``topic`` is its text without them.
    ``entities`` are the names that it asks about, as written.
    """

    text: str
    scope: Scope = "mixed"
    coverage: Coverage = "local"
    mode: Mode = "sequential"
    spans: tuple[Span, ...] = ()
    topic: str = ""
    entities: tuple[str, ...] = ()
    answer_type: AnswerType = "any"
    needs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Value):
    """A question and its parts, in an order in which they can be answered."""

    question: str
    parts: tuple[SubQuestion, ...]


@dataclass(frozen=True, slots=True, repr=False)
class FollowUp(Value):
    """A further query, for what the evidence lacks.

    ``slot`` is the missing information, ``anchor`` a concrete phrase that ``text`` contains: one that was found before,
    or a name of the question that was not found; "" if a model names none.
    """

    text: str
    slot: str
    anchor: str


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """Judgement of how well the evidence answers a question (HiMem): coverage, specificity and recency, 0 to 1 each.

    ``confidence`` is the chance that nothing more is needed; ``lacking`` are the aspects not covered.
    """

    coverage: float
    specificity: float
    recency: float
    confidence: float
    lacking: tuple[str, ...] = ()
