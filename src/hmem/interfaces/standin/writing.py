"""The task ``write_texts``: summaries, names of topics, profiles, personas, and verdicts on pairs of claims."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from hmem.interfaces.standin.reading import claim_of, rules
from hmem.interfaces.standin.wire import Json
from hmem.language.analyst import Excerpt, Stated, Subject

Data = Mapping[str, Any]


def write_texts(data: Data) -> Json:
    """Everything that the data ask for, by its number."""
    lines = _numbered(data.get("lines") or ())
    return {
        "summaries": _summaries(data.get("summaries") or (), lines),
        "topics": [
            {"n": each["n"], "text": _name(each, _of(each, lines), data.get("people") or ())}
            for each in data.get("topics") or ()
        ],
        "profiles": [{"n": each["n"], **_profile(each, _of(each, lines))} for each in data.get("profiles") or ()],
        "personas": [{"n": each["n"], **_persona(each)} for each in data.get("personas") or ()],
        "verdicts": [{"n": each["n"], **_verdict(each)} for each in data.get("verdicts") or ()],
    }


def _summaries(asked: Sequence[Data], lines: Mapping[int, Excerpt]) -> list[Json]:
    """Those asked for, in their order: one of others is made from what was made of those."""
    made: dict[int, Excerpt] = {}
    for each in asked:
        told = [*_of(each, lines), *(made[number] for number in each.get("of") or ())]
        when = max((line.when for line in told), default=datetime.now(UTC))
        made[each["n"]] = Excerpt(rules().summarise([told], each["tokens"])[0], None, when, 8.0)
    return [{"n": number, "text": line.text} for number, line in made.items()]


def _numbered(days: Sequence[Data]) -> dict[int, Excerpt]:
    """The lines under their days, by number."""
    return {
        number: Excerpt(
            text, speaker or None, datetime.fromisoformat(told["day"]).replace(tzinfo=UTC), float(importance)
        )
        for told in days
        for number, speaker, importance, text in told["said"]
    }


def _of(asked: Data, lines: Mapping[int, Excerpt]) -> list[Excerpt]:
    """The lines that a text is to be made from."""
    return [lines[number] for number in asked["lines"]]


def lines_of(told: Sequence[Data]) -> list[Excerpt]:
    """The lines that data tell of."""
    return [
        Excerpt(
            each["text"],
            each.get("speaker") or None,
            datetime.fromisoformat(each["when"]),
            float(each.get("importance", 5.0)),
        )
        for each in told
    ]


def _name(asked: Data, lines: Sequence[Excerpt], people: Sequence[str]) -> str:
    """A name that tells the lines from the siblings."""
    groups = [[line.text for line in lines], *([list(asked["siblings"])] if asked.get("siblings") else [])]
    return rules().name_topics(groups, people)[0]


def _profile(asked: Data, lines: Sequence[Excerpt]) -> Json:
    subject = Subject(asked["name"], asked["type"], tuple(lines))
    return asdict(rules().profiles([subject], asked["tokens"])[0])


def _persona(asked: Data) -> Json:
    made = rules().personas([asked["person"]], [[claim_of(each) for each in asked["claims"]]], asked["tokens"])[0]
    return {"text": made.text, "traits": list(made.traits)}


def _verdict(asked: Data) -> Json:
    verdict = rules().reconcile([(_stated(asked["older"]), _stated(asked["newer"]))])[0]
    return {"relation": verdict.relation, "why": verdict.why}


def _stated(told: Data) -> Stated:
    return Stated(claim_of(told), datetime.fromisoformat(told["said"]), told.get("words") or "")
