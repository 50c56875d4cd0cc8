"""Claude's export, in the shape in which it comes."""

from typing import Any

import pytest

from hmem import Memory
from hmem.interfaces.formats.claude import looks_like, messages


def message(uuid: str, sender: str, text: str = "", **fields: Any) -> dict[str, Any]:
    return {
        "uuid": uuid, "text": text, "content": [{"type": "text", "text": text, "citations": []}], "sender": sender,
        "created_at": "2026-03-01T10:00:00.000000Z", "updated_at": "2026-03-01T10:00:00.000000Z", "attachments": [],
        "files": [],
    } | fields  # fmt: skip


def export(*said: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"uuid": "c1", "name": "Trains", "created_at": "2026-02-28T10:00:00Z", "updated_at": "2026-03-01T10:00:00Z",
         "account": {"uuid": "me"}, "chat_messages": list(said)},
    ]  # fmt: skip


def test_what_was_said_is_read_in_order_with_its_own_ids() -> None:
    data = export(message("m1", "human", "Which train?"), message("m2", "assistant", "The 9:14."))
    assert looks_like(data)
    assert [(each["role"], each["text"], each["message_id"]) for each in messages(data)] == [
        ("user", "Which train?", "claude:c1:m1"), ("assistant", "The 9:14.", "claude:c1:m2")
    ]  # fmt: skip
    first = next(iter(messages(data)))
    assert (first["session"], first["at"]) == ("claude:c1", "2026-03-01T10:00:00.000000Z")
    assert first["metadata"] == {"title": "Trains"}


def test_thoughts_and_tools_are_left_out() -> None:
    content = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "One"},
        {"type": "tool_use", "name": "search", "input": {}},
        {"type": "tool_result", "content": []},
        {"type": "text", "text": "Two"},
    ]
    (read,) = messages(export(message("m1", "assistant", "One\n\nThis block is not supported", content=content)))
    assert read["text"] == "One\n\nTwo"


def test_older_exports_have_only_the_text() -> None:
    (read,) = messages(export({"uuid": "m1", "text": "Hello", "sender": "human"}))
    assert (read["text"], read["at"]) == ("Hello", "2026-02-28T10:00:00Z")


def test_files_are_told_by_their_names() -> None:
    files = {"attachments": [{"file_name": "bill.txt", "extracted_content": "x"}], "files": [{"file_name": "cat.png"}]}
    (read,) = messages(export(message("m1", "human", **files)))
    assert (read["caption"], read["attachments"]) == ("attached: bill.txt, cat.png", ["bill.txt", "cat.png"])


@pytest.mark.parametrize("broken", [None, {}, [], [None], [{"chat_messages": None}], export({}, {"sender": "human"})])
def test_what_is_broken_says_nothing(broken: Any) -> None:
    assert list(messages(broken)) == []


def test_a_memory_takes_every_message_and_none_twice(memory: Memory) -> None:
    data = export(message("m1", "human", "Which train?"), message("m2", "human", files=[{"file_name": "a.png"}]))
    for fate in ("stored", "duplicate"):
        assert {receipt.fate for receipt in memory.add(list(messages(data)))} == {fate}
