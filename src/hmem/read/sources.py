"""What recall reads: the corpus, and what was formed of it."""

from collections.abc import Callable
from typing import Any, TypeVar

from hmem.corpus import Corpus
from hmem.hierarchy.arrangement import Arrangement
from hmem.hierarchy.decisions import Decisions
from hmem.hierarchy.episodes import Episodes
from hmem.hierarchy.scribe import Scribe
from hmem.language.analyst.base import Analyst
from hmem.read.facts import Facts
from hmem.read.turns import Turns
from hmem.storage.base import Formed

_Made = TypeVar("_Made")


class Sources:
    """The corpus, the arrangement, and what reads language. Use it inside ``corpus.reading()``.

    The arrangement is caught up when it is first asked for, so that a recipe that needs nothing formed loads nothing.
    ``deaf`` says that the embedder cannot be had in this recall, so that words alone tell what is like what.
    """

    def __init__(self, corpus: Corpus, arrangement: Arrangement, scribe: Scribe, analyst: Analyst) -> None:
        self.corpus = corpus
        self.scribe = scribe
        self.analyst = analyst
        self.facts = Facts()
        self.turns = Turns(corpus)
        self._arrangement = arrangement
        self.recalls = 0
        self.deaf = False
        self._caught_up = False
        self._kept: dict[Any, Any] = {}
        self._kept_at: tuple[int, Formed, int] | None = None

    def begin(self) -> None:
        """A recall begins: what was formed meanwhile counts in it."""
        self.recalls += 1
        self.deaf = False
        self._caught_up = False
        self.decisions.catch_up()

    @property
    def decisions(self) -> Decisions:
        """What was decided about what is kept, when the recall began."""
        return self._arrangement.decisions

    @property
    def arrangement(self) -> Arrangement:
        """Everything that was formed, by any process, when the recall began."""
        if not self._caught_up:
            self._arrangement.take_up()
            self._caught_up = True
        return self._arrangement

    @property
    def episodes(self) -> Episodes:
        """The episodes as they are now."""
        return self.kept(_episodes)

    def kept(self, make: Callable[["Sources"], _Made]) -> _Made:
        """What ``make`` makes of these sources, made once until turns come or go, more of them are formed, or
        something is decided."""
        now = (self.corpus.watermark, self.arrangement.at, self.decisions.last)
        if now != self._kept_at:
            self._kept.clear()
            self._kept_at = now
        if make not in self._kept:
            self._kept[make] = make(self)
        return self._kept[make]


def _episodes(sources: Sources) -> Episodes:
    return Episodes(sources.corpus, sources.arrangement.judgements)
