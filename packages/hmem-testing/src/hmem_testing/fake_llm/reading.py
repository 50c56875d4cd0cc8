"""The task ``read_episode``: what the rules find in each turn of an episode."""

from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any, Final

from hmem.language.analyst import Analyst, Claim, Cues, Curation, Extraction, Labels, Passage, Statement, analyst
from hmem.language.english.claims import OPEN
from hmem.model.span import Span
from hmem.model.turn import Turn
from hmem_testing.fake_llm.wire import Json

_SESSION: Final = "stand-in"


def rules() -> Analyst:
    """The analyst that the answers come from."""
    return analyst("rules")


def read_episode(data: Mapping[str, Any]) -> Json:
    """What is found in each turn."""
    before = sorted(data.get("before") or (), key=lambda turn: turn["n"])
    turns = [*before, *data["turns"]]
    passage = Passage(tuple(map(_turn, turns)), len(before), tuple(data.get("speakers") or ()))
    reader, passages = rules(), [passage]
    statements, curations = reader.events(passages)[0], reader.curate(passages)
    found = zip(
        data["turns"],
        curations[0],
        reader.importance(passages, [str(data.get("persona") or "")], curations)[0],
        reader.cues(passages)[0],
        statements,
        reader.entities(passages)[0],
        reader.claims(passages, [statements])[0],
        strict=True,
    )
    return {"turns": [_read(*each) for each in found]}


def _turn(told: Mapping[str, Any]) -> Turn:
    at = datetime.fromisoformat(told["said"])
    return Turn(
        str(told["n"]),
        told["speaker"],
        told["text"],
        at,
        _SESSION,
        caption=told.get("picture") or None,
        role=told.get("role") or None,
    )


def _read(
    told: Mapping[str, Any],
    curation: Curation,
    importance: int,
    cues: Cues,
    statements: Sequence[Statement],
    extraction: Extraction,
    claims: Sequence[Claim],
) -> Json:
    labels = rules().labels(statements, [told["speaker"]] * len(statements))
    return {
        "n": told["n"],
        "memorable": curation.memorable,
        "reasons": list(curation.reasons),
        "importance": importance,
        "shift": round(cues.shift, 3),
        "emotion": round(cues.emotion, 3),
        "statements": [_statement(*each) for each in zip(statements, labels, strict=True)],
        "entities": [
            {"surface": naming.surface, "type": naming.type, "salience": round(naming.salience, 3)}
            for naming in extraction.namings
        ],
        "relations": [
            {"source": tie.source, "target": tie.target, "label": tie.label, "confidence": round(tie.confidence, 3)}
            for tie in extraction.ties
        ],
        "claims": [claim_json(claim) for claim in claims],
    }


def _statement(statement: Statement, labels: Labels) -> Json:
    start, end = bounds(statement.happened)
    return {
        "text": statement.text,
        "happened_from": start,
        "happened_to": end,
        "context": statement.context,
        "domain": labels.domain,
        "category": labels.category,
        "trace": labels.trace,
    }


def claim_json(claim: Claim) -> Json:
    """A claim as an answer tells it."""
    start, end = bounds(claim.valid)
    told = {name: getattr(claim, name) for name in ("kind", "subject", "slot", "value", "text", "positive")}
    return {**told, "valid_from": start, "valid_to": end, "statement": claim.statement}


def claim_of(told: Mapping[str, Any]) -> Claim:
    """The claim that data tell of."""
    start, end = told.get("valid_from"), told.get("valid_to")
    valid = Span(datetime.fromisoformat(start), datetime.fromisoformat(end) if end else OPEN) if start else None
    names = ("kind", "subject", "slot", "value", "text")
    return Claim(*(told[name] for name in names), positive=told.get("positive", True), valid=valid)


def bounds(span: Span | None) -> tuple[str | None, str | None]:
    """The first and the last day of a span, or minute where it is no whole days; no last one of what still holds."""
    return (None, None) if span is None else _told(span)


def _told(span: Span) -> tuple[str, str | None]:
    """The same of a span that is there."""
    start, end = span.start, span.end.astimezone(span.start.tzinfo)
    if start.time() == time() == end.time():
        return f"{start:%Y-%m-%d}", None if span.end >= OPEN else f"{end - timedelta(days=1):%Y-%m-%d}"
    last = max(start, end - timedelta(minutes=1))
    return start.isoformat(timespec="minutes"), None if span.end >= OPEN else last.isoformat(timespec="minutes")
