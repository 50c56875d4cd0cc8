"""Shapes of messages, made by the classes of eight SDKs, with the turns that they must become.

It writes the JSON that `message_shapes.py` reads, and adds every object as it is, to see that it becomes the same.
The SDKs are no dependencies of hmem. In an environment that has hmem:

    pip install openai anthropic google-genai langchain-core pydantic-ai-slim
    (cd FOLDER && npm install ai)
    python benchmarks/message_shapes_sdk.py FOLDER
"""

import base64
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple

from anthropic import types as a
from anthropic.types.citation_char_location import CitationCharLocation
from google.genai import types as g
from langchain_core import messages as m
from langchain_core.load import dumpd
from message_shapes import SHAPES, turns_of
from openai.types import responses as r
from openai.types.chat import ChatCompletion, ChatCompletionMessage, ChatCompletionMessageFunctionToolCall
from openai.types.chat.chat_completion import Choice
from openai.types.chat.chat_completion_audio import ChatCompletionAudio
from openai.types.chat.chat_completion_message import Annotation, AnnotationURLCitation, FunctionCall
from openai.types.chat.chat_completion_message_custom_tool_call import ChatCompletionMessageCustomToolCall, Custom
from openai.types.chat.chat_completion_message_function_tool_call import Function
from openai.types.responses import response_function_web_search as search
from openai.types.responses import response_output_item as items
from openai.types.responses.response_reasoning_item import Summary
from pydantic import TypeAdapter
from pydantic_ai import messages as p

from hmem.errors import InputError

PIXEL: Final = base64.b64decode("iVBORw0KGgo=")
ENCODED: Final = "iVBORw0KGgo="
URL: Final = "https://x.org/a.png"
AT: Final = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
WHEN: Final = "2026-03-01T09:30:00+00:00"
SAID: Final = "I moved to Faro"

Turn = dict[str, Any]


class Shape(NamedTuple):
    """What an SDK makes, and the turns that it must become; the first is the message's own."""

    name: str
    message: Any
    turns: Sequence[Turn]


def turn(role: str | None, text: str, speaker: str | None = None, **fields: Any) -> Turn:
    """Return a turn that must come out; the speaker is named as the role by default."""
    return {"role": role, "speaker": speaker or role, "text": text, **fields}


def user(text: str, **fields: Any) -> Turn:
    return turn("user", text, **fields)


def reply(text: str, **fields: Any) -> Turn:
    return turn("assistant", text, **fields)


def tool(name: str, text: str, **fields: Any) -> Turn:
    return turn("tool", text, name, **fields)


CALL: Final = tool("weather", 'weather({"city": "Faro"})')
RESULT: Final = tool("tool", "21 degrees")
NAMED_RESULT: Final = tool("weather", "21 degrees")
PICTURE: Final = user("", caption="a picture", attachments=[URL])
INLINE: Final = user("", caption="a picture", attachments=["data:image/png"])


