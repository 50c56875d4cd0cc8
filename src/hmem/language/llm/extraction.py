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


def when(said: str, zone: tzinfo | None) -> Span | None:
    """Return the span of a time, or of a first and a last one with a slash between; None if it is neither."""
    first, _, last = said.partition("/")
    return span_of(first, last, zone)


def holding(said: str, zone: tzinfo | None) -> Span | None:
    """Return the time for which a state holds: without an end, unless a last time is told."""
    found = when(said, zone)
    return found if found is None or "/" in said else Span(found.start, OPEN)


def _end_of(last: Span, first: Span) -> datetime:
    """Return the end of the last time; one exact to the minute ends there, unless the span would be empty."""
    to_the_minute = last.length == _MINUTE and last.start > first.start
    return last.start if to_the_minute else last.end


def _read(said: str | None, zone: tzinfo | None) -> Span | None:
    """Return the span that a time covers: a year, a month, a day or a minute; None if it is not a time."""
    found = _TIME.fullmatch(said.strip()) if said else None
    if found is None or int(found["year"]) not in _YEARS:
        return None
    try:
        start = datetime(
            int(found["year"]),
            int(found["month"] or 1),
            int(found["day"] or 1),
            int(found["hour"] or 0),
            int(found["minute"] or 0),
            tzinfo=_zone(found["zone"]) or zone or UTC,
        )
    except ValueError:
        return None
    return Span(start, _end(start, found))


def _zone(said: str | None) -> tzinfo | None:
    if not said:
        return None
    return datetime.fromisoformat(f"2000-01-01T00:00:00{said}").tzinfo


def _end(start: datetime, found: "re.Match[str]") -> datetime:
    if found["hour"]:
        return start + _MINUTE
    if found["day"]:
        return start + timedelta(days=1)
    if found["month"]:
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
_NEAR: Final = 6
_HIGHEST: Final = 10

_TYPES: Final[dict[str, EntityType]] = {name: name for name in get_args(EntityType)}
_KINDS: Final[dict[str, NoteKind]] = {name: name for name in get_args(NoteKind)}
_SPACES: Final = re.compile(r"[\s\x00-\x1f\x7f]+")
# A note that a model is shown has the sequence number of its turn above this one; smaller numbers are turns of the
# call. So a number means the same whatever other notes are shown, and an answer may come much later.
NOTES_FROM: Final = 100
_REVISES: Final = re.compile(r"(replaces|extends|confirms) #?(-?\d{1,12})")
_RELATIONS: Final[dict[str, Relation]] = {"replaces": "contradicts", "extends": "extends", "confirms": "same"}


def validated(passage: Passage, place: int, said: SaidTurn, made_by: str) -> TurnExtraction:
    """Return the validated extraction of the turn at index ``place`` among the wanted ones of a passage."""
    at = passage.start + place
    turn = passage.turns[at]
    pairs = list(_statements(passage, at, said.statements))[:STATEMENTS]
    claims = (claim for i, (one, statement) in enumerate(pairs) for claim in _claims(passage, at, one, statement, i))
    hints = _VERBATIM.cues([Passage((turn,), 0, passage.speakers)])[0][0]
    return TurnExtraction(
        made_by,
        Curation(memorable=True),
        tuple(statement for _, statement in pairs),
        tuple(islice(claims, CLAIMS)),
        _extraction(passage, turn, said.names, said.relations),
        tuple(_labels(one, statement, turn) for one, statement in pairs),
        min(max(said.importance, 1), _HIGHEST),
        Cues(_share(said.shift), _share(said.emotion), hints.words),
    )


def _filler(passage: Passage, place: int, made_by: str) -> TurnExtraction:
    """Return the extraction of a turn that tells nothing; what it names is left to the verbatim analyst."""
    turn = passage.turns[passage.start + place]
    hints = _VERBATIM.cues([Passage((turn,), 0, passage.speakers)])[0][0]
    return TurnExtraction(made_by, Curation(False, ("filler",)), importance=1, cues=Cues(0.0, 0.0, hints.words))  # noqa: FBT003


