"""Tools that read: recall, context, ask, note_history, timeline, persona. Each runs in a thread of the server."""

from typing import Annotated, Any, Final

from mcp.types import CallToolResult
from pydantic import Field

import hmem
from hmem.errors import UnknownId
from hmem.interfaces.mcp import calendar
from hmem.interfaces.mcp.arguments import (
    DEFAULT,
    AsOf,
    At,
    Cursor,
    Entity,
    Kind,
    Place,
    Question,
    Session,
    Since,
    Speaker,
    Tokens,
    Until,
    User,
    ValidAt,
)
from hmem.interfaces.mcp.memories import Memories
from hmem.interfaces.mcp.people import profiles
from hmem.interfaces.mcp.results import (
    AskResult,
    ContextResult,
    NoteHistory,
    PersonaList,
    RecallResult,
    Timeline,
    changed,
    cursor_at,
    described,
    line_of,
    noted,
    piece,
    position,
    recalled,
    tokens_of,
    told,
    within,
)
from hmem.language.prompt_text import framed, harmless, quoted, quoted_name

_NOTHING: Final = "Nothing in the memory answers this."
_MOST: Final = 10_000
_EVIDENCE: Final = 5
_NOTES: Final = 200
_STRETCHES: Final = 400
_CHANGES: Final = 50
_FALLBACK: Final = 100


