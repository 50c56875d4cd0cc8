"""Interfaces of language models, with the values that they are asked with and answer with.

A model is the attribute ``model`` of an analyst. Results come in the order of the requests.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, Self

from hmem.language.analyst.base import (
    Analyst,
    Claim,
    Compression,
    ContentType,
    Excerpt,
    Passage,
    PersonaText,
    ProfileText,
    Subject,
    TurnExtraction,
)
from hmem.language.analyst.spending import Budget, ModelUsage, SpendingLedger
from hmem.model.evidence import Reaction
from hmem.model.plan import FollowUp, Plan, SubQuestion

# Texts.


@dataclass(frozen=True, slots=True)
class Room:
    """Most tokens that one call which writes texts may send and receive, by the bundled tokenizer."""

    input_tokens: int = 32_000
    output_tokens: int = 8_192


@dataclass(frozen=True, slots=True)
class ToSummarise:
    """Lines to be summarised in at most ``tokens`` tokens.

    ``summaries`` are the indices of earlier summaries of the same request, to be summarised with the lines.
    """

    lines: tuple[Excerpt, ...]
    tokens: int
    summaries: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ToName:
    """Lines of one topic to be named in a few words, unlike ``siblings`` and never after ``names``, the people."""

    lines: tuple[Excerpt, ...]
    names: tuple[str, ...] = ()
    siblings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToProfile:
    """A subject whose profile is to be written, each of its two parts in at most ``tokens`` tokens."""

    subject: Subject
    tokens: int


@dataclass(frozen=True, slots=True)
class ToPortray:
    """A person whose persona is to be written from the claims about them, latest last, in at most ``tokens`` tokens."""

    person: str
    claims: tuple[Claim, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """Texts to be written, all by one call.

    Many texts share lines, which the model is shown once.
    """

    summaries: tuple[ToSummarise, ...] = ()
    topics: tuple[ToName, ...] = ()
    profiles: tuple[ToProfile, ...] = ()
    personas: tuple[ToPortray, ...] = ()

    def __bool__(self) -> bool:
        return len(self) > 0

    def __len__(self) -> int:
        return sum(map(len, (self.summaries, self.topics, self.profiles, self.personas)))

    @property
    def lines(self) -> tuple[Excerpt, ...]:
        """Source lines of the texts, each once, in order of time."""
        line_groups = chain(
            (request.lines for request in (*self.summaries, *self.topics)), (p.subject.lines for p in self.profiles)
        )
        return tuple(sorted(dict.fromkeys(chain.from_iterable(line_groups)), key=lambda line: line.time))


@dataclass(frozen=True, slots=True)
class WriteResult:
    """Texts in the order of the ``WriteRequest``; None where nothing usable was written."""

    made_by: str
    summaries: tuple[str | None, ...] = ()
    topics: tuple[str | None, ...] = ()
    profiles: tuple[ProfileText | None, ...] = ()
    personas: tuple[PersonaText | None, ...] = ()


@dataclass(frozen=True, slots=True)
class ToCompress:
    """Lines of one long text, to be compressed by its content type (HMO)."""

    type: ContentType
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToJudge:
    """A person's ``reply`` to the ``answer`` to a ``question``, to be judged as approval or rejection."""

    question: str
    answer: str
    reply: str


# Answers.