def openai_chat() -> Iterator[Shape]:

    call = ChatCompletionMessageFunctionToolCall(
        id="c1", function=Function(name="weather", arguments='{"city": "Faro"}'), type="function"
    )
    custom = ChatCompletionMessageCustomToolCall(id="c2", custom=Custom(name="sql", input="SELECT 1"), type="custom")
    cited = Annotation(
        type="url_citation", url_citation=AnnotationURLCitation(end_index=4, start_index=0, title="T", url=URL)
    )

    def message(**fields: Any) -> ChatCompletionMessage:
        return ChatCompletionMessage(role="assistant", **{"content": None, **fields})

    yield Shape("text", message(content="Noted"), [reply("Noted")])
    yield Shape("refusal", message(refusal="I cannot"), [reply("I cannot")])
    yield Shape("annotations", message(content="Noted", annotations=[cited]), [reply("Noted")])
    audio = ChatCompletionAudio(id="a", data=ENCODED, expires_at=1, transcript="Spoken")
    yield Shape("audio", message(audio=audio), [reply("Spoken")])
    yield Shape("call", message(tool_calls=[call]), [CALL])
    yield Shape("text and call", message(content="A moment", tool_calls=[call]), [reply("A moment"), CALL])
    yield Shape("two calls", message(tool_calls=[call, custom]), [CALL, tool("sql", "sql(SELECT 1)")])
    legacy = FunctionCall(name="weather", arguments='{"city": "Faro"}')
    yield Shape("function_call", message(function_call=legacy), [CALL])
    choice = Choice(finish_reason="stop", index=0, message=message(content="Noted"))
    whole = ChatCompletion(id="k", choices=[choice], created=1772357400, model="m", object="chat.completion")
    yield Shape("whole completion", whole, [reply("Noted", at=WHEN)])

    def given(role: str, content: Any, **fields: Any) -> dict[str, Any]:
        return {"role": role, "content": content, **fields}

    text = {"type": "text", "text": SAID}
    picture = {"type": "image_url", "image_url": {"url": URL, "detail": "low"}}
    inline = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{ENCODED}"}}
    yield Shape("system", given("system", "Be kind"), [turn("system", "Be kind")])
    yield Shape("developer", given("developer", "Be kind"), [turn("system", "Be kind")])
    yield Shape("user", given("user", SAID), [user(SAID)])
    yield Shape("user with a name", given("user", SAID, name="Ana"), [turn("user", SAID, "Ana")])
    yield Shape("parts", given("user", [text, picture, text]), [user(f"{SAID}\n{SAID}", attachments=[URL])])
    yield Shape("picture alone", given("user", [picture]), [PICTURE])
    yield Shape("picture in the message", given("user", [text, inline]), [user(SAID, attachments=["data:image/png"])])
    recording = {"type": "input_audio", "input_audio": {"data": ENCODED, "format": "wav"}}
    yield Shape("recording", given("user", [recording]), [user("", caption="a recording")])
    file = {"type": "file", "file": {"filename": "bill.pdf", "file_data": f"data:application/pdf;base64,{ENCODED}"}}
    attached = user(SAID, caption="attached: bill.pdf", attachments=["bill.pdf"])
    yield Shape("file", given("user", [text, file]), [attached])
    stored = {"type": "file", "file": {"file_id": "file-1"}}
    yield Shape("file by its id", given("user", [stored]), [user("", caption="a file", attachments=["file-1"])])
    refused = {"type": "refusal", "refusal": "I cannot"}
    yield Shape("refusal as a part", given("assistant", [refused]), [reply("I cannot")])
    yield Shape("tool", given("tool", "21 degrees", tool_call_id="c1"), [RESULT])
    parts = [{"type": "text", "text": "21 degrees"}]
    yield Shape("tool in parts", given("tool", parts, tool_call_id="c1"), [RESULT])
    yield Shape("function", given("function", "21 degrees", name="weather"), [NAMED_RESULT])


