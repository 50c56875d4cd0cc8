"""From a question to evidence, and to a context: the stages in their order."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Final

from hmem.errors import InvalidQuery
from hmem.index.analyze import stems
from hmem.model.evidence import Context, Evidence, Found, Trace, Why
from hmem.model.turn import Turn
from hmem.read.context import write_context
from hmem.read.plan import Query, checked, whole, wording
from hmem.read.score.combine import explain
from hmem.read.sources import Sources
from hmem.read.strategy.base import Scored
from hmem.read.strategy.flat import FlatOptions, flat
from hmem.storage.base import Speaker

MOST: Final = 10_000

# A line of context takes at least about this many tokens.
_TOKENS_A_LINE: Final = 12


@dataclass(frozen=True, slots=True)
class Reading:
    """How a recipe recalls: which strategies, and their options."""

    strategies: tuple[str, ...] = ("flat",)
    flat: FlatOptions = field(default_factory=FlatOptions)


STRATEGIES: Final[Mapping[str, Callable[[Sources, Query, Reading], Scored]]] = {
    "flat": lambda sources, query, reading: flat(sources, query, reading.flat),
}


class _Clock:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.stages: dict[str, float] = {}
        self._last = perf_counter()

    def stage(self, name: str) -> None:
        present = perf_counter()
        self.stages[name] = (present - self._last) * 1_000
        self._last = present


class Recall:
    """Recalls from one memory, in a recipe's way."""

    def __init__(self, sources: Sources, reading: Reading) -> None:
        self._sources = sources
        self._reading = reading

    def search(self, question: str, k: int, *, asked: datetime | None = None, trace: bool = False) -> Found:
        """The ``k`` best pieces of evidence for a question.

        Raises:
            InvalidQuery: the question is empty, or k is not from 1 to ``MOST``.
        """
        if not isinstance(k, int) or not 1 <= k <= MOST:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidQuery(f"k is a whole number from 1 to {MOST:,}, not {k!r}")
        clock = _Clock()
        with self._sources.corpus.reading():
            self._sources.begin()
            clock.stage("catch up")
            query = self.read(question, asked)
            clock.stage("read the question")
            scored = STRATEGIES[self._reading.strategies[0]](self._sources, query, self._reading)
            clock.stage("find and score")
            evidence = self._evidence(scored, query, k)
            clock.stage("fetch")
        story = Trace(query.words, query.names, scored.sizes, clock.stages) if trace else None
        return Found(question, evidence, story)

    def read(self, question: str, asked: datetime | None = None) -> Query:
        """A question as the strategies use it.

        Raises:
            InvalidQuery: it is empty.
        """
        text = checked(question)
        corpus, moment = self._sources.corpus, asked or datetime.now(UTC)
        said = wording(text, corpus.speakers)
        part = whole(self._sources.analyst.plan(text, moment, _people(corpus.speakers)))
        vector = corpus.embedder.embed([text])[0]
        return Query(text, said.terms, said.words, said.speakers, said.names, vector, part, moment)

    def _evidence(self, scored: Scored, query: Query, k: int) -> tuple[Evidence, ...]:
        """The best of what was scored, with its turns; one that was just deleted is left out."""
        rows = scored.rows[:k]
        turns = self._sources.corpus.turns(rows)
        reasons = explain(scored.terms, scored.weights, k)
        ranked = zip(rows.tolist(), scored.scores[:k].tolist(), reasons, strict=True)
        return tuple(
            _piece(turns[row], score, Why((scored.name,), terms, _words_in(turns[row], query)))
            for row, score, terms in ranked
            if row in turns
        )

    def context(self, question: str, tokens: int, *, asked: datetime | None = None) -> Context:
        """What answers the question, written for a prompt in at most ``tokens`` tokens.

        Raises:
            InvalidQuery: the question is empty, or the budget is below 1.
        """
        if not isinstance(tokens, int) or tokens < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidQuery(f"a token budget is a whole number from 1, not {tokens!r}")
        found = self.search(question, min(max(tokens // _TOKENS_A_LINE, 1), MOST), asked=asked)
        with self._sources.corpus.reading():
            terms = wording(question, self._sources.corpus.speakers).terms
        return write_context(question, found.evidence, tokens, terms)


def _people(speakers: Sequence[Speaker]) -> list[str]:
    """The names of those who speak, the user first."""
    return [speaker.name for speaker in sorted(speakers, key=lambda speaker: speaker.role != "user")]


def _words_in(turn: Turn, query: Query) -> tuple[str, ...]:
    """The question's words that stand in a turn."""
    held = set(stems(turn.content))
    return tuple(word for term, word in zip(query.terms, query.words, strict=True) if term in held)


def _piece(turn: Turn, score: float, why: Why) -> Evidence:
    return Evidence(
        id=turn.id,
        kind="turn",
        text=turn.text,
        when=turn.at,
        score=score,
        why=why,
        session=turn.session,
        speaker=turn.speaker,
        caption=turn.caption,
        message_id=turn.message_id,
        sources=(turn.id,),
    )
