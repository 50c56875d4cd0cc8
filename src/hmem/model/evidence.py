"""Results of recall: evidence with its scores, and a context for a prompt."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, get_args, overload

from hmem.model.plan import FollowUp, Plan
from hmem.model.value import Value, faint, format_time, framed, grid, html
from hmem.util.amounts import amount

if TYPE_CHECKING:
    # Callers that only pass evidence on do not load numpy.
    import numpy as np
    from numpy.typing import NDArray


SearchKind = Literal["turn", "session", "event", "note", "summary", "episode", "profile"]
SEARCH_KINDS: Final[tuple[SearchKind, ...]] = get_args(SearchKind)


@dataclass(frozen=True, slots=True, repr=False)
class Term(Value):
    """One term of a score: ``value`` times ``weight`` is its contribution."""

    value: float
    weight: float

    @property
    def contribution(self) -> float:
        return self.value * self.weight


class TermValues(Protocol):
    """Values of the terms of several scores, a row each."""

    def rows(self) -> "tuple[NDArray[np.float32], NDArray[np.int64]]":
        """Return the values, and the indices of the terms by the size of their contributions, largest first."""
        ...


class Terms(Mapping[str, Term]):
    """Terms of a score by name, built on first access: a search has hundreds, and few are ever read."""

    __slots__ = ("_names", "_row", "_terms", "_values", "_weights")

    def __init__(self, names: Sequence[str], weights: Sequence[float], values: TermValues, row: int) -> None:
        """Take a weight for each name, and the values with the row of this score; a value of 0 is left out."""
        self._names = names
        self._weights = weights
        self._values = values
        self._row = row
        self._terms: dict[str, Term] | None = None

    @property
    def _by_name(self) -> dict[str, Term]:
        if self._terms is None:
            values = zip(self._names, self._values.rows()[0][self._row].tolist(), self._weights, strict=True)
            self._terms = {name: Term(value, weight) for name, value, weight in values if value}
        return self._terms

    def __getitem__(self, name: str) -> Term:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def __repr__(self) -> str:
        return repr(dict(self))

    def greatest(self, limit: int) -> list[tuple[str, Term]]:
        """Return the same as ``Why.greatest`` without building the other terms."""
        names, weights, (table, orders) = self._names, self._weights, self._values.rows()
        order = orders[self._row, :limit]
        columns: list[int] = order.tolist()
        values: list[float] = table[self._row, order].tolist()
        return [
            (names[column], Term(value, weights[column]))
            for column, value in zip(columns, values, strict=True)
            if value
        ]


@dataclass(frozen=True, slots=True, repr=False)
class Outdated(Value):
    """Mark of a turn on whose matter something newer was said: ``since`` when, and ``by`` which turn, if known."""

    since: datetime | None = None
    by: str | None = None

    def __str__(self) -> str:
        since = "" if self.since is None else f": {self.since.day} {self.since:%B %Y}"
        return f"newer{since}" + ("" if self.by is None else f", see {self.by}")


@dataclass(frozen=True, slots=True, repr=False)
class Why(Value):
    """Reasons why a piece of evidence was recalled.

    ``strategies`` are those that found it; the contributions of ``terms`` sum to its score; ``words`` are the words
    that it shares with the question; ``paths`` are the labels of its ancestors in each tree; ``echoes`` are the ids of
    turns that it repeats, recalled before it was said. ``lacking`` names what was unavailable: the ``reranker`` (the
    order is the one before reranking) or the ``embedder`` (only words were searched). ``outdated`` tells that
    something newer was said on the turn's matter. ``confidence`` is the strength of the memory, 0 to 1, in a recipe
    that tells it to the reader (H-MEM).
    """

    strategies: tuple[str, ...]
    terms: Mapping[str, Term]
    words: tuple[str, ...] = ()
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    echoes: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()
    outdated: Outdated | None = None
    confidence: float | None = None

    def greatest(self, limit: int) -> list[tuple[str, Term]]:
        """Return the ``limit`` terms with the largest contributions by absolute value; ``limit`` is at least 0."""
        if isinstance(self.terms, Terms):
            return self.terms.greatest(limit)
        return sorted(self.terms.items(), key=lambda item: -abs(item[1].contribution))[:limit]

    def __str__(self) -> str:
        terms = self.greatest(len(self.terms))
        terms_text = [f"{name} {term.contribution:+.2f}" for name, term in terms if abs(term.contribution) >= 0.005]
        words = f"; words: {', '.join(self.words)}" if self.words else ""
        repeats = f"; repeats {', '.join(self.echoes)}" if self.echoes else ""
        lacks = f"; without {', '.join(self.lacking)}" if self.lacking else ""
        old = f"; {self.outdated}" if self.outdated else ""
        sure = "" if self.confidence is None else f"; confidence {self.confidence:.2f}"
        return f"{'+'.join(self.strategies)}: {', '.join(terms_text) or 'nothing'}{words}{repeats}{lacks}{old}{sure}"


def in_brief(why: Why, limit: int = 3) -> str:
    """Return in a line why something was recalled: the words that it shares, and the ``limit`` greatest terms."""
    shares = f"shares {', '.join(why.words)}" if why.words else "shares no word"
    terms = ", ".join(f"{name} {term.contribution:+.2f}" for name, term in why.greatest(limit))
    return f"{shares}; {terms}" if terms else shares


@dataclass(frozen=True, slots=True, repr=False)
class Evidence(Value):
    """A piece of memory found for a question, with its score and source.

    The ``score`` orders the evidence of one question. ``relevance`` is the chance, 0 to 1, that it tells what is asked,
    comparable between questions; None where it is not measured, as of what is pinned. ``place`` is where a document has
    it: its page, and the headings above it.
    """

    id: str
    kind: str
    text: str
    when: datetime
    score: float
    why: Why = field(repr=False)
    session: str
    speaker: str | None = None
    caption: str | None = None
    message_id: str | None = None
    sources: tuple[str, ...] = ()
    relevance: float | None = None
    place: str | None = None

    @property
    def content(self) -> str:
        """Searchable text: the text and the caption."""
        return f"{self.text} {self.caption}" if self.caption else self.text

    def _repr_html_(self) -> str:
        """Return the evidence for a notebook, the words of the question marked, with the reason why it was found."""
        return framed(evidence_grid((self,)))


@dataclass(frozen=True, slots=True, repr=False)
class Trace(Value):
    """Record of one recall: how the question was read, and each stage's results and milliseconds.

    ``queries`` are the texts that were searched for: the question, its parts, the follow-up. ``steps`` has each
    strategy's work by its name, prefixed with the number of a part of the question ("2: flat") or with "follow-up: ".
    The key "uses" says why a use could not be recorded.
    """

    words: tuple[str, ...]
    speakers: tuple[str, ...]
    candidates: Mapping[str, int]
    milliseconds: Mapping[str, float]
    plan: Plan | None = None
    queries: tuple[str, ...] = ()
    follow_up: FollowUp | None = None
    steps: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])


@dataclass(frozen=True, slots=True, repr=False)
class Found(Value):
    """Evidence for a question, best first; a sequence."""

    question: str
    evidence: tuple[Evidence, ...]
    trace: Trace | None = field(default=None, repr=False)

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

    def _repr_html_(self) -> str:
        """Return the evidence for a notebook, best first, the words of the question marked."""
        return framed(f"<b>{html(self.question)}</b>{evidence_grid(self.evidence) or faint('nothing found')}")


@dataclass(frozen=True, slots=True, repr=False)
class Context(Value):
    """Recalled memory as text for a prompt; ``str(context)`` is the text.

    ``tokens`` counts the text with the bundled tokenizer and never exceeds ``budget``. ``citations`` maps
    each citation in the text, such as ``3`` for the line that begins with it, to the id of the memory that it cites.
    ``lacking`` are the ids of what is pinned and had no room in it. ``remark`` says in a sentence why there is no
    evidence, and is "" if there is some.
    """

    question: str
    text: str
    tokens: int
    budget: int
    evidence: tuple[Evidence, ...]
    citations: Mapping[str, str]
    lacking: tuple[str, ...] = ()
    remark: str = ""

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """Return the text for a notebook, as a model gets it, with its size."""
        size = faint(
            f"{self.tokens:,} of {amount(self.budget, 'token')}, {amount(len(self.evidence), 'memory', 'memories')}"
        )
        text = html(self.text or self.remark)
        return framed(f'<pre style="white-space: pre-wrap">{text}</pre>{size}')


def evidence_grid(evidence: Sequence[Evidence]) -> str:
    """Return evidence as a table in HTML, best first; "" if there is none."""
    rows = [
        [
            f"{item.score:.2f}",
            "" if item.relevance is None else f"{item.relevance:.0%}",
            format_time(item.when),
            html(item.speaker or item.kind),
            _item_html(item),
        ]
        for item in evidence
    ]
    return grid(("score", "relevance", "when", "who", "what"), rows) if rows else ""


def _item_html(item: Evidence) -> str:
    """Return a text with the words of the question marked; below it, what is outdated, why it was found, and its id."""
    photo = f" <em>[photo: {html(item.caption, item.why.words)}]</em>" if item.caption else ""
    old = "" if item.why.outdated is None else f"<div>{html(item.why.outdated)}</div>"
    reasons = faint(f"{html(in_brief(item.why))}<br><code>{html(item.id)}</code>")
    return f"{html(item.text, item.why.words)}{photo}{old}{reasons}"


# A person's feedback on an answer.
Reaction = Literal["approve", "none", "reject"]