def openai_responses() -> Iterator[Shape]:

    def said(*content: Any) -> Any:
        return r.ResponseOutputMessage(id="m1", content=content, role="assistant", status="completed", type="message")

    text = r.ResponseOutputText(annotations=[], text="Noted", type="output_text")
    yield Shape("message", said(text), [reply("Noted", message_id="m1")])
    yield Shape("two texts", said(text, text), [reply("Noted\nNoted")])
    yield Shape("refusal", said(r.ResponseOutputRefusal(refusal="I cannot", type="refusal")), [reply("I cannot")])
    call = r.ResponseFunctionToolCall(
        arguments='{"city": "Faro"}', call_id="c1", name="weather", type="function_call", id="f1", status="completed"
    )
    yield Shape("function_call", call, [CALL])
    custom = r.ResponseCustomToolCall(call_id="c1", input="SELECT 1", name="sql", type="custom_tool_call")
    yield Shape("custom_tool_call", custom, [tool("sql", "sql(SELECT 1)")])
    looked = r.ResponseFunctionWebSearch(
        id="w", action=search.ActionSearch(query="beaches", type="search"), status="completed", type="web_search_call"
    )
    yield Shape("web_search_call", looked, [tool("web_search", 'web_search({"type": "search", "query": "beaches"})')])
    files = r.ResponseFileSearchToolCall(id="f", queries=["rent"], status="completed", type="file_search_call")
    yield Shape("file_search_call", files, [tool("file_search", 'file_search(["rent"])')])
    code = r.ResponseCodeInterpreterToolCall(
        id="i", code="1+1", container_id="k", status="completed", type="code_interpreter_call",
        outputs=[{"type": "logs", "logs": "2"}],
    )  # fmt: skip
    yield Shape("code_interpreter_call", code, [tool("code_interpreter", "code_interpreter(1+1)\n2")])
    drawn = items.ImageGenerationCall(id="g", result=ENCODED, status="completed", type="image_generation_call")
    yield Shape("image_generation_call", drawn, [tool("image_generation", "image_generation()")])
    shell = items.LocalShellCall(
        id="l", call_id="c", status="completed", type="local_shell_call",
        action={"command": ["ls"], "env": {}, "type": "exec"},
    )  # fmt: skip
    run = 'local_shell({"command": ["ls"], "env": {}, "type": "exec"})'
    yield Shape("local_shell_call", shell, [tool("local_shell", run)])
    mcp = items.McpCall(
        id="x", arguments='{"city": "Faro"}', name="weather", server_label="s", type="mcp_call", output="21 degrees"
    )
    yield Shape("mcp_call", mcp, [tool("weather", 'weather({"city": "Faro"})\n21 degrees')])
    asked = items.McpApprovalRequest(
        id="x", arguments='{"city": "Faro"}', name="weather", server_label="s", type="mcp_approval_request"
    )
    yield Shape("mcp_approval_request", asked, [CALL])
    thought = r.ResponseReasoningItem(id="r", summary=[Summary(text="hm", type="summary_text")], type="reasoning")
    yield Shape("reasoning", thought, [])
    yield Shape("compaction", r.ResponseCompactionItem(id="k", encrypted_content="x", type="compaction"), [])
    listed = items.McpListTools(id="x", server_label="s", tools=[], type="mcp_list_tools")
    yield Shape("mcp_list_tools", listed, [])
    whole = r.Response(
        id="resp", created_at=1772357400.0, model="m", object="response", output=[thought, call, said(text)],
        parallel_tool_calls=True, tool_choice="auto", tools=[],
    )  # fmt: skip
    yield Shape("whole response", whole, [reply("Noted", at=WHEN), CALL])
    yield Shape("easy input", r.EasyInputMessage(role="developer", content="Be kind"), [turn("system", "Be kind")])
    words = r.ResponseInputText(text=SAID, type="input_text")
    picture = r.ResponseInputImage(detail="auto", type="input_image", image_url=URL)
    page = r.ResponseInputFile(type="input_file", filename="bill.pdf", file_data=ENCODED)
    attached = {"caption": "attached: bill.pdf", "attachments": [URL, "bill.pdf"]}
    whole_input = r.response_input_item.Message(role="user", content=[words, picture, page])
    yield Shape("input of every part", whole_input, [user(SAID, **attached)])
    answered = r.response_input_item.FunctionCallOutput(call_id="c1", output="21 degrees", type="function_call_output")
    yield Shape("function_call_output", answered, [RESULT])
    in_parts = r.response_input_item.FunctionCallOutput(
        call_id="c1", output=[{"type": "input_text", "text": "21 degrees"}], type="function_call_output"
    )
    yield Shape("function_call_output in parts", in_parts, [RESULT])
    custom_output = r.ResponseCustomToolCallOutput(call_id="c", output="21 degrees", type="custom_tool_call_output")
    yield Shape("custom_tool_call_output", custom_output, [RESULT])
    screen = r.response_input_item.ComputerCallOutput(
        call_id="c", output={"type": "computer_screenshot", "image_url": URL}, type="computer_call_output"
    )
    yield Shape("computer_call_output", screen, [tool("computer", "", caption="a picture", attachments=[URL])])
    yield Shape("item_reference", r.response_input_item.ItemReference(id="m", type="item_reference"), [])


