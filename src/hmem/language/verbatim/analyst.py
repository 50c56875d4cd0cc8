"""Verbatim analyst: what is formed without a language model, as pointers to sentences and numbers about them.

Sentences are the units, in any language; small heads on the encoder judge them. Nothing is said in other words, no
pronoun is resolved, no clause becomes a claim, but for the few typed slots of a language that has rules.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from itertools import pairwise
from typing import Final

import numpy as np

from hmem.errors import UnknownName
from hmem.language.analyst.base import (
    Analyst,
    Claim,
    Coverage,
    Cues,
    Curation,
    DatedClaim,
    Excerpt,
    Extraction,
    Labels,
    Naming,
    Passage,
    PersonaText,
    ProfileText,
    Statement,
    Subject,
    Tie,
    Verdict,
)
from hmem.language.analyst.lexicon import Lexicon
from hmem.language.languages import language_rules
from hmem.language.verbatim.layers import labels
from hmem.language.verbatim.prose import coverage
from hmem.language.verbatim.reading import (
    LASTING_KINDS,
    PREFERENCES,
    Reader,
    ReadSentence,
    SentenceName,
    is_memorable,
    stands_alone,
    version,
)
from hmem.language.verbatim.texts import persona, profile, summarise
from hmem.language.verbatim.threads import content_stems, keys, related, valued, vectors
from hmem.language.verbatim.topic_names import name_topics
from hmem.model.entity import EntityType
from hmem.model.evidence import Reaction
from hmem.model.note import THREAD, NoteKind
from hmem.model.plan import FollowUp, Plan, SubQuestion, Sufficiency
from hmem.model.turn import Turn

# Labels of the edges of the graph: what a sentence shows of two names, and of its speaker and a name.
TOGETHER: Final = "mentioned with"
MENTIONS: Final = "mentions"

_TYPES: Final[dict[str, EntityType]] = {
    "person": "person", "place": "location", "organisation": "organization",
}  # fmt: skip
# Kinds of sentences whose dates look forward.
_PLAN_KINDS: Final = frozenset({"plan", "request"})
# Characters from which a turn is mostly pasted: no note is made of it but for typed slots.
_PASTED: Final = 1_000
# Question marks (Latin, wide, Arabic), and what may follow one.
_MARKS: Final = ("?", "\uff1f", "\u061f")
_CLOSING: Final = " \"'\u201d\u2019)»*"
# Roles whose turns say nothing of the persons that a memory is about.
_NO_PERSON: Final = frozenset({"assistant", "tool", "system", "document"})


@cache
def load(variant: str) -> "VerbatimAnalyst":
    """Return the verbatim analyst, which has no variants.

    Raises:
        UnknownName: A variant is given.
    """
    if variant:
        raise UnknownName(f"the verbatim analyst has no variant {variant!r} - write only `verbatim`")
    return VerbatimAnalyst()


class VerbatimAnalyst(Analyst):
    """Analyst that quotes: sentences judged by heads on the encoder, without a language model."""

    def __init__(self) -> None:
        self._reader = Reader()

    @property
    def made_by(self) -> str:
        return f"verbatim/{version()}"

    @property
    def lexicon(self) -> Lexicon:
        return language_rules()

    # Turns.

    def _read(self, passages: Sequence[Passage]) -> list[list[tuple[Turn, tuple[ReadSentence, ...]]]]:
        """Return the wanted turns of each passage, and their sentences."""
        sentences = iter(self._reader.read([turn for passage in passages for turn in passage.targets]))
        return [[(turn, next(sentences)) for turn in passage.targets] for passage in passages]

    def curate(self, passages: Sequence[Passage]) -> list[list[Curation]]:
        return [[_curation(turn, sentences) for turn, sentences in read] for read in self._read(passages)]

    def coverage(self, passages: Sequence[Passage]) -> list[list[Coverage]]:
        return [coverage(passage) for passage in passages]

    def cues(self, passages: Sequence[Passage]) -> list[list[Cues]]:
        return [
            [Cues(0.0, 0.0, tuple(sorted(content_stems(turn.content)))) for turn in passage.targets]
            for passage in passages
        ]

    def events(self, passages: Sequence[Passage]) -> list[list[list[Statement]]]:
        return [
            [
                [
                    Statement(
                        sentence.text,
                        language_rules().main_date(sentence.text, turn.at, is_plan=sentence.kind in _PLAN_KINDS),
                    )
                    for sentence in _events(sentences)
                ]
                for turn, sentences in read
            ]
            for read in self._read(passages)
        ]

    def entities(self, passages: Sequence[Passage]) -> list[list[Extraction]]:
        return [[_extraction(turn, sentences) for turn, sentences in read] for read in self._read(passages)]

    def claims(
        self, passages: Sequence[Passage], events: Sequence[Sequence[Sequence[Statement]]]
    ) -> list[list[list[Claim]]]:
        return [
            [
                _claims(turn, sentences, statements)
                for (turn, sentences), statements in zip(read, passage_statements, strict=True)
            ]
            for read, passage_statements in zip(self._read(passages), events, strict=True)
        ]

    def importance(
        self,
        passages: Sequence[Passage],
        personas: Sequence[str],  # noqa: ARG002 - what a sentence is worth is told without them
        curations: Sequence[Sequence[Curation]] | None = None,  # noqa: ARG002
        claims: Sequence[Sequence[Sequence[Claim]]] | None = None,  # noqa: ARG002
    ) -> list[list[int]]:
        return [[_importance(sentences) for _, sentences in read] for read in self._read(passages)]

    def labels(self, statements: Sequence[Statement], speakers: Sequence[str]) -> list[Labels]:  # noqa: ARG002
        texts = [statement.text for statement in statements]
        return labels(texts, vectors(texts))

    def labels_of(self, statements: Sequence[Statement], turns: Sequence[Turn | None]) -> list[Labels]:
        known_turns = [turn for turn in turns if turn is not None]
        read = dict(zip((turn.id for turn in known_turns), self._reader.read(known_turns), strict=True))
        rows = [
            next(
                (
                    sentence.vector
                    for sentence in read.get(turn.id if turn else "", ())
                    if sentence.text == statement.text
                ),
                None,
            )
            for statement, turn in zip(statements, turns, strict=True)
        ]
        texts = [statement.text for statement in statements]
        fresh_vectors = iter(vectors([text for text, row in zip(texts, rows, strict=True) if row is None]))
        return labels(texts, np.array([next(fresh_vectors) if row is None else row for row in rows], np.float32))

    # Changes.

    def reconcile(self, pairs: Sequence[tuple[DatedClaim, DatedClaim]]) -> list[Verdict]:
        return [related(older, newer) if newer.claim.slot == THREAD else valued(older, newer) for older, newer in pairs]

    def likeness(self, dated_claim: DatedClaim) -> frozenset[str]:
        return keys(dated_claim)

    # Texts.

    def name_topics(self, groups: Sequence[Sequence[str]], names: Sequence[str] = ()) -> list[str]:
        return name_topics(groups, names)

    def summarise(self, groups: Sequence[Sequence[Excerpt]], tokens: int) -> list[str]:
        return [summarise(group, tokens) for group in groups]

    def profiles(self, subjects: Sequence[Subject], tokens: int) -> list[ProfileText]:
        return [profile(subject, tokens) for subject in subjects]

    def personas(
        self,
        people: Sequence[str],  # noqa: ARG002 - a persona quotes claims, which are about the person
        claims: Sequence[Sequence[Claim]],
        tokens: int,
        times: Sequence[datetime | None] = (),  # noqa: ARG002
    ) -> list[PersonaText]:
        return [persona(person_claims, tokens) for person_claims in claims]

    # Recall.

    def plan(self, question: str, question_time: datetime, people: Sequence[str]) -> Plan:
        return language_rules().plan(question, question_time, people)

    def sufficiency(
        self, subquestion: SubQuestion, excerpts: Sequence[Excerpt], question_time: datetime, *, notes: bool = False
    ) -> Sufficiency:
        return language_rules().sufficiency(subquestion, excerpts, question_time, notes=notes)

    def missing(self, subquestion: SubQuestion, excerpts: Sequence[Excerpt]) -> FollowUp | None:
        return language_rules().missing(subquestion, excerpts)

    def feedback(self, question: str, answer: str, reply: str) -> Reaction:
        return language_rules().feedback(question, answer, reply)


def _curation(turn: Turn, sentences: Sequence[ReadSentence]) -> Curation:
    memorable = bool(_events(sentences)) or bool(turn.caption or turn.attachments)
    return Curation(memorable, tuple(dict.fromkeys(sentence.kind for sentence in _events(sentences))))


def _events(sentences: Sequence[ReadSentence]) -> list[ReadSentence]:
    """Return the sentences of a turn that are events; a question states nothing."""
    return [
        sentence
        for sentence in sentences
        if _values(sentence) or (is_memorable(sentence.memorable, sentence.kind) and not _asks(sentence.text))
    ]


def _asks(text: str) -> bool:
    return text.rstrip(_CLOSING).endswith(_MARKS)


def _importance(sentences: Sequence[ReadSentence]) -> int:
    """Return the importance of a turn: that of its most important sentence."""
    return min(max(round(max((sentence.importance for sentence in sentences), default=1.0)), 1), 10)


def _claims(turn: Turn, sentences: Sequence[ReadSentence], events: Sequence[Statement]) -> list[Claim]:
    """Return the claims of a person's turn: the typed slots of each lasting sentence, else the sentence as a thread."""
    if turn.role in _NO_PERSON:
        return []
    indices = {statement.text: number for number, statement in reversed([*enumerate(events)])}
    claims: list[Claim] = []
    # A caption tells what a picture shows, and is nobody's word.
    for sentence in (event for event in _events(sentences) if event.start < len(turn.text)):
        values = _values(sentence)
        if sentence.text not in indices or not (
            values or (sentence.kind in LASTING_KINDS and len(turn.text) < _PASTED)
        ):
            continue
        index = indices[sentence.text]
        claims += (
            Claim("profile", turn.speaker, slot, value, sentence.text, statement=index) for slot, value in values
        )
        if not values:
            claims.append(Claim(_kind(sentence), turn.speaker, THREAD, "", sentence.text, statement=index))
    return claims


