"""Asking a memory one question, and noting how well it did."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

from hmem.evals.dataset import Conversation, Question
from hmem.memory import Memory

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
class Outcome:
    """What came of a question. ``ranked`` are message ids, ``ranked_sessions`` sessions, best first.

    ``in_context`` is the fraction of evidence turns whose text stands in the context, None without evidence.
    """

    question: Question
    gold: Gold
    ranked: tuple[str, ...]
    ranked_sessions: tuple[str, ...]
    in_context: float | None
    context_tokens: int
    search_ms: float

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


def ask(memory: Memory, question: Question, gold: Gold, *, depth: int, tokens: int) -> Outcome:
    """Search twice, for the time and for the ranks, and write the context."""
    started = perf_counter()
    memory.search(question.text, TIMED_K)
    took = perf_counter() - started
    found = memory.search(question.text, depth)
    context = memory.context(question.text, tokens)
    return Outcome(
        question=question,
        gold=gold,
        ranked=tuple(item.message_id for item in found if item.message_id is not None),
        ranked_sessions=tuple(dict.fromkeys(item.session for item in found)),
        in_context=_share_in(context.text, gold.texts),
        context_tokens=context.tokens,
        search_ms=took * 1_000,
    )


def _share_in(context: str, texts: Sequence[str]) -> float | None:
    if not texts:
        return None
    flat = _collapsed(context)
    return sum(_collapsed(text) in flat for text in texts) / len(texts)


def _collapsed(text: str) -> str:
    return _BREAKS.sub(" ", text).strip()