def _line(text: str, most: int) -> str:
    """Return a text as one line; "" if it is longer than ``most`` characters."""
    line = _SPACES.sub(" ", text).strip()
    return line if len(line) <= most else ""


def _share(value: float) -> float:
    """Return a number limited to 0 to 1; 0 for NaN."""
    return min(max(value, 0.0), 1.0) if value == value else 0.0


def _statements(passage: Passage, at: int, said: Sequence[SaidStatement]) -> Iterator[tuple[SaidStatement, Statement]]:
    """Yield the valid statements, each with the model's."""
    turn = passage.turns[at]
    names = {stem for speaker in (*passage.speakers, turn.speaker) for stem in content_stems(speaker)}
    seen: set[str] = set()
    for one in said:
        text = _line(one.text, _TEXT)
        context = min(max(one.context, 0), at, _NEAR)
        # A turn must not be able to plant statements in another that does not need it as context.
        known = {stem for each in passage.turns[at - context : at + 1] for stem in content_stems(each.content)}
        stems = set(content_stems(text)) - names
        if not text or text in seen or (stems and stems.isdisjoint(known)):
            continue
        seen.add(text)
        yield one, Statement(text, when(one.when, turn.at.tzinfo), context)


def _labels(said: SaidStatement, statement: Statement, turn: Turn) -> Labels:
    """Return the model's labels of a statement if all three are valid, else those of the verbatim analyst."""
    domain, category, trace = (_line(one, _LABEL) for one in (*said.path.split("/", 2), "", "", "")[:3])
    if domain and category and trace:
        return Labels(domain.lower(), category.lower(), trace)
    return _VERBATIM.labels([statement], [turn.speaker])[0]


def _claims(passage: Passage, at: int, said: SaidStatement, statement: Statement, place: int) -> Iterator[Claim]:
    """Yield the valid claims of a statement: ``kind | subject | slot | value | relation number``."""
    turn = passage.turns[at]
    for one in said.claims:
        kind, subject, slot, value, relation, *_ = (*(_line(part, _VALUE) for part in one.split("|")), *[""] * 5)
        if not (subject and slot and value):
            continue
        denied, kind = kind.startswith("not "), _KINDS.get(kind.removeprefix("not ").strip().lower(), "fact")
        slot = _SPACES.sub(" ", slot.lower().replace("_", " ")).replace("favorite", "favourite")
        valid = statement.happened if kind == "fact" else holding(said.when, turn.at.tzinfo)
        yield Claim(
            kind, subject, slot, value, statement.text, not denied, valid, place, _revises(passage, at, relation)
        )


def _revises(passage: Passage, at: int, said: str) -> Revises | None:
    """Return the note that ``replaces 103`` names, or the earlier turn that ``replaces 3`` does; None for neither.

    A note that was not shown is named by the number of its turn alone.
    """
    found = _REVISES.fullmatch(said.lower())
    if found is None:
        return None
    relation, number = _RELATIONS[found[1]], int(found[2])
    if number > NOTES_FROM:
        shown = [note for note in passage.notes if note.seq == number - NOTES_FROM]
        if not shown:
            return Revises(relation, "", seq=number - NOTES_FROM)
        return Revises(relation, shown[0].turn, shown[0].text if len(shown) == 1 else "")
    place = passage.start + number - 1
    return Revises(relation, passage.turns[place].id) if max(passage.start - _BEFORE, 0) <= place < at else None


def _extraction(passage: Passage, turn: Turn, names: Sequence[str], relations: Sequence[str]) -> Extraction:
    namings = _namings(turn.content, [_halves(one) for one in names])
    types: dict[str, EntityType] = dict.fromkeys((*passage.speakers, turn.speaker), "person")
    types |= {naming.surface: naming.type for naming in namings}
    return Extraction(tuple(namings), tuple(_ties(types, relations))[:RELATIONS])


def _halves(said: str) -> tuple[str, str]:
    """Split ``name = type``; a name may have the sign, a type has none."""
    name, sign, sort = said.rpartition("=")
    return (name.strip(), sort) if sign else (said.strip(), "other")


