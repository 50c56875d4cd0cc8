"""Turns as data for a model, and validation of the model's extraction.

A name must stand in its turn, a statement must share words with its turn or with the context that it names, a number
must be in its range, a kind must be a known one. Whatever fails is left out, and the rest stays.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import groupby, islice
from typing import Any, Final, get_args

from hmem.language.analyst.base import (
    Claim,
    Cues,
    Curation,
    Extraction,
    Labels,
    Naming,
    Passage,
    Relation,
    Revises,
    Statement,
    Tie,
    TurnExtraction,
)
from hmem.language.llm.tasks import ReadTurns, SaidStatement, SaidTurn
from hmem.language.verbatim.analyst import VerbatimAnalyst
from hmem.language.verbatim.threads import content_stems
from hmem.model.entity import EntityType
from hmem.model.note import NoteKind
from hmem.model.span import OPEN, Span
from hmem.model.turn import Turn

# Times are ISO 8601, as exact as they are known; an end time is included.
_TIME: Final = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d{1,2})(?:-(?P<day>\d{1,2})(?:[T ](?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?"
    r"(?::\d{2}(?:\.\d+)?)?(?P<zone>Z|[+-]\d{2}:?\d{2})?)?)?)?",
    re.ASCII,
)
_YEARS: Final = range(1, 9_998)
_MINUTE: Final = timedelta(minutes=1)

# Reads what a model left out.
_VERBATIM: Final = VerbatimAnalyst()


def span_of(first: str | None, last: str | None, zone: tzinfo | None) -> Span | None:
    """Return the span from the start of the first time to the end of the last; None if neither is a time.

    A single time stands for both. A last time before the first is left out. A time without an offset is in ``zone``.
    """
    opening = _read(first, zone)
    closing = _read(last, zone)
    if opening is None or closing is None or closing.end <= opening.start:
        return opening or closing
    return Span(opening.start, _end_of(closing, opening))


def parse_time(text: str, zone: tzinfo | None) -> Span | None:
    """Return the span of a time, or of a first and a last one with a slash between; None if it is neither."""
    first, _, last = text.partition("/")
    return span_of(first, last, zone)


def parse_validity(text: str, zone: tzinfo | None) -> Span | None:
    """Return the time for which a state holds: without an end, unless a last time is told."""
    span = parse_time(text, zone)
    return span if span is None or "/" in text else Span(span.start, OPEN)


def _end_of(last: Span, first: Span) -> datetime:
    """Return the end of the last time; one exact to the minute ends there, unless the span would be empty."""
    to_the_minute = last.length == _MINUTE and last.start > first.start
    return last.start if to_the_minute else last.end


def _read(text: str | None, zone: tzinfo | None) -> Span | None:
    """Return the span that a time covers: a year, a month, a day or a minute; None if it is not a time."""
    match = _TIME.fullmatch(text.strip()) if text else None
    if match is None or int(match["year"]) not in _YEARS:
        return None
    try:
        start = datetime(
            int(match["year"]),
            int(match["month"] or 1),
            int(match["day"] or 1),
            int(match["hour"] or 0),
            int(match["minute"] or 0),
            tzinfo=_zone(match["zone"]) or zone or UTC,
        )
    except ValueError:
        return None
    return Span(start, _end(start, match))


def _zone(offset: str | None) -> tzinfo | None:
    if not offset:
        return None
    return datetime.fromisoformat(f"2000-01-01T00:00:00{offset}").tzinfo


def _end(start: datetime, match: "re.Match[str]") -> datetime:
    if match["hour"]:
        return start + _MINUTE
    if match["day"]:
        return start + timedelta(days=1)
    if match["month"]:
        return start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
    return start.replace(year=start.year + 1)


# Most items of one turn, and greatest length of each in characters.
STATEMENTS: Final = 32
CLAIMS: Final = 16
ENTITIES: Final = 48
RELATIONS: Final = 32
_TEXT: Final = 600
_VALUE: Final = 160
_LABEL: Final = 60
_SURFACE: Final = 120

# Most turns before a turn that a statement may need.
_CONTEXT_TURNS: Final = 6
_HIGHEST: Final = 10

_TYPES: Final[dict[str, EntityType]] = {name: name for name in get_args(EntityType)}
_KINDS: Final[dict[str, NoteKind]] = {name: name for name in get_args(NoteKind)}
_SPACES: Final = re.compile(r"[\s\x00-\x1f\x7f]+")
# A note that a model is shown has the sequence number of its turn above this one; smaller numbers are turns of the
# call. So a number means the same whatever other notes are shown, and an answer may come much later.
NOTES_FROM: Final = 100
_REVISES: Final = re.compile(r"(replaces|extends|confirms) #?(-?\d{1,12})")
_RELATIONS: Final[dict[str, Relation]] = {"replaces": "contradicts", "extends": "extends", "confirms": "same"}


def validated(passage: Passage, index: int, answer: SaidTurn, made_by: str) -> TurnExtraction:
    """Return the validated extraction of the turn at an index among the targets of a passage."""
    position = passage.start + index
    turn = passage.turns[position]
    pairs = list(_statements(passage, position, answer.statements))[:STATEMENTS]
    claims = (
        claim
        for i, (answer_statement, statement) in enumerate(pairs)
        for claim in _claims(passage, position, answer_statement, statement, i)
    )
    hints = _VERBATIM.cues([Passage((turn,), 0, passage.speakers)])[0][0]
    return TurnExtraction(
        made_by,
        Curation(memorable=True),
        tuple(statement for _, statement in pairs),
        tuple(islice(claims, CLAIMS)),
        _extraction(passage, turn, answer.names, answer.relations),
        tuple(_labels(answer_statement, statement, turn) for answer_statement, statement in pairs),
        min(max(answer.importance, 1), _HIGHEST),
        Cues(_share(answer.shift), _share(answer.emotion), hints.words),
    )


def _filler(passage: Passage, index: int, made_by: str) -> TurnExtraction:
    """Return the extraction of a turn that tells nothing; of names the verbatim analyst finds those known already."""
    turn = passage.turns[passage.start + index]
    hints = _VERBATIM.cues([Passage((turn,), 0, passage.speakers)])[0][0]
    return TurnExtraction(made_by, Curation(False, ("filler",)), importance=1, cues=Cues(0.0, 0.0, hints.words))  # noqa: FBT003


def _line(text: str, limit: int) -> str:
    """Return a text as one line; "" if it is longer than ``limit`` characters."""
    line = _SPACES.sub(" ", text).strip()
    return line if len(line) <= limit else ""


def _share(value: float) -> float:
    """Return a number limited to 0 to 1; 0 for NaN."""
    return min(max(value, 0.0), 1.0) if value == value else 0.0


def _statements(
    passage: Passage, position: int, answers: Sequence[SaidStatement]
) -> Iterator[tuple[SaidStatement, Statement]]:
    """Yield the valid statements, each with the model's."""
    turn = passage.turns[position]
    names = {stem for speaker in (*passage.speakers, turn.speaker) for stem in content_stems(speaker)}
    texts: set[str] = set()
    for answer in answers:
        text = _line(answer.text, _TEXT)
        context = min(max(answer.context, 0), position, _CONTEXT_TURNS)
        # A turn must not be able to plant statements in another that does not need it as context.
        context_stems = {
            stem
            for context_turn in passage.turns[position - context : position + 1]
            for stem in content_stems(context_turn.content)
        }
        stems = set(content_stems(text)) - names
        if not text or text in texts or (stems and stems.isdisjoint(context_stems)):
            continue
        texts.add(text)
        yield answer, Statement(text, parse_time(answer.when, turn.at.tzinfo), context)


