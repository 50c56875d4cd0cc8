"""Claude's export, in the shape in which it comes."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hmem import Memory
from hmem_import.claude import looks_like, messages, read
from hmem_import.formats import recognise
from hmem_import.tree import open_tree


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
    read, bill = messages(export(message("m1", "human", **files)))
    assert (read["caption"], read["attachments"]) == ("attached: bill.txt, cat.png", ["bill.txt", "cat.png"])
    assert (bill["role"], bill["text"], bill["speaker"], bill["session"]) == (
        "document", "x", "bill.txt", "document:bill.txt"
    )  # fmt: skip


MEMORIES = [
    {"conversations_memory": "**Work context**\n\nRuns a bakery in Porto.\n\n# Style\n\n- Wants short answers\n",
     "project_memories": {"p1": "The menu is in three languages."}, "account_uuid": "me"}
]  # fmt: skip
PROJECTS = [
    {"uuid": "p1", "name": "Menu", "description": "The new menu", "is_private": True, "prompt_template": "Use euros.",
     "created_at": "2026-01-05T10:00:00Z", "docs": [
         {"uuid": "d1", "filename": "allergens.md", "content": "# Nuts\n\nThe cake has almonds.",
          "created_at": "2026-01-06T10:00:00Z"}]}
]  # fmt: skip


def test_what_claude_remembers_is_said_by_claude() -> None:
    assert looks_like(MEMORIES)
    read = list(messages(MEMORIES, "2026-03-01"))
    assert [each["text"] for each in read] == [
        "Work context: Runs a bakery in Porto.", "Style: Wants short answers", "The menu is in three languages."
    ]  # fmt: skip
    assert {(each["role"], each["speaker"], each["at"]) for each in read} == {("assistant", "claude", "2026-03-01")}
    assert read[2]["metadata"] == {"project": "p1"}


def test_projects_are_documents_with_their_headings() -> None:
    assert looks_like(PROJECTS)
    about, instructions, nuts = messages(PROJECTS)
    assert (about["text"], instructions["text"]) == ("The new menu", "Use euros.")
    assert instructions["metadata"] == {"document": "Menu", "heading": "instructions"}
    assert (nuts["text"], nuts["at"]) == ("The cake has almonds.", "2026-01-06T10:00:00Z")
    assert nuts["metadata"] == {"document": "allergens.md", "heading": "Nuts"}
    assert {each["role"] for each in (about, instructions, nuts)} == {"document"}


@pytest.mark.parametrize("names", [("memories.json", "projects.json"), ("memories/me.json", "projects/p1.json")])
@pytest.mark.parametrize("packed", [False, True])
def test_an_export_is_read_whole(tmp_path: Path, names: tuple[str, str], packed: bool) -> None:
    held = {
        "users.json": [{"uuid": "me", "full_name": "Ana"}],
        "conversations.json": export(message("m1", "human", "Which train?")),
        names[0]: MEMORIES if names[0] == "memories.json" else MEMORIES[0],
        names[1]: PROJECTS if names[1] == "projects.json" else PROJECTS[0],
    }
    for name, data in held.items():
        (tmp_path / "claude" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "claude" / name).write_text(json.dumps(data))
    place = tmp_path / "claude"
    if packed:
        place = Path(shutil.make_archive(str(tmp_path / "data"), "zip", place))
    tree = open_tree(place)
    assert recognise(tree).name == "claude"
    read_items = list(read(tree))
    assert [item.error for item in read_items if item.error] == []
    assert len(read_items) == 7


@pytest.mark.parametrize("broken", [None, {}, [], [None], [{"chat_messages": None}], export({}, {"sender": "human"})])
def test_what_is_broken_says_nothing(broken: Any) -> None:
    assert list(messages(broken)) == []


def test_a_memory_takes_every_message_and_none_twice(memory: Memory) -> None:
    data = export(message("m1", "human", "Which train?"), message("m2", "human", files=[{"file_name": "a.png"}]))
    for fate in ("stored", "duplicate"):
        assert {receipt.fate for receipt in memory.add(list(messages(data)))} == {fate}
