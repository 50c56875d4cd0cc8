"""Arguments that several tools share, each with its description for a model."""

from typing import Annotated, Final, Literal

from mcp.types import ToolAnnotations
from pydantic import Field

from hmem.interfaces.mcp.memories import MemoryName
from hmem.interfaces.mcp.results import DEFAULT_TOKENS
from hmem.interfaces.mcp.sdk import build
from hmem.interfaces.operations import OPERATIONS

_MOST_TOKENS: Final = 50_000

Kind = Literal["turn", "event", "note", "summary", "episode", "profile"]
Question = Annotated[str, Field(description="What you want to know, in the words that you would use to a person.")]
MemoryArgument = Annotated[
    MemoryName,
    Field(description="The memory of this project (the default), or that of the user, across projects."),
]
Tokens = Annotated[
    int, Field(ge=1, le=_MOST_TOKENS, description="At most so many tokens come back; the cursor gives the rest.")
]
Cursor = Annotated[str | None, Field(description="The cursor of the page before, with the same arguments.")]
Speaker = Annotated[str | None, Field(description="Only what this person said.")]
User = Annotated[str | None, Field(description="Only what belongs to this user, where the memory is of several.")]
Session = Annotated[str | None, Field(description="Only what was said in this session.")]
Since = Annotated[str | None, Field(description="Only from this time on, in ISO 8601.")]
Until = Annotated[str | None, Field(description="Only before this time, in ISO 8601.")]
Entity = Annotated[str | None, Field(description="Only what names this person, place or thing.")]
QuestionTime = Annotated[str | None, Field(description="When it is asked, which 'last week' goes by; now by default.")]
AsOf = Annotated[str | None, Field(description="As the memory was known at this time, in ISO 8601.")]
ValidAt = Annotated[str | None, Field(description="Only what was true at this time, in ISO 8601.")]
Reason = Annotated[str | None, Field(description="The reason, which the history tells.")]

DEFAULT: Final = DEFAULT_TOKENS


def hints(operation: str, title: str) -> ToolAnnotations:
    """Return the annotations of a tool with a title, from the operation that it does."""
    row = OPERATIONS[operation]
    if not row.writes:
        flags = {"readOnlyHint": True, "idempotentHint": True}
    else:
        flags = {
            "readOnlyHint": False, "destructiveHint": row.scope == "forget", "idempotentHint": row.idempotent,
        }  # fmt: skip
    return build(ToolAnnotations, {"title": title, **flags, "openWorldHint": False})
