"""A client of an MCP server, by the SDK of either generation, as a program that prints what the server told.

python mcp_client.py stdio FOLDER COMMAND ARGUMENT...
python mcp_client.py http URL
"""

import json
import sys
from contextlib import AsyncExitStack
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import anyio

# No type checker knows both generations.
SDK: Final[Any] = import_module("mcp")


async def talk(session: Any) -> dict[str, Any]:
    """Use everything that the server offers."""
    tools = wire(await session.list_tools())["tools"]
    kept = await called(session, "remember", text="Ana reviews the release notes on Thursdays.")
    (identity,) = [word for word in kept["text"].split() if word.startswith("turn_")]
    return {
        "tools": tools,
        "remember": kept,
        "recall": await called(session, "recall", question="Who reviews the release notes?"),
        "context": await called(session, "context", question="Who reviews the release notes?"),
        "correct": await called(session, "correct", id="turn_0", text="Ben does."),
        "forget": await called(session, "forget", query="release notes"),
        "unknown argument": await called(session, "recall", question="Who?", everything=True),
        "wrong argument": await called(session, "recall", question="Who?", k="many"),
        "resources": [one["uri"] for one in wire(await session.list_resources())["resources"]],
        "notes": await read(session, "hmem://notes"),
        "turn": await read(session, f"hmem://turns/{identity}"),
        "no turn": await read(session, "hmem://turns/turn_00000000000000000000000000"),
        "prompts": [one["name"] for one in wire(await session.list_prompts())["prompts"]],
        "prompt": wire(await session.get_prompt("answer_from_memory", {"question": "Who reviews the notes?"})),
    }


def wire(value: Any) -> Any:
    """Return a value of the protocol by its names on the wire."""
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


async def called(session: Any, name: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool."""
    told = wire(await session.call_tool(name, arguments))
    texts = [block["text"] for block in told["content"]]
    return {"text": "\n".join(texts), "error": told.get("isError", False), "structured": "structuredContent" in told}


async def read(session: Any, uri: str) -> str:
    """Read a resource, or return the error."""
    exceptions: Any = import_module("mcp.shared.exceptions")
    refusal = getattr(exceptions, "MCPError", None) or exceptions.McpError
    try:
        told = wire(await session.read_resource(uri))
    except refusal as error:
        return f"refused: {error}"
    return told["contents"][0]["text"]


def rooted(folder: str) -> Any:
    """Return the answer of a client that works in a folder."""

    async def roots(_: Any) -> Any:
        return SDK.types.ListRootsResult(roots=[SDK.types.Root(uri=Path(folder).as_uri())])

    return roots


async def first(way: str, where: list[str]) -> dict[str, Any]:
    """Talk by SDK 1.x."""
    stdio: Any = import_module("mcp.client.stdio")
    http: Any = import_module("mcp.client.streamable_http")

    async with AsyncExitStack() as stack:
        if way == "stdio":
            _, command, *arguments = where
            server = SDK.StdioServerParameters(command=command, args=arguments)
            streams = await stack.enter_async_context(stdio.stdio_client(server))
        else:
            streams = (await stack.enter_async_context(http.streamablehttp_client(where[0])))[:2]
        callback = rooted(where[0]) if way == "stdio" else None
        session = await stack.enter_async_context(SDK.ClientSession(*streams, list_roots_callback=callback))
        greeted = wire(await session.initialize())
        return {"server": greeted["serverInfo"]["name"], **await talk(session)}


async def second(way: str, where: list[str]) -> dict[str, Any]:
    """Talk by SDK 2.x."""
    if way == "stdio":
        _, command, *arguments = where
        # Roots are of the protocol before 2026-07-28.
        server = SDK.StdioServerParameters(command=command, args=arguments)
        client = SDK.Client(server, mode="legacy", list_roots_callback=rooted(where[0]))
    else:
        client = SDK.Client(where[0])
    async with client as session:
        return {"server": session.server_info.name, **await talk(session)}


def main() -> None:
    """Talk to a server and print what it told."""
    talked = second if hasattr(SDK, "Client") else first
    print(json.dumps(anyio.run(talked, sys.argv[1], sys.argv[2:])))


if __name__ == "__main__":
    main()