def anthropic() -> Iterator[Shape]:

    usage = a.Usage(input_tokens=1, output_tokens=1)

    def said(*content: Any) -> a.Message:
        return a.Message(
            id="msg_1", content=list(content), model="m", role="assistant", type="message", usage=usage,
            stop_reason="end_turn", stop_sequence=None,
        )  # fmt: skip

    def given(*content: Any, role: str = "user") -> dict[str, Any]:
        return {"role": role, "content": list(content)}

    text = a.TextBlock(text="Noted", type="text")
    use = a.ToolUseBlock(id="t1", input={"city": "Faro"}, name="weather", type="tool_use")
    cited = CitationCharLocation(
        type="char_location", cited_text="x", document_index=0, start_char_index=0, end_char_index=1
    )
    yield Shape("text", said(text), [reply("Noted", message_id="msg_1")])
    pieces = said(a.TextBlock(text="It is ", type="text"), a.TextBlock(text="warm", type="text", citations=[cited]))
    yield Shape("cited text", pieces, [reply("It is warm")])
    thought = a.ThinkingBlock(signature="s", thinking="hm", type="thinking")
    hidden = a.RedactedThinkingBlock(data="x", type="redacted_thinking")
    yield Shape("thoughts and text", said(thought, hidden, text), [reply("Noted")])
    yield Shape("tool_use", said(text, use), [reply("Noted"), CALL])
    yield Shape("tool_use alone", said(use), [CALL])
    look = a.ServerToolUseBlock(id="s1", input={"query": "beaches"}, name="web_search", type="server_tool_use")
    hit = a.WebSearchResultBlock(encrypted_content="x", title="Beaches", type="web_search_result", url=URL)
    hits = a.WebSearchToolResultBlock(content=[hit], tool_use_id="s1", type="web_search_tool_result")
    searched = tool("web_search", 'web_search({"query": "beaches"})')
    found = tool("web_search", f"Beaches {URL}")
    yield Shape("server tools", said(look, hits, text), [reply("Noted"), searched, found])
    out = a.BashCodeExecutionResultBlock(
        content=[], return_code=0, stderr="", stdout="2\n", type="bash_code_execution_result"
    )
    ran = a.BashCodeExecutionToolResultBlock(content=out, tool_use_id="b", type="bash_code_execution_tool_result")
    yield Shape("execution of code", said(ran, text), [reply("Noted"), tool("bash_code_execution", "2")])

    words = {"type": "text", "text": SAID}
    yield Shape("user", {"role": "user", "content": SAID}, [user(SAID)])
    yield Shape("cached text", given(words | {"cache_control": {"type": "ephemeral"}}), [user(SAID)])
    picture = {"type": "image", "source": {"type": "url", "url": URL}}
    inline = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": ENCODED}}
    uploaded = {"type": "image", "source": {"type": "file", "file_id": "file_1"}}
    yield Shape("image by its URL", given(picture, words), [user(SAID, attachments=[URL])])
    yield Shape("image inline", given(inline), [INLINE])
    yield Shape("image uploaded", given(uploaded), [user("", caption="a picture", attachments=["file_1"])])
    pdf = {"type": "base64", "media_type": "application/pdf", "data": ENCODED}
    bill = {"type": "document", "title": "Bill", "source": pdf}
    billed = user(SAID, caption="attached: Bill", attachments=["Bill"])
    yield Shape("document", given(bill, words), [billed])
    plain = {"type": "text", "media_type": "text/plain", "data": "The rent is 900"}
    lease = {"type": "document", "title": "Lease", "source": plain}
    yield Shape("document of text", given(lease, words), [user(SAID), turn("document", "The rent is 900", "Lease")])
    in_parts = {"type": "content", "content": [{"type": "text", "text": "The rent is 900"}]}
    chunked = {"type": "document", "source": in_parts}
    yield Shape("document of parts", given(chunked, words), [user(SAID), turn("document", "The rent is 900")])
    entry = {"type": "search_result", "source": URL, "title": "Lease", "content": [{"type": "text", "text": "900"}]}
    yield Shape("search_result", given(entry, words), [user(SAID), turn("document", "900", "Lease")])
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "21 degrees"}
    yield Shape("tool_result", given(result), [RESULT])
    yield Shape("tool_result in parts", given(result | {"content": [words | {"text": "21 degrees"}]}), [RESULT])
    yield Shape("tool_result and text", given(result, words), [user(SAID), RESULT])
    failed = result | {"content": "no such city", "is_error": True}
    yield Shape("tool_result of an error", given(failed), [tool("tool", "no such city")])
    seen = result | {"content": [picture]}
    yield Shape("tool_result of an image", given(seen), [tool("tool", "", caption="a picture", attachments=[URL])])
    silent = {"type": "tool_result", "tool_use_id": "t1"}
    yield Shape("tool_result of nothing", given(silent, words), [user(SAID)])
    yield Shape("assistant as sent back", given({"type": "text", "text": "Noted"}, role="assistant"), [reply("Noted")])
    upload = {"type": "container_upload", "file_id": "file_1"}
    yield Shape("container_upload", given(words, upload), [user(SAID, attachments=["file_1"])])


