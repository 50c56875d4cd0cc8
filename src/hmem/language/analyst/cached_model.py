"""The overlay: what a language model found, where it found something, over what another analyst finds by itself.

A model reads and writes later than it is asked here, and what it said is kept. So nothing here waits for a model, and
what is formed anew is formed of the same: of each turn the reading that is kept, else what the analyst beneath reads;
of each text the answer that is kept for a digest of just what it is to be made from, else what the analyst beneath
writes. As long as nothing is kept, every method is that of the analyst beneath.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeVar, cast, get_args

from hmem.language.analyst.base import (
    Analyst,
    AttributedText,
    Claim,
    Cues,
    Curation,
    Excerpt,
    Extraction,
    Labels,
    Passage,
    PersonaText,
    ProfileText,
    Relation,
    Stated,
    Statement,
    Subject,
    TurnExtraction,
    Verdict,
)
from hmem.model.plan import FollowUp, Plan, SubQuestion, Sufficiency
from hmem.model.strength import Reaction
from hmem.model.turn import Turn

AnswerKind = Literal["summary", "name", "profile", "persona", "verdict"]

_BYTES: Final = 16
_RELATIONS: Final = get_args(Relation)

_Found = TypeVar("_Found")


class ModelOutput(NamedTuple):
    """What a model wrote or judged, in values of JSON, and which model it was."""

    made_by: str
    value: Any


class OutputCache(Protocol):
    """What is kept of what models said."""

    @property
    def active(self) -> bool:
        """Whether anything is. Free of cost."""
        ...

    def readings(self, ids: Sequence[str]) -> Mapping[str, TurnExtraction]:
        """The readings of turns, by the ids of those that have one."""
        ...

    def answers(self, digests: Sequence[bytes]) -> Mapping[bytes, ModelOutput]:
        """The answers to digests, by those that have one."""
        ...


def digest(kind: AnswerKind, *made_from: object) -> bytes:
    """The digest of what a text or a verdict is made from: values, tuples and our own frozen values."""
    return blake2b(repr((kind, *made_from)).encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest()


def digest_of_summary(lines: Sequence[Excerpt], tokens: int) -> bytes:
    """That of a summary."""
    return digest("summary", tuple(lines), tokens)


def digest_of_name(texts: Sequence[str]) -> bytes:
    """That of a topic's name; what it is to be told from does not count, or all would change with each."""
    return digest("name", tuple(texts))


def digest_of_profile(subject: Subject, tokens: int) -> bytes:
    """That of a profile."""
    return digest("profile", subject, tokens)


def digest_of_persona(person: str, claims: Sequence[Claim], tokens: int) -> bytes:
    """That of a persona."""
    return digest("persona", person, tuple(claims), tokens)


def digest_of_verdict(older: Stated, newer: Stated) -> bytes:
    """That of a verdict."""
    return digest("verdict", older, newer)


