"""Context for a session: at its start the profile, the last days and notes; at a prompt what it calls to mind."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from hmem.api.memory import Memory
from hmem.errors import EmbedderUnavailable, InvalidQuery
from hmem.language.analyzer import stems
from hmem.language.prompt_text import lines_of, quote_text, utterance_line
from hmem.language.tokens import count_tokens
from hmem.model.case import CASE, Case, case_text
from hmem.model.evidence import Evidence
from hmem.model.persona import PROFILE_TOKENS
from hmem.model.turn import Turn
from hmem_agents.agent_memory import line
from hmem_agents.hooks.blocks import PROMPT, PROMPT_LINES, START, asked, block
from hmem_agents.hooks.sessions import RecalledLine, SessionLines, note_start, start_of
from hmem_agents.hooks.settings import HookSettings

_QUOTED: Final = re.compile("“(.*?)”", re.DOTALL)
_DAYS: Final = 5
_SESSIONS: Final = 3
_NOTES: Final = 12
_SUMMARY: Final = 300
# Evidence below this relevance is left out, and so is what has less than this share of that of the best.
_LEAST: Final = 0.02
_LEAST_SHARE: Final = 0.2
# Evidence among which the user's own words are looked for that an assistant repeats.
_CANDIDATES: Final = 3 * PROMPT_LINES
# Share of an assistant's words that the user's before it have, from which on it only repeats them.
_ECHO: Final = 0.75
# Cases that a prompt is told at most, and the tokens of one, which is told without its steps if it has more.
_CASES: Final = 2
_CASE_TOKENS: Final = 150
# Least relevance of a case that is told, and least similarity of its task to the prompt, on the common scale: measured
# by ``benchmarks/cases.py --prompts``.
_CASE_RELEVANCE: Final = 0.25
_CASE_SIMILARITY: Final = 0.4


def context(
    settings: HookSettings, name: str, event: Mapping[str, Any], project: Memory | None, user: Memory | None
) -> str:
    """Return the text for a session's start or a prompt from the memories that there are.

    No line is told twice in a session, unless what it says changed.

    Raises:
        OSError: the state of the session cannot be saved.
    """
    session = str(event.get("session_id", ""))
    is_start = name == "session-start"
    kind, question = START if is_start else PROMPT, asked(event)
    if is_start:
        note_start(settings, session, event)
    elif not question:
        return ""
    since = start_of(settings, session)
    told = SessionLines(settings, session)
    texts: list[list[str]] = []
    # What was said since the session began stands in it; of the user's memory only the tools put something there.
    for memory, tokens, until in ((project, kind.tokens[0], since), (user, kind.tokens[1], None)):
        if memory is None or not memory.stats().turns:
            lines: Iterator[RecalledLine] = iter(())
        else:
            lines = _summary(memory, tokens, told) if is_start else _recalled(memory, question, until)
        texts.append(told.fresh(lines, lambda text: count_tokens(text) + 1, tokens))
    told.save()
    return block(kind.head, texts[0], texts[1], settings.characters)


def like_cases(memory: Memory, prompt: str) -> list[Case]:
    """Return the cases that are surely like the task that a prompt describes, best first."""
    # Most memories have no case, and need no search for one.
    if not any(speaker.name == CASE for speaker in memory.corpus.speakers):
        return []
    # In a language that the embedder does not read, a case has no relevance.
    cases = [case for case in memory.cases(prompt, _CASES) if (case.relevance or 0.0) >= _CASE_RELEVANCE]
    if not cases:
        return []
    embedder = memory.corpus.embedder
    try:
        similarities = embedder.embed([case.task for case in cases]) @ embedder.embed_query([prompt])[0]
    except EmbedderUnavailable:
        return []
    return [
        case
        for case, similarity in zip(cases, similarities.tolist(), strict=True)
        if embedder.calibration(similarity) >= _CASE_SIMILARITY
    ]


def _case_lines(memory: Memory, prompt: str, until: str | None) -> Iterator[RecalledLine]:
    """Yield the cases for a prompt, each on a line, without those of the session itself."""
    for case in like_cases(memory, prompt):
        said = memory.get(case.id)
        if until is not None and isinstance(said, Turn) and said.at >= datetime.fromisoformat(until):
            continue
        without_steps = case_text(case.task, (), case.lesson, worked=case.worked)
        for text in (case.text, without_steps):
            if count_tokens(text) <= _CASE_TOKENS:
                yield RecalledLine(f"Tried for such a task: {quote_text(text)}", text)
                break


def _recalled(memory: Memory, question: str, until: str | None) -> Iterator[RecalledLine]:
    """Yield what a prompt calls to mind: cases, then the best evidence, without what the assistant only repeated."""
    yield from _case_lines(memory, question, until)
    conditions: Any = {} if until is None else {"until": until}
    try:
        evidence = memory.search(question, _CANDIDATES, **conditions).evidence
    except InvalidQuery:
        return
    least = max(_LEAST, _LEAST_SHARE * max((item.relevance or 0.0 for item in evidence), default=0.0))
    for item in evidence[:PROMPT_LINES]:
        if (item.relevance or 0.0) >= least and item.speaker != CASE and not _is_echo(item, evidence):
            yield RecalledLine(line(item), item.text)


def _is_echo(item: Evidence, evidence: tuple[Evidence, ...]) -> bool:
    """Tell if an assistant says again what the user says in other evidence of the same session."""
    words = set(stems(item.text))
    if item.speaker != "assistant" or not words:
        return False
    others = (other for other in evidence if other.speaker != item.speaker and other.session == item.session)
    return any(len(words & set(stems(other.text))) >= _ECHO * len(words) for other in others)


def _summary(memory: Memory, tokens: int, told: SessionLines) -> Iterator[RecalledLine]:
    """Yield the profile, what else was said in the last days, the newest current notes, and how sessions began."""
    yield from _profile(memory, min(tokens, PROFILE_TOKENS))
    month = datetime.now(UTC) - timedelta(days=31)
    for day in _days(memory.tree("calendar", summaries=True))[: -_DAYS - 1 : -1]:
        # A summary by rules quotes what was said.
        said = _QUOTED.findall(day.summary or "") or [day.summary or ""]
        if fresh := " ".join(sentence for text in said for sentence in lines_of(text) if told.is_new(sentence)):
            yield RecalledLine(f"{day.label}: {quote_text(fresh[:_SUMMARY])}", fresh[:_SUMMARY])
    notes = [note for note in memory.notes(limit=10_000) if note.status == "current" and note.recorded >= month]
    yield from (
        RecalledLine(f"- {quote_text(note.text)} ({note.recorded:%Y-%m-%d})", note.text) for note in notes[-_NOTES:]
    )
    for session in memory.sessions()[: -_SESSIONS - 1 : -1]:
        for first in memory.list(session=session.id, limit=1) if session.opening else ():
            opening = utterance_line(first.speaker, session.opening[:_SUMMARY])
            yield RecalledLine(f"A session of {session.start:%Y-%m-%d} began: {opening}", session.opening)


def _profile(memory: Memory, tokens: int) -> Iterator[RecalledLine]:
    """Yield the lines of the profile of the person who said most; none of a memory of several users."""
    try:
        lines = memory.profile(tokens=tokens).text.splitlines()
    except InvalidQuery:
        return
    for text in lines:
        # A statement stands in quotes, before its date.
        yield RecalledLine(text, text[1 : text.rindex('"')] if text.startswith('"') else text)


def _days(tree: Any) -> list[Any]:
    if tree.node.level == 1:
        return [tree.node]
    return [node for child in tree.children for node in _days(child)]
