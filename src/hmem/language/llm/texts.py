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
_INNER_WORD: Final = re.compile(r"(?<=[^\W_] |[,;:)] )[^\W\d_]{3,}")
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
        exempt = {word for line in lines for word in _words(line.speaker or "")} | _DAYS_AND_MONTHS
        words = [word for line in lines for word in _INNER_WORD.findall(line.text) if word.casefold() not in exempt]
        names = [word.casefold() for word in words if word[0].isupper()]
        self._names = frozenset(names if len(names) * _RARE <= len(words) else ())

    def find_in(self, text: str, lines: Sequence[Excerpt], subject: str = "") -> set[str]:
        """Return the names in a text, in lower case, that occur in the lines of other texts but not in its own."""
        names = {word.casefold() for word in _INNER_WORD.findall(text) if word[0].isupper()} & self._names
        return names and names - {
            word for source in (subject, *(line.text for line in lines)) for word in _words(source)
        }


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
Valid = TypeVar("Valid")


def work_data(work: WriteRequest) -> dict[str, Any]:
    """Return the data of texts for a model: each line once, and for each text the numbers of its lines."""
    lines = work.lines
    numbers = {line: number for number, line in enumerate(lines, 1)}

    def line_numbers(excerpts: Sequence[Excerpt]) -> list[int]:
        return [numbers[line] for line in excerpts]

    return {
        "lines": _by_day(lines),
        "people": list(dict.fromkeys(name for topic in work.topics for name in topic.names)),
        "summaries": _numbered(
            {"tokens": summary.tokens, "lines": line_numbers(summary.lines)}
            | ({"of": [index + 1 for index in summary.summaries]} if summary.summaries else {})
            for summary in work.summaries
        ),
        "topics": _numbered(
            {"siblings": list(topic.siblings), "lines": line_numbers(topic.lines)} for topic in work.topics
        ),
        "profiles": _numbered(
            {"tokens": request.tokens, "name": subject.name, "type": subject.type, "lines": line_numbers(subject.lines)}
            for request in work.profiles
            for subject in (request.subject,)
        ),
        "personas": _numbered(
            {"tokens": request.tokens, "person": request.person, "claims": [_claim(claim) for claim in request.claims]}
            for request in work.personas
        ),
    }


def _numbered(items: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"n": number, **item} for number, item in enumerate(items, 1)]


def _source_lines(work: WriteRequest, summary: ToSummarise) -> Iterator[Excerpt]:
    """Yield the lines of a summary, and those of the summaries that it is made from."""
    yield from summary.lines
    for index in summary.summaries:
        yield from _source_lines(work, work.summaries[index])


def _by_day(lines: Sequence[Excerpt]) -> list[dict[str, Any]]:
    """Group the lines by day, so that dates and field names do not take tokens for each line."""
    numbered = enumerate(lines, 1)
    return [
        {
            "day": day.isoformat(),
            "said": [[n, line.speaker or "", round(line.importance), line.text[:_LINE]] for n, line in day_lines],
        }
        for day, day_lines in groupby(numbered, key=lambda pair: pair[1].time.date())
    ]


def _moment(time: datetime) -> str:
    return time.isoformat(timespec="minutes")


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


def missing_pieces(work: WriteRequest, answer: WriteTexts) -> str | None:
    """Return a complaint for the model that names the texts it left out; None if most are there.

    A few missing ones are asked for alone, which is cheaper than all of them again.
    """
    faults: list[str] = []
    count = 0
    for name, requests, texts in (
        ("summaries", work.summaries, answer.summaries),
        ("topics", work.topics, answer.topics),
        ("profiles", work.profiles, answer.profiles),
        ("personas", work.personas, answer.personas),
    ):
        if missing := sorted(set(range(1, len(requests) + 1)) - {text.n for text in texts}):
            faults.append(f"{name} lacks n {', '.join(map(str, missing))}")
            count += len(missing)
    return "; ".join(faults) if 2 * count > len(work) else None


def write_result(work: WriteRequest, answer: WriteTexts, made_by: str) -> WriteResult:
    """Return the valid texts, in the order of the request."""
    foreign = ForeignNames(work.lines)

    def profile(text: SaidProfile, request: ToProfile) -> ProfileText | None:
        lines, halves = request.subject.lines, (text.persistent, text.recent)
        if any(foreign.find_in(half, lines, request.subject.name) for half in halves):
            return None
        return _profile(*(_text(half, request.tokens) for half in halves))

    def summary(text: SaidText, request: ToSummarise) -> str | None:
        return None if foreign.find_in(text.text, [*_source_lines(work, request)]) else _text(text.text, request.tokens)

    return WriteResult(
        made_by,
        _in_request_order(work.summaries, answer.summaries, summary),
        _in_request_order(
            work.topics, answer.topics, lambda text, request: _topic(text.text, (*request.names, *request.siblings))
        ),
        _in_request_order(work.profiles, answer.profiles, profile),
        _in_request_order(
            work.personas,
            answer.personas,
            lambda text, request: _persona(_text(text.text, request.tokens), text.traits),
        ),
    )


def _in_request_order(
    requests: Sequence[Item], texts: Sequence[Any], validate: Callable[[Any, Item], Valid | None]
) -> tuple[Valid | None, ...]:
    """Return the results in the order of the request, by the numbers that the model gave; None for a missing one."""
    by_number = {text.n: text for text in reversed(texts)}
    return tuple(
        validate(by_number[number], request) if number in by_number else None
        for number, request in enumerate(requests, 1)
    )


def _text(answer: str, tokens: int) -> str | None:
    """Fit a text into its room: cut a much too long one after a sentence; None if nothing is left."""
    text = _SPACES.sub(" ", answer).strip()
    room = tokens * _LETTERS
    if len(text) > room:
        end = max(text.rfind(mark, 0, room) for mark in (". ", "! ", "? "))
        text = text[: end + 1].strip()
    return text or None


def _topic(answer: str, names: Sequence[str]) -> str | None:
    name = _SPACES.sub(" ", answer).strip(_ENDS)
    if not name or len(name) > _TOPIC or name.lower() in {existing.lower() for existing in names}:
        return None
    return name


def _profile(persistent: str | None, recent: str | None) -> ProfileText | None:
    return ProfileText(persistent or "", recent or "") if persistent or recent else None


def _persona(text: str | None, traits: Sequence[str]) -> PersonaText | None:
    cleaned = (_SPACES.sub(" ", trait).strip(_ENDS) for trait in traits)
    return PersonaText(text, tuple(trait for trait in cleaned if 0 < len(trait) <= _TRAIT)[:_TRAITS]) if text else None