def gemini() -> Iterator[Shape]:

    def said(*parts: Any, role: str = "user") -> g.Content:
        return g.Content(role=role, parts=list(parts))

    text, noted = g.Part(text=SAID), g.Part(text="Noted")
    call = g.Part(function_call=g.FunctionCall(name="weather", args={"city": "Faro"}))
    response = g.Part(function_response=g.FunctionResponse(name="weather", response={"result": "21 degrees"}))
    yield Shape("user", said(text), [user(SAID)])
    yield Shape("model", said(noted, role="model"), [reply("Noted")])
    yield Shape("two texts", said(text, text), [user(f"{SAID}\n{SAID}")])
    yield Shape("thought", said(g.Part(text="hm", thought=True), noted, role="model"), [reply("Noted")])
    yield Shape("function_call", said(call, role="model"), [CALL])
    yield Shape("text and call", said(noted, call, role="model"), [reply("Noted"), CALL])
    yield Shape("function_response", said(response), [NAMED_RESULT])
    yield Shape("function_response as a tool's", said(response, role="tool"), [NAMED_RESULT])
    named = g.Part(function_response=g.FunctionResponse(name="weather", response={"degrees": 21}))
    yield Shape("function_response of data", said(named), [tool("weather", '{"degrees": 21}')])
    yield Shape("response and text", said(response, text), [user(SAID), NAMED_RESULT])
    inline = g.Part(inline_data=g.Blob(data=PIXEL, mime_type="image/png"))
    yield Shape("inline_data", said(inline), [INLINE])
    yield Shape("inline_data and text", said(inline, text), [user(SAID, attachments=["data:image/png"])])
    spoken = g.Part(inline_data=g.Blob(data=PIXEL, mime_type="audio/wav"))
    yield Shape("audio", said(spoken), [user("", caption="a recording", attachments=["data:audio/wav"])])
    film = g.Part(file_data=g.FileData(file_uri="gs://b/f.mp4", mime_type="video/mp4"))
    yield Shape("file_data", said(film, text), [user(SAID, attachments=["gs://b/f.mp4"])])
    code = g.Part(executable_code=g.ExecutableCode(code="1+1", language="PYTHON"))
    ran = g.Part(code_execution_result=g.CodeExecutionResult(outcome="OUTCOME_OK", output="2"))
    execution = [reply("Noted"), tool("executable_code", "executable_code(1+1)"), tool("code_execution", "2")]
    yield Shape("code", said(code, ran, noted, role="model"), execution)
    whole = g.GenerateContentResponse(
        candidates=[g.Candidate(content=said(noted, role="model"), finish_reason="STOP")], model_version="m",
        create_time=AT,
    )  # fmt: skip
    yield Shape("whole response", whole, [reply("Noted", at=WHEN)])
    yield Shape("no role", g.Content(parts=[text]), [turn(None, SAID, "user")])


