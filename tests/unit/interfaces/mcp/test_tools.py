"""What the server says of its tools, and how it tells errors."""

import json
from collections.abc import Callable
from pathlib import Path

import anyio
import jsonschema
import pytest
from mcp import Client
from mcp.server.mcpserver.tools import Tool as ServedTool
from mcp.types import CallToolResult, Tool
from tests.unit.interfaces.mcp.conftest import Talk, connected, text_of

from hmem.interfaces.mcp.memories import Locations, Memories
from hmem.interfaces.mcp.server import server_of
from hmem.interfaces.mcp.tools import CORE, tools_of
from hmem.language.tokens import count_tokens
from hmem_testing.fake_llm import ReplyRule, StandIn

READ = {"recall", "cases", "context", "ask", "note_history", "timeline", "persona"}
WRITE = {"remember", "outcome", "correct", "retract", "pin", "unpin", "feedback", "forget"}


def listed(talk: Talk) -> dict[str, Tool]:
    return {tool.name: tool for tool in talk(lambda client: client.list_tools()).tools}


def test_the_tools_are_these_and_say_what_they_do(talk: Talk) -> None:
    tools = listed(talk)
    assert set(tools) == READ | WRITE
    for tool in tools.values():
        assert tool.description
        assert len(tool.description) < 400
        assert tool.title
        for name, argument in tool.input_schema["properties"].items():
            assert argument.get("description"), f"{tool.name}.{name}"


def test_hints_tell_reading_from_writing_from_erasing(talk: Talk) -> None:
    tools = listed(talk)
    for name, tool in tools.items():
        hints = tool.annotations
        assert hints is not None
        assert hints.read_only_hint is (name in READ)
        assert hints.open_world_hint is False
    assert [name for name, tool in tools.items() if tool.annotations and tool.annotations.destructive_hint] == [
        "forget"
    ]


def test_results_are_as_the_schema_says(talk: Talk) -> None:
    arguments = {"recall": {"question": "Coco"}, "context": {"question": "Coco"}, "ask": {"question": "Who is Coco?"}}
    arguments["cases"] = {"task": "Find a vet for Coco"}
    for name, tool in listed(talk).items():
        assert tool.output_schema is not None
        if name in READ:
            result = talk(lambda client, name=name: client.call_tool(name, arguments.get(name, {})))
            jsonschema.validate(result.structured_content, tool.output_schema)


def test_a_client_checks_a_list_without_looking_into_each_field(talk: Talk) -> None:
    for tool in listed(talk).values():
        assert tool.output_schema is not None
        assert "$defs" not in tool.output_schema
        for name, schema in tool.output_schema["properties"].items():
            assert schema.get("description") or "properties" not in schema, f"{tool.name}.{name}"
            assert "properties" not in schema.get("items", {})
    recall = listed(talk)["recall"].output_schema
    assert recall is not None
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"notice": "", "evidence": [{"text": "no id"}]}, recall)
    assert "speaker: Who said it." in recall["properties"]["evidence"]["description"]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("recall", {}, "InvalidArguments: question: Field required"),
        ("recall", {"question": "x", "kinds": ["poem"]}, "InvalidArguments: kinds.0: "),
        ("recall", {"question": " "}, "InvalidQuery: "),
        ("recall", {"question": "x", "since": "yesterweek"}, "InvalidTime: "),
        ("retract", {"id": "turn_01M7Z6S4HYW8Y3WEBA0ZRPA40G"}, "UnknownId: "),
        ("persona", {"speaker": "Nobody"}, "UnknownId: "),
        ("ask", {"question": "x", "memory": "other"}, "InvalidArguments: memory: "),
        ("forget", {"speaker": "Maria", "sesion": "s1"}, "InvalidArguments: sesion: not an argument - choose from: "),
    ],
)
def test_an_error_is_one_line_that_names_it(
    call: Callable[..., CallToolResult], name: str, arguments: dict[str, object], said: str
) -> None:
    result = call(name, **arguments)
    assert result.is_error
    assert text_of(result).startswith(said)
    assert "\n" not in text_of(result)