def _namings(content: str, said: Sequence[tuple[str, str]]) -> list[Naming]:
    """Return the names that stand in a text, at their first free place; longer names take theirs first."""
    lower = content.lower()
    found: list[Naming] = []
    for surface, sort in sorted(said[: 2 * ENTITIES], key=lambda one: -len(one[0])):
        if not surface or len(surface) > _SURFACE:
            continue
        start = _free(content, surface, found)
        if start is None and len(lower) == len(content):
            start = _free(lower, surface.lower(), found)
        if start is not None:
            end = start + len(surface)
            found.append(Naming(content[start:end], _type(sort), start, end))
    return sorted(found, key=lambda naming: naming.start)[:ENTITIES]


def _free(text: str, surface: str, taken: Sequence[Naming]) -> int | None:
    """Return the first place of a name as whole words outside of the names in ``taken``; None if there is none."""
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


def _ties(types: dict[str, EntityType], said: Sequence[str]) -> Iterator[Tie]:
    """Yield the relations, ``one | label | other``, between entities of the turn and speakers of the passage."""
    spelt = {name.lower(): name for name in types}
    seen: set[tuple[str, str, str]] = set()
    for one in said:
        source, label, target, *_ = (*(part.strip().lower() for part in one.split("|")), "", "", "")
        first, second, text = spelt.get(source), spelt.get(target), _line(label, _LABEL)
        if first is None or second is None or first == second or not text or (first, second, text) in seen:
            continue
        seen.add((first, second, text))
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
            {"day": f"{day:%Y-%m-%d, %A}", "said": [_turn(turn, number) for number, turn in said]}
            for day, said in groupby(numbered, key=lambda each: each[1].at.date())
        ],
    }


def _turn(turn: Turn, number: int) -> list[Any]:
    shown = [number, f"{turn.at:%H:%M}", turn.speaker, turn.text[:_LONGEST]]
    # Most turns have the role of a user, which says nothing.
    role = None if turn.role == "user" else turn.role
    more = {"picture": turn.caption[:_LONGEST] if turn.caption else None, "role": role}
    beside = {name: value for name, value in more.items() if value}
    return [*shown, beside] if beside else shown


def missing_turns(passage: Passage, said: ReadTurns) -> str | None:
    """Return a complaint for the model that names the turns it left out; None if there are none."""
    missing = sorted(set(range(1, len(passage.wanted) + 1)) - {turn.n for turn in said.turns} - set(said.filler))
    if not missing:
        return None
    return f"neither turns nor filler has n {', '.join(map(str, missing))}; each stands in one of them"


def extractions(passage: Passage, said: ReadTurns, made_by: str) -> list[TurnExtraction]:
    """Return the extraction of each wanted turn, by the verbatim analyst where the model left a turn out.

    A turn is left to it too if all its statements, or all its claims, are invalid: a text that manipulates the
    model must not hide what the turn says.
    """
    by_number, filler = {turn.n: turn for turn in reversed(said.turns)}, set(said.filler)
    verbatim: Sequence[TurnExtraction] = ()
    found: list[TurnExtraction] = []
    for place in range(len(passage.wanted)):
        turn = by_number.get(place + 1)
        if turn is None and place + 1 in filler:
            found.append(_filler(passage, place, made_by))
            continue
        reading = validated(passage, place, turn, made_by) if turn else None
        if turn is None or reading is None or _all_refused(turn, reading):
            verbatim = verbatim or verbatim_extractions(passage)
            reading = verbatim[place]
        found.append(reading)
    return found


def _all_refused(turn: SaidTurn, reading: TurnExtraction) -> bool:
    """Tell if all statements, or all claims, of a model's turn were invalid."""
    claimed = any(one.claims for one in turn.statements)
    return bool(turn.statements and not reading.statements) or bool(claimed and not reading.claims)


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
            curations[0][place],
            tuple(statements[0][place]),
            tuple(claims[0][place]),
            extractions[place],
            tuple(analyst.labels(statements[0][place], [turn.speaker] * len(statements[0][place]))),
            worth[place],
        )
        for place, turn in enumerate(passage.wanted)
    ]