def langchain() -> Iterator[Shape]:

    call = m.ToolCall(name="weather", args={"city": "Faro"}, id="c1")
    human, ai = m.HumanMessage(SAID), m.AIMessage("Noted", id="run-1")
    yield Shape("human", human, [user(SAID)])
    yield Shape("human with a name", m.HumanMessage(SAID, name="Ana", id="7"), [turn("user", SAID, "Ana")])
    yield Shape("ai", ai, [reply("Noted", message_id="run-1")])
    yield Shape("chunk", m.AIMessageChunk("Noted"), [reply("Noted")])
    yield Shape("system", m.SystemMessage("Be kind"), [turn("system", "Be kind")])
    yield Shape("tool_calls", m.AIMessage("", tool_calls=[call]), [CALL])
    yield Shape("text and tool_calls", m.AIMessage("Noted", tool_calls=[call]), [reply("Noted"), CALL])
    blocks = [
        {"type": "text", "text": "Noted"},
        {"type": "tool_use", "id": "c1", "name": "weather", "input": call["args"]},
    ]
    yield Shape("a call told twice", m.AIMessage(blocks, tool_calls=[call]), [reply("Noted"), CALL])
    yield Shape("tool", m.ToolMessage("21 degrees", tool_call_id="c1", name="weather"), [NAMED_RESULT])
    artifact = m.ToolMessage("21 degrees", tool_call_id="c1", artifact={"degrees": 21}, status="error")
    yield Shape("tool with an artifact", artifact, [RESULT])
    parts = m.ToolMessage([{"type": "text", "text": "21 degrees"}], tool_call_id="c1")
    yield Shape("tool in parts", parts, [RESULT])
    yield Shape("function", m.FunctionMessage("21 degrees", name="weather"), [NAMED_RESULT])
    yield Shape("chat", m.ChatMessage("Noted", role="critic"), [turn("assistant", "Noted", "critic")])
    yield Shape("texts in a list", m.HumanMessage(["I moved", "to Faro"]), [user("I moved\nto Faro")])
    words = {"type": "text", "text": SAID}
    for name, block, became in (
        ("image", {"type": "image", "url": URL}, {"attachments": [URL]}),
        ("inline", {"type": "image", "base64": ENCODED, "mime_type": "image/png"}, {"attachments": ["data:image/png"]}),
        ("audio", {"type": "audio", "base64": ENCODED, "mime_type": "audio/wav"}, {"attachments": ["data:audio/wav"]}),
        ("video", {"type": "video", "file_id": "v1"}, {"attachments": ["v1"]}),
        ("file", {"type": "file", "file_id": "f1", "mime_type": "application/pdf"}, {"attachments": ["f1"]}),
        ("image_url", {"type": "image_url", "image_url": URL}, {"attachments": [URL]}),
    ):  # fmt: skip
        yield Shape(name, m.HumanMessage([words, block]), [user(SAID, **became)])
    plain = {"type": "text-plain", "text": "The rent is 900", "mime_type": "text/plain", "title": "Lease"}
    yield Shape(
        "text-plain", m.HumanMessage([words, plain]), [user(SAID), turn("document", "The rent is 900", "Lease")]
    )
    thought = {"type": "reasoning", "reasoning": "hm"}
    yield Shape("reasoning", m.AIMessage([thought, {"type": "text", "text": "Noted"}]), [reply("Noted")])
    server = {"type": "server_tool_call", "id": "s", "name": "weather", "args": {"city": "Faro"}}
    got = {"type": "server_tool_result", "tool_call_id": "s", "status": "success", "output": "21 degrees"}
    yield Shape("server tools", m.AIMessage([server, got]), [CALL, NAMED_RESULT])
    yield Shape("remove", m.RemoveMessage(id="7"), [])
    yield Shape("message_to_dict", m.message_to_dict(ai), [reply("Noted", message_id="run-1")])
    yield Shape("dumpd", dumpd(human), [user(SAID)])
    as_openai = m.convert_to_openai_messages([m.AIMessage("Noted", tool_calls=[call])])[0]
    yield Shape("as OpenAI's", as_openai, [reply("Noted"), CALL])