@pytest.mark.parametrize(
    "setting", ["analyst", "recipe", "embedder", "reranker", "zone", "path", "file", "root", "budget", "wait"]
)
def test_no_client_chooses_what_costs_money_or_touches_files(
    talk: Talk, memories: Memories, tmp_path: Path, setting: str
) -> None:
    needed = {
        "cases": {"task": "x"}, "outcome": {"task": "x", "worked": True},
        "note_history": {}, "timeline": {}, "persona": {}, "remember": {"text": "x"}, "retract": {"id": "x"},
        "pin": {"id": "x"}, "unpin": {"id": "x"},
        "correct": {"id": "x", "text": "y"}, "feedback": {"ids": ["x"], "verdict": "approve"}, "forget": {},
    }  # fmt: skip
    before = sorted(tmp_path.rglob("*"))
    with StandIn() as model:
        value = {"analyst": f"openai:m@{model.url}", "budget": 1e9, "wait": True}.get(setting, str(tmp_path / "new"))

        async def each_of_them(client: Client) -> list[CallToolResult]:
            names = [tool.name for tool in (await client.list_tools()).tools]
            return [
                await client.call_tool(name, {**needed.get(name, {"question": "Who is Coco?"}), setting: value})
                for name in names
            ]

        results = talk(each_of_them)
        assert len(results) == len(READ | WRITE)
        for result in results:
            assert result.is_error
            assert text_of(result).startswith(f"InvalidArguments: {setting}: not an argument")
        assert list(model.calls) == []
    assert memories.get().stats().turns == 5
    assert not (tmp_path / "new").exists()
    assert {path for path in sorted(tmp_path.rglob("*")) if path.suffix == ".hmem"} <= {*before}


def test_a_model_is_not_waited_for_when_the_client_cancels(filled: Path) -> None:
    with StandIn([ReplyRule("slow", task="plan", seconds=60)]) as model:
        memories = Memories(Locations(project=filled), {"analyst": f"openai:m@{model.url}"})

        async def cancelled() -> None:
            async with connected(memories) as client, anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "ask", {"question": "Who is Coco?"})
                with anyio.fail_after(30):
                    while not model.count:
                        await anyio.sleep(0.01)
                    group.cancel_scope.cancel()
            with anyio.fail_after(30):
                while not model.disconnected:
                    await anyio.sleep(0.01)

        anyio.run(cancelled)
        memories.close()


def test_every_tool_is_made_without_opening_a_memory(memories: Memories) -> None:
    memories.close()
    assert [tool.name for tool in tools_of(memories)] == list(CORE)
    assert {tool.name for tool in tools_of(memories, all_tools=True)} == READ | WRITE


def test_the_core_tools_take_at_most_2000_tokens_of_a_model(memories: Memories) -> None:
    def told(tool: ServedTool) -> str:
        return json.dumps({"name": tool.name, "description": tool.description, "input_schema": tool.parameters})

    # Counted by the bundled tokenizer (WordLlama's).
    counts = {tool.name: count_tokens(told(tool)) for tool in tools_of(memories, all_tools=True)}
    core = sum(counts[name] for name in CORE)
    print(f"tokens of the tool list: core {core}, all {sum(counts.values())}; {counts}")
    assert core <= 2_000


def test_schemas_of_arguments_have_no_titles_defaults_or_nulls(memories: Memories) -> None:
    for tool in tools_of(memories, all_tools=True):
        assert set(tool.parameters) <= {"type", "properties", "required", "additionalProperties"}
        for schema in tool.parameters["properties"].values():
            assert not {"title", "default", "anyOf"} & set(schema)
            assert schema["type"] in ("string", "integer", "number", "boolean", "array")


def test_an_argument_may_still_be_null_or_left_out(call: Callable[..., CallToolResult]) -> None:
    assert text_of(call("recall", question="Who is Coco?", since=None, k=1)) == text_of(
        call("recall", question="Who is Coco?", k=1)
    )


def test_without_structured_results_a_client_gets_the_text_alone(memories: Memories, talk: Talk) -> None:
    async def both(client: Client) -> dict[str, CallToolResult]:
        return {
            "recall": await client.call_tool("recall", {"question": "Who adopted a puppy?", "k": 2, "why": True}),
            "context": await client.call_tool("context", {"question": "Who adopted a puppy?"}),
            "refused": await client.call_tool("recall", {}),
        }

    async def plainly() -> tuple[list[Tool], dict[str, CallToolResult]]:
        async with Client(server_of(memories)) as client:
            return (await client.list_tools()).tools, await both(client)

    tools, plain = anyio.run(plainly)
    full = talk(both)
    assert [tool.name for tool in tools] == list(CORE)
    assert all(tool.output_schema is None for tool in tools)
    for name, result in plain.items():
        assert result.structured_content is None
        assert text_of(result) == text_of(full[name])
    assert text_of(plain["recall"]).startswith("<hmem-recalled>")
    # What was asked for with why is in the text too, since no structure has it.
    assert "session s1" in text_of(plain["recall"])
    assert plain["refused"].is_error
