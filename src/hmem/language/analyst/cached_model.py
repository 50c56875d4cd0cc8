"""Analyst that prefers kept outputs of a language model to another analyst's results.

It never waits for a model, since models read and write later. Each turn has the extraction that is kept, else the
fallback's results; each text is the output kept for a digest of its exact inputs, else the fallback's. So formation
anew gives the same results. While nothing is kept, every method is that of the fallback.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeVar, cast

from hmem.language.analyst.base import (
    Analyst,
    AttributedText,
    Claim,
    Compression,
    Coverage,
    Cues,
    Curation,
    Excerpt,
    Extraction,
    Labels,
    Passage,
    PersonaText,
    ProfileText,
    Stated,
    Statement,
    Subject,
    TurnExtraction,
    Verdict,
)
from hmem.language.analyst.lexicon import Lexicon
from hmem.model.evidence import Reaction
from hmem.model.plan import FollowUp, Plan, SubQuestion, Sufficiency
from hmem.model.turn import Turn

AnswerKind = Literal["summary", "name", "profile", "persona", "compression"]

_BYTES: Final = 16

_Found = TypeVar("_Found")


class ModelOutput(NamedTuple):
    """Text or verdict of a model as JSON values, and the model that made it."""

    made_by: str
    value: Any


class OutputCache(Protocol):
    """Kept outputs of models."""

    @property
    def active(self) -> bool:
        """True if anything is kept; cheap to read."""
        ...

    def extractions(self, ids: Sequence[str]) -> Mapping[str, TurnExtraction]:
        """Return the kept extractions of turns by id; turns without one are left out."""
        ...

    def answers(self, digests: Sequence[bytes]) -> Mapping[bytes, ModelOutput]:
        """Return the kept texts and verdicts by digest; digests without one are left out."""
        ...


def digest(kind: AnswerKind, *made_from: object) -> bytes:
    """Return the digest of the inputs of a text: values, sequences and our own frozen values.

    Inputs are, for a ``summary``: lines, tokens; a ``name``: texts, without the sibling topics, or every name would
    change with each; a ``profile``: subject, tokens; a ``persona``: person, claims, tokens; a ``compression``: text.
    """
    values = (tuple(cast("list[object]", each)) if isinstance(each, list) else each for each in made_from)
    return blake2b(repr((kind, *values)).encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest()


class CachedModelAnalyst(Analyst):
    """Kept outputs of a model, with ``fallback`` for the rest. ``made_by`` is the fallback's."""

    def __init__(self, fallback: Analyst, kept: OutputCache) -> None:
        self.fallback = fallback
        self._kept = kept

    @property
    def made_by(self) -> str:
        return self.fallback.made_by

    @property
    def lexicon(self) -> Lexicon:
        return self.fallback.lexicon

    @property
    def model(self) -> Any:
        """Model of the fallback, for callers with time to ask it; None if it has none."""
        return getattr(self.fallback, "model", None)

    # Turns.

    def _found(
        self,
        passages: Sequence[Passage],
        said: Callable[[TurnExtraction], _Found | None],
        fallback: Callable[[Sequence[int]], Sequence[Sequence[_Found]]],
    ) -> list[list[_Found]]:
        """Return the kept value of each turn, else the fallback's; ``fallback`` takes the indices of passages."""
        if not self._kept.active:
            return [list(each) for each in fallback(range(len(passages)))]
        wanted = [[turn.id for turn in passage.wanted] for passage in passages]
        kept = self._kept.extractions([each for row in wanted for each in row])
        told = [[said(kept[each]) if each in kept else None for each in row] for row in wanted]
        lacking = [place for place, row in enumerate(told) if any(each is None for each in row)]
        rest = dict(zip(lacking, fallback(lacking), strict=True)) if lacking else {}
        return [
            [each if each is not None else rest[place][i] for i, each in enumerate(row)]
            for place, row in enumerate(told)
        ]

    def curate(self, passages: Sequence[Passage]) -> list[list[Curation]]:
        return self._found(
            passages, lambda kept: kept.curation, lambda some: self.fallback.curate([passages[i] for i in some])
        )

    def coverage(self, passages: Sequence[Passage]) -> list[list[Coverage]]:
        told = self.fallback.coverage(passages)
        if not self._kept.active:
            return told
        # A model reads every language, and whatever is in a turn.
        kept = self._kept.extractions([turn.id for passage in passages for turn in passage.wanted])
        return [
            [
                Coverage(each.language) if turn.id in kept else each
                for turn, each in zip(passage.wanted, row, strict=True)
            ]
            for passage, row in zip(passages, told, strict=True)
        ]

    def cues(self, passages: Sequence[Passage]) -> list[list[Cues]]:
        return self._found(
            passages, lambda kept: kept.cues, lambda some: self.fallback.cues([passages[i] for i in some])
        )

    def events(self, passages: Sequence[Passage]) -> list[list[list[Statement]]]:
        return self._found(
            passages, lambda kept: [*kept.statements], lambda some: self.fallback.events([passages[i] for i in some])
        )

    def entities(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        return self._found(
            passages, lambda kept: kept.extraction, lambda some: self.fallback.entities([passages[i] for i in some])
        )

    def claims(
        self, passages: Sequence[Passage], events: Sequence[Sequence[Sequence[Statement]]]
    ) -> list[list[list[Claim]]]:
        return self._found(
            passages,
            lambda kept: [*kept.claims],
            lambda some: self.fallback.claims([passages[i] for i in some], [events[i] for i in some]),
        )

    def importance(
        self,
        passages: Sequence[Passage],
        personas: Sequence[str],
        curations: Sequence[Sequence[Curation]] | None = None,
        claims: Sequence[Sequence[Sequence[Claim]]] | None = None,
    ) -> list[list[int]]:
        def fallback(some: Sequence[int]) -> list[list[int]]:
            judged = None if curations is None else [curations[i] for i in some]
            made = None if claims is None else [claims[i] for i in some]
            return self.fallback.importance([passages[i] for i in some], [personas[i] for i in some], judged, made)

        return self._found(passages, lambda kept: kept.importance, fallback)

    def labels(self, statements: Sequence[Statement], speakers: Sequence[str]) -> list[Labels]:
        return self.fallback.labels(statements, speakers)

    def labels_of(self, statements: Sequence[Statement], turns: Sequence[Turn | None]) -> list[Labels]:
        if not self._kept.active:
            return self.fallback.labels_of(statements, turns)
        kept = self._kept.extractions([turn.id for turn in turns if turn is not None])
        told = {
            (each, statement.text): labels
            for each, extraction in kept.items()
            for statement, labels in zip(extraction.statements, extraction.labels, strict=False)
        }
        made = [
            None if turn is None else told.get((turn.id, statement.text))
            for statement, turn in zip(statements, turns, strict=True)
        ]
        lacking = [place for place, labels in enumerate(made) if labels is None]
        rest = iter(self.fallback.labels_of([statements[i] for i in lacking], [turns[i] for i in lacking]))
        return [next(rest) if labels is None else labels for labels in made]

    def maker(self, turn: Turn) -> str:
        if self._kept.active and (kept := self._kept.extractions([turn.id]).get(turn.id)) is not None:
            return kept.made_by
        return self.fallback.maker(turn)

    # Texts made from several items.

    def _made(
        self,
        kind: AnswerKind,
        made_from: Sequence[tuple[object, ...]],
        said: Callable[[ModelOutput], _Found],
        fallback: Callable[[Sequence[int]], Sequence[_Found]],
    ) -> list[_Found]:
        """Return the kept value of each item, else the fallback's; ``fallback`` takes the indices of items."""
        if not self._kept.active:
            return list(fallback(range(len(made_from))))
        digests = [digest(kind, *each) for each in made_from]
        kept = self._kept.answers(digests)
        lacking = [place for place, each in enumerate(digests) if each not in kept]
        rest = dict(zip(lacking, fallback(lacking), strict=True)) if lacking else {}
        return [said(kept[each]) if each in kept else rest[place] for place, each in enumerate(digests)]

    def reconcile(self, pairs: Sequence[tuple[Stated, Stated]]) -> list[Verdict]:
        return self.fallback.reconcile(pairs)

    def likeness(self, stated: Stated) -> frozenset[str]:
        return self.fallback.likeness(stated)

    def told(self, groups: Sequence[Sequence[Excerpt]], tokens: int) -> list[AttributedText]:
        return self._made(
            "summary",
            [(tuple(group), tokens) for group in groups],
            lambda kept: AttributedText(kept.value, kept.made_by),
            lambda some: self.fallback.told([groups[i] for i in some], tokens),
        )

    def summarise(self, groups: Sequence[Sequence[Excerpt]], tokens: int) -> list[str]:
        return [told.text for told in self.told(groups, tokens)]

    def named(self, groups: Sequence[Sequence[str]], names: Sequence[str] = ()) -> list[AttributedText]:
        # All are named together, so that the names differ.
        made = self.fallback.named(groups, names)
        return self._made(
            "name",
            [(tuple(group),) for group in groups],
            lambda kept: AttributedText(kept.value, kept.made_by),
            lambda some: [made[i] for i in some],
        )

    def name_topics(self, groups: Sequence[Sequence[str]], names: Sequence[str] = ()) -> list[str]:
        return [told.text for told in self.named(groups, names)]

    def profiles(self, subjects: Sequence[Subject], tokens: int) -> list[ProfileText]:
        return self._made(
            "profile",
            [(subject, tokens) for subject in subjects],
            lambda kept: ProfileText(kept.value[0], kept.value[1], kept.made_by),
            lambda some: self.fallback.profiles([subjects[i] for i in some], tokens),
        )

    def personas(
        self,
        people: Sequence[str],
        claims: Sequence[Sequence[Claim]],
        tokens: int,
        times: Sequence[datetime | None] = (),
    ) -> list[PersonaText]:
        return self._made(
            "persona",
            [(person, tuple(about), tokens) for person, about in zip(people, claims, strict=True)],
            lambda kept: PersonaText(kept.value[0], tuple(kept.value[1]), kept.made_by),
            lambda some: self.fallback.personas(
                [people[i] for i in some], [claims[i] for i in some], tokens, [times[i] for i in some] if times else ()
            ),
        )

    def compressions(self, texts: Sequence[str]) -> list[Compression | None]:
        if not self._kept.active:
            return [None for _ in texts]
        digests = [digest("compression", text) for text in texts]
        kept = self._kept.answers(digests)
        return [
            Compression(tuple(kept[each].value[0]), kept[each].value[1]) if each in kept else None for each in digests
        ]

    # Questions and replies.

    def plan(self, question: str, asked: datetime, people: Sequence[str]) -> Plan:
        return self.fallback.plan(question, asked, people)

    def sufficiency(
        self, part: SubQuestion, found: Sequence[Excerpt], asked: datetime, *, notes: bool = False
    ) -> Sufficiency:
        return self.fallback.sufficiency(part, found, asked, notes=notes)

    def missing(self, part: SubQuestion, found: Sequence[Excerpt]) -> FollowUp | None:
        return self.fallback.missing(part, found)

    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        return self.fallback.feedback(question, answer, reply)
