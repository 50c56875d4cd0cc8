"""Prompts that a client offers its user: answer from memory, catch up, keep what matters."""

from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from pydantic import Field

from hmem.errors import HmemError
from hmem.interfaces.framing import framed, on_one_line
from hmem.interfaces.mcp import calendar
from hmem.interfaces.mcp.memories import Memories

_TOKENS = 1_200
_DAYS = 7


def add_prompts(server: MCPServer[Any], memories: Memories) -> None:
    """Give a server its prompts."""

    @server.prompt(title="Answer from memory")
    def answer_from_memory(question: Annotated[str, Field(description="What you want to know.")]) -> str:
        """Answer a question from what was said before, with citations."""
        found = _tried(lambda: memories.of().context(question, _TOKENS).text)
        return (
            f"{framed(found) if found else 'The memory holds nothing about this.'}\n\nAnswer from this, and cite the "
            f"numbers of the lines that you use. If it does not tell, say so.\n\nQuestion: {question}"
        )

    @server.prompt(title="Catch up")
    def catch_up() -> str:
        """Sum up who the user is and what happened in the last days that the memory tells of."""
        told = _tried(lambda: _lately(memories))
        return (
            f"{framed(told) if told else 'The memory is empty.'}\n\nSum up in a few sentences who I am, what we did "
            "last, and what is open."
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
    memory = memories.of()
    people = [f"{on_one_line(each.speaker)}: {on_one_line(each.text)}" for each in memory.personas()]
    days = [calendar.told(memory, each) for each in calendar.stretches(memory, "day")[-_DAYS:]]
    return "\n".join([*people, *(f"{day.label}: {on_one_line(day.summary)}" for day in days)])


def _tried(recall: Any) -> str:
    """What was recalled; where it cannot be, why, on one line."""
    try:
        return str(recall())
    except HmemError as error:
        return f"{type(error).__name__}: {on_one_line(str(error))}"
