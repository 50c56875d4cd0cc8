"""Resources and prompts of the server: profiles, the timeline, notes and turns, without a tool."""

from functools import partial
from typing import Annotated, Any, Final

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from pydantic import Field

import hmem
from hmem.errors import HmemError, UnknownId
from hmem.interfaces.mcp.memories import Memories, MemoryName
from hmem.interfaces.mcp.reading import periods_of, profiles, time_period
from hmem.language.prompt_text import NOTICE, framed, harmless, on_one_line, quote_text, quoted_name

_MARKDOWN: Final = "text/markdown"
_NOTES: Final = 200
_MONTHS: Final = 60


def add_resources(server: MCPServer[Any], memories: Memories, *, user: bool) -> None:
    """Add the resources of the project's memory and, with ``user``, of the user's to a server."""
    for memory_name in ("project", "user") if user else ("project",):
        prefix = "hmem://" if memory_name == "project" else "hmem://user/"
        suffix = "" if memory_name == "project" else " (the user's memory)"
        for name, read, description in _TABLE:
            server.resource(
                f"{prefix}{name}", name=f"{name}{suffix}", title=f"{name.capitalize()}{suffix}",
                description=description, mime_type=_MARKDOWN,
            )(partial(_read, memories, memory_name, read))  # fmt: skip

    @server.resource(
        "hmem://turns/{id}", name="turn", title="A turn", description="One turn, word for word.", mime_type=_MARKDOWN
    )
    def turn(id: str) -> str:
        return _read(memories, "project", partial(_turn, id=id))

    @server.resource(
        "hmem://notes/{subject}",
        name="notes of",
        title="Notes about somebody",
        description="What is held to be so about a person or a thing.",
        mime_type=_MARKDOWN,
    )
    def notes_of(subject: str) -> str:
        return _read(memories, "project", partial(_notes, subject=subject))


def _read(memories: Memories, memory_name: MemoryName, read: Any) -> str:
    try:
        return f"{NOTICE}\n\n{read(memories.get(memory_name))}\n"
    except UnknownId as error:
        raise ResourceNotFoundError(f"{type(error).__name__}: {on_one_line(str(error))}") from error
    except HmemError as error:
        raise ResourceError(f"{type(error).__name__}: {on_one_line(str(error))}") from error


def _persona(memory: "hmem.MemoryLike") -> str:
    lists = ("\n".join(_profile_list(profile)) for profile in profiles(memory))
    return "\n\n".join(lists) or "Nobody yet."


def _profile_list(profile: "hmem.Profile") -> list[str]:
    """Return a profile as a list under the name of the person."""
    _, *lines = profile.text.split("\n")
    return [f"# {quoted_name(profile.person)}", "", *(f"- {line}" for line in lines)]


def _timeline(memory: "hmem.MemoryLike") -> str:
    months = [time_period(memory, period) for period in periods_of(memory, "month")[-_MONTHS:]]
    return (
        "\n\n".join(f"# {month.label}\n\n{quote_text(month.summary)}" for month in reversed(months)) or "Nothing yet."
    )


def _notes(memory: "hmem.MemoryLike", subject: str | None = None) -> str:
    current = [note for note in memory.notes(subject=subject, limit=_NOTES * 2) if note.status == "current"][-_NOTES:]
    lines = [f"- {quote_text(note.text)} ({note.recorded:%Y-%m-%d}, {note.id})" for note in reversed(current)]
    return "\n".join(lines) or "None yet."


def _turn(memory: "hmem.MemoryLike", id: str) -> str:
    turn = memory.get(id)
    if not isinstance(turn, hmem.Turn):
        raise UnknownId(f"{id!r} is no turn - the tool note_history tells of notes")
    caption = f"\n\n[photo: {quote_text(turn.caption)}]" if turn.caption else ""
    head = f"# {quoted_name(turn.speaker)}, {turn.at.isoformat()}, session {quoted_name(turn.session)}"
    # Behind the marks of a quotation no line of the text is a head.
    lines = "\n".join(f"> {line}".rstrip() for line in harmless(turn.text).split("\n"))
    return f"{head}\n\n{lines}{caption}"


_TABLE: Final = (
    ("persona", _persona, "The profile of everyone who spoke: what they said of themselves that holds now."),
    ("timeline", _timeline, "What happened, month by month, the newest first."),
    ("notes", _notes, "What is held to be so now, the newest first."),
)


_TOKENS = 1_200
_DAYS = 7


def add_prompts(server: MCPServer[Any], memories: Memories) -> None:
    """Add the prompts to a server."""

    @server.prompt(title="Answer from memory")
    def answer_from_memory(question: Annotated[str, Field(description="What you want to know.")]) -> str:
        """Answer a question from what was said before, with citations."""
        context = _text_or_error(lambda: memories.get().context(question, _TOKENS).text)
        return (
            f"{framed(context) if context else 'The memory holds nothing about this.'}\n\nAnswer from this, and cite "
            f"the numbers of the lines that you use. If it does not tell, say so.\n\nQuestion: {question}"
        )

    @server.prompt(title="Catch up")
    def catch_up() -> str:
        """Sum up who the user is and what happened in the last days that the memory tells of."""
        summary = _text_or_error(lambda: _lately(memories))
        return (
            f"{framed(summary) if summary else 'The memory is empty.'}\n\nSum up in a few sentences who I am, what we "
            "did last, and what is open."
        )

    @server.prompt(title="Keep what matters")
    def keep_what_matters() -> str:
        """Look through this conversation for what is worth remembering, and remember it."""
        return (
            "Look through our conversation for what will matter in later sessions: facts about me, preferences, "
            "decisions and their reasons, results, plans with their dates. Look each up with the tool `recall`. Keep "
            "what is new with `remember`, one sentence that stands by itself for each; put right what has changed "
            "with `correct`. Leave out secrets such as passwords and keys, and what was recalled. Tell me what you "
            "kept."
        )


def _lately(memories: Memories) -> str:
    memory = memories.get()
    people = [profile.text for profile in profiles(memory)]
    days = [time_period(memory, period) for period in periods_of(memory, "day")[-_DAYS:]]
    return "\n".join([*people, *(f"{day.label}: {quote_text(day.summary)}" for day in days)])


def _text_or_error(recall: Any) -> str:
    """Return the recalled text, or the error on one line."""
    try:
        return str(recall())
    except HmemError as error:
        return f"{type(error).__name__}: {on_one_line(str(error))}"
