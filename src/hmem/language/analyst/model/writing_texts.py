"""Work as data, and what is believed of what a model writes."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

from hmem.language.analyst.base import Claim, Line, PersonaText, ProfileText, Stated, Verdict
from hmem.language.analyst.model.schemas import WriteTexts
from hmem.language.analyst.rules.claiming import OPEN
from hmem.language.analyst.work import Work, Written

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


def work_data(work: Work) -> dict[str, Any]:
    """What a model is shown of a piece of work."""
    return {
        "summaries": [
            {"n": n, "tokens": one.tokens, "lines": _lines(one.lines)} for n, one in enumerate(work.summaries, 1)
        ],
        "topics": [
            {"n": n, "texts": _cut(one.texts), "names": list(one.names), "siblings": list(one.siblings)}
            for n, one in enumerate(work.topics, 1)
        ],
        "profiles": [
            {
                "n": n,
                "tokens": one.tokens,
                "name": one.subject.name,
                "type": one.subject.type,
                "lines": _lines(one.subject.lines),
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


def _cut(texts: Sequence[str]) -> list[str]:
    return [text[:_LINE] for text in texts]


def _lines(lines: Sequence[Line]) -> list[dict[str, Any]]:
    return [
        {
            "when": _moment(line.when),
            "speaker": line.speaker,
            "text": line.text[:_LINE],
            "importance": round(line.importance, 1),
        }
        for line in lines
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


def missing_pieces(work: Work, said: WriteTexts) -> str | None:
    """Which pieces were left out, in words for the model; None when none was."""
    faults: list[str] = []
    for name, wanted, made in (
        ("summaries", work.summaries, said.summaries),
        ("topics", work.topics, said.topics),
        ("profiles", work.profiles, said.profiles),
        ("personas", work.personas, said.personas),
        ("verdicts", work.pairs, said.verdicts),
    ):
        if missing := sorted(set(range(1, len(wanted) + 1)) - {one.n for one in made}):
            faults.append(f"{name} lacks n {', '.join(map(str, missing))}")
    return "; ".join(faults) or None


def written(work: Work, said: WriteTexts, made_by: str) -> Written:
    """What is believed of what was written, place by place."""
    return Written(
        made_by,
        _placed(work.summaries, said.summaries, lambda one, wanted: _text(one.text, wanted.tokens)),
        _placed(work.topics, said.topics, lambda one, wanted: _topic(one.text, (*wanted.names, *wanted.siblings))),
        _placed(
            work.profiles,
            said.profiles,
            lambda one, wanted: _profile(_text(one.persistent, wanted.tokens), _text(one.recent, wanted.tokens)),
        ),
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
