"""Asking a memory one question, and recording its rankings, answers and times."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from typing import Any, Final

from hmem.api.memory import Memory
from hmem.model.answer import Usage
from hmem.model.evidence import Found
from hmem_evals.conversations import Conversation, Question

# A search is timed with the usual number of results.
TIMED_K: Final = 10

_BREAKS: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Gold:
    """Evidence to find for a question: ids of existing messages, their sessions, and the texts of the turns."""

    evidence: tuple[str, ...]
    sessions: tuple[str, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Handles:
    """Two handles on one memory: an answer of ``memory`` counts as use of its evidence, one of ``unused`` does not.

    Most recipes count no uses; then both are the same.
    """

    memory: Memory
    unused: Memory


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """Answer with its confidence, 0 to 1, and its time in milliseconds.

    ``stages`` is the usage of models by stage; ``simple`` is the answer shortened for its F1, and ``correct`` the
    judge's verdict, both None without a judge. ``failed``: the rules answered in place of a model.
    """

    text: str
    abstained: bool
    confidence: float
    ask_ms: float
    stages: Mapping[str, Usage] = field(default_factory=dict[str, Usage])
    failed: bool = False
    simple: str | None = None
    correct: bool | None = None


# Function that judges an answer to a question.
Mark = Callable[[Question, TimedAnswer], TimedAnswer]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Results of one question. ``ranked`` are message ids, ``ranked_sessions`` sessions, best first.

    ``at`` is the time of asking, None for now. ``in_context`` is the fraction of the evidence turns whose text stands
    in the context, None without evidence. ``said`` is the first answer, None if there is none, and ``again`` are the
    repeated ones. ``tier`` is the tier in which the search ended, None in a recipe without tiers.
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
        """The answers, one for each repeat."""
        return () if self.said is None else (self.said, *self.again)

    @property
    def counts_for_recall(self) -> bool:
        """True if the question counts for recall: it is answerable and has evidence."""
        return not self.question.unanswerable and bool(self.gold.evidence)


def gold_of(conversation: Conversation) -> list[Gold]:
    """Return the gold of each question, without evidence that names no turn of the conversation."""
    messages = {message["message_id"]: message for message in conversation.messages}
    return [_gold(question, messages) for question in conversation.questions]


def _gold(question: Question, messages: Mapping[str, Mapping[str, Any]]) -> Gold:
    evidence = tuple(name for name in question.evidence if name in messages)
    sessions = dict.fromkeys(messages[name]["session"] for name in evidence)
    texts = tuple(messages[name]["text"].strip() or messages[name]["caption"] for name in evidence)
    return Gold(evidence, question.sessions or tuple(sessions), texts)


def ask(
    handles: Handles,
    question: Question,
    gold: Gold,
    *,
    depth: int,
    tokens: int,
    time: datetime | None = None,
    repeats: int = 1,
    mark: Mark | None = None,
) -> Outcome:
    """Run a timed search, a deeper one for the ranks, write the context and answer, all as of ``time``.

    Only the first answer counts as use. The question is answered ``repeats`` times, by one plan, and ``mark`` judges
    each answer.
    """
    start = perf_counter()
    first = handles.memory.search(question.text, TIMED_K, at=time, trace=True, min_score=0.0)
    seconds = perf_counter() - start
    deep_results = handles.unused.search(question.text, depth, at=time, min_score=0.0)
    sessions = handles.unused.search(question.text, depth, at=time, kinds=("session",), min_score=0.0)
    timed_answers = [
        _timed_answer(handles.unused if repeat else handles.memory, question, time, tokens) for repeat in range(repeats)
    ]
    marked = timed_answers if mark is None else [mark(question, timed_answer) for timed_answer in timed_answers]
    context = handles.unused.context(question.text, tokens, at=time)
    return Outcome(
        question=question,
        gold=gold,
        ranked=tuple(item.message_id for item in deep_results if item.message_id is not None),
        ranked_sessions=tuple(item.session for item in sessions),
        in_context=share_in(context.text, gold.texts),
        context_tokens=context.tokens,
        search_ms=seconds * 1_000,
        said=marked[0],
        again=tuple(marked[1:]),
        tier=_last_tier(first),
        at=time,
    )


def _last_tier(results: Found) -> str | None:
    """Return the tier in which a search ended; None if its recipe has no tiers."""
    if results.trace is None or "tiered" not in results.trace.steps:
        return None
    return results.trace.steps["tiered"].get("ended in")


def _timed_answer(memory: Memory, question: Question, time: datetime | None, tokens: int) -> TimedAnswer:
    start = perf_counter()
    answer = memory.ask(question.text, at=time, tokens=tokens)
    milliseconds = (perf_counter() - start) * 1_000
    usage = answer.usage
    stages = {} if usage is None else dict(usage.stages)
    has_failed = (
        usage is not None and answer.made_by.startswith("verbatim") and bool(answer.evidence or usage.calls > 1)
    )
    return TimedAnswer(answer.text, answer.abstained, answer.confidence, milliseconds, stages, has_failed)


def share_in(context: str, texts: Sequence[str]) -> float | None:
    """Return the fraction of texts that stand whole in a context, whatever its line breaks; None without texts."""
    if not texts:
        return None
    flat = _collapsed(context)
    return sum(_collapsed(text) in flat for text in texts) / len(texts)


def _collapsed(text: str) -> str:
    return _BREAKS.sub(" ", text).strip()
