"""Texts to be written and pairs to be judged, as one piece of work that a language model does in one call.

Many texts are made from the same lines, which the model is shown once.
What comes back has the same places in the same order; None where nothing usable was written.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from hmem.language.analyst.base import Claim, Excerpt, PersonaText, ProfileText, Stated, Subject, Verdict


@dataclass(frozen=True, slots=True)
class Room:
    """What goes into one call that writes texts, in tokens of the bundled tokenizer: what is ``shown`` and ``said``."""

    shown: int = 32_000
    said: int = 8_192


@dataclass(frozen=True, slots=True)
class ToSummarise:
    """Lines to be summarised in at most ``tokens`` tokens; and with them ``summaries`` of the same work, by the places
    of some that come before it."""

    lines: tuple[Excerpt, ...]
    tokens: int
    summaries: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ToName:
    """Lines of one topic to be named in a few words that tell it from ``siblings``; never after ``names``, people."""

    lines: tuple[Excerpt, ...]
    names: tuple[str, ...] = ()
    siblings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToProfile:
    """A subject whose profile is to be written, each of its two parts in at most ``tokens`` tokens."""

    subject: Subject
    tokens: int


@dataclass(frozen=True, slots=True)
class ToPortray:
    """A person whose persona is to be written from the claims about them, latest last, in at most ``tokens`` tokens."""

    person: str
    claims: tuple[Claim, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """What is to be written and judged. ``pairs`` are an older claim and a newer one each."""

    summaries: tuple[ToSummarise, ...] = ()
    topics: tuple[ToName, ...] = ()
    profiles: tuple[ToProfile, ...] = ()
    personas: tuple[ToPortray, ...] = ()
    pairs: tuple[tuple[Stated, Stated], ...] = ()

    def __bool__(self) -> bool:
        return any((self.summaries, self.topics, self.profiles, self.personas, self.pairs))

    def __len__(self) -> int:
        """How many pieces there are."""
        return sum(map(len, (self.summaries, self.topics, self.profiles, self.personas, self.pairs)))

    @property
    def lines(self) -> tuple[Excerpt, ...]:
        """The lines that its texts are to be made from, each once, in the order of time."""
        return tuple(sorted(dict.fromkeys(chain.from_iterable(self._shown())), key=lambda line: line.when))

    def _shown(self) -> Iterator[tuple[Excerpt, ...]]:
        yield from (one.lines for one in (*self.summaries, *self.topics))
        yield from (one.subject.lines for one in self.profiles)


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What was written, place by place as in the ``Work``; None where nothing usable was."""

    made_by: str
    summaries: tuple[str | None, ...] = ()
    topics: tuple[str | None, ...] = ()
    profiles: tuple[ProfileText | None, ...] = ()
    personas: tuple[PersonaText | None, ...] = ()
    verdicts: tuple[Verdict | None, ...] = ()


@dataclass(frozen=True, slots=True)
class ToJudge:
    """A person's ``reply`` to the ``answer`` to a ``question``: does it approve or reject that?"""

    question: str
    answer: str
    reply: str
