"""What recall hands back: evidence with its scores, and a context for a prompt."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal, get_args, overload

from hmem.model.plan import FollowUp, Plan
from hmem.model.renamed import current_term

if TYPE_CHECKING:
    # What only hands evidence on does not load it.
    import numpy as np
    from numpy.typing import NDArray


# Kinds of memory that a search can find.
SearchKind = Literal["turn", "session", "event", "note", "summary", "episode", "profile"]
SEARCH_KINDS: Final[tuple[SearchKind, ...]] = get_args(SearchKind)


@dataclass(frozen=True, slots=True)
class Term:
    """One score of a piece of evidence: ``value`` times ``weight`` is what it adds."""

    value: float
    weight: float

    @property
    def contribution(self) -> float:
        return self.value * self.weight


class Terms(Mapping[str, Term]):
    """The terms of a score by name, made when they are looked at: a search has hundreds, and few are ever read."""

    __slots__ = ("_made", "_names", "_order", "_values", "_weights")

    def __init__(
        self,
        names: Sequence[str],
        values: "NDArray[np.float32]",
        weights: Sequence[float],
        order: "NDArray[np.int64]",
    ) -> None:
        """A value and a weight for each name; what is 0 is left out. ``order`` has the places of those that add or take
        most first."""
        self._names = names
        self._values = values
        self._weights = weights
        self._order = order
        self._made: dict[str, Term] | None = None

    @property
    def _by_name(self) -> dict[str, Term]:
        if self._made is None:
            each = zip(self._names, self._values.tolist(), self._weights, strict=True)
            self._made = {name: Term(value, weight) for name, value, weight in each if value}
        return self._made

    def __getitem__(self, name: str) -> Term:
        found = self._by_name.get(name)
        return self._by_name[current_term(name)] if found is None else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return repr(dict(self))

    def greatest(self, most: int) -> list[tuple[str, Term]]:
        """As ``Why.greatest``, without making the others."""
        names, weights, order = self._names, self._weights, self._order[:most]
        places: list[int] = order.tolist()
        values: list[float] = self._values[order].tolist()
        return [(names[at], Term(value, weights[at])) for at, value in zip(places, values, strict=True) if value]


@dataclass(frozen=True, slots=True)
class Why:
    """Why a piece of evidence was recalled.

    ``strategies`` found it; the contributions of ``terms`` sum to its score; ``words`` are the question's
    words that stand in it; ``paths`` are its ancestors' labels in each tree; ``echoes`` are the ids of the turns
    that it repeats, which had been recalled before it was said. ``lacking`` names what could not be had for it:
    the ``reranker``, so that the order is that before it, or the ``embedder``, so that words alone found it.
    """

    strategies: tuple[str, ...]
    terms: Mapping[str, Term]
    words: tuple[str, ...] = ()
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    echoes: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()

    def greatest(self, most: int) -> list[tuple[str, Term]]:
        """So many of the terms, those that add or take most; ``most`` is from 0 on."""
        if isinstance(self.terms, Terms):
            return self.terms.greatest(most)
        return sorted(self.terms.items(), key=lambda item: -abs(item[1].contribution))[:most]

    def __str__(self) -> str:
        terms = self.greatest(len(self.terms))
        parts = [f"{name} {term.contribution:+.2f}" for name, term in terms if abs(term.contribution) >= 0.005]
        said = f"; words: {', '.join(self.words)}" if self.words else ""
        repeats = f"; repeats {', '.join(self.echoes)}" if self.echoes else ""
        lacks = f"; without {', '.join(self.lacking)}" if self.lacking else ""
        return f"{'+'.join(self.strategies)}: {', '.join(parts) or 'nothing'}{said}{repeats}{lacks}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of memory returned for a question, with its score and where it comes from."""

    id: str
    kind: str
    text: str
    when: datetime
    score: float
    why: Why
    session: str
    speaker: str | None = None
    caption: str | None = None
    message_id: str | None = None
    sources: tuple[str, ...] = ()

    @property
    def content(self) -> str:
        """Everything in it that can be found by its words: the text and the caption."""
        return f"{self.text} {self.caption}" if self.caption else self.text


@dataclass(frozen=True, slots=True)
class Trace:
    """The story of one recall: what the question was read as, what each stage did, and its milliseconds.

    ``queries`` are the texts that were looked up: the question, its parts, the follow-up. ``steps`` tell what each
    strategy did, by its name; of a part of the question behind its number ("2: flat"), of the follow-up behind
    "follow-up: ". What kept a use from being recorded stands there under "uses".
    """

    words: tuple[str, ...]
    speakers: tuple[str, ...]
    candidates: Mapping[str, int]
    milliseconds: Mapping[str, float]
    plan: Plan | None = None
    queries: tuple[str, ...] = ()
    follow_up: FollowUp | None = None
    steps: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])


@dataclass(frozen=True, slots=True)
class Found:
    """The evidence for a question, best first. It behaves as a sequence."""

    question: str
    evidence: tuple[Evidence, ...]
    trace: Trace | None = None

    def __len__(self) -> int:
        return len(self.evidence)

    def __iter__(self) -> Iterator[Evidence]:
        return iter(self.evidence)

    @overload
    def __getitem__(self, index: int) -> Evidence: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Evidence, ...]: ...
    def __getitem__(self, index: int | slice) -> Evidence | tuple[Evidence, ...]:
        return self.evidence[index]


@dataclass(frozen=True, slots=True)
class Context:
    """Recalled memory written for a prompt; ``str(context)`` is the text.

    ``tokens`` counts the text with the bundled tokenizer and never exceeds ``budget``. ``citations`` maps
    each citation in the text, such as ``3`` for the line that begins with it, to the id of the memory that it cites.
    ``lacking`` are the ids of what is pinned and had no room in it.
    """

    question: str
    text: str
    tokens: int
    budget: int
    evidence: tuple[Evidence, ...]
    citations: Mapping[str, str]
    lacking: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text