def pydantic_ai() -> Iterator[Shape]:

    def asked(*parts: Any) -> p.ModelRequest:
        return p.ModelRequest(parts=list(parts), instructions="Be brief")

    def said(*parts: Any) -> p.ModelResponse:
        return p.ModelResponse(parts=list(parts), model_name="m", timestamp=AT)

    prompt = p.UserPromptPart(SAID, timestamp=AT)
    text = p.TextPart("Noted")
    call = p.ToolCallPart("weather", {"city": "Faro"}, tool_call_id="c1")
    got = p.ToolReturnPart("weather", "21 degrees", tool_call_id="c1", timestamp=AT)
    yield Shape("user-prompt", asked(prompt), [user(SAID, at=WHEN)])
    system = p.SystemPromptPart("Be kind", timestamp=AT)
    yield Shape("system-prompt and user-prompt", asked(system, prompt), [user(SAID), turn("system", "Be kind")])
    yield Shape("system-prompt", asked(system), [turn("system", "Be kind")])
    yield Shape("text", said(text), [reply("Noted", at=WHEN)])
    yield Shape("thinking", said(p.ThinkingPart("hm"), text), [reply("Noted")])
    yield Shape("thinking alone", said(p.ThinkingPart("hm")), [])
    yield Shape("tool-call", said(call), [CALL])
    encoded = p.ToolCallPart("weather", '{"city": "Faro"}', tool_call_id="c1")
    yield Shape("tool-call in JSON", said(text, encoded), [reply("Noted"), CALL])
    yield Shape("tool-return", asked(got), [NAMED_RESULT])
    yield Shape("tool-return and user-prompt", asked(got, prompt), [user(SAID), NAMED_RESULT])
    data = p.ToolReturnPart("weather", {"degrees": 21}, tool_call_id="c1", timestamp=AT)
    yield Shape("tool-return of data", asked(data), [tool("weather", '{"degrees": 21}')])
    retry = p.ToolReturnPart("weather", "no such city", tool_call_id="c1", timestamp=AT, outcome="retried")
    yield Shape("tool-return to try again", asked(retry), [tool("weather", "no such city")])
    native = p.NativeToolCallPart("web_search", {"query": "beaches"}, tool_call_id="c2")
    hits = p.NativeToolReturnPart("web_search", "Beaches", tool_call_id="c2", timestamp=AT)
    searched = [reply("Noted"), tool("web_search", 'web_search({"query": "beaches"})'), tool("web_search", "Beaches")]
    yield Shape("builtin tools", said(native, hits, text), searched)
    for name, part, became in (
        ("image-url", p.ImageUrl(URL), {"attachments": [URL]}),
        ("document-url", p.DocumentUrl("https://x.org/b.pdf"), {"attachments": ["https://x.org/b.pdf"]}),
        ("binary", p.BinaryContent(PIXEL, media_type="image/png"), {"attachments": ["data:image/png"]}),
        ("uploaded-file", p.UploadedFile(file_id="f1", provider_name="openai"), {"attachments": ["f1"]}),
        ("cache-point", p.CachePoint(), {}),
    ):  # fmt: skip
        yield Shape(name, asked(p.UserPromptPart([SAID, part], timestamp=AT)), [user(SAID, **became)])
    drawn = p.FilePart(p.BinaryContent(PIXEL, media_type="image/png"))
    yield Shape("file", said(drawn), [reply("", caption="a picture", attachments=["data:image/png"])])
    spoken = p.SpeechPart(speaker="user", transcript=SAID)
    yield Shape("speech", asked(spoken), [user(SAID)])


def plain() -> Iterator[Shape]:
    yield Shape("text", {"text": SAID}, [turn(None, SAID, "user")])
    yield Shape("a string", SAID, [turn(None, SAID, "user")])
    for name in ("timestamp", "created_at", "createdAt", "date", "time", "created", "at"):
        yield Shape(name, {"role": "user", "content": SAID, name: WHEN}, [user(SAID, at=WHEN)])
    yield Shape("seconds", {"role": "user", "content": SAID, "timestamp": 1772357400}, [user(SAID, at=WHEN)])
    yield Shape("milliseconds", {"role": "user", "content": SAID, "timestamp": 1772357400000}, [user(SAID, at=WHEN)])
    yield Shape(
        "a day", {"text": SAID, "date": "2026-03-01"}, [turn(None, SAID, "user", at="2026-03-01T00:00:00+00:00")]
    )
    odd = {"text": SAID, "date": "a rainy day"}
    yield Shape("a date that is none", odd, [turn(None, SAID, "user", metadata={"date": "a rainy day"})])
    yield Shape("user_id", {"role": "user", "content": SAID, "user_id": "u1"}, [user(SAID, user="u1")])
    yield Shape("agent_id", {"role": "user", "content": SAID, "agent_id": "a1"}, [user(SAID, agent="a1")])
    for name in ("session_id", "thread_id", "conversation_id", "run_id"):
        yield Shape(name, {"role": "user", "content": SAID, name: "s1"}, [user(SAID, session="s1")])
    for name in ("name", "author", "sender", "from", "username"):
        yield Shape(name, {name: "Ana", "text": SAID}, [turn(None, SAID, "Ana")])
    yield Shape("id", {"role": "user", "content": SAID, "id": "7"}, [user(SAID, message_id="7")])
    yield Shape("an empty id", {"role": "user", "content": SAID, "id": ""}, [user(SAID)])
    for name in ("message", "body"):
        yield Shape(name, {"sender": "Ana", name: SAID}, [turn(None, SAID, "Ana")])
    yield Shape(
        "an unknown field", {"text": SAID, "mood": "glad"}, [turn(None, SAID, "user", metadata={"mood": "glad"})]
    )
    both = {"text": SAID, "mood": "glad", "metadata": {"mood": "calm"}}
    yield Shape("an unknown field that is in the metadata", both, [turn(None, SAID, "user", metadata={"mood": "calm"})])
    for role, became in (("human", "user"), ("ai", "assistant"), ("model", "assistant"), ("bot", "assistant")):
        yield Shape(f"role {role}", {"role": role, "content": SAID}, [turn(became, SAID)])
    nested = {"message": {"role": "user", "content": SAID}, "timestamp": WHEN}
    yield Shape("a message in a record", nested, [user(SAID, at=WHEN)])


