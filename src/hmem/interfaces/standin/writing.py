"""The task ``write_texts``: summaries, names of topics, profiles, personas, and verdicts on pairs of claims."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from hmem.interfaces.standin.reading import claim_of, rules
from hmem.interfaces.standin.wire import Json
from hmem.language.analyst import Line, Stated, Subject

Data = Mapping[str, Any]


def write_texts(data: Data) -> Json:
    """Everything that the data ask for, by its number."""
    return {
        "summaries": [
            {"n": each["n"], "text": rules().summarise([lines_of(each["lines"])], each["tokens"])[0]}
            for each in data.get("summaries") or ()
        ],
        "topics": [{"n": each["n"], "text": _name(each)} for each in data.get("topics") or ()],
        "profiles": [{"n": each["n"], **_profile(each)} for each in data.get("profiles") or ()],
        "personas": [{"n": each["n"], **_persona(each)} for each in data.get("personas") or ()],
        "verdicts": [{"n": each["n"], **_verdict(each)} for each in data.get("verdicts") or ()],
    }


def lines_of(told: Sequence[Data]) -> list[Line]:
    """The lines that data tell of."""
    return [
        Line(
            each["text"],
            each.get("speaker") or None,
            datetime.fromisoformat(each["when"]),
            float(each.get("importance", 5.0)),
        )
        for each in told
    ]


def _name(asked: Data) -> str:
    """A name that tells the texts from those of the siblings."""
    groups = [list(asked["texts"]), *([list(asked["siblings"])] if asked.get("siblings") else [])]
    return rules().name_topics(groups, asked.get("names") or ())[0]


def _profile(asked: Data) -> Json:
    subject = Subject(asked["name"], asked["type"], tuple(lines_of(asked["lines"])))
    return asdict(rules().profiles([subject], asked["tokens"])[0])


def _persona(asked: Data) -> Json:
    made = rules().personas([asked["person"]], [[claim_of(each) for each in asked["claims"]]], asked["tokens"])[0]
    return {"text": made.text, "traits": list(made.traits)}


def _verdict(asked: Data) -> Json:
    verdict = rules().reconcile([(_stated(asked["older"]), _stated(asked["newer"]))])[0]
    return {"relation": verdict.relation, "why": verdict.why}


def _stated(told: Data) -> Stated:
    return Stated(claim_of(told), datetime.fromisoformat(told["said"]), told.get("words") or "")