class Reading:
    """Tools that change nothing."""

    def __init__(self, memories: Memories) -> None:
        self._memories = memories

    def recall(
        self,
        question: Question,
        k: Annotated[int, Field(ge=1, le=200, description="How many pieces of evidence at most.")] = 10,
        kinds: Annotated[list[Kind], Field(min_length=1, description="What to look for.")] = ["turn"],  # noqa: B006 - the schema's default
        min_score: Annotated[
            float | None, Field(ge=0, le=1, description="Leave out what is less relevant than this chance.")
        ] = None,
        speaker: Speaker = None,
        session: Session = None,
        user: User = None,
        since: Since = None,
        until: Until = None,
        entity: Entity = None,
        at: At = None,
        as_of: AsOf = None,
        valid_at: ValidAt = None,
        memory: Place = "project",
        why: Annotated[  # noqa: FBT002 - a tool's argument has a name
            bool, Field(description="Whether to tell why each piece was found, and of which session it is.")
        ] = False,
        max_tokens: Tokens = DEFAULT,
        cursor: Cursor = None,
    ) -> Annotated[CallToolResult, RecallResult]:
        """Find what was said about something, best first, with ids and times. For quotes and details; use `context` \
for an overview and `ask` for a single fact."""
        conditions = _given(speaker=speaker, session=session, user=user, since=since, until=until, entity=entity)
        query = ("recall", question, k, kinds, min_score, conditions, at, as_of, valid_at, memory)
        start = position(cursor, *query)
        seen = _seen(self._memories.of(memory), as_of, valid_at)
        # One item more than the page tells if there is a next page.
        most = min(start + k + 1, _MOST)
        found = seen.search(question, most, at=at, kinds=kinds, min_score=min_score, **conditions)
        page = [piece(item, why=why) for item in found[start : start + k]]
        shown = within(page, max_tokens)
        more = cursor_at(start + len(shown), *query) if len(found) > start + len(shown) else None
        result = RecallResult(evidence=shown, cursor=more)
        return recalled([line_of(item) for item in shown], result, _NOTHING, more)

    def context(
        self,
        question: Question,
        speaker: Speaker = None,
        session: Session = None,
        user: User = None,
        since: Since = None,
        until: Until = None,
        entity: Entity = None,
        at: At = None,
        as_of: AsOf = None,
        valid_at: ValidAt = None,
        memory: Place = "project",
        max_tokens: Tokens = 1_200,
    ) -> Annotated[CallToolResult, ContextResult]:
        """Write what the memory knows about a question or a topic, grouped by day, with numbers to cite. Use it \
before you answer anything that may have been talked about earlier."""
        conditions = _given(speaker=speaker, session=session, user=user, since=since, until=until, entity=entity)
        seen = _seen(self._memories.of(memory), as_of, valid_at)
        made = seen.context(question, max_tokens, at=at, **conditions)
        result = ContextResult(text=made.text, tokens=made.tokens, citations=dict(made.citations))
        return told(framed(made.text) if made.text else made.remark or _NOTHING, result)

    def ask(
        self,
        question: Question,
        speaker: Speaker = None,
        session: Session = None,
        user: User = None,
        since: Since = None,
        until: Until = None,
        entity: Entity = None,
        at: At = None,
        as_of: AsOf = None,
        valid_at: ValidAt = None,
        memory: Place = "project",
        max_tokens: Tokens = 1_000,
    ) -> Annotated[CallToolResult, AskResult]:
        """Answer a single question in a few words (a date, a name, a list), with the evidence and how sure it is. It \
says so when the memory does not tell."""
        conditions = _given(speaker=speaker, session=session, user=user, since=since, until=until, entity=entity)
        answer = _seen(self._memories.of(memory), as_of, valid_at).ask(question, at=at, **conditions)
        evidence = within([piece(item) for item in answer.evidence[:_EVIDENCE]], max_tokens)
        result = AskResult(
            text=harmless(answer.text),
            abstained=answer.abstained,
            confidence=round(answer.confidence, 3),
            certainty=answer.certainty,
            evidence=evidence,
        )
        first = f"Answer: {quoted(answer.text)} ({answer.certainty}, {answer.confidence:.2f})"
        return recalled([first, *map(line_of, evidence)], result, _NOTHING)

    def note_history(
        self,
        id: Annotated[str | None, Field(description="A note's or a turn's id: its versions and its changes.")] = None,
        subject: Annotated[str | None, Field(description="Notes about this person or thing.")] = None,
        slot: Annotated[str | None, Field(description="Notes of this slot, such as home or job.")] = None,
        user: User = None,
        since: Annotated[
            str | None,
            Field(description="Only changes from this time on (ISO 8601), or behind the change of this id, for more."),
        ] = None,
        memory: Place = "project",
        max_tokens: Tokens = DEFAULT,
        cursor: Cursor = None,
    ) -> Annotated[CallToolResult, NoteHistory]:
        """Tell how what is held to be so has changed: notes with those that they replaced, with times, reasons and \
sources, and what was corrected or retracted by hand. Without arguments: all notes; with `since` alone: all changes."""
        query = ("note_history", id, subject, slot, user, since, memory)
        start = position(cursor, *query)
        opened = self._memories.of(memory)
        if id is not None:
            notes, rest = _chain(opened, id)[start:], False
        elif since is not None and subject is None and slot is None:
            notes, rest = [], False
        else:
            held = list(opened.notes(subject=subject, slot=slot, user=user, limit=_NOTES + 1, offset=start))
            notes, rest = held[:_NOTES], len(held) > _NOTES
        # Changes are on the first page only.
        wanted = not start and (id is not None or since is not None)
        made = opened.history(id, since=since, limit=_CHANGES) if wanted else ()
        changes = within([changed(change) for change in made], max(max_tokens // 2 if notes else max_tokens, 1))
        shown = within([noted(note) for note in notes], max(max_tokens - tokens_of(changes), 1))
        more = cursor_at(start + len(shown), *query) if rest or len(shown) < len(notes) else None
        result = NoteHistory(notes=shown, changes=changes, cursor=more)
        lines = [f"[{each.id}] {each.recorded[:10]} {each.status}: {quoted(each.text)}" for each in shown]
        lines += [
            f"[{each.id}] {each.at[:10]} {each.verb} by {quoted_name(each.by)}: {quoted(each.before or '')} -> "
            f"{quoted(each.after or '')} {quoted(each.why or '')}".rstrip()
            for each in result.changes
        ]
        return recalled(lines, result, "There are no such notes, and nothing was changed.", more)

    def timeline(
        self,
        level: Annotated[calendar.Level, Field(description="How long each stretch is.")] = "day",
        since: Since = None,
        until: Until = None,
        newest_first: Annotated[bool, Field(description="Whether to begin with the last stretch.")] = False,  # noqa: FBT002 - a tool's argument has a name
        memory: Place = "project",
        max_tokens: Tokens = DEFAULT,
        cursor: Cursor = None,
    ) -> Annotated[CallToolResult, Timeline]:
        """Tell what happened when: years, months or days with a summary of each. For "what did we do last month" and \
to find your way in a memory that you do not know."""
        query = ("timeline", level, since, until, newest_first, memory)
        start = position(cursor, *query)
        opened = self._memories.of(memory)
        held = calendar.stretches(opened, level, since, until)
        page = (held[::-1] if newest_first else held)[start:]
        shown = within([calendar.time_period(opened, each) for each in page[:_STRETCHES]], max_tokens)
        more = cursor_at(start + len(shown), *query) if len(shown) < len(page) else None
        result = Timeline(level=level, stretches=shown, cursor=more)
        lines = [
            f"{each.label} ({each.turns} turn{'' if each.turns == 1 else 's'}): {quoted(each.summary)}"
            for each in shown
        ]
        return recalled(lines, result, "The memory tells of nothing in this time.", more)

    def persona(
        self,
        speaker: Annotated[str | None, Field(description="Who is meant; everyone by default.")] = None,
        user: User = None,
        memory: Place = "project",
        max_tokens: Tokens = DEFAULT,
        cursor: Cursor = None,
    ) -> Annotated[CallToolResult, PersonaList]:
        """Tell the profile of a person: what they said of themselves that holds now, how they want to be \
answered. Use it at the beginning of a session."""
        query = ("persona", speaker, user, memory)
        start = position(cursor, *query)
        opened = self._memories.of(memory)
        page = [described(each) for each in profiles(opened, speaker, user)][start:]
        shown = within(page, max_tokens)
        more = cursor_at(start + len(shown), *query) if len(shown) < len(page) else None
        lines = [each.text for each in shown]
        return recalled(lines, PersonaList(personas=shown, cursor=more), "Nothing is known of anyone yet.", more)


def _given(**conditions: str | None) -> Any:
    """Return the conditions that were given, by the names of ``Memory.search``."""
    return {name: value for name, value in conditions.items() if value is not None}


def _seen(memory: "hmem.MemoryLike", as_of: str | None, valid_at: str | None) -> "hmem.ViewLike":
    seen: hmem.ViewLike = memory
    if as_of is not None:
        seen = seen.as_of(as_of)
    return seen if valid_at is None else seen.valid_at(valid_at)


def _chain(memory: "hmem.MemoryLike", id: str) -> "list[hmem.Note]":
    """Return a note with its predecessors and successors, oldest first; an empty list for the id of a turn."""
    found: dict[str, hmem.Note] = {}
    waiting = [id]
    while waiting:
        each = waiting.pop()
        if each in found:
            continue
        held = _note(memory, each, asked=each == id)
        if held is not None:
            found[each] = held
            waiting += [*held.predecessors, *([held.successor] if held.successor else [])]
    return sorted(found.values(), key=lambda note: (note.recorded, note.id))


def _note(memory: "hmem.MemoryLike", id: str, *, asked: bool) -> "hmem.Note | None":
    """Return a note by its id; None for another kind, and for a note of the chain that is gone."""
    try:
        held = memory.get(id)
    except UnknownId:
        if asked:
            raise
        return None
    return held if isinstance(held, hmem.Note) else None