class CachedModelAnalyst(Analyst):
    """What is kept over what the ``beneath`` analyst finds. ``made_by`` is that one's."""

    def __init__(self, beneath: Analyst, kept: OutputCache) -> None:
        self.beneath = beneath
        self._kept = kept

    @property
    def made_by(self) -> str:
        return self.beneath.made_by

    @property
    def model(self) -> Any:
        """The model of the analyst beneath, which whoever has time for it may ask; None when it has none."""
        return getattr(self.beneath, "model", None)

    # Of turns.

    def _read(self, passages: Sequence[Passage]) -> list[list[TurnExtraction | None]]:
        wanted = [[turn.id for turn in passage.wanted] for passage in passages]
        found = self._kept.readings([each for row in wanted for each in row])
        return [[found.get(each) for each in row] for row in wanted]

    def _overlaid(
        self,
        passages: Sequence[Passage],
        said: Callable[[TurnExtraction], _Found | None],
        beneath: Callable[[Sequence[int]], Sequence[Sequence[_Found]]],
    ) -> list[list[_Found]]:
        """What the readings say of each turn, else what the analyst beneath says of those passages, by their places."""
        if not self._kept.active:
            return [list(each) for each in beneath(range(len(passages)))]
        told = [[None if each is None else said(each) for each in row] for row in self._read(passages)]
        lacking = [place for place, row in enumerate(told) if any(each is None for each in row)]
        rest = dict(zip(lacking, beneath(lacking), strict=True)) if lacking else {}
        return [
            [each if each is not None else rest[place][i] for i, each in enumerate(row)]
            for place, row in enumerate(told)
        ]

    def curate(self, passages: Sequence[Passage]) -> list[list[Curation]]:
        return self._overlaid(
            passages, lambda reading: reading.curation, lambda some: self.beneath.curate([passages[i] for i in some])
        )

    def cues(self, passages: Sequence[Passage]) -> list[list[Cues]]:
        return self._overlaid(
            passages, lambda reading: reading.cues, lambda some: self.beneath.cues([passages[i] for i in some])
        )

    def events(self, passages: Sequence[Passage]) -> list[list[list[Statement]]]:
        return self._overlaid(
            passages,
            lambda reading: [*reading.statements],
            lambda some: self.beneath.events([passages[i] for i in some]),
        )

    def entities(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        return self._overlaid(
            passages,
            lambda reading: reading.extraction,
            lambda some: self.beneath.entities([passages[i] for i in some]),
        )

    def claims(
        self, passages: Sequence[Passage], events: Sequence[Sequence[Sequence[Statement]]]
    ) -> list[list[list[Claim]]]:
        return self._overlaid(
            passages,
            lambda reading: [*reading.claims],
            lambda some: self.beneath.claims([passages[i] for i in some], [events[i] for i in some]),
        )

    def importance(
        self,
        passages: Sequence[Passage],
        personas: Sequence[str],
        curations: Sequence[Sequence[Curation]] | None = None,
    ) -> list[list[int]]:
        def beneath(some: Sequence[int]) -> list[list[int]]:
            judged = None if curations is None else [curations[i] for i in some]
            return self.beneath.importance([passages[i] for i in some], [personas[i] for i in some], judged)

        return self._overlaid(passages, lambda reading: reading.importance, beneath)

    def labels(self, statements: Sequence[Statement], speakers: Sequence[str]) -> list[Labels]:
        return self.beneath.labels(statements, speakers)

    def labels_of(self, statements: Sequence[Statement], turns: Sequence[Turn | None]) -> list[Labels]:
        if not self._kept.active:
            return self.beneath.labels_of(statements, turns)
        found = self._kept.readings([turn.id for turn in turns if turn is not None])
        told = {
            (each, statement.text): labels
            for each, reading in found.items()
            for statement, labels in zip(reading.statements, reading.labels, strict=False)
        }
        made = [
            None if turn is None else told.get((turn.id, statement.text))
            for statement, turn in zip(statements, turns, strict=True)
        ]
        lacking = [place for place, labels in enumerate(made) if labels is None]
        rest = iter(self.beneath.labels_of([statements[i] for i in lacking], [turns[i] for i in lacking]))
        return [next(rest) if labels is None else labels for labels in made]

    def maker(self, turn: Turn) -> str:
        if self._kept.active and (reading := self._kept.readings([turn.id]).get(turn.id)) is not None:
            return reading.made_by
        return self.beneath.maker(turn)

    # Of what is made from several.

    def _answered(
        self, digests: Sequence[bytes], said: Callable[[ModelOutput], _Found], beneath: Callable[[int], _Found]
    ) -> list[_Found]:
        """What the answers say, else what the analyst beneath makes at that place."""
        found = self._kept.answers(digests)
        return [said(found[each]) if each in found else beneath(place) for place, each in enumerate(digests)]

    def reconcile(self, pairs: Sequence[tuple[Stated, Stated]]) -> list[Verdict]:
        if not self._kept.active or not pairs:
            return self.beneath.reconcile(pairs)
        return self._answered(
            [digest_of_verdict(*pair) for pair in pairs],
            _verdict,
            lambda i: self.beneath.reconcile([pairs[i]])[0],
        )

    def told(self, groups: Sequence[Sequence[Excerpt]], tokens: int) -> list[AttributedText]:
        if not self._kept.active:
            return self.beneath.told(groups, tokens)
        return self._answered(
            [digest_of_summary(group, tokens) for group in groups],
            lambda answer: AttributedText(answer.value, answer.made_by),
            lambda i: self.beneath.told([groups[i]], tokens)[0],
        )

    def summarise(self, groups: Sequence[Sequence[Excerpt]], tokens: int) -> list[str]:
        return [told.text for told in self.told(groups, tokens)]

    def named(self, groups: Sequence[Sequence[str]], names: Sequence[str] = ()) -> list[AttributedText]:
        made = self.beneath.named(groups, names)
        if not self._kept.active:
            return made
        # Beneath they are named together, to be told from each other.
        return self._answered(
            [digest_of_name(group) for group in groups],
            lambda answer: AttributedText(answer.value, answer.made_by),
            lambda i: made[i],
        )

    def name_topics(self, groups: Sequence[Sequence[str]], names: Sequence[str] = ()) -> list[str]:
        return [told.text for told in self.named(groups, names)]

    def profiles(self, subjects: Sequence[Subject], tokens: int) -> list[ProfileText]:
        if not self._kept.active:
            return self.beneath.profiles(subjects, tokens)
        return self._answered(
            [digest_of_profile(subject, tokens) for subject in subjects],
            lambda answer: ProfileText(answer.value[0], answer.value[1], answer.made_by),
            lambda i: self.beneath.profiles([subjects[i]], tokens)[0],
        )

    def personas(self, people: Sequence[str], claims: Sequence[Sequence[Claim]], tokens: int) -> list[PersonaText]:
        if not self._kept.active:
            return self.beneath.personas(people, claims, tokens)
        return self._answered(
            [digest_of_persona(person, about, tokens) for person, about in zip(people, claims, strict=True)],
            lambda answer: PersonaText(answer.value[0], tuple(answer.value[1]), answer.made_by),
            lambda i: self.beneath.personas([people[i]], [claims[i]], tokens)[0],
        )

    # Of questions and replies.

    def plan(self, question: str, asked: datetime, people: Sequence[str]) -> Plan:
        return self.beneath.plan(question, asked, people)

    def sufficiency(self, part: SubQuestion, found: Sequence[Excerpt], asked: datetime) -> Sufficiency:
        return self.beneath.sufficiency(part, found, asked)

    def missing(self, part: SubQuestion, found: Sequence[Excerpt]) -> FollowUp | None:
        return self.beneath.missing(part, found)

    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        return self.beneath.feedback(question, answer, reply)


def _verdict(answer: ModelOutput) -> Verdict:
    relation, why = answer.value
    return Verdict(cast("Relation", relation) if relation in _RELATIONS else "independent", why, answer.made_by)
