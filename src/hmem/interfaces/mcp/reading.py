"""Tools that read: recall, context, ask, note_history, timeline, persona. Each runs in a thread of the server."""

from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from inspect import Parameter, signature
from typing import Annotated, Any, Final, Literal, ParamSpec, TypeVar

from mcp.types import CallToolResult
from pydantic import Field

import hmem
from hmem.errors import UnknownId
from hmem.interfaces.mcp.memories import Memories, MemoryName
from hmem.interfaces.mcp.results import (
    DEFAULT_TOKENS,
    AskResult,
    CaseItem,
    CaseList,
    ContextResult,
    NoteHistory,
    PersonaList,
    RecallResult,
    Timeline,
    TimePeriod,
    change_item,
    cursor_at,
    evidence_item,
    fit,
    line_of,
    note_item,
    persona_item,
    position,
    recall_result,
    tokens_of,
    tool_result,
)
from hmem.interfaces.operations import view_at
from hmem.language.prompt_text import framed, harmless, quote_text, quoted_name, utterance_line
from hmem.model.span import parse_time

_P = ParamSpec("_P")
_R = TypeVar("_R")

# Arguments that several tools share, each with its description for a model.

_MOST_TOKENS: Final = 50_000

Kind = Literal["turn", "event", "note", "summary", "episode", "profile"]
Question = Annotated[str, Field(description="What you want to know, as you would ask a person.")]
MemoryArgument = Annotated[
    MemoryName,
    Field(description="This project's memory (the default), or the user's."),
]
Tokens = Annotated[int, Field(ge=1, le=_MOST_TOKENS, description="At most so many tokens; the cursor gives the rest.")]
Cursor = Annotated[str | None, Field(description="The cursor of the page before.")]
Speaker = Annotated[str | None, Field(description="Only what this person said.")]
User = Annotated[str | None, Field(description="Only what belongs to this user.")]
Session = Annotated[str | None, Field(description="Only what was said in this session.")]
Since = Annotated[str | None, Field(description="Only from this time on, in ISO 8601.")]
Until = Annotated[str | None, Field(description="Only before this time.")]
Entity = Annotated[str | None, Field(description="Only what names this person, place or thing.")]
QuestionTime = Annotated[str | None, Field(description="When it is asked; now by default.")]
AsOf = Annotated[str | None, Field(description="As the memory was known at this time.")]
ValidAt = Annotated[str | None, Field(description="Only what was true at this time.")]
Reason = Annotated[str | None, Field(description="The reason, for the history.")]
Level = Literal["year", "month", "day"]

_LEVELS: Final[dict[Level, int]] = {"year": 3, "month": 2, "day": 1}
# Completions of a year and of a month to a date, by length.
_CUT: Final = {4: "-01-01", 7: "-01"}
_NO_CASES: Final = "Nothing like it was tried."
_NO_EVIDENCE: Final = "Nothing in the memory answers this."
_MAX_EVIDENCE: Final = 10_000
_EVIDENCE: Final = 5
_NOTES: Final = 200
_STRETCHES: Final = 400
_CHANGES: Final = 50


# What recall, context and ask take beside the question, by the names of `Memory.search` and of a standpoint.
_CONDITIONS: Final[dict[str, Any]] = {
    "speaker": Speaker,
    "session": Session,
    "user": User,
    "since": Since,
    "until": Until,
    "entity": Entity,
    "at": QuestionTime,
    "as_of": AsOf,
    "valid_at": ValidAt,
}


def _with_conditions(method: Callable[_P, _R]) -> Callable[_P, _R]:
    """Give a tool the arguments of ``_CONDITIONS``, which its method gets as ``conditions``."""
    form = signature(method)
    own = [parameter for parameter in form.parameters.values() if parameter.kind is not Parameter.VAR_KEYWORD]
    others = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind) for name, kind in _CONDITIONS.items()
    ]
    vars(method)["__signature__"] = form.replace(parameters=[*own, *others])
    return method


