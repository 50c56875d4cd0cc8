"""From what a model said of turns to readings that are believed.

A name has to stand in its turn, a statement has to share words with its turn or with those that it says it needs,
a number has to be in its range, a kind has to be one of ours. What is not so is left out, and the rest stays.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, get_args

from hmem.language.analyst.base import (
    Claim,
    Cues,
    Curation,
    Extraction,
    Labels,
    Naming,
    Passage,
    Statement,
    Tie,
)
from hmem.language.analyst.model.schemas import SaidClaim, SaidEntity, SaidRelation, SaidStatement, SaidTurn
from hmem.language.analyst.model.telling_time import holding, span_of
from hmem.language.analyst.reading import TurnExtraction
from hmem.language.english.labels import label
from hmem.language.english.topics import cues
from hmem.language.english.wording import content_stems, turn_stems
from hmem.model.entity import EntityType
from hmem.model.note import NoteKind
from hmem.model.turn import Turn

# The most of one turn, and the longest of each, in characters.
STATEMENTS: Final = 32
CLAIMS: Final = 16
ENTITIES: Final = 48
RELATIONS: Final = 32
REASONS: Final = 8
_TEXT: Final = 600
_VALUE: Final = 160
_LABEL: Final = 60
_SURFACE: Final = 120

# Turns before a turn that a statement may need.
_NEAR: Final = 6
_HIGHEST: Final = 10

_TYPES: Final[dict[str, EntityType]] = {name: name for name in get_args(EntityType)}
_KINDS: Final[dict[str, NoteKind]] = {name: name for name in get_args(NoteKind)}
_SPACES: Final = re.compile(r"[\s\x00-\x1f\x7f]+")


def believed(passage: Passage, place: int, said: SaidTurn, made_by: str) -> TurnExtraction:
    """The reading of the turn at a place among the wanted ones of a passage."""
    at = passage.start + place
    turn = passage.turns[at]
    pairs = list(_statements(passage, at, said.statements))[:STATEMENTS]
    statements = tuple(statement for _, statement in pairs)
    places = {number: new for new, (number, _) in enumerate(pairs)}
    hints = cues(Passage((turn,), 0, passage.speakers))[0]
    return TurnExtraction(
        made_by,
        Curation(said.memorable, tuple(filter(None, (_line(one, _LABEL) for one in said.reasons[:REASONS])))),
        statements,
        tuple(_claims(turn, said.claims, places, len(statements)))[:CLAIMS],
        _extraction(passage, turn, said.entities, said.relations),
        tuple(_labels(said.statements[number], statement, turn) for number, statement in pairs),
        min(max(said.importance, 1), _HIGHEST),
        Cues(_share(said.shift), _share(said.emotion), hints.words),
    )


def _line(text: str, most: int) -> str:
    """A text in one line; none where it is longer than anything of its kind is."""
    line = _SPACES.sub(" ", text).strip()
    return line if len(line) <= most else ""


def _share(value: float) -> float:
    """A number from 0 to 1; 0 for what is none."""
    return min(max(value, 0.0), 1.0) if value == value else 0.0


def _statements(passage: Passage, at: int, said: Sequence[SaidStatement]) -> Iterator[tuple[int, Statement]]:
    """The statements that are believed, each with its place among those that were said."""
    turn = passage.turns[at]
    names = {stem for speaker in (*passage.speakers, turn.speaker) for stem in content_stems(speaker)}
    seen: set[str] = set()
    for place, one in enumerate(said):
        text = _line(one.text, _TEXT)
        context = min(max(one.context, 0), at, _NEAR)
        # What one turn demands must not be stated of another that it is no context of.
        known = {stem for each in passage.turns[at - context : at + 1] for stem in turn_stems(each)}
        stems = set(content_stems(text)) - names
        if not text or text in seen or (stems and stems.isdisjoint(known)):
            continue
        seen.add(text)
        happened = span_of(one.happened_from, one.happened_to, turn.at.tzinfo)
        yield place, Statement(text, happened, context)


def _labels(said: SaidStatement, statement: Statement, turn: Turn) -> Labels:
    """The labels of a statement, as said where all three are, else as the rules label it."""
    domain, category, trace = (_line(one, _LABEL) for one in (said.domain, said.category, said.trace))
    if domain and category and trace:
        return Labels(domain.lower(), category.lower(), trace)
    return label(statement.text, turn.speaker)


def _claims(turn: Turn, said: Sequence[SaidClaim], places: dict[int, int], statements: int) -> Iterator[Claim]:
    """Claims that stand on a statement that is believed."""
    for one in said:
        subject, slot, value = (_line(text, _VALUE) for text in (one.subject, one.slot, one.value))
        text = _line(one.text, _TEXT)
        place = places.get(one.statement, 0 if statements == 1 else None)
        if place is None or not (subject and slot and value and text):
            continue
        kind = _KINDS.get(one.kind, "fact")
        slot = _SPACES.sub(" ", slot.lower().replace("_", " ")).replace("favorite", "favourite")
        valid = holding(one.valid_from, one.valid_to, turn.at.tzinfo)
        yield Claim(kind, subject, slot, value, text, one.positive, valid, place)


def _extraction(
    passage: Passage, turn: Turn, entities: Sequence[SaidEntity], relations: Sequence[SaidRelation]
) -> Extraction:
    namings = _namings(turn.content, entities)
    types: dict[str, EntityType] = dict.fromkeys((*passage.speakers, turn.speaker), "person")
    types |= {naming.surface: naming.type for naming in namings}
    return Extraction(tuple(namings), tuple(_ties(types, relations))[:RELATIONS])


def _namings(content: str, said: Sequence[SaidEntity]) -> list[Naming]:
    """The names that stand in a text, where they first stand free of each other; longer ones first."""
    lower = content.lower()
    found: list[Naming] = []
    for one in sorted(said[: 2 * ENTITIES], key=lambda one: -len(one.surface)):
        surface = one.surface
        if not surface or len(surface) > _SURFACE:
            continue
        start = _free(content, surface, found)
        if start is None and len(lower) == len(content):
            start = _free(lower, surface.lower(), found)
        if start is not None:
            end = start + len(surface)
            found.append(Naming(content[start:end], _type(one.type), start, end, _share(one.salience)))
    return sorted(found, key=lambda naming: naming.start)[:ENTITIES]


def _free(text: str, surface: str, taken: Sequence[Naming]) -> int | None:
    """Where a name first stands as words of their own, clear of those taken."""
    start = text.find(surface)
    while start >= 0:
        end = start + len(surface)
        whole = not _in_word(text[start - 1 : start]) and not _in_word(text[end : end + 1])
        if whole and not any(one.start < end and start < one.end for one in taken):
            return start
        start = text.find(surface, end if whole else start + 1)
    return None


def _in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _type(said: str) -> EntityType:
    return _TYPES.get(said.strip().lower(), "other")


def _ties(types: dict[str, EntityType], said: Sequence[SaidRelation]) -> Iterator[Tie]:
    """Relations between what is named in the turn and who speaks in the passage."""
    spelt = {name.lower(): name for name in types}
    seen: set[tuple[str, str, str]] = set()
    for one in said:
        source, target = (spelt.get(name.lower()) for name in (one.source, one.target))
        text = _line(one.label, _LABEL).lower()
        if source is None or target is None or source == target or not text or (source, target, text) in seen:
            continue
        seen.add((source, target, text))
        yield Tie(source, types[source], target, types[target], text, _share(one.confidence))
