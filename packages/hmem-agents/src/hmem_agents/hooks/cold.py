"""Context from the files of memories alone, when no worker is ready in time: what shares words with a prompt.

The engine takes a second to load, so it is not loaded here. A memory that is encrypted or in a database is left to the
worker.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from math import log
from pathlib import Path
from typing import Any, Final, NamedTuple

from hmem.interfaces.paths import project_memory, user_memory
from hmem.language.analyzer import stems
from hmem.language.prompt_text import utterance_line
from hmem.model.ids import to_id
from hmem_agents.hooks.blocks import PROMPT, PROMPT_LINES, START, asked, block
from hmem_agents.hooks.sessions import RecalledLine, SessionLines, start_of
from hmem_agents.hooks.settings import HookSettings, note

# Turns that are read of each memory, the newest; characters of a turn, and of a token of a budget.
_NEWEST: Final = 4_000
_LONGEST: Final = 400
_CHARACTERS_A_TOKEN: Final = 4
# Words in more than this share of the turns count nothing, once there are so many turns.
_COMMON: Final = 0.25
_FEW: Final = 8
# Microseconds since 1970.
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_QUERY: Final = """
SELECT turn.key, turn.said, speaker.name, turn.role, turn.text FROM turn JOIN speaker ON speaker.number = turn.speaker
WHERE (turn.expires IS NULL OR turn.expires > :now) AND turn.said < :until ORDER BY turn.seq DESC LIMIT :limit
"""
_CORRECTED_QUERY: Final = "SELECT target FROM log WHERE verb IN ('correct', 'retract')"


class _Turn(NamedTuple):
    role: str
    text: str
    line: str


def context_from_files(settings: HookSettings, name: str, event: Mapping[str, Any], folder: str) -> str:
    """Return the text for a session's start or a prompt, within the files of its project and its user."""
    if settings.database is not None:
        note(settings, f"{name}: the worker was not ready in time, nothing was added")
        return ""
    session, current_time = str(event.get("session_id", "")), datetime.now(UTC)
    is_start, question = name == "session-start", asked(event)
    if not is_start and not question:
        return ""
    since = None if is_start else start_of(settings, session)
    until = datetime.fromisoformat(since) if since else current_time
    session_lines = SessionLines(settings, session)
    texts: list[list[str]] = []
    for path, tokens in zip(
        (project_memory(settings.root, Path(folder)), user_memory(settings.root)), PROMPT.tokens, strict=True
    ):
        turns = _turns(path, current_time, until) if path.exists() else []
        best = [turn for turn in turns if turn.role == "user"] if is_start else _best(turns, question)
        lines = (RecalledLine(turn.line, turn.text) for turn in best[:PROMPT_LINES])
        texts.append(session_lines.fresh(lines, lambda line: len(line) // _CHARACTERS_A_TOKEN, tokens))
    session_lines.save()
    return block((START if is_start else PROMPT).head, texts[0], texts[1], settings.characters)


def _turns(path: Path, current_time: datetime, until: datetime) -> list[_Turn]:
    """Return the newest turns of a memory in a plain file, without those that were corrected; none of another file."""
    values = {"now": _microseconds(current_time), "until": _microseconds(until), "limit": _NEWEST}
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=0.2)) as database:
            corrected_ids = {target for (target,) in database.execute(_CORRECTED_QUERY)}
            return list(_read(database.execute(_QUERY, values), corrected_ids))
    except sqlite3.Error:
        return []


def _read(rows: sqlite3.Cursor, corrected_ids: set[str]) -> Iterator[_Turn]:
    for key, utterance_time, speaker, role, text in rows:
        if to_id("turn", key) not in corrected_ids:
            moment = _EPOCH + timedelta(microseconds=utterance_time)
            short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
            yield _Turn(role or "", text, f"{moment:%Y-%m-%d} {utterance_line(speaker, short)}")


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _best(turns: list[_Turn], question: str) -> list[_Turn]:
    """Return the turns that share words with a question, those with the rarest words first."""
    words = [set(stems(turn.text)) for turn in turns]
    counts = Counter(stem for turn_stems in words for stem in turn_stems)
    max_count = len(turns) * _COMMON if len(turns) >= _FEW else len(turns)
    weights = {
        stem: log((len(turns) + 1) / counts[stem]) for stem in set(stems(question)) if 0 < counts[stem] <= max_count
    }
    scores = [sum(weights.get(stem, 0.0) for stem in turn_stems) for turn_stems in words]
    order = sorted(range(len(turns)), key=lambda index: -scores[index])
    return [turns[index] for index in order if scores[index] > 0]
