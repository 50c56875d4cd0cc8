"""Rule-based analyst: the whole analyst protocol by rules, without model or network, with repeatable results."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from hmem.errors import UnknownName
from hmem.language.analyst.answer_reader import AnswerReader
from hmem.language.analyst.base import (
    Analyst,
    Claim,
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
    Verdict,
)
from hmem.language.analyst.lexicon import Lexicon
from hmem.language.english.answers.reader import ANSWER_READER
from hmem.language.english.curation import curate
from hmem.language.english.feedback import feedback
from hmem.language.english.importance import importance
from hmem.language.english.labels import labels
from hmem.language.english.lexicon import LEXICON
from hmem.language.english.meaning.changes import ENDING_SLOTS
from hmem.language.english.meaning.claims import claims
from hmem.language.english.meaning.entities import entities
from hmem.language.english.meaning.units import TurnUnits, units
from hmem.language.english.parser import DEFAULT, Parser, parser
from hmem.language.english.persona import persona
from hmem.language.english.questions import plan
from hmem.language.english.readable import coverage, curated, english, quoted, where_read
from hmem.language.english.reconciliation import ending_keys, likeness, reconciled
from hmem.language.english.sufficiency import missing, sufficiency
from hmem.language.english.texts import profile, summarise
from hmem.language.english.topic_names import name_topics
from hmem.language.english.topics import cues
from hmem.language.english.version import version
from hmem.model.plan import FollowUp, Plan, SubQuestion, Sufficiency
from hmem.model.strength import Reaction
from hmem.model.turn import Turn
from hmem.util.caches import emptied_with_others

# Passages whose units are kept between reading events and claims.
_KEPT: Final = 1_024


def load(variant: str) -> "RulesAnalyst":
    """Return the rule-based analyst, which has no variants.

    Raises:
        UnknownName: A variant is given.
    """
    if variant:
        raise UnknownName(f"the rules analyst has no variant {variant!r} - write only `rules`")
    return RulesAnalyst()


class RulesAnalyst(Analyst):
    """Rule-based analyst of English. It reads English prose only (``readable``); the rest is kept as it was said.

    Args:
        pipeline: parses the sentences; the one of the package ``hmem-english`` if None.
    """

    def __init__(self, pipeline: Parser | None = None) -> None:
        self._parser = pipeline or parser()
        self._kept: dict[object, list[TurnUnits]] = {}
        emptied_with_others(self)

    def cache_clear(self) -> None:
        """Forget the units of passages."""
        self._kept.clear()

    @property
    def made_by(self) -> str:
        return f"rules/{version()}" + ("" if self._parser.name == DEFAULT else f"+spacy:{self._parser.version}")

    @property
    def lexicon(self) -> Lexicon:
        return LEXICON

    @property
    def answer_reader(self) -> AnswerReader:
        return ANSWER_READER

    def curate(self, passages: Sequence[Passage]) -> list[list[Curation]]:
        return [curated(passage, curate(english(passage))) for passage in passages]

    def coverage(self, passages: Sequence[Passage]) -> list[list[Coverage]]:
        return [coverage(passage) for passage in passages]

    def cues(self, passages: Sequence[Passage]) -> list[list[Cues]]:
        return [cues(passage) for passage in passages]

    def events(self, passages: Sequence[Passage]) -> list[list[list[Statement]]]:
        self._parser.parse([turn.text for passage in passages for turn in english(passage).turns])
        return [
            where_read(passage, [_statements(turn) for turn in self._units(passage)], quoted) for passage in passages
        ]

    def entities(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        self._parser.parse([turn.caption for passage in passages for turn in passage.wanted if turn.caption])
        return [
            where_read(passage, entities(english(passage), self._parser), lambda _: Extraction())
            for passage in passages
        ]

    def claims(
        self, passages: Sequence[Passage], events: Sequence[Sequence[Sequence[Statement]]]
    ) -> list[list[list[Claim]]]:
        found = [
            where_read(passage, claims(english(passage), self._units(passage)), lambda _: list[Claim]())
            for passage in passages
        ]
        # A model's statements are other ones, and fewer: a claim then names the last.
        return [
            [
                [replace(claim, statement=min(claim.statement, max(len(told) - 1, 0))) for claim in made]
                for made, told in zip(each, stated, strict=True)
            ]
            for each, stated in zip(found, events, strict=True)
        ]

    def _units(self, passage: Passage) -> list[TurnUnits]:
        """Return the units of a passage's turns; events and claims are read from the same ones."""
        key = passage.start, passage.speakers, tuple((turn.id, turn.text) for turn in passage.turns)
        if (kept := self._kept.get(key)) is None:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            kept = self._kept[key] = units(self._parser, english(passage))
        return kept

    def reconcile(self, pairs: Sequence[tuple[Stated, Stated]]) -> list[Verdict]:
        return [reconciled(older, newer) for older, newer in pairs]

    @property
    def ending_slots(self) -> tuple[str, ...]:
        return ENDING_SLOTS

    def ending_keys(self, stated: Stated, *, ends: bool) -> frozenset[str] | None:
        return ending_keys(stated, ends=ends)

    def likeness(self, stated: Stated) -> frozenset[str]:
        return likeness(stated)

    def importance(
        self,
        passages: Sequence[Passage],
        personas: Sequence[str],
        curations: Sequence[Sequence[Curation]] | None = None,
        claims: Sequence[Sequence[Sequence[Claim]]] | None = None,
    ) -> list[list[int]]:
        judged = self.curate(passages) if curations is None else curations
        made = self.claims(passages, self.events(passages)) if claims is None else claims
        return [
            importance(self._parser, english(passage), persona, curations, claims)
            for passage, persona, curations, claims in zip(passages, personas, judged, made, strict=True)
        ]

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

    def personas(
        self,
        people: Sequence[str],
        claims: Sequence[Sequence[Claim]],
        tokens: int,
        times: Sequence[datetime | None] = (),
    ) -> list[PersonaText]:
        return [
            persona(self._parser, person, about, tokens, at)
            for person, about, at in zip(people, claims, times or [None] * len(people), strict=True)
        ]

    def plan(self, question: str, asked: datetime, people: Sequence[str]) -> Plan:
        return plan(question, asked, people)

    def sufficiency(
        self, part: SubQuestion, found: Sequence[Excerpt], asked: datetime, *, notes: bool = False
    ) -> Sufficiency:
        return sufficiency(part, found, asked, notes=notes)

    def missing(self, part: SubQuestion, found: Sequence[Excerpt]) -> FollowUp | None:
        return missing(part, found)

    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        return feedback(question, answer, reply)


def _statements(turn: TurnUnits) -> list[Statement]:
    return [Statement(unit.text, unit.happened, unit.context) for unit in turn.units]
