"""Texts to be written as data for a model, and validation of the texts that it writes."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Final, TypeVar

from hmem.language.analyst.base import Claim, Excerpt, PersonaText, ProfileText
from hmem.language.analyst.language_model import ToProfile, ToSummarise, WriteRequest, WriteResult
from hmem.language.llm.tasks import SaidProfile, SaidText, WriteTexts
from hmem.model.span import OPEN

_WORD: Final = re.compile(r"[^\W_]+")
# Only a capital within a sentence marks a name, since the first word of a sentence always has one.
_WITHIN: Final = re.compile(r"(?<=[^\W_] |[,;:)] )[^\W\d_]{3,}")
# If more than one word in this many has a capital, as in German, capitals do not mark names.
_RARE: Final = 4
# Days and months, which lines may name for each other's relative dates.
_CALENDAR: Final = """
monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
october november december mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec
"""
_DAYS_AND_MONTHS: Final = frozenset(_CALENDAR.split())


class ForeignNames:
    """Detector of names in a text that come from other lines than its own: a model may mix up lines.

    Names of speakers, days and months are never foreign, since lines refer to them in other words.
    """

    def __init__(self, lines: Sequence[Excerpt]) -> None:
        known = {word for line in lines for word in _words(line.speaker or "")} | _DAYS_AND_MONTHS
        within = [word for line in lines for word in _WITHIN.findall(line.text) if word.casefold() not in known]
        names = [word.casefold() for word in within if word[0].isupper()]
        self._names = frozenset(names if len(names) * _RARE <= len(within) else ())

    def within(self, text: str, lines: Sequence[Excerpt], subject: str = "") -> set[str]:
        """Return the names in a text, in lower case, that occur in the lines of other texts but not in its own."""
        found = {word.casefold() for word in _WITHIN.findall(text) if word[0].isupper()} & self._names
        return found and found - {word for told in (subject, *(line.text for line in lines)) for word in _words(told)}


def _words(text: str) -> Iterator[str]:
    return (word.casefold() for word in _WORD.findall(text))


# Most characters of a shown line or claim, of a topic's name, and of a token when a text is measured.
_LINE: Final = 1_500
_TOPIC: Final = 60
_LETTERS: Final = 8
_TRAIT: Final = 80
_TRAITS: Final = 8
_SPACES: Final = re.compile(r"\s+")
_ENDS: Final = " .:;,\"'"

Item = TypeVar("Item")
Made = TypeVar("Made")


def work_data(work: WriteRequest) -> dict[str, Any]:
    """Return the data of texts for a model: each line once, and for each text the numbers of its lines."""
    lines = work.lines
    numbers = {line: number for number, line in enumerate(lines, 1)}

    def told(some: Sequence[Excerpt]) -> list[int]:
        return [numbers[line] for line in some]

    return {
        "lines": _by_day(lines),
        "people": list(dict.fromkeys(name for one in work.topics for name in one.names)),
        "summaries": _numbered(
            {"tokens": one.tokens, "lines": told(one.lines)}
            | ({"of": [place + 1 for place in one.summaries]} if one.summaries else {})
            for one in work.summaries
        ),
        "topics": _numbered({"siblings": list(one.siblings), "lines": told(one.lines)} for one in work.topics),
        "profiles": _numbered(
            {"tokens": one.tokens, "name": about.name, "type": about.type, "lines": told(about.lines)}
            for one in work.profiles
            for about in (one.subject,)
        ),
        "personas": _numbered(
            {"tokens": one.tokens, "person": one.person, "claims": [_claim(claim) for claim in one.claims]}
            for one in work.personas
        ),
    }


def _numbered(items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"n": number, **item} for number, item in enumerate(items, 1)]


def _behind(work: WriteRequest, one: ToSummarise) -> Iterator[Excerpt]:
    """Yield the lines of a summary, and those of the summaries that it is made from."""
    yield from one.lines
    for place in one.summaries:
        yield from _behind(work, work.summaries[place])


def _by_day(lines: Sequence[Excerpt]) -> list[dict[str, Any]]:
    """Group the lines by day, so that dates and field names do not take tokens for each line."""
    numbered = enumerate(lines, 1)
    return [
        {
            "day": day.isoformat(),
            "said": [[n, line.speaker or "", round(line.importance), line.text[:_LINE]] for n, line in some],
        }
        for day, some in groupby(numbered, key=lambda each: each[1].when.date())
    ]


def _moment(when: datetime) -> str:
    return when.isoformat(timespec="minutes")


def _claim(claim: Claim) -> dict[str, Any]:
    return {
        "kind": claim.kind,
        "subject": claim.subject,
        "slot": claim.slot,
        "value": claim.value,
        "text": claim.text[:_LINE],
        "positive": claim.positive,
        "valid_from": _moment(claim.valid.start) if claim.valid else None,
        "valid_to": _moment(claim.valid.end) if claim.valid and claim.valid.end < OPEN else None,
    }


def missing_pieces(work: WriteRequest, said: WriteTexts) -> str | None:
    """Return a complaint for the model that names the texts it left out; None if most are there.

    A few missing ones are asked for alone, which is cheaper than all of them again.
    """
    faults: list[str] = []
    count = 0
    for name, wanted, made in (
        ("summaries", work.summaries, said.summaries),
        ("topics", work.topics, said.topics),
        ("profiles", work.profiles, said.profiles),
        ("personas", work.personas, said.personas),
    ):
        if missing := sorted(set(range(1, len(wanted) + 1)) - {one.n for one in made}):
            faults.append(f"{name} lacks n {', '.join(map(str, missing))}")
            count += len(missing)
    return "; ".join(faults) if 2 * count > len(work) else None


def written(work: WriteRequest, said: WriteTexts, made_by: str) -> WriteResult:
    """Return the valid texts, in the order of the request."""
    foreign = ForeignNames(work.lines)

    def profile(one: SaidProfile, wanted: ToProfile) -> ProfileText | None:
        lines, parts = wanted.subject.lines, (one.persistent, one.recent)
        if any(foreign.within(part, lines, wanted.subject.name) for part in parts):
            return None
        return _profile(*(_text(part, wanted.tokens) for part in parts))

    def summary(one: SaidText, wanted: ToSummarise) -> str | None:
        return None if foreign.within(one.text, [*_behind(work, wanted)]) else _text(one.text, wanted.tokens)

    return WriteResult(
        made_by,
        _placed(work.summaries, said.summaries, summary),
        _placed(work.topics, said.topics, lambda one, wanted: _topic(one.text, (*wanted.names, *wanted.siblings))),
        _placed(work.profiles, said.profiles, profile),
        _placed(work.personas, said.personas, lambda one, wanted: _persona(_text(one.text, wanted.tokens), one.traits)),
    )


def _placed(
    wanted: Sequence[Item], said: Sequence[Any], made: Callable[[Any, Item], Made | None]
) -> tuple[Made | None, ...]:
    """Return the results in the order of the request, by the numbers that the model gave; None for a missing one."""
    by_number = {one.n: one for one in reversed(said)}
    return tuple(
        made(by_number[number], piece) if number in by_number else None for number, piece in enumerate(wanted, 1)
    )


def _text(said: str, tokens: int) -> str | None:
    """Fit a text into its room: cut a much too long one after a sentence; None if nothing is left."""
    text = _SPACES.sub(" ", said).strip()
    room = tokens * _LETTERS
    if len(text) > room:
        end = max(text.rfind(mark, 0, room) for mark in (". ", "! ", "? "))
        text = text[: end + 1].strip()
    return text or None


def _topic(said: str, taken: Sequence[str]) -> str | None:
    name = _SPACES.sub(" ", said).strip(_ENDS)
    if not name or len(name) > _TOPIC or name.lower() in {one.lower() for one in taken}:
        return None
    return name


def _profile(persistent: str | None, recent: str | None) -> ProfileText | None:
    return ProfileText(persistent or "", recent or "") if persistent or recent else None


def _persona(text: str | None, traits: Sequence[str]) -> PersonaText | None:
    kept = (_SPACES.sub(" ", trait).strip(_ENDS) for trait in traits)
    return PersonaText(text, tuple(trait for trait in kept if 0 < len(trait) <= _TRAIT)[:_TRAITS]) if text else None
