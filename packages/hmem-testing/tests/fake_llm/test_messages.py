"""Anthropic's protocol of messages."""

import json
from typing import Any

from tests.fake_llm_client import PLAN, Asker

from hmem_testing.fake_llm import StandIn
from hmem_testing.fake_llm.messages import as_chat

SCHEMA = {"type": "object", "properties": {}}
BODY: dict[str, Any] = {
    "max_tokens": 4_000,
    "messages": [{"role": "user", "content": f"<data>{json.dumps(PLAN)}</data>"}],
}


def test_a_request_is_told_in_terms_of_chat() -> None:
    blocks = [{"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "Coco"}]}]
    body = {
        "system": [{"type": "text", "text": "Recall."}],
        "messages": [{"role": "user", "content": "Hello"}, {"role": "user", "content": blocks}],
        "tools": [{"name": "recall", "input_schema": SCHEMA}],
        "tool_choice": {"type": "any"},
    }
    made = as_chat(body)
    assert [(message["role"], message["content"]) for message in made["messages"]] == [
        ("system", "Recall."),
        ("user", "Hello"),
        ("tool", "Coco"),
    ]
    assert made["tools"] == [{"type": "function", "function": {"name": "recall", "parameters": SCHEMA}}]
    assert made["tool_choice"] == "required"


def test_a_schema_has_no_name_and_the_data_say_the_task(server: StandIn, asker: Asker) -> None:
    form = {"format": {"type": "json_schema", "schema": SCHEMA}}
    status, made = asker.post("/v1/messages", BODY | {"output_config": form})
    assert (status, json.loads(made["content"][0]["text"])) == (200, asker.value(PLAN))
    assert server.calls[0].task == "plan"


def test_events_begin_and_end_with_the_message(asker: Asker) -> None:
    lines = asker.send("POST", "/v1/messages", BODY | {"stream": True}).read().decode().splitlines()
    kinds = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    assert (kinds[0], kinds[-2], kinds[-1]) == ("message_start", "message_delta", "message_stop")
    assert kinds.count("content_block_delta") > 5


def test_the_key_may_come_in_a_header_of_its_own() -> None:
    with StandIn(key="secret") as server, Asker(server) as asker:
        assert asker.post("/v1/messages", BODY)[0] == 401
        asker._headers = {"X-Api-Key": "secret"}
        assert asker.post("/v1/messages", BODY)[0] == 200


def test_a_request_without_messages_is_refused(asker: Asker) -> None:
    assert asker.post("/v1/messages", {"max_tokens": 10})[0] == 400