def _labels(answer: SaidStatement, statement: Statement, turn: Turn) -> Labels:
    """Return the model's labels of a statement if all three are valid, else those of the verbatim analyst."""
    domain, category, trace = (_line(label, _LABEL) for label in (*answer.path.split("/", 2), "", "", "")[:3])
    if domain and category and trace:
        return Labels(domain.lower(), category.lower(), trace)
    return _VERBATIM.labels([statement], [turn.speaker])[0]


def _claims(
    passage: Passage, position: int, answer: SaidStatement, statement: Statement, index: int
) -> Iterator[Claim]:
    """Yield the valid claims of a statement: ``kind | subject | slot | value | relation number``."""
    turn = passage.turns[position]
    for row in answer.claims:
        kind, subject, slot, value, relation, *_ = (*(_line(cell, _VALUE) for cell in row.split("|")), *[""] * 5)
        if not (subject and slot and value):
            continue
        denied, kind = kind.startswith("not "), _KINDS.get(kind.removeprefix("not ").strip().lower(), "fact")
        slot = _SPACES.sub(" ", slot.lower().replace("_", " ")).replace("favorite", "favourite")
        valid = statement.happened if kind == "fact" else parse_validity(answer.when, turn.at.tzinfo)
        yield Claim(
            kind, subject, slot, value, statement.text, not denied, valid, index, _revises(passage, position, relation)
        )


