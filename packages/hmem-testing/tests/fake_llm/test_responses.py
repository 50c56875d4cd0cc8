"""OpenAI's protocol of responses."""

import json
from typing import Any

import pytest
from tests.fake_llm_client import PLAN, Asker

from hmem_testing.fake_llm.asking import Unreadable
from hmem_testing.fake_llm.responses import as_chat

SCHEMA = {"type": "object", "properties": {}}


def test_a_request_is_told_in_terms_of_chat() -> None:
    items: list[Any] = [
        {"role": "developer", "content": "Be kind."},
        {"role": "user", "content": [{"type": "input_text", "text": "Hello"}]},
        {"type": "function_call", "call_id": "1", "name": "recall", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "1", "output": "Coco"},
    ]
    tools = [{"type": "function", "name": "recall", "parameters": SCHEMA}, {"type": "web_search"}]
    made = as_chat(
        {
            "input": items,
            "instructions": "Recall.",
            "tools": tools,
            "tool_choice": {"type": "function", "name": "recall"},
        }
    )
    assert [message["role"] for message in made["messages"]] == ["system", "system", "user", "tool"]
    assert made["tools"] == [{"type": "function", "function": {"name": "recall", "parameters": SCHEMA}}]
    assert made["tool_choice"]["function"]["name"] == "recall"


@pytest.mark.parametrize("given", [None, [], 3, {}])
def test_a_request_without_input_is_refused(given: object) -> None:
    with pytest.raises(Unreadable, match="input"):
        as_chat({"input": given})


def test_events_are_numbered_and_end_with_the_whole_answer(asker: Asker) -> None:
    form = {"type": "json_schema", "name": "plan", "schema": SCHEMA}
    data = asker.chat(PLAN)["content"]
    body = {"input": [{"role": "user", "content": "Hello there, you"}], "stream": True}
    lines = asker.send("POST", "/v1/responses", body).read().decode().splitlines()
    kinds = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"
    assert kinds.count("response.output_text.delta") > 0
    status, made = asker.post("/v1/responses", {"input": f"<data>{json.dumps(PLAN)}</data>", "text": {"format": form}})
    assert (status, made["output"][0]["content"][0]["text"]) == (200, data)
