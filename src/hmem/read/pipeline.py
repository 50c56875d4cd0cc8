"""From a question to evidence, and to a context: the stages in their order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final

from hmem.corpus import Corpus
from hmem.errors import InvalidQuery
from hmem.index.analyze import stems
from hmem.model.evidence import Context, Evidence, Found, Trace, Why
from hmem.model.turn import Turn
from hmem.read.context import write_context
from hmem.read.plan import Query, read_question
from hmem.read.score.combine import explain
from hmem.read.strategy.base import Scored, Values
from hmem.read.strategy.flat import FlatOptions, flat

MOST: Final = 10_000

# A line of context takes at least about this many tokens.
_TOKENS_A_LINE: Final = 12

Strategy = Callable[[Corpus, Query, Values, FlatOptions], Scored]
STRATEGIES: Final[Mapping[str, Strategy]] = {"flat": flat}


@dataclass(frozen=True, slots=True)
class Reading:
    """How a recipe recalls: which strategies, and their options."""

    strategies: tuple[str, ...] = ("flat",)
    flat: FlatOptions = field(default_factory=FlatOptions)


class _Clock:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._last = perf_counter()

    def stage(self, name: str) -> None:
        present = perf_counter()
        self.stages[name] = (present - self._last) * 1_000
        self._last = present


def search(corpus: Corpus, reading: Reading, question: str, k: int, *, trace: bool = False) -> Found:
    """The ``k`` best pieces of evidence for a question.

    Raises:
        InvalidQuery: the question is empty, or k is not from 1 to ``MOST``.
    """
    if not isinstance(k, int) or not 1 <= k <= MOST:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidQuery(f"k is a whole number from 1 to {MOST:,}, not {k!r}")
    clock = _Clock()
    with corpus.reading():
        clock.stage("catch up")
        query = read_question(question, corpus.speakers)
        vector = corpus.embedder.embed([query.text])[0]
        clock.stage("read the question")
        scored = STRATEGIES[reading.strategies[0]](corpus, query, vector, reading.flat)
        clock.stage("find and score")
        turns = corpus.turns(scored.rows[:k])
        evidence = tuple(
            _evidence(turns[row], scored, position, query)
            for position, row in enumerate(scored.rows[:k].tolist())
            if row in turns
        )
        clock.stage("fetch")
    story = Trace(query.words, query.names, scored.sizes, clock.stages) if trace else None
    return Found(question, evidence, story)


def _evidence(turn: Turn, scored: Scored, position: int, query: Query) -> Evidence:
    held = set(stems(turn.content))
    found = tuple(word for term, word in zip(query.terms, query.words, strict=True) if term in held)
    return Evidence(
        id=turn.id,
        kind="turn",
        text=turn.text,
        when=turn.at,
        score=float(scored.scores[position]),
        why=Why((scored.name,), explain(scored.terms, scored.weights, position), found),
        session=turn.session,
        speaker=turn.speaker,
        caption=turn.caption,
        message_id=turn.message_id,
        sources=(turn.id,),
    )


def context(corpus: Corpus, reading: Reading, question: str, tokens: int) -> Context:
    """What answers the question, written for a prompt in at most ``tokens`` tokens.

    Raises:
        InvalidQuery: the question is empty, or the budget is below 1.
    """
    if not isinstance(tokens, int) or tokens < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidQuery(f"a token budget is a whole number from 1, not {tokens!r}")
    found = search(corpus, reading, question, min(max(tokens // _TOKENS_A_LINE, 1), MOST))
    with corpus.reading():
        query = read_question(question, corpus.speakers)
    return write_context(question, found.evidence, tokens, query.terms)
