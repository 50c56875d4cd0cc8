"""What is recalled into a session: who one is dealing with at its start, and what a prompt calls to mind."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from hmem.errors import InvalidQuery
from hmem.index.analyze import words
from hmem.interfaces.framing import framed, harmless, on_one_line
from hmem.language.stopwords import STOP_WORDS
from hmem.language.tokens import count_tokens
from hmem.memory import Memory

_START: Final = "What earlier sessions in this project told, from hmem. Ask its tools for more (context, recall, ask)."
_PROMPT: Final = "What earlier sessions told that this prompt calls to mind, from hmem."
_USER: Final = "Of the user, across projects:"

# Tokens of the project's memory and of the user's.
START_TOKENS: Final = (900, 300)
PROMPT_TOKENS: Final = (500, 200)

_DAYS: Final = 5
_SESSIONS: Final = 3
_NOTES: Final = 12
_SUMMARY: Final = 300
_LEAST: Final = 12
_LONGEST_QUESTION: Final = 2_000
# A prompt calls something to mind when one of the best turns shares one of its content words, or two of many.
_MANY: Final = 4
_LOOKED_AT: Final = 3


def at_start(project: Memory, user: Memory | None, characters: int) -> str:
    """Persons, the last days and the newest notes of a project, and what is known of its user; empty for nothing."""
    told = _known(project, START_TOKENS[0])
    own = _known(user, START_TOKENS[1]) if user is not None else ""
    return _bounded(_START, told, own, characters)


def at_prompt(project: Memory, user: Memory | None, prompt: str, characters: int, until: str | None = None) -> str:
    """What a prompt calls to mind of what was said before ``until``; empty when that is nothing."""
    question = prompt.strip()[:_LONGEST_QUESTION]
    if len(question) < _LEAST or question.startswith(("/", "!", "#")):
        return ""
    told = _reminded(project, question, PROMPT_TOKENS[0], until)
    own = _reminded(user, question, PROMPT_TOKENS[1], None) if user is not None else ""
    return _bounded(_PROMPT, told, own, characters)


def _reminded(memory: Memory, question: str, tokens: int, until: str | None) -> str:
    conditions: Any = {} if until is None else {"until": until}
    try:
        found = memory.search(question, _LOOKED_AT, **conditions)
        needed = 1 if len(set(words(question.lower())) - STOP_WORDS) <= _MANY else 2
        if not any(len(item.why.words) >= needed for item in found):
            return ""
        return memory.context(question, tokens, **conditions).text
    except InvalidQuery:
        return ""


def _known(memory: Memory, tokens: int) -> str:
    """Personas, the last days with their summaries, and the newest notes that stand, in about so many tokens."""
    if not memory.stats().turns:
        return ""
    people = [f"{on_one_line(each.speaker)}: {on_one_line(each.text)}" for each in memory.personas() if each.text]
    month = datetime.now(UTC) - timedelta(days=31)
    notes = [
        f"- {on_one_line(note.text)} ({note.recorded:%Y-%m-%d})"
        for note in memory.notes(limit=10_000)
        if note.status == "current" and note.recorded >= month
    ][-_NOTES:]
    days = [
        f"{node.label}: {on_one_line(node.summary)[:_SUMMARY]}"
        for node in _days(memory.timeline(summaries=True))[-_DAYS:]
        if node.summary
    ]
    sessions = [
        f"{session.start:%Y-%m-%d}: {on_one_line(session.opening)[:_SUMMARY]}"
        for session in memory.sessions()[-_SESSIONS:]
        if session.opening
    ]
    parts = (("", people), ("Last days:", days[::-1]), ("Notes:", notes), ("Last sessions began:", sessions[::-1]))
    lines = [line for head, held in parts if held for line in ([head, *held] if head else held)]
    return _lines_within(lines, tokens)


def _days(tree: Any) -> list[Any]:
    if tree.node.level == 1:
        return [tree.node]
    return [node for child in tree.children for node in _days(child)]


def _lines_within(lines: list[str], tokens: int) -> str:
    kept: list[str] = []
    for line in lines:
        tokens -= count_tokens(line) + 1
        if tokens < 0:
            break
        kept.append(harmless(line))
    return "\n".join(kept)


def _bounded(head: str, told: str, own: str, characters: int) -> str:
    """Both in one frame with at most so many characters: what is too long loses its last lines."""
    lines = [head, *told.splitlines(), *([_USER, *own.splitlines()] if own else [])]
    if not told and not own:
        return ""
    while len(lines) > 1 and len(text := framed("\n".join(lines))) > characters:
        lines.pop()
        del text
    text = framed("\n".join(lines))
    return text if len(lines) > 1 and len(text) <= characters else ""
