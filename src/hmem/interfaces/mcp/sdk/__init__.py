"""The MCP SDK that is installed, of either generation: ``second`` for 2.x, ``first`` for 1.x, with the same names.

CrewAI and others still need 1.x. What differs between the generations stands here; the names of fields differ too, so
values of the protocol are made from the names on the wire, which are the same in both (``made``).
"""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

if TYPE_CHECKING or find_spec("mcp.server.mcpserver") is not None:
    from hmem.interfaces.mcp.sdk.second import (
        ResourceError,
        ResourceNotFoundError,
        Tool,
        ToolError,
        crash,
        without_structure,
    )
    from hmem.interfaces.mcp.sdk.second import (
        SecondServer as Server,
    )
else:
    from hmem.interfaces.mcp.sdk.first import (
        FirstServer as Server,
    )
    from hmem.interfaces.mcp.sdk.first import (
        FirstTool as Tool,
    )
    from hmem.interfaces.mcp.sdk.first import (
        ResourceError,
        ResourceNotFoundError,
        ToolError,
        crash,
        without_structure,
    )

__all__ = [
    "ResourceError",
    "ResourceNotFoundError",
    "Server",
    "Tool",
    "ToolError",
    "crash",
    "made",
    "without_structure",
]

Value = TypeVar("Value", bound=BaseModel)


def made(kind: type[Value], fields: Mapping[str, Any]) -> Value:
    """Return a value of the protocol from its fields by their names on the wire."""
    return kind.model_validate(dict(fields))
