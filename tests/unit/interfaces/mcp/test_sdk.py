from mcp.types import CallToolResult, TextContent, ToolAnnotations

from hmem.interfaces.mcp.sdk import ToolError, build, crash, without_structure


def test_a_value_is_made_from_its_names_on_the_wire() -> None:
    assert build(ToolAnnotations, {"title": "Recall", "readOnlyHint": True}).read_only_hint


def test_a_result_without_structure_keeps_its_text() -> None:
    text = TextContent(type="text", text="stored")
    result = build(CallToolResult, {"content": [text], "structuredContent": {"fate": "stored"}})
    plain = without_structure(result)
    assert (plain.content, plain.structured_content) == ([text], None)


def test_a_bug_of_a_tool_is_told_without_its_message() -> None:
    assert str(crash("recall", ToolError("Error executing tool recall: the secret"))) == "Error executing tool recall"