def _revises(passage: Passage, position: int, reference: str) -> Revises | None:
    """Return the note that ``replaces 103`` names, or the earlier turn that ``replaces 3`` does; None for neither.

    A note that was not shown is named by the number of its turn alone.
    """
    match = _REVISES.fullmatch(reference.lower())
    if match is None:
        return None
    relation, number = _RELATIONS[match[1]], int(match[2])
    if number > NOTES_FROM:
        notes = [note for note in passage.notes if note.seq == number - NOTES_FROM]
        if not notes:
            return Revises(relation, "", seq=number - NOTES_FROM)
        return Revises(relation, notes[0].turn, notes[0].text if len(notes) == 1 else "")
    index = passage.start + number - 1
    return Revises(relation, passage.turns[index].id) if max(passage.start - _BEFORE, 0) <= index < position else None


def _extraction(passage: Passage, turn: Turn, names: Sequence[str], relations: Sequence[str]) -> Extraction:
    namings = _namings(turn.content, [_halves(name) for name in names])
    types: dict[str, EntityType] = dict.fromkeys((*passage.speakers, turn.speaker), "person")
    types |= {naming.surface: naming.type for naming in namings}
    return Extraction(tuple(namings), tuple(_ties(types, relations))[:RELATIONS])


def _halves(text: str) -> tuple[str, str]:
    """Split ``name = type``; a name may have the sign, a type has none."""
    name, sign, sort = text.rpartition("=")
    return (name.strip(), sort) if sign else (text.strip(), "other")


def _namings(content: str, pairs: Sequence[tuple[str, str]]) -> list[Naming]:
    """Return the names that stand in a text, at their first free place; longer names take theirs first."""
    lower = content.lower()
    namings: list[Naming] = []
    for surface, sort in sorted(pairs[: 2 * ENTITIES], key=lambda pair: -len(pair[0])):
        if not surface or len(surface) > _SURFACE:
            continue
        start = _free(content, surface, namings)
        if start is None and len(lower) == len(content):
            start = _free(lower, surface.lower(), namings)
        if start is not None:
            end = start + len(surface)
            namings.append(Naming(content[start:end], _type(sort), start, end))
    return sorted(namings, key=lambda naming: naming.start)[:ENTITIES]


def _free(text: str, surface: str, namings: Sequence[Naming]) -> int | None:
    """Return where a name first stands as whole words, outside of other namings; None if it does not."""
    start = text.find(surface)
    while start >= 0:
        end = start + len(surface)
        is_word = not _in_word(text[start - 1 : start]) and not _in_word(text[end : end + 1])
        if is_word and not any(naming.start < end and start < naming.end for naming in namings):
            return start
        start = text.find(surface, end if is_word else start + 1)
    return None


def _in_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def _type(name: str) -> EntityType:
    return _TYPES.get(name.strip().lower(), "other")


def _ties(types: dict[str, EntityType], rows: Sequence[str]) -> Iterator[Tie]:
    """Yield the relations, ``one | label | other``, between entities of the turn and speakers of the passage."""
    spelt = {name.lower(): name for name in types}
    keys: set[tuple[str, str, str]] = set()
    for row in rows:
        source, label, target, *_ = (*(cell.strip().lower() for cell in row.split("|")), "", "", "")
        first, second, text = spelt.get(source), spelt.get(target), _line(label, _LABEL)
        if first is None or second is None or first == second or not text or (first, second, text) in keys:
            continue
        keys.add((first, second, text))
        yield Tie(first, types[first], second, types[second], text)


