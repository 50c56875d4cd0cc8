"""Asking a memory one question, and noting how well it did."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from typing import Any, Final

from hmem.api.memory import Memory
from hmem.interfaces.formats.conversations import Conversation, Question
from hmem.model.answer import Usage
from hmem.model.evidence import Found

# A search is timed with as many results as a caller usually wants.
TIMED_K: Final = 10

_BREAKS: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Gold:
    """What is to be found for a question: message ids that exist, their sessions, and the texts of the turns."""

    evidence: tuple[str, ...]
    sessions: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Handles:
    """A memory and how it is asked: a search of ``memory`` counts as use, one of ``unused`` does not.

    Most recipes count no use; the two are the same then.
    """

    memory: Memory
    unused: Memory


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """What was answered, with the chance that it is right, and how long it took.

    ``stages`` is what models took, by stage; ``simple`` is the answer made short for its F1, and ``correct`` what a
    judge makes of it, where there is one. ``failed``: a model was to answer, and the rules did.
    """

    text: str
    abstained: bool
    confidence: float
    ask_ms: float
    stages: Mapping[str, Usage] = field(default_factory=dict[str, Usage])
    failed: bool = False
    simple: str | None = None
    correct: bool | None = None


# Judges an answer to a question.
Mark = Callable[[Question, TimedAnswer], TimedAnswer]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a question. ``ranked`` are message ids, ``ranked_sessions`` sessions, best first.

    It was asked ``at`` a time, or now. ``in_context`` is the fraction of evidence turns whose text stands in the
    context, None without evidence. ``said`` is None when it was not asked for an answer; ``tier`` is where the search
    ended, in a recipe with tiers; ``again`` are the answers when it was asked again.
    """

    question: Question
    gold: Gold
    ranked: tuple[str, ...]
    ranked_sessions: tuple[str, ...]
    in_context: float | None
    context_tokens: int
    search_ms: float
    said: TimedAnswer | None = None
    tier: str | None = None
    at: datetime | None = None
    again: tuple[TimedAnswer, ...] = ()

    @property
    def answers(self) -> tuple[TimedAnswer, ...]:
        """All answers, one for each repeat."""
        return () if self.said is None else (self.said, *self.again)

    @property
    def measured(self) -> bool:
        """Whether it counts for recall: it can be answered, and evidence of it exists."""
        return not self.question.unanswerable and bool(self.gold.evidence)


def gold_of(conversation: Conversation) -> list[Gold]:
    """The gold of each question; evidence that names no turn of the conversation is dropped."""
    messages = {message["message_id"]: message for message in conversation.messages}
    return [_gold(question, messages) for question in conversation.questions]


def _gold(question: Question, messages: Mapping[str, Mapping[str, Any]]) -> Gold:
    evidence = tuple(name for name in question.evidence if name in messages)
    held = dict.fromkeys(messages[name]["session"] for name in evidence)
    texts = tuple(messages[name]["text"].strip() or messages[name]["caption"] for name in evidence)
    return Gold(evidence, question.sessions or tuple(held), texts)


def ask(
    handles: Handles,
    question: Question,
    gold: Gold,
    *,
    depth: int,
    tokens: int,
    at: datetime | None = None,
    repeats: int = 1,
    mark: Mark | None = None,
) -> Outcome:
    """Search for the time, again deeper for the ranks, write the context, and answer; as asked at ``at``.

    The first search alone counts as use: a question is asked once. It is answered ``repeats`` times, by one plan, and
    ``mark`` judges each answer.
    """
    started = perf_counter()
    first = handles.memory.search(question.text, TIMED_K, at=at, trace=True)
    took = perf_counter() - started
    found = handles.unused.search(question.text, depth, at=at)
    sessions = handles.unused.search(question.text, depth, at=at, kinds=("session",))
    said = [_said(handles.unused, question, at, tokens) for _ in range(repeats)]
    marked = said if mark is None else [mark(question, each) for each in said]
    context = handles.unused.context(question.text, tokens, at=at)
    return Outcome(
        question=question,
        gold=gold,
        ranked=tuple(item.message_id for item in found if item.message_id is not None),
        ranked_sessions=tuple(item.session for item in sessions),
        in_context=_share_in(context.text, gold.texts),
        context_tokens=context.tokens,
        search_ms=took * 1_000,
        said=marked[0],
        again=tuple(marked[1:]),
        tier=_ended_in(first),
        at=at,
    )


def _ended_in(found: Found) -> str | None:
    """The tier in which a search ended, if its recipe has tiers."""
    if found.trace is None or "tiered" not in found.trace.steps:
        return None
    return found.trace.steps["tiered"].get("ended in")


def _said(memory: Memory, question: Question, at: datetime | None, tokens: int) -> TimedAnswer:
    started = perf_counter()
    answer = memory.ask(question.text, at=at, tokens=tokens)
    took = (perf_counter() - started) * 1_000
    usage = answer.usage
    stages = {} if usage is None else dict(usage.stages)
    failed = usage is not None and answer.made_by.startswith("rules") and bool(answer.evidence or usage.calls > 1)
    return TimedAnswer(answer.text, answer.abstained, answer.confidence, took, stages, failed)


def _share_in(context: str, texts: Sequence[str]) -> float | None:
    if not texts:
        return None
    flat = _collapsed(context)
    return sum(_collapsed(text) in flat for text in texts) / len(texts)


def _collapsed(text: str) -> str:
    return _BREAKS.sub(" ", text).strip()
