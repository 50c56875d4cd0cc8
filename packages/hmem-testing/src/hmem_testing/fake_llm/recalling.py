"""The tasks of recall: ``plan``, ``answer`` and ``feedback``."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import hmem
from hmem.model.plan import SubQuestion
from hmem_testing.fake_llm.reading import bounds, rules
from hmem_testing.fake_llm.wire import Json
from hmem_testing.fake_llm.writing import lines_of

Data = Mapping[str, Any]

NOT_TOLD: Final = "The evidence does not tell."
# What a line without a speaker is said by.
_NOBODY: Final = "note"
_YEAR: Final = re.compile(r"\d{1,4}")
_DAY: Final = re.compile(r"[A-Z][a-z]{2} (\d{1,2} [A-Z][a-z]{2})")
_LINE: Final = re.compile(r"(\d+) (?:([^:]{1,60}): )?(.*)")


def plan(data: Data) -> Json:
    """The parts of a question."""
    made = rules().plan(data["question"], datetime.fromisoformat(data["asked"]), data.get("people") or ())
    return {"parts": [_part(part) for part in made.parts]}


def _part(part: SubQuestion) -> Json:
    first, last = bounds(part.spans[0] if part.spans else None)
    return {
        "text": part.text,
        "scope": part.scope,
        "coverage": part.coverage,
        "absolute": part.mode == "intersective",
        "time_from": first,
        "time_to": last,
        "topic": part.topic,
        "entities": list(part.entities),
        "answer_type": part.answer_type,
        "needs": list(part.needs),
    }


def feedback(data: Data) -> Json:
    """What a reply says of an answer."""
    return {"reaction": rules().feedback(data["question"], data["answer"], data["reply"]), "why": "by its words"}


def judge_replies(data: Data) -> Json:
    """What each reply says of its answer, by its number."""
    return {"reactions": [{"n": each["n"], **feedback(each)} for each in data.get("replies") or ()]}


def answer(data: Data) -> Json:
    """What the lines of evidence answer, read by the rules in a memory that holds nothing else."""
    asked, evidence = datetime.fromisoformat(data["asked"]), list(_lines(data.get("evidence") or ""))
    questions = [data["question"], *(part["question"] for part in data.get("parts") or ())]
    whole, *parts = read_lines(questions, asked, evidence)
    return {
        "parts": [
            {"n": part["n"], "answer": text or NOT_TOLD, "citations": cited}
            for part, (text, cited, _) in zip(data.get("parts") or (), parts, strict=True)
        ],
        **_lacking(data, asked, evidence),
        "abstained": whole[0] is None,
        "answer": whole[0] or NOT_TOLD,
        "citations": whole[1],
        "confidence": round(whole[2], 3),
    }


def _lines(evidence: str | Sequence[Data]) -> Iterator[Data]:
    """The lines of a text under their years and days; such a list is taken as it is."""
    if not isinstance(evidence, str):
        yield from evidence
        return
    year, day = "1970", "1 Jan"
    for line in evidence.splitlines():
        if _YEAR.fullmatch(line):
            year = line
        elif found := _DAY.fullmatch(line):
            day = found[1]
        elif found := _LINE.fullmatch(line):
            when = datetime.strptime(f"{day} {year}", "%d %b %Y").replace(tzinfo=UTC)
            yield {"n": int(found[1]), "when": when.isoformat(), "speaker": found[2], "text": found[3]}


def read_lines(
    questions: Sequence[str], asked: datetime, evidence: Sequence[Data]
) -> list[tuple[str | None, list[int], float]]:
    """For each question an answer (None when the lines do not tell), the lines it stands on, how sure it is."""
    messages = [
        {
            "text": line["text"],
            "speaker": line.get("speaker") or _NOBODY,
            "at": line["when"],
            "message_id": str(line["n"]),
        }
        for line in evidence
        if line["text"].strip()
    ]
    with hmem.Memory(":memory:", recipe="flat") as memory:
        memory.add(messages, session="evidence")
        replies = [memory.ask(question, at=asked) for question in questions]
        return [(None if reply.abstained else reply.text, _cited(memory, reply), reply.confidence) for reply in replies]


def _cited(memory: hmem.Memory, reply: hmem.Answer) -> list[int]:
    """The numbers of the lines that an answer stands on."""
    if reply.abstained:
        return []
    turns = (memory.get(each.id) for each in reply.evidence)
    return [int(turn.message_id) for turn in turns if isinstance(turn, hmem.Turn) and turn.message_id]


def _lacking(data: Data, asked: datetime, evidence: Sequence[Data]) -> Json:
    """Whether the evidence is enough, and the one query for what it lacks."""
    lines = lines_of(evidence)
    part = rules().plan(data["question"], asked, data.get("people") or ()).parts[0]
    missing = rules().missing(part, lines)
    told = (missing.text, missing.slot, missing.anchor) if missing else ("", "", "")
    return {
        "sufficient": missing is None,
        **dict(zip(("missing", "missing_slot", "missing_anchor"), told, strict=True)),
    }