# Turns that are sent before the wanted ones; most characters of a turn and of the persona.
_BEFORE: Final = 6
_LONGEST: Final = 12_000
_PERSONA: Final = 2_000


def turns_data(passage: Passage, persona: str) -> dict[str, Any]:
    """Return the data of a passage for a model."""
    first = max(0, passage.start - _BEFORE)
    numbered = enumerate(passage.turns[first:], first - passage.start + 1)
    return {
        "speakers": list(passage.speakers),
        "persona": persona[:_PERSONA],
        "notes": [[NOTES_FROM + note.seq, f"{note.day:%Y-%m-%d}", note.text[:_TEXT]] for note in passage.notes],
        "days": [
            {"day": f"{day:%Y-%m-%d, %A}", "said": [_turn(turn, number) for number, turn in day_turns]}
            for day, day_turns in groupby(numbered, key=lambda pair: pair[1].at.date())
        ],
    }


def _turn(turn: Turn, number: int) -> list[Any]:
    fields = [number, f"{turn.at:%H:%M}", turn.speaker, turn.text[:_LONGEST]]
    # Most turns have the role of a user, which says nothing.
    role = None if turn.role == "user" else turn.role
    options = {"picture": turn.caption[:_LONGEST] if turn.caption else None, "role": role}
    extras = {name: value for name, value in options.items() if value}
    return [*fields, extras] if extras else fields


def missing_turns(passage: Passage, answer: ReadTurns) -> str | None:
    """Return a complaint for the model that names the turns it left out; None if there are none."""
    missing = sorted(set(range(1, len(passage.targets) + 1)) - {turn.n for turn in answer.turns} - set(answer.filler))
    if not missing:
        return None
    return f"neither turns nor filler has n {', '.join(map(str, missing))}; each stands in one of them"


def extractions(passage: Passage, answer: ReadTurns, made_by: str) -> list[TurnExtraction]:
    """Return the extraction of each wanted turn, by the verbatim analyst where the model left a turn out.

    A turn is left to it too if all its statements, or all its claims, are invalid: a text that manipulates the
    model must not hide what the turn says.
    """
    by_number, filler = {turn.n: turn for turn in reversed(answer.turns)}, set(answer.filler)
    verbatim: Sequence[TurnExtraction] = ()
    readings: list[TurnExtraction] = []
    for index in range(len(passage.targets)):
        turn = by_number.get(index + 1)
        if turn is None and index + 1 in filler:
            readings.append(_filler(passage, index, made_by))
            continue
        reading = validated(passage, index, turn, made_by) if turn else None
        if turn is None or reading is None or _is_invalid(turn, reading):
            verbatim = verbatim or verbatim_extractions(passage)
            reading = verbatim[index]
        readings.append(reading)
    return readings


def _is_invalid(turn: SaidTurn, reading: TurnExtraction) -> bool:
    """Tell if all statements, or all claims, of a model's turn were invalid."""
    has_claims = any(statement.claims for statement in turn.statements)
    return bool(turn.statements and not reading.statements) or bool(has_claims and not reading.claims)


def verbatim_extractions(passage: Passage) -> list[TurnExtraction]:
    """Return the verbatim analyst's extraction of each wanted turn of a passage."""
    analyst = _VERBATIM
    passages = [passage]
    statements = analyst.events(passages)
    claims = analyst.claims(passages, statements)
    extractions = analyst.entities(passages)[0]
    curations = analyst.curate(passages)
    worth = analyst.importance(passages, [""], curations, claims)[0]
    return [
        TurnExtraction(
            analyst.made_by,
            curations[0][index],
            tuple(statements[0][index]),
            tuple(claims[0][index]),
            extractions[index],
            tuple(analyst.labels(statements[0][index], [turn.speaker] * len(statements[0][index]))),
            worth[index],
        )
        for index, turn in enumerate(passage.targets)
    ]
