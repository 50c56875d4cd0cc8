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
    DatedClaim,
    Excerpt,
    Extraction,
    Labels,
    Passage,
    PersonaText,
    ProfileText,
    Statement,
    Subject,
    TurnExtraction,
    Verdict,
)
from hmem.language.analyst.lexicon import Lexicon
from hmem.model.evidence import Reaction
from hmem.model.plan import FollowUp, Plan, SubQuestion, Sufficiency
from hmem.model.turn import Turn

AnswerKind = Literal["summary", "name", "profile", "persona", "compression", "lesson"]

_BYTES: Final = 16

_Value = TypeVar("_Value")


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


def digest(kind: AnswerKind, *sources: object) -> bytes:
    """Return the digest of the inputs of a text: values, sequences and our own frozen values.

    Inputs are, for a ``summary``: lines, tokens; a ``name``: texts, without the sibling topics, or every name would
    change with each; a ``profile``: subject, tokens; a ``persona``: person, claims, tokens; a ``compression``: text; a
    ``lesson``: texts of cases.
    """
    values = (tuple(cast("list[object]", source)) if isinstance(source, list) else source for source in sources)
    return blake2b(repr((kind, *values)).encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest()


class CachedModelAnalyst(Analyst):
    """Kept outputs of a model, with ``fallback`` for the rest. ``made_by`` is the fallback's."""

    def __init__(self, fallback: Analyst, cache: OutputCache) -> None:
        self.fallback = fallback
        self._cache = cache

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

    def _from_extractions(
        self,
        passages: Sequence[Passage],
        select: Callable[[TurnExtraction], _Value | None],
        fallback: Callable[[Sequence[int]], Sequence[Sequence[_Value]]],
    ) -> list[list[_Value]]:
        """Return the kept value of each turn, else the fallback's; ``fallback`` takes the indices of passages."""
        if not self._cache.active:
            return [list(values) for values in fallback(range(len(passages)))]
        turn_ids = [[turn.id for turn in passage.targets] for passage in passages]
        extractions = self._cache.extractions([turn_id for row in turn_ids for turn_id in row])
        rows = [
            [select(extractions[turn_id]) if turn_id in extractions else None for turn_id in row] for row in turn_ids
        ]
        incomplete = [index for index, row in enumerate(rows) if any(value is None for value in row)]
        fallback_rows = dict(zip(incomplete, fallback(incomplete), strict=True)) if incomplete else {}
        return [
            [value if value is not None else fallback_rows[index][i] for i, value in enumerate(row)]
            for index, row in enumerate(rows)
        ]

    def curate(self, passages: Sequence[Passage]) -> list[list[Curation]]:
        return self._from_extractions(
            passages,
            lambda extraction: extraction.curation,
            lambda indices: self.fallback.curate([passages[i] for i in indices]),
        )

    def coverage(self, passages: Sequence[Passage]) -> list[list[Coverage]]:
        coverages = self.fallback.coverage(passages)
        if not self._cache.active:
            return coverages
        # A model reads every language, and whatever is in a turn.
        extractions = self._cache.extractions([turn.id for passage in passages for turn in passage.targets])
        return [
            [
                Coverage(coverage.language) if turn.id in extractions else coverage
                for turn, coverage in zip(passage.targets, row, strict=True)
            ]
            for passage, row in zip(passages, coverages, strict=True)
        ]

    def cues(self, passages: Sequence[Passage]) -> list[list[Cues]]:
        return self._from_extractions(
            passages,
            lambda extraction: extraction.cues,
            lambda indices: self.fallback.cues([passages[i] for i in indices]),
        )

    def events(self, passages: Sequence[Passage]) -> list[list[list[Statement]]]:
        return self._from_extractions(
            passages,
            lambda extraction: [*extraction.statements],
            lambda indices: self.fallback.events([passages[i] for i in indices]),
        )

    def entities(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        return self._from_extractions(
            passages,
            lambda extraction: extraction.extraction,
            lambda indices: self.fallback.entities([passages[i] for i in indices]),
        )

    def claims(
        self, passages: Sequence[Passage], events: Sequence[Sequence[Sequence[Statement]]]
    ) -> list[list[list[Claim]]]:
        return self._from_extractions(
            passages,
            lambda extraction: [*extraction.claims],
            lambda indices: self.fallback.claims([passages[i] for i in indices], [events[i] for i in indices]),
        )

    def importance(
        self,
        passages: Sequence[Passage],
        personas: Sequence[str],
        curations: Sequence[Sequence[Curation]] | None = None,
        claims: Sequence[Sequence[Sequence[Claim]]] | None = None,
    ) -> list[list[int]]:
        def fallback(indices: Sequence[int]) -> list[list[int]]:
            curation_rows = None if curations is None else [curations[i] for i in indices]
            claim_rows = None if claims is None else [claims[i] for i in indices]
            return self.fallback.importance(
                [passages[i] for i in indices], [personas[i] for i in indices], curation_rows, claim_rows
            )

        return self._from_extractions(passages, lambda extraction: extraction.importance, fallback)

    def labels(self, statements: Sequence[Statement], speakers: Sequence[str]) -> list[Labels]:
        return self.fallback.labels(statements, speakers)

    def labels_of(self, statements: Sequence[Statement], turns: Sequence[Turn | None]) -> list[Labels]:
        if not self._cache.active:
            return self.fallback.labels_of(statements, turns)
        extractions = self._cache.extractions([turn.id for turn in turns if turn is not None])
        labels_by_text = {
            (turn_id, statement.text): labels
            for turn_id, extraction in extractions.items()
            for statement, labels in zip(extraction.statements, extraction.labels, strict=False)
        }
        cached_labels = [
            None if turn is None else labels_by_text.get((turn.id, statement.text))
            for statement, turn in zip(statements, turns, strict=True)
        ]
        indices = [index for index, labels in enumerate(cached_labels) if labels is None]
        fallback_labels = iter(self.fallback.labels_of([statements[i] for i in indices], [turns[i] for i in indices]))
        return [next(fallback_labels) if labels is None else labels for labels in cached_labels]

    def maker(self, turn: Turn) -> str:
        if self._cache.active and (extraction := self._cache.extractions([turn.id]).get(turn.id)) is not None:
            return extraction.made_by
        return self.fallback.maker(turn)

    # Texts made from several items.

    def _from_outputs(
        self,
        kind: AnswerKind,
        sources: Sequence[tuple[object, ...]],
        select: Callable[[ModelOutput], _Value],
        fallback: Callable[[Sequence[int]], Sequence[_Value]],
    ) -> list[_Value]:
        """Return the kept value of each item, else the fallback's; ``fallback`` takes the indices of items."""
        if not self._cache.active:
            return list(fallback(range(len(sources))))
        digests = [digest(kind, *inputs) for inputs in sources]
        outputs = self._cache.answers(digests)
        absent = [index for index, key in enumerate(digests) if key not in outputs]
        fallback_values = dict(zip(absent, fallback(absent), strict=True)) if absent else {}
        return [select(outputs[key]) if key in outputs else fallback_values[index] for index, key in enumerate(digests)]

    def reconcile(self, pairs: Sequence[tuple[DatedClaim, DatedClaim]]) -> list[Verdict]:
        return self.fallback.reconcile(pairs)

    def likeness(self, dated_claim: DatedClaim) -> frozenset[str]:
        return self.fallback.likeness(dated_claim)

    def attributed_summaries(self, groups: Sequence[Sequence[Excerpt]], tokens: int) -> list[AttributedText]:
        return self._from_outputs(
            "summary",
            [(tuple(group), tokens) for group in groups],
            lambda output: AttributedText(output.value, output.made_by),
            lambda indices: self.fallback.attributed_summaries([groups[i] for i in indices], tokens),
        )

    def summarise(self, groups: Sequence[Sequence[Excerpt]], tokens: int) -> list[str]:
        return [summary.text for summary in self.attributed_summaries(groups, tokens)]

    def attributed_names(self, groups: Sequence[Sequence[str]], names: Sequence[str] = ()) -> list[AttributedText]:
        # All are named together, so that the names differ.
        fallback_names = self.fallback.attributed_names(groups, names)
        return self._from_outputs(
            "name",
            [(tuple(group),) for group in groups],
            lambda output: AttributedText(output.value, output.made_by),
            lambda indices: [fallback_names[i] for i in indices],
        )

    def name_topics(self, groups: Sequence[Sequence[str]], names: Sequence[str] = ()) -> list[str]:
        return [topic.text for topic in self.attributed_names(groups, names)]

    def profiles(self, subjects: Sequence[Subject], tokens: int) -> list[ProfileText]:
        return self._from_outputs(
            "profile",
            [(subject, tokens) for subject in subjects],
            lambda output: ProfileText(output.value[0], output.value[1], output.made_by),
            lambda indices: self.fallback.profiles([subjects[i] for i in indices], tokens),
        )

    def personas(
        self,
        people: Sequence[str],
        claims: Sequence[Sequence[Claim]],
        tokens: int,
        times: Sequence[datetime | None] = (),
    ) -> list[PersonaText]:
        return self._from_outputs(
            "persona",
            [(person, tuple(person_claims), tokens) for person, person_claims in zip(people, claims, strict=True)],
            lambda output: PersonaText(output.value[0], tuple(output.value[1]), output.made_by),
            lambda indices: self.fallback.personas(
                [people[i] for i in indices],
                [claims[i] for i in indices],
                tokens,
                [times[i] for i in indices] if times else (),
            ),
        )

    def compressions(self, texts: Sequence[str]) -> list[Compression | None]:
        if not self._cache.active:
            return [None for _ in texts]
        digests = [digest("compression", text) for text in texts]
        outputs = self._cache.answers(digests)
        return [
            Compression(tuple(outputs[key].value[0]), outputs[key].value[1]) if key in outputs else None
            for key in digests
        ]

    # Questions and replies.

    def plan(self, question: str, question_time: datetime, people: Sequence[str]) -> Plan:
        return self.fallback.plan(question, question_time, people)

    def sufficiency(
        self, subquestion: SubQuestion, excerpts: Sequence[Excerpt], question_time: datetime, *, notes: bool = False
    ) -> Sufficiency:
        return self.fallback.sufficiency(subquestion, excerpts, question_time, notes=notes)

    def missing(self, subquestion: SubQuestion, excerpts: Sequence[Excerpt]) -> FollowUp | None:
        return self.fallback.missing(subquestion, excerpts)

    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        return self.fallback.feedback(question, answer, reply)