def _kind(sentence: ReadSentence) -> NoteKind:
    """Return the kind of the note of a sentence: a fact waits for other sentences, unless it is important."""
    if sentence.kind in PREFERENCES and is_memorable(sentence.memorable, "statement"):
        return "preference"
    return "profile" if stands_alone(sentence.importance) else "fact"


def _values(sentence: ReadSentence) -> Sequence[tuple[str, str]]:
    """Return the typed slots of the speaker that a sentence gives, with their values."""
    return language_rules().own_slots(sentence.text)


def _extraction(turn: Turn, sentences: Sequence[ReadSentence]) -> Extraction:
    """Return the names of a turn; those of one sentence are mentioned together, and by the speaker."""
    content = turn.content
    namings: dict[str, Naming] = {}
    ties: dict[tuple[str, str], Tie] = {}
    for sentence in sentences:
        sentence_namings = dict.fromkeys(_naming(content, name, turn.speaker) for name in sentence.names)
        for naming in sentence_namings:
            earlier = namings.setdefault(naming.surface, naming)
            if naming.certain and not earlier.certain:
                namings[naming.surface] = naming
            if turn.role not in _NO_PERSON and naming.surface.lower() != turn.speaker.lower():
                key = turn.speaker, naming.surface
                ties[key] = Tie(turn.speaker, "person", naming.surface, naming.type, MENTIONS)
        for first, second in pairwise(sentence_namings):
            if first.surface != second.surface:
                ties[first.surface, second.surface] = Tie(
                    first.surface, first.type, second.surface, second.type, TOGETHER
                )
    return Extraction(tuple(namings.values()), tuple(ties.values()))


def _naming(content: str, name: SentenceName, speaker: str) -> Naming:
    surface = content[name.start : name.end]
    certain = name.certain or surface.lower() == speaker.lower()
    return Naming(
        surface,
        _TYPES.get(name.type, "other"),
        name.start,
        name.end,
        certain,
        _TYPES.get(name.likely_type, "other"),
    )
