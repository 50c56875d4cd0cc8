"""Answers to questions, and the cost of a model's answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from hmem.model.evidence import Evidence, Trace, evidence_grid
from hmem.model.plan import Plan
from hmem.model.value import Value, faint, framed, html

Certainty = Literal["sure", "likely", "unsure"]

# Least chance of being right of an answer that is sure, and of one that is likely.
SURE: Final = 0.8
LIKELY: Final = 0.6


def certainty_of(confidence: float) -> Certainty:
    """Return the certainty of an answer, from its chance of being right, 0 to 1."""
    return "sure" if confidence >= SURE else "likely" if confidence >= LIKELY else "unsure"


@dataclass(frozen=True, slots=True, repr=False)
class Usage(Value):
    """Cost of a language model: calls, tokens in and out, money where prices are known, and milliseconds waited.

    ``context_tokens`` is the size of the evidence that it was shown last, counted with the bundled tokenizer;
    ``stages`` has the same figures by stage, ``plan`` and ``answer``.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    milliseconds: float = 0.0
    context_tokens: int = 0
    stages: "Mapping[str, Usage]" = field(default_factory=dict[str, "Usage"])


@dataclass(frozen=True, slots=True, repr=False)
class Answer(Value):
    """A memory's answer to a question.

    Without a language model ``text`` quotes what was said, a line for each turn, with who said it and when, newest
    first; a model answers in words of its own. If ``abstained``, it says that the memory does not tell. ``evidence`` is
    the source of the answer, best first; ``confidence`` is the chance that it is right, 0 to 1: of an abstention, that
    the memory does not hold the answer. ``value`` is the value of a typed slot that was asked for, or, if the question
    asks for a time, the day that a quoted turn tells, in ISO form; else None.
    ``made_by`` is the analyst or the model that answered; ``usage`` is the cost of the model, also if it failed and the
    memory was quoted; None if none was asked. ``why`` says, step by step, what was searched for a model, and what it
    missed.
    """

    question: str
    text: str
    confidence: float
    abstained: bool
    evidence: tuple[Evidence, ...]
    plan: Plan = field(repr=False)
    made_by: str = "verbatim"
    trace: Trace | None = field(default=None, repr=False)
    usage: Usage | None = None
    value: str | None = None
    why: tuple[str, ...] = ()

    @property
    def certainty(self) -> Certainty:
        """Certainty of the answer or the abstention, by its confidence: ``sure``, ``likely`` or ``unsure``."""
        return certainty_of(self.confidence)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """Return the answer for a notebook: its text, how certain it is, and its evidence."""
        return framed(f"<b>{html(self.text)}</b>{faint(html(assurance(self)))}{evidence_grid(self.evidence)}")


def assurance(answer: Answer) -> str:
    """Return in words how far an answer can be relied on, with its confidence."""
    chance = f"{answer.confidence:.2f}"
    if answer.abstained and answer.certainty == "unsure":
        return f"unsure, confidence {chance}: the memory may tell it in other words, so look at the evidence"
    if answer.abstained:
        return f"{answer.certainty} that the memory does not tell it, confidence {chance}"
    if answer.certainty == "sure":
        return f"sure, confidence {chance}"
    if answer.certainty == "likely":
        return f"likely, confidence {chance}: look at the evidence if much depends on it"
    return f"unsure, confidence {chance}: it may well be wrong, so look at the evidence"