@dataclass(frozen=True, slots=True)
class ToAnswer:
    """A question, its parts, and the evidence as text: numbered lines under their dates.

    ``lines`` has the numbers of the lines that were found for each part, best first.
    """

    question: str
    question_time: datetime
    people: tuple[str, ...]
    sub_questions: tuple[SubQuestion, ...]
    evidence: str
    lines: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class PartReply:
    """Answer to the sub-question at ``index``, with the numbers of the lines that it cites."""

    index: int
    text: str
    citations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A model's answer, not yet checked against the evidence: ``citations`` are numbers that it gave.

    ``confidence`` is 0 to 1. ``lacks_evidence`` is True if the model says that the evidence leaves something
    out; ``follow_up`` is the query for it, None if the model names nothing that is missing.
    """

    text: str
    citations: tuple[int, ...] = ()
    abstained: bool = False
    confidence: float = 0.5
    replies: tuple[PartReply, ...] = ()
    lacks_evidence: bool = False
    follow_up: FollowUp | None = None


class AnswerStream(Iterator[str], Protocol):
    """An answer as it is generated: iterate over the pieces of its text, then call ``reply()``."""

    def reply(self) -> ModelAnswer:
        """Return the answer as a whole.

        Raises:
            ModelGarbled: it cannot be understood.
        """
        ...

    def close(self) -> None:
        """End the call."""
        ...


# Models.


class ChargedModel(Protocol):
    """A language model with a budget. Safe to use from several threads.

    Each call may raise ``ModelUnavailable``, ``ModelGarbled`` or ``BudgetSpent``.
    """

    @property
    def made_by(self) -> str:
        """Name of the model and version of its prompts: ``openai:gpt-4o-mini/4``."""
        ...

    def charged(self, ledger: SpendingLedger | None, budget: Budget) -> Self:
        """Return the same model, charged to a ledger and held to a budget."""
        ...


class WorkerModel(ChargedModel, Protocol):
    """A language model that reads turns, writes texts and judges reactions."""

    @property
    def room(self) -> Room:
        """Size of one call of ``write``."""
        ...

    def read(self, passage: Passage, persona: str = "") -> Sequence[TurnExtraction]:
        """Extract the content of each wanted turn of a passage, by one call."""
        ...

    def write(self, work: WriteRequest) -> WriteResult:
        """Write all texts, by one call."""
        ...

    def compress(self, work: ToCompress) -> Compression | None:
        """Compress a long text, by one call; None if nothing usable was said."""
        ...

    def distil(self, cases: Sequence[str]) -> tuple[str, Sequence[int]] | None:
        """Distil a lesson from cases, by one call: its text and the indices of the cases that it stands on, or None."""
        ...

    def reactions(self, replies: Sequence[ToJudge]) -> Sequence[Reaction | None]:
        """Judge each reply as feedback on the answer before it, by one call; None where nothing usable was said."""
        ...


class BatchCalls(Protocol):
    """Calls as lines of files: those that were answered, and those that wait."""

    @property
    def response_count(self) -> int:
        """Number of responses that calls asked for."""
        ...

    @property
    def unused(self) -> Sequence[str]:
        """Ids of the responses that no call asked for."""
        ...

    @property
    def refusals(self) -> Sequence[tuple[int, str]]:
        """Lines that are no usable responses, by number, and why."""
        ...

    def requests(self) -> Iterator[Mapping[str, Any]]:
        """Yield the requests of the calls that wait, in the form of the provider's batch interface."""
        ...


class BatchWorker(WorkerModel, Protocol):
    """A language model whose calls are lines of files."""

    @property
    def batch(self) -> BatchCalls:
        """Its calls."""
        ...


class AnswerModel(ChargedModel, Protocol):
    """A language model that plans and answers questions, each by one call."""

    @property
    def usage(self) -> ModelUsage:
        """Spending through this model since it was charged."""
        ...

    def plan(self, question: str, question_time: datetime, people: Sequence[str]) -> Plan:
        """Plan how to look a question up."""
        ...

    def answer(self, work: ToAnswer) -> ModelAnswer:
        """Answer from the evidence."""
        ...

    def stream_answer(self, work: ToAnswer, *, hold: bool = False) -> AnswerStream:
        """Answer as a stream; with ``hold``, yield nothing of a reply that first says that it lacks something."""
        ...


class JudgeModel(ChargedModel, Protocol):
    """A language model that judges answers for an evaluation."""

    @property
    def usage(self) -> ModelUsage:
        """Spending through this model since it was charged."""
        ...

    def judge(self, question: str, gold: str, answer: str, kind: str, rule: str) -> tuple[bool, str]:
        """Judge an answer by a rule, by one call; return the verdict and its reason."""
        ...

    def simplify(self, question: str, answer: str) -> str:
        """Reduce an answer to its words that answer the question, by one call."""
        ...

    def overhead(self, task: str) -> int:
        """Estimate the tokens of a call of a task without its data."""
        ...

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """Return the price of tokens; None if it is unknown."""
        ...


def worker_model(analyst: Analyst) -> WorkerModel | None:
    """Return the language model that belongs to an analyst; None if it has none."""
    return getattr(analyst, "model", None)


def batch_worker(analyst: Analyst, responses: Path | None) -> BatchWorker | None:
    """Return the language model of an analyst, answered by the responses in a file; None if it cannot be.

    Raises:
        InvalidFile: the file cannot be read.
    """
    batched = getattr(worker_model(analyst), "batched", None)
    return None if batched is None else batched(responses)


def answer_model(analyst: Analyst) -> AnswerModel | None:
    """Return the language model of an analyst as one that answers; None if it has none."""
    return getattr(analyst, "model", None)