class Reading:
    """Tools that change nothing."""

    def __init__(self, memories: Memories) -> None:
        self._memories = memories

    @_with_conditions
    def recall(
        self,
        question: Question,
        k: Annotated[int, Field(ge=1, le=200, description="How many at most.")] = 10,
        kinds: Annotated[list[Kind], Field(min_length=1, description="What to look for.")] = ["turn"],  # noqa: B006 - the schema's default
        min_score: Annotated[
            float | None, Field(ge=0, le=1, description="Leave out what is less relevant than this chance.")
        ] = None,
        memory: MemoryArgument = "project",
        why: Annotated[  # noqa: FBT002 - a tool's argument has a name
            bool, Field(description="Tell why each was found, and its session.")
        ] = False,
        max_tokens: Tokens = DEFAULT_TOKENS,
        cursor: Cursor = None,
        **conditions: Any,
    ) -> Annotated[CallToolResult, RecallResult]:
        """Find what was said about something, best first, with ids and times: quotes and details. `context` \
gives an overview."""
        query = ("recall", question, k, kinds, min_score, memory, {**conditions})
        start = position(cursor, *query)
        view = view_at(self._memories.get(memory), conditions)
        # One item more than the page tells if there is a next page.
        limit = min(start + k + 1, _MAX_EVIDENCE)
        evidence = view.search(question, limit, kinds=kinds, min_score=min_score, **conditions)
        page = [evidence_item(item, explain=why) for item in evidence[start : start + k]]
        items = fit(page, max_tokens)
        next_cursor = cursor_at(start + len(items), *query) if len(evidence) > start + len(items) else None
        result = RecallResult(evidence=items, cursor=next_cursor)
        return recall_result([line_of(item) for item in items], result, _NO_EVIDENCE, next_cursor)

    def cases(
        self,
        task: Annotated[str, Field(description="What is to be done.")],
        k: Annotated[int, Field(ge=1, le=20, description="How many cases at most.")] = 3,
        user: User = None,
        memory: MemoryArgument = "project",
    ) -> Annotated[CallToolResult, CaseList]:
        """Find what was tried for tasks like this one, whether it worked, and what was learned. Call it before you \
begin a task of several steps."""
        found = self._memories.get(memory).cases(task, k, user=user)
        items = [CaseItem(id=case.id, worked=case.worked, text=harmless(case.text)) for case in found]
        lines = [f"{item.id} {quote_text(item.text)}" for item in items]
        return tool_result(framed("\n".join(lines)) if lines else _NO_CASES, CaseList(cases=items))

    @_with_conditions
    def context(
        self,
        question: Question,
        memory: MemoryArgument = "project",
        max_tokens: Tokens = 1_200,
        **conditions: Any,
    ) -> Annotated[CallToolResult, ContextResult]:
        """Write what the memory knows about a question or a topic, grouped by day, with numbers to cite. Use it \
before you answer anything that may have been talked about earlier."""
        view = view_at(self._memories.get(memory), conditions)
        block = view.context(question, max_tokens, **conditions)
        result = ContextResult(text=block.text, tokens=block.tokens, citations=dict(block.citations))
        return tool_result(framed(block.text) if block.text else block.remark or _NO_EVIDENCE, result)

    @_with_conditions
    def ask(
        self,
        question: Question,
        memory: MemoryArgument = "project",
        max_tokens: Tokens = 1_000,
        **conditions: Any,
    ) -> Annotated[CallToolResult, AskResult]:
        """Answer a single question in a few words (a date, a name, a list), with the evidence and how sure it is. It \
says so when the memory does not tell."""
        answer = view_at(self._memories.get(memory), conditions).ask(question, **conditions)
        evidence = fit([evidence_item(item) for item in answer.evidence[:_EVIDENCE]], max_tokens)
        result = AskResult(
            text=harmless(answer.text),
            abstained=answer.abstained,
            confidence=round(answer.confidence, 3),
            certainty=answer.certainty,
            evidence=evidence,
        )
        first = f"Answer: {quote_text(answer.text)} ({answer.certainty}, {answer.confidence:.2f})"
        return recall_result([first, *map(line_of, evidence)], result, _NO_EVIDENCE)

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
        memory: MemoryArgument = "project",
        max_tokens: Tokens = DEFAULT_TOKENS,
        cursor: Cursor = None,
    ) -> Annotated[CallToolResult, NoteHistory]:
        """Tell how what is held to be so has changed: notes with those that they replaced, with times, reasons and \
sources, and what was corrected or retracted by hand. Without arguments: all notes; with `since` alone: all changes."""
        query = ("note_history", id, subject, slot, user, since, memory)
        start = position(cursor, *query)
        store = self._memories.get(memory)
        if id is not None:
            notes, has_more = _chain(store, id)[start:], False
        elif since is not None and subject is None and slot is None:
            notes, has_more = [], False
        else:
            listing = list(store.notes(subject=subject, slot=slot, user=user, limit=_NOTES + 1, offset=start))
            notes, has_more = listing[:_NOTES], len(listing) > _NOTES
        # Changes are on the first page only.
        with_changes = not start and (id is not None or since is not None)
        log = store.history(id, since=since, limit=_CHANGES) if with_changes else ()
        changes = fit([change_item(change) for change in log], max(max_tokens // 2 if notes else max_tokens, 1))
        items = fit([note_item(note) for note in notes], max(max_tokens - tokens_of(changes), 1))
        next_cursor = cursor_at(start + len(items), *query) if has_more or len(items) < len(notes) else None
        result = NoteHistory(notes=items, changes=changes, cursor=next_cursor)
        lines = [f"[{note.id}] {note.recorded[:10]} {note.status}: {quote_text(note.text)}" for note in items]
        lines += [
            f"[{change.id}] {change.at[:10]} {change.verb} by {quoted_name(change.by)}: "
            f"{quote_text(change.before or '')} "
            f"-> {quote_text(change.after or '')} {quote_text(change.why or '')}".rstrip()
            for change in result.changes
        ]
        return recall_result(lines, result, "There are no such notes, and nothing was changed.", next_cursor)

    def timeline(
        self,
        level: Annotated[Level, Field(description="How long each stretch is.")] = "day",
        since: Since = None,
        until: Until = None,
        newest_first: Annotated[bool, Field(description="Whether to begin with the last stretch.")] = False,  # noqa: FBT002 - a tool's argument has a name
        memory: MemoryArgument = "project",
        max_tokens: Tokens = DEFAULT_TOKENS,
        cursor: Cursor = None,
    ) -> Annotated[CallToolResult, Timeline]:
        """Tell what happened when: years, months or days with a summary of each. For "what did we do last month" and \
to find your way in a memory that you do not know."""
        query = ("timeline", level, since, until, newest_first, memory)
        start = position(cursor, *query)
        store = self._memories.get(memory)
        periods = periods_of(store, level, since, until)
        page = (periods[::-1] if newest_first else periods)[start:]
        items = fit([time_period(store, period) for period in page[:_STRETCHES]], max_tokens)
        next_cursor = cursor_at(start + len(items), *query) if len(items) < len(page) else None
        result = Timeline(level=level, stretches=items, cursor=next_cursor)
        lines = [
            f"{item.label} ({item.turns} turn{'' if item.turns == 1 else 's'}): {quote_text(item.summary)}"
            for item in items
        ]
        return recall_result(lines, result, "The memory tells of nothing in this time.", next_cursor)

    def persona(
        self,
        speaker: Annotated[str | None, Field(description="Who is meant; everyone by default.")] = None,
        user: User = None,
        memory: MemoryArgument = "project",
        max_tokens: Tokens = DEFAULT_TOKENS,
        cursor: Cursor = None,
    ) -> Annotated[CallToolResult, PersonaList]:
        """Tell the profile of a person: what they said of themselves that holds now, how they want to be \
answered. Use it at the beginning of a session."""
        query = ("persona", speaker, user, memory)
        start = position(cursor, *query)
        store = self._memories.get(memory)
        page = [persona_item(profile) for profile in profiles(store, speaker, user)][start:]
        items = fit(page, max_tokens)
        next_cursor = cursor_at(start + len(items), *query) if len(items) < len(page) else None
        lines = [item.text for item in items]
        return recall_result(
            lines, PersonaList(personas=items, cursor=next_cursor), "Nothing is known of anyone yet.", next_cursor
        )


def _chain(memory: "hmem.MemoryLike", id: str) -> "list[hmem.Note]":
    """Return a note with its predecessors and successors, oldest first; an empty list for the id of a turn."""
    notes: dict[str, hmem.Note] = {}
    waiting = [id]
    while waiting:
        note_id = waiting.pop()
        if note_id in notes:
            continue
        current = _note(memory, note_id, required=note_id == id)
        if current is not None:
            notes[note_id] = current
            waiting += [*current.predecessors, *([current.successor] if current.successor else [])]
    return sorted(notes.values(), key=lambda note: (note.recorded, note.id))


def _note(memory: "hmem.MemoryLike", id: str, *, required: bool) -> "hmem.Note | None":
    """Return a note by its id; None for another kind, and for a note of the chain that is gone."""
    try:
        item = memory.get(id)
    except UnknownId:
        if required:
            raise
        return None
    return item if isinstance(item, hmem.Note) else None


def profiles(memory: "hmem.MemoryLike", speaker: str | None = None, user: str | None = None) -> "list[hmem.Profile]":
    """Return the profile of a speaker, or of everyone of whom something is known."""
    if speaker is not None:
        people: list[tuple[str | None, str | None]] = [(speaker, user)]
    else:
        # A recipe without personas still has the profile of the person who said most.
        people = [(persona.speaker, persona.user) for persona in memory.personas(user=user)] or [(None, user)]
    candidates = [memory.profile(name, user=owner) for name, owner in people]
    return [profile for profile in candidates if profile.lines]


def periods_of(
    memory: "hmem.MemoryLike", level: Level, since: str | None = None, until: str | None = None
) -> "list[hmem.Branch]":
    """Return the periods of a level that overlap the time from ``since`` to before ``until``, in order.

    A bound may be cut short, such as ``2025-03``.

    Raises:
        InvalidTime: a bound is no time.
    """
    tree = memory.tree("calendar", summaries=True)
    zone = tree.node.span.start.tzinfo
    first, last = (None if boundary is None else _time(boundary, zone) for boundary in (since, until))
    return [
        period
        for period in _of_level(tree, _LEVELS[level])
        if (first is None or period.node.span.end >= first) and (last is None or period.node.span.start < last)
    ]


def time_period(memory: "hmem.MemoryLike", stretch: "hmem.Branch") -> TimePeriod:
    """Return a period as a result; a period with a single turn has no summary, but the text of that turn."""
    node = stretch.node
    return TimePeriod(
        id=node.id,
        label=node.label,
        start=node.span.start.isoformat(),
        end=node.span.end.isoformat(),
        turns=node.size,
        summary=harmless(node.summary or _first_words(memory, stretch)),
    )


def _first_words(memory: "hmem.MemoryLike", stretch: "hmem.Branch") -> str:
    leaf = next(_leaves(stretch), None)
    turn = None if leaf is None else memory.get(leaf)
    return utterance_line(turn.speaker, turn.content) if isinstance(turn, hmem.Turn) else ""


def _leaves(tree: "hmem.Branch") -> Iterator[str]:
    yield from tree.leaves
    for child in tree.children:
        yield from _leaves(child)


def _of_level(tree: "hmem.Branch", level: int) -> "Iterator[hmem.Branch]":
    if tree.node.level == level:
        # The root of an empty calendar is of the lowest level.
        yield from (tree,) if tree.node.size else ()
        return
    for child in tree.children:
        yield from _of_level(child, level)


def _time(text: str, zone: tzinfo | None) -> datetime:
    assert zone is not None  # noqa: S101 - for the type checker
    return parse_time(text + _CUT.get(len(text), ""), zone)
