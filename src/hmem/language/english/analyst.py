"""Rule-based analyst: the whole analyst protocol by rules, without model or network, with repeatable results."""

from collections.abc import Sequence
from datetime import datetime

from hmem.errors import UnknownName
from hmem.language.analyst.base import (
    Analyst,
    Claim,
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
    Verdict,
)
from hmem.language.english.curation import curate, importance
from hmem.language.english.entities import entities
from hmem.language.english.events import events
from hmem.language.english.feedback import feedback
from hmem.language.english.labels import labels
from hmem.language.english.notes import claims
from hmem.language.english.persona import persona
from hmem.language.english.questions import plan
from hmem.language.english.reconciliation import reconciled
from hmem.language.english.sufficiency import missing, sufficiency
from hmem.language.english.texts import profile, summarise
from hmem.language.english.topic_names import name_topics
from hmem.language.english.topics import cues
from hmem.language.english.version import version
from hmem.model.plan import FollowUp, Plan, SubQuestion, Sufficiency
from hmem.model.strength import Reaction
from hmem.model.turn import Turn


def load(variant: str) -> "RulesAnalyst":
    """Return the rule-based analyst, which has no variants.

    Raises:
        UnknownName: A variant is given.
    """
    if variant:
        raise UnknownName(f"the rules analyst has no variant {variant!r} - write only `rules`")
    return RulesAnalyst()


class RulesAnalyst(Analyst):
    """Rule-based analyst of English. It accepts other languages, but finds less in them."""

    @property
    def made_by(self) -> str:
        return f"rules/{version()}"

    def curate(self, passages: Sequence[Passage]) -> list[list[Curation]]:
        return [curate(passage) for passage in passages]

    def cues(self, passages: Sequence[Passage]) -> list[list[Cues]]:
        return [cues(passage) for passage in passages]

    def events(self, passages: Sequence[Passage]) -> list[list[list[Statement]]]:
        return [events(passage) for passage in passages]

    def entities(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        return [entities(passage) for passage in passages]

    def claims(
        self, passages: Sequence[Passage], events: Sequence[Sequence[Sequence[Statement]]]
    ) -> list[list[list[Claim]]]:
        return [claims(passage, stated) for passage, stated in zip(passages, events, strict=True)]

    def reconcile(self, pairs: Sequence[tuple[Stated, Stated]]) -> list[Verdict]:
        return [reconciled(older, newer) for older, newer in pairs]

    def importance(
        self,
        passages: Sequence[Passage],
        personas: Sequence[str],
        curations: Sequence[Sequence[Curation]] | None = None,
    ) -> list[list[int]]:
        judged = curations or [None] * len(passages)
        return [importance(*each) for each in zip(passages, personas, judged, strict=True)]

    def labels(self, statements: Sequence[Statement], speakers: Sequence[str]) -> list[Labels]:
        return labels([statement.text for statement in statements], speakers)

    def labels_of(self, statements: Sequence[Statement], turns: Sequence[Turn | None]) -> list[Labels]:
        speakers = [turn.speaker if turn is not None else "" for turn in turns]
        around = [turn.content if turn is not None else "" for turn in turns]
        return labels([statement.text for statement in statements], speakers, around)

    def name_topics(self, groups: Sequence[Sequence[str]], names: Sequence[str] = ()) -> list[str]:
        return name_topics(groups, names)

    def summarise(self, groups: Sequence[Sequence[Excerpt]], tokens: int) -> list[str]:
        return [summarise(group, tokens) for group in groups]

    def profiles(self, subjects: Sequence[Subject], tokens: int) -> list[ProfileText]:
        return [profile(subject, tokens) for subject in subjects]

    def personas(self, people: Sequence[str], claims: Sequence[Sequence[Claim]], tokens: int) -> list[PersonaText]:
        return [persona(person, about, tokens) for person, about in zip(people, claims, strict=True)]

    def plan(self, question: str, asked: datetime, people: Sequence[str]) -> Plan:
        return plan(question, asked, people)

    def sufficiency(self, part: SubQuestion, found: Sequence[Excerpt], asked: datetime) -> Sufficiency:
        return sufficiency(part, found, asked)

    def missing(self, part: SubQuestion, found: Sequence[Excerpt]) -> FollowUp | None:
        return missing(part, found)

    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        return feedback(question, answer, reply)
