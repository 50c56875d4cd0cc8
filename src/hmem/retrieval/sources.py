"""Sources of a recall: the corpus, the derived state and the analyst."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, TypeVar

import numpy as np

from hmem.corpus.corpus import Corpus
from hmem.corpus.embedding import vectors_of_texts
from hmem.corpus.index.rows import Rows, Values
from hmem.derived.changes import Decisions
from hmem.derived.episodes import Episodes
from hmem.derived.state import DerivedState
from hmem.derived.text_writer import TextWriter
from hmem.language.analyst import Analyst
from hmem.language.analyst.base import Excerpt
from hmem.storage.base import FormationProgress
from hmem.storage.model_queue import ERASURES

_Result = TypeVar("_Result")

# Number of texts whose vectors are cached.
_MAX_TEXTS: Final = 50_000


class Sources:
    """Corpus, derived state and analyst of a recall. Use it inside ``corpus.reading()``.

    The derived state is caught up on first use, so that a recipe that does not need it loads nothing. With
    ``embedder_unavailable``, only words are compared in this recall.
    """

    # Number of recalls that began in this process, of all memories.
    recall_count: ClassVar[int] = 0

    def __init__(self, corpus: Corpus, derived: DerivedState, text_writer: TextWriter, analyst: Analyst) -> None:
        self.corpus = corpus
        self.text_writer = text_writer
        self.analyst = analyst
        self._derived = derived
        self.recalls = 0
        # Number of best turns that this recall may show.
        self.shown = 0
        self.embedder_unavailable = False
        self._caught_up = False
        self._cache: dict[Any, Any] = {}
        self._cache_version: tuple[int, int, FormationProgress, int] | None = None
        self._lasting: dict[Any, Any] = {}
        self._lasting_since: str | None = None
        self._rarities: dict[tuple[str, ...], list[float]] = {}

    def begin(self, turn_count: int = 0) -> None:
        """Begin a recall of so many turns, which sees all changes made before."""
        self.recalls += 1
        Sources.recall_count += 1
        self.shown = turn_count
        self.embedder_unavailable = False
        self._caught_up = False
        self._rarities = {}
        self.decisions.catch_up()

    @property
    def decisions(self) -> Decisions:
        """Changes decided on the memory's contents, as of the beginning of the recall."""
        return self._derived.decisions

    @property
    def derived(self) -> DerivedState:
        """Derived state made by any process, as of its first use in the recall."""
        if not self._caught_up:
            self._derived.take_up()
            self._caught_up = True
        return self._derived

    def rarities(self, terms: tuple[str, ...]) -> list[float]:
        """Return the idf of each stem among the turns, looked up once in a recall."""
        if terms not in self._rarities:
            self._rarities[terms] = self.corpus.rarities(terms)
        return self._rarities[terms]

    def lasting(self, make: Callable[["Sources"], _Result]) -> _Result:
        """Return the result of ``make``, cached until something is forgotten; it has to see other changes itself."""
        last_erasure = self.corpus.state.settings.get(ERASURES)
        if last_erasure != self._lasting_since:
            self._lasting.clear()
            self._lasting_since = last_erasure
        if make not in self._lasting:
            self._lasting[make] = make(self)
        return self._lasting[make]

    def vectors_of_texts(self, texts: Sequence[str]) -> Values:
        """Return the vector of each text, a row each. Each text is embedded once, until something is forgotten."""
        known, embedder = self.lasting(_text_vectors), self.corpus.embedder
        if len(known) > _MAX_TEXTS:
            known.clear()
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(missing, vectors_of_texts(embedder, missing), strict=True))
        return np.stack([known[text] for text in texts]) if texts else np.zeros((0, embedder.dimension), np.float32)

    def excerpts(self, rows: Rows) -> list[Excerpt]:
        """Return the turns of rows, in their order, as an analyst reads them; one that was just deleted is left out."""
        turns = self.corpus.turns(rows)
        return [Excerpt(turn.content, turn.speaker, turn.at) for row in rows.tolist() if (turn := turns.get(row))]

    @property
    def episodes(self) -> Episodes:
        """Current episodes."""
        return self.cached(_episodes)

    def cached(self, make: Callable[["Sources"], _Result]) -> _Result:
        """Return the result of ``make``, cached until the turns, their derived state or the decisions change."""
        # Rows are renumbered, by a rewriting of the indices, if dead ones are dropped.
        version = (self.corpus.watermark, len(self.corpus.columns), self.derived.at, self.decisions.last)
        if version != self._cache_version:
            self._cache.clear()
            self._cache_version = version
        if make not in self._cache:
            self._cache[make] = make(self)
        return self._cache[make]


def _text_vectors(_: Sources) -> dict[str, Values]:
    return {}


def _episodes(sources: Sources) -> Episodes:
    return Episodes(sources.corpus, sources.derived.judgements)
