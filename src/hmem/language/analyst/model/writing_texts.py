"""Work as data, and what is believed of what a model writes."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any, Final, TypeVar

from hmem.language.analyst.base import Claim, Excerpt, PersonaText, ProfileText, Stated, Verdict
from hmem.language.analyst.model.schemas import SaidProfile, SaidText, WriteTexts
from hmem.language.analyst.model.strangers import ForeignNames
from hmem.language.analyst.work import ToProfile, ToSummarise, WriteRequest, WriteResult
from hmem.language.english.claims import OPEN

# Characters: of a line or a claim that is shown; of a topic's name; that a token has at most when a text is measured.
_LINE: Final = 1_500
_TOPIC: Final = 60
_LETTERS: Final = 8
_TRAIT: Final = 80
_TRAITS: Final = 8
_WHY: Final = 200
_SPACES: Final = re.compile(r"\s+")
_ENDS: Final = " .:;,\"'"

Piece = TypeVar("Piece")
Made = TypeVar("Made")


def work_data(work: WriteRequest) -> dict[str, Any]:
    """What a model is shown of a piece of work: lines once, and of each text the numbers of those it is made from."""
    lines = work.lines
    numbers = {line: number for number, line in enumerate(lines, 1)}

    def told(some: Sequence[Excerpt]) -> list[int]:
        return [numbers[line] for line in some]

    return {
        "lines": _by_day(lines),
        "people": list(dict.fromkeys(name for one in work.topics for name in one.names)),
        "summaries": [
            {"n": n, "tokens": one.tokens, "lines": told(one.lines), **_of(one)}
            for n, one in enumerate(work.summaries, 1)
        ],
        "topics": [
            {"n": n, "siblings": list(one.siblings), "lines": told(one.lines)} for n, one in enumerate(work.topics, 1)
        ],
        "profiles": [
            {
                "n": n,
                "tokens": one.tokens,
                "name": one.subject.name,
                "type": one.subject.type,
                "lines": told(one.subject.lines),
            }
            for n, one in enumerate(work.profiles, 1)
        ],
        "personas": [
            {"n": n, "tokens": one.tokens, "person": one.person, "claims": [_claim(claim) for claim in one.claims]}
            for n, one in enumerate(work.personas, 1)
        ],
        "verdicts": [
            {"n": n, "older": _stated(older), "newer": _stated(newer)} for n, (older, newer) in enumerate(work.pairs, 1)
        ],
    }


def _of(one: ToSummarise) -> dict[str, Any]:
    """The summaries that a summary is made from, by their numbers."""
    return {"of": [place + 1 for place in one.summaries]} if one.summaries else {}


def _behind(work: WriteRequest, one: ToSummarise) -> Iterator[Excerpt]:
    """The lines that a summary tells of, those of its summaries too."""
    yield from one.lines
    for place in one.summaries:
        yield from _behind(work, work.summaries[place])


def _by_day(lines: Sequence[Excerpt]) -> list[dict[str, Any]]:
    """The lines under their days, so that neither a date nor a field's name takes its tokens at each line."""
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
    shown: dict[str, Any] = {
        "kind": claim.kind,
        "subject": claim.subject,
        "slot": claim.slot,
        "value": claim.value,
        "text": claim.text[:_LINE],
        "positive": claim.positive,
        "valid_from": _moment(claim.valid.start) if claim.valid else None,
        "valid_to": _moment(claim.valid.end) if claim.valid and claim.valid.end < OPEN else None,
    }
    return shown


def _stated(stated: Stated) -> dict[str, Any]:
    return {**_claim(stated.claim), "said": _moment(stated.said), "words": stated.words[:_LINE]}


def missing_pieces(work: WriteRequest, said: WriteTexts) -> str | None:
    """Which pieces were left out, in words for the model; None when most were not: those few are asked for by
    themselves, which takes less than all of them again."""
    faults: list[str] = []
    count = 0
    for name, wanted, made in (
        ("summaries", work.summaries, said.summaries),
        ("topics", work.topics, said.topics),
        ("profiles", work.profiles, said.profiles),
        ("personas", work.personas, said.personas),
        ("verdicts", work.pairs, said.verdicts),
    ):
        if missing := sorted(set(range(1, len(wanted) + 1)) - {one.n for one in made}):
            faults.append(f"{name} lacks n {', '.join(map(str, missing))}")
            count += len(missing)
    return "; ".join(faults) if 2 * count > len(work) else None


def written(work: WriteRequest, said: WriteTexts, made_by: str) -> WriteResult:
    """What is believed of what was written, place by place."""
    strangers = ForeignNames(work.lines)

    def profile(one: SaidProfile, wanted: ToProfile) -> ProfileText | None:
        lines, parts = wanted.subject.lines, (one.persistent, one.recent)
        if any(strangers.within(part, lines, wanted.subject.name) for part in parts):
            return None
        return _profile(*(_text(part, wanted.tokens) for part in parts))

    def summary(one: SaidText, wanted: ToSummarise) -> str | None:
        return None if strangers.within(one.text, [*_behind(work, wanted)]) else _text(one.text, wanted.tokens)

    return WriteResult(
        made_by,
        _placed(work.summaries, said.summaries, summary),
        _placed(work.topics, said.topics, lambda one, wanted: _topic(one.text, (*wanted.names, *wanted.siblings))),
        _placed(work.profiles, said.profiles, profile),
        _placed(work.personas, said.personas, lambda one, wanted: _persona(_text(one.text, wanted.tokens), one.traits)),
        _placed(
            work.pairs, said.verdicts, lambda one, _: Verdict(one.relation, _SPACES.sub(" ", one.why)[:_WHY], made_by)
        ),
    )


def _placed(
    wanted: Sequence[Piece], said: Sequence[Any], made: Callable[[Any, Piece], Made | None]
) -> tuple[Made | None, ...]:
    """What was made of each piece, by the numbers that the model gave."""
    by_number = {one.n: one for one in reversed(said)}
    return tuple(
        made(by_number[number], piece) if number in by_number else None for number, piece in enumerate(wanted, 1)
    )


def _text(said: str, tokens: int) -> str | None:
    """A text within its room; cut at the end of a sentence where it is much too long, none where that leaves none."""
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
