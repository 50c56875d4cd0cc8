"""Right answers to the tasks of the model analyst, derived by the verbatim analyst: deterministic and without a model.

A task's data come in as JSON, and its answer goes out as JSON by the task's schema; ``hmem.language.llm`` describes
both. Turns, lines and parts keep the numbers that the data give them.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, time, timedelta
from functools import partial
from typing import Any, Final

import hmem
from hmem.language.analyst import (
    Analyst,
    Claim,
    Cues,
    Excerpt,
    Extraction,
    Labels,
    Passage,
    Statement,
    Subject,
    analyst,
)
from hmem.language.analyzer import stems
from hmem.model.plan import SubQuestion
from hmem.model.span import OPEN, Span
from hmem.model.turn import Turn
from hmem_testing.fake_llm.wire import Json

Data = Mapping[str, Any]

_SESSION: Final = "stand-in"
# Words of a line that name a topic without words of its own.
_NAME_WORDS: Final = 4


def engine() -> Analyst:
    """Return the analyst that makes the answers."""
    return analyst("verbatim")


def read_turns(data: Mapping[str, Any]) -> Json:
    """Return the extraction of each turn."""
    numbered = [(number, turn) for day in data["days"] for number, turn in map(partial(_turn, day["day"]), day["said"])]
    numbers = [number for number, _ in numbered if number > 0]
    passage = Passage(
        tuple(turn for _, turn in numbered), len(numbered) - len(numbers), tuple(data.get("speakers") or ())
    )
    reader, passages = engine(), [passage]
    statements, curations = reader.events(passages)[0], reader.curate(passages)
    readings = zip(
        numbers,
        passage.targets,
        reader.importance(passages, [str(data.get("persona") or "")], curations)[0],
        reader.cues(passages)[0],
        statements,
        reader.entities(passages)[0],
        reader.claims(passages, [statements])[0],
        strict=True,
    )
    read = [_read(*reading) for reading, curation in zip(readings, curations[0], strict=True) if curation.memorable]
    filler = [number for number, curation in zip(numbers, curations[0], strict=True) if not curation.memorable]
    return {"turns": read, "filler": filler}


def _turn(day: str, line: Sequence[Any]) -> tuple[int, Turn]:
    number, time_of_day, speaker, text, *extra = line
    time = datetime.fromisoformat(f"{day.partition(',')[0]}T{time_of_day}").replace(tzinfo=UTC)
    attributes: Json = extra[0] if extra else {}
    turn = Turn(
        str(number), speaker, text, time, _SESSION, caption=attributes.get("picture"), role=attributes.get("role")
    )  # fmt: skip
    return number, turn


def _read(
    number: int,
    turn: Turn,
    importance: int,
    cues: Cues,
    statements: Sequence[Statement],
    extraction: Extraction,
    claims: Sequence[Claim],
) -> Json:
    labels = engine().labels(statements, [turn.speaker] * len(statements))
    return {
        "n": number,
        "importance": importance,
        "shift": round(cues.shift, 3),
        "emotion": round(cues.emotion, 3),
        "statements": [
            # A sentence of a thread has no value, and a model claims only values.
            _statement(*labelled, [_claim(claim) for claim in claims if claim.value and claim.statement == index])
            for index, labelled in enumerate(zip(statements, labels, strict=True))
        ],
        "names": [f"{naming.surface} = {naming.type}" for naming in extraction.namings],
        "relations": [f"{tie.source} | {tie.label} | {tie.target}" for tie in extraction.ties],
    }


def _statement(statement: Statement, labels: Labels, claims: Sequence[str]) -> Json:
    start, end = bounds(statement.happened)
    return {
        "text": statement.text,
        "when": "/".join(filter(None, (start, end if end != start else None))),
        "path": "/".join((labels.domain, labels.category, labels.trace)),
        "context": statement.context,
        "claims": list(claims),
    }


def _claim(claim: Claim) -> str:
    return f"{'' if claim.positive else 'not '}{claim.kind} | {claim.subject} | {claim.slot} | {claim.value}"


def claim_json(claim: Claim) -> Json:
    """Return a claim as the JSON of an answer."""
    start, end = bounds(claim.valid)
    fields = {name: getattr(claim, name) for name in ("kind", "subject", "slot", "value", "text", "positive")}
    return {**fields, "valid_from": start, "valid_to": end, "statement": claim.statement}


def claim_of(fields: Mapping[str, Any]) -> Claim:
    """Return the claim of a JSON object."""
    start, end = fields.get("valid_from"), fields.get("valid_to")
    valid = Span(datetime.fromisoformat(start), datetime.fromisoformat(end) if end else OPEN) if start else None
    names = ("kind", "subject", "slot", "value", "text")
    return Claim(*(fields[name] for name in names), positive=fields.get("positive", True), valid=valid)


def bounds(span: Span | None) -> tuple[str | None, str | None]:
    """Return the first and last day of a span, or minutes if it is not of whole days; no last one if it is open."""
    return (None, None) if span is None else _bounds_text(span)


def _bounds_text(span: Span) -> tuple[str, str | None]:
    """Return the bounds of a span; None for the end of an open one."""
    start, end = span.start, span.end.astimezone(span.start.tzinfo)
    if start.time() == time() == end.time():
        return f"{start:%Y-%m-%d}", None if span.end >= OPEN else f"{end - timedelta(days=1):%Y-%m-%d}"
    last = max(start, end - timedelta(minutes=1))
    return start.isoformat(timespec="minutes"), None if span.end >= OPEN else last.isoformat(timespec="minutes")


def write_texts(data: Data) -> Json:
    """Return every text that the data ask for, by its number."""
    lines = _numbered(data.get("lines") or ())
    return {
        "summaries": _summaries(data.get("summaries") or (), lines),
        "topics": [
            {"n": topic["n"], "text": _name(topic, _excerpts(topic, lines), data.get("people") or ())}
            for topic in data.get("topics") or ()
        ],
        "profiles": [
            {"n": profile["n"], **_profile(profile, _excerpts(profile, lines))}
            for profile in data.get("profiles") or ()
        ],
        "personas": [{"n": persona["n"], **_persona(persona)} for persona in data.get("personas") or ()],
    }


def _summaries(requests: Sequence[Data], lines: Mapping[int, Excerpt]) -> list[Json]:
    """Return the summaries in their order; one of other summaries is made from these."""
    summaries: dict[int, Excerpt] = {}
    for request in requests:
        excerpts = [*_excerpts(request, lines), *(summaries[number] for number in request.get("of") or ())]
        latest = max((line.time for line in excerpts), default=datetime.now(UTC))
        summaries[request["n"]] = Excerpt(engine().summarise([excerpts], request["tokens"])[0], None, latest, 8.0)
    return [{"n": number, "text": line.text} for number, line in summaries.items()]


def _numbered(days: Sequence[Data]) -> dict[int, Excerpt]:
    """Return the lines of all days, by number."""
    return {
        number: Excerpt(
            text, speaker or None, datetime.fromisoformat(day["day"]).replace(tzinfo=UTC), float(importance)
        )
        for day in days
        for number, speaker, importance, text in day["said"]
    }


def _excerpts(request: Data, lines: Mapping[int, Excerpt]) -> list[Excerpt]:
    """Return the lines that a text is made from."""
    return [lines[number] for number in request["lines"]]


def lines_of(excerpts: Sequence[Data]) -> list[Excerpt]:
    """Return the excerpts of a list of JSON objects."""
    return [
        Excerpt(
            excerpt["text"],
            excerpt.get("speaker") or None,
            datetime.fromisoformat(excerpt["when"]),
            float(excerpt.get("importance", 5.0)),
        )
        for excerpt in excerpts
    ]


def _name(request: Data, lines: Sequence[Excerpt], people: Sequence[str]) -> str:
    """Return a name that tells the lines from the sibling topics; a model always finds one."""
    groups = [[line.text for line in lines], *([list(request["siblings"])] if request.get("siblings") else [])]
    return engine().name_topics(groups, people)[0] or " ".join(lines[0].text.split()[:_NAME_WORDS])


def _profile(request: Data, lines: Sequence[Excerpt]) -> Json:
    subject = Subject(request["name"], request["type"], tuple(lines))
    return asdict(engine().profiles([subject], request["tokens"])[0])


def _persona(request: Data) -> Json:
    persona = engine().personas(
        [request["person"]], [[claim_of(claim) for claim in request["claims"]]], request["tokens"]
    )[0]
    return {"text": persona.text, "traits": list(persona.traits)}


NOT_TOLD: Final = "The evidence does not tell."
# Speaker of a line without one.
_DEFAULT_SPEAKER: Final = "note"
_YEAR: Final = re.compile(r"\d{1,4}")
_DAY: Final = re.compile(r"[A-Z][a-z]{2} (\d{1,2} [A-Z][a-z]{2})")
_LINE: Final = re.compile(r"(\d+) (?:([^:]{1,60}): )?(.*)")


def plan(data: Data) -> Json:
    """Return the parts of a question."""
    query_plan = engine().plan(data["question"], datetime.fromisoformat(data["asked"]), data.get("people") or ())
    return {"parts": [_part_json(sub_question) for sub_question in query_plan.parts]}


def _part_json(sub_question: SubQuestion) -> Json:
    first, last = bounds(sub_question.spans[0] if sub_question.spans else None)
    return {
        "text": sub_question.text,
        "scope": sub_question.scope,
        "coverage": sub_question.coverage,
        "absolute": sub_question.mode == "intersective",
        "time_from": first,
        "time_to": last,
        "topic": sub_question.topic,
        "entities": list(sub_question.entities),
        "answer_type": sub_question.answer_type,
        "needs": list(sub_question.needs),
    }


def feedback(data: Data) -> Json:
    """Return the reaction of a reply to an answer."""
    return {"reaction": engine().feedback(data["question"], data["answer"], data["reply"]), "why": "by its words"}


def judge_replies(data: Data) -> Json:
    """Return the reaction of each reply to its answer, by number."""
    return {"reactions": [{"n": reply["n"], **feedback(reply)} for reply in data.get("replies") or ()]}


def distil(data: Data) -> Json:
    """Return the lesson of the latest case that tells one."""
    cases = [(number, text.rpartition("Lesson: ")[2]) for number, text in data["cases"] if "Lesson: " in text]
    return {"lesson": cases[-1][1] if cases else "", "cases": [number for number, _ in data["cases"]]}


def answer(data: Data) -> Json:
    """Return the answer of quotations to a question from its lines of evidence alone."""
    time, evidence = datetime.fromisoformat(data["asked"]), list(_lines(data.get("evidence") or ""))
    questions = [data["question"], *(request["question"] for request in data.get("parts") or ())]
    main, *part_answers = read_lines(questions, time, evidence)
    return {
        "parts": [
            {"n": request["n"], "answer": text or NOT_TOLD, "citations": cited}
            for request, (text, cited, _) in zip(data.get("parts") or (), part_answers, strict=True)
        ],
        **_sufficiency(data, time, evidence),
        "abstained": main[0] is None,
        "answer": main[0] or NOT_TOLD,
        "citations": main[1],
        "confidence": round(main[2], 3),
    }


def _lines(evidence: str | Sequence[Data]) -> Iterator[Data]:
    """Yield the lines of a text under its years and days; a list is yielded unchanged."""
    if not isinstance(evidence, str):
        yield from evidence
        return
    year, day = "1970", "1 Jan"
    for line in evidence.splitlines():
        if _YEAR.fullmatch(line):
            year = line
        elif match := _DAY.fullmatch(line):
            day = match[1]
        elif match := _LINE.fullmatch(line):
            time = datetime.strptime(f"{day} {year}", "%d %b %Y").replace(tzinfo=UTC)
            yield {"n": int(match[1]), "when": time.isoformat(), "speaker": match[2], "text": match[3]}


def read_lines(
    questions: Sequence[str], time: datetime, evidence: Sequence[Data]
) -> list[tuple[str | None, list[int], float]]:
    """Return for each question its answer (None if the lines have none), the numbers of its lines, its confidence."""
    messages = [
        {
            "text": line["text"],
            "speaker": line.get("speaker") or _DEFAULT_SPEAKER,
            "at": line["when"],
            "message_id": str(line["n"]),
        }
        for line in evidence
        if line["text"].strip()
    ]
    with hmem.Memory(":memory:", recipe="flat", embedder="minilm") as memory:
        memory.add(messages, session="evidence")
        replies = [memory.ask(question, at=time) for question in questions]
        return [(None if reply.abstained else reply.text, _cited(memory, reply), reply.confidence) for reply in replies]


def _cited(memory: hmem.Memory, reply: hmem.Answer) -> list[int]:
    """Return the numbers of the lines that an answer cites."""
    if reply.abstained:
        return []
    turns = (memory.get(item.id) for item in reply.evidence)
    return [int(turn.message_id) for turn in turns if isinstance(turn, hmem.Turn) and turn.message_id]


def _sufficiency(data: Data, time: datetime, evidence: Sequence[Data]) -> Json:
    """Return whether the evidence is sufficient, and one query for the missing part."""
    lines = lines_of(evidence)
    sub_question = engine().plan(data["question"], time, data.get("people") or ()).parts[0]
    missing = engine().missing(sub_question, lines)
    residue = (missing.text, missing.slot, missing.anchor) if missing else ("", "", "")
    return {
        "sufficient": missing is None,
        **dict(zip(("missing", "missing_slot", "missing_anchor"), residue, strict=True)),
    }


_WORD: Final = re.compile(r"\w+")
# Least likeness to the gold answer of a right one; one with all stems of the gold answer is right too.
_RIGHT: Final = 0.5
_UNKNOWN: Final = re.compile(
    r"\b(?:not (?:tell|mention|say|know|sure|specif|provide|state|available)\w*"
    r"|no (?:information|mention|answer|evidence)"
    r"|unknown|unanswerable|(?:don't|doesn't|do not|does not|cannot|can't) (?:know|tell|say|answer))",
    re.IGNORECASE,
)


def judge_answer(data: Data) -> Json:
    """Judge if an answer agrees with the gold answer or, for an unanswerable question, abstains."""
    gold, answer = str(data["gold"]), str(data["answer"])
    if data.get("kind") in ("adversarial", "abstention") or not gold.strip():
        correct, reason = _UNKNOWN.search(answer) is not None, "it abstains or not"
    else:
        gold_stems = set(stems(gold))
        correct = _likeness(answer, gold) >= _RIGHT or (bool(gold_stems) and gold_stems <= set(stems(answer)))
        reason = "by the words that they share"
    return {"correct": correct, "why": reason}


def _likeness(first: str, second: str) -> float:
    """Return the token F1 of two texts, 0 to 1."""
    words, second_words = (Counter(_WORD.findall(text.casefold())) for text in (first, second))
    return 2 * (words & second_words).total() / max(words.total() + second_words.total(), 1)


def simplify_answer(data: Data) -> Json:
    """Return what an answer says after its last word of the question; all of it if that is nothing."""
    answer, question_stems = str(data["answer"]).strip(), set(stems(str(data["question"])))
    words = answer.split()
    start = max(
        (index for index, word in enumerate(words, 1) if question_stems.intersection(stems(word))), default=len(words)
    )
    while start < len(words) and words[start].lower() in engine().lexicon.stop_words:
        start += 1
    return {"answer": " ".join(words[start:]).rstrip(".") or answer}


TASKS: Final[Mapping[str, Callable[[Data], Json]]] = {
    "read_turns": read_turns,
    "write_texts": write_texts,
    "distil": distil,
    "plan": plan,
    "feedback": feedback,
    "judge_replies": judge_replies,
    "answer": answer,
    "judge_answer": judge_answer,
    "simplify_answer": simplify_answer,
}