def vercel(folder: Path) -> Iterator[Shape]:
    """Yield what the AI SDK's own validation lets pass; it is JavaScript."""
    script = Path(__file__).with_name("message_shapes_vercel.mjs").read_text("utf-8")
    command = ["node", "--input-type=module", "-"]
    out = subprocess.run(command, cwd=folder, input=script, capture_output=True, text=True, check=True).stdout
    for name, message, turns in json.loads(out):
        yield Shape(name, message, [turn(role, text, speaker, **fields) for role, speaker, text, fields in turns])


def dumps(message: Any) -> Iterator[tuple[str, Any]]:
    """Yield the forms in which a program may hand a message over, with their names; the first is the object."""
    yield "object", message
    if hasattr(message, "model_dump"):
        yield "model_dump", message.model_dump(warnings=False)
        yield "JSON", message.model_dump(mode="json", warnings=False)
        yield (
            "by alias, without null",
            message.model_dump(mode="json", exclude_none=True, by_alias=True, warnings=False),
        )
    elif hasattr(message, "__dataclass_fields__"):
        yield "JSON", TypeAdapter(type(message)).dump_python(message, mode="json", warnings=False)


def main() -> None:
    """Write the shapes, and print which objects become other turns."""
    sdks = {
        "OpenAI chat": ("openai", openai_chat()),
        "OpenAI Responses": ("openai", openai_responses()),
        "Anthropic": ("anthropic", anthropic()),
        "Gemini": ("google-genai", gemini()),
        "LangChain": ("langchain-core", langchain()),
        "pydantic-ai": ("pydantic-ai-slim", pydantic_ai()),
        "Vercel": ("", vercel(Path(sys.argv[1]))),
        "plain": ("", plain()),
    }
    shapes: dict[str, Any] = {}
    checked, wrong = 0, 0
    for sdk, (distribution, cases) in sdks.items():
        package = json.loads(Path(sys.argv[1], "node_modules/ai/package.json").read_text("utf-8"))
        release = f"{distribution} {version(distribution)}" if distribution else f"ai {package['version']}"
        entries: list[Any] = []
        for name, message, turns in cases:
            for form, value in dumps(message):
                checked += 1
                try:
                    became: Any = turns_of(value, turns)
                except InputError as error:
                    became = error
                if became != list(turns):
                    wrong += 1
                    print(f"{sdk}, {name}, {form}:\n  {became}\n  {list(turns)}")
                if form not in ("object", "model_dump") or isinstance(value, dict | str):
                    entry = [name, value, turns]
                    if form != "model_dump" and entry not in entries:
                        entries.append(entry)
        shapes[sdk] = {"made by": release if sdk != "plain" else "hand", "shapes": entries}
    lines = [
        f'{json.dumps(sdk)}: {{{json.dumps("made by")}: {json.dumps(about["made by"])}, "shapes": [\n'
        + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in about["shapes"])
        + "]}"
        for sdk, about in shapes.items()
    ]
    SHAPES.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")
    print(f"{checked - wrong} of {checked} objects and dumps become the right turns")


if __name__ == "__main__":
    main()
