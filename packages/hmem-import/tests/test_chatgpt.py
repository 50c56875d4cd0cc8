"""ChatGPT's export, in the shape in which it comes."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hmem import Memory
from hmem_import.chatgpt import looks_like, messages, read
from hmem_import.formats import recognise
from hmem_import.tree import open_tree


def node(name: str, parent: str | None, *children: str, **message: Any) -> dict[str, Any]:
    """A node with a message, or without one."""
    made = None
    if message:
        content = message.pop("content", {"content_type": "text", "parts": [message.pop("text", "")]})
        made = {
            "id": f"m-{name}", "author": {"role": message.pop("role", "user"), "name": None, "metadata": {}},
            "create_time": message.pop("create_time", 1_700_000_000.0), "update_time": None, "content": content,
            "status": "finished_successfully", "end_turn": None, "weight": message.pop("weight", 1.0),
            "metadata": message.pop("metadata", {}), "recipient": message.pop("recipient", "all"), "channel": None,
        }  # fmt: skip
    return {"id": name, "message": made, "parent": parent, "children": list(children)}


def conversation(*nodes: dict[str, Any], current: str | None, title: str = "Trains") -> dict[str, Any]:
    mapping = {each["id"]: each for each in nodes}
    return {
        "title": title, "create_time": 1_690_000_000.0, "update_time": 1_700_000_100.0, "mapping": mapping,
        "current_node": current, "conversation_id": "c1", "id": "c1",
    }  # fmt: skip


def test_the_present_branch_is_read_and_the_others_are_not() -> None:
    data = [
        conversation(
            node("root", None, "a"),
            node("a", "root", "b", "b2", text="Which train to Porto?"),
            node("b", "a", text="The first answer", role="assistant"),
            node("b2", "a", "c", text="The 9:14, from platform 3.", role="assistant"),
            node("c", "b2", text="Thanks"),
            current="c",
        )
    ]
    assert looks_like(data)
    read = list(messages(data))
    assert [each["text"] for each in read] == ["Which train to Porto?", "The 9:14, from platform 3.", "Thanks"]
    assert read[1] == {
        "role": "assistant", "text": "The 9:14, from platform 3.", "at": "2023-11-14T22:13:20+00:00",
        "session": "chatgpt:c1", "message_id": "chatgpt:c1:m-b2", "agent": "chatgpt", "metadata": {"title": "Trains"},
    }  # fmt: skip


@pytest.mark.parametrize(
    "unsaid",
    [
        {"text": "You are ChatGPT", "role": "system"},
        {"text": "result", "role": "tool"},
        {"text": "hidden", "metadata": {"is_visually_hidden_from_conversation": True}},
        {"text": "dropped", "weight": 0.0},
        {"text": "search('x')", "role": "assistant", "recipient": "browser"},
        {"text": ""},
        {"content": {"content_type": "thoughts", "thoughts": [{"content": "hm"}]}, "role": "assistant"},
        {"content": {"content_type": "user_editable_context", "user_profile": "x"}},
        {"content": None},
    ],
)
def test_what_nobody_said_is_left_out(unsaid: dict[str, Any]) -> None:
    data = [conversation(node("a", None, "b", text="Mine"), node("b", "a", **unsaid), current="b")]
    assert [each["text"] for each in messages(data)] == ["Mine"]


def test_pictures_are_captions_and_speech_is_text() -> None:
    drawn = {
        "content_type": "image_asset_pointer",
        "asset_pointer": "file-service://1",
        "metadata": {"dalle": {"prompt": "a red boat"}},
    }
    plain = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://2", "metadata": None}
    speech = {"content_type": "audio_transcription", "text": "What is this?", "direction": "in"}
    content = {"content_type": "multimodal_text", "parts": [drawn, plain, speech, "Look", {}]}
    (read,) = messages([conversation(node("a", None, content=content), current="a")])
    assert read["text"] == "What is this?\n\nLook"
    assert read["caption"] == "a red boat; a picture"
    assert read["attachments"] == ["file-service://1", "file-service://2"]


def test_attached_files_are_told_by_their_names() -> None:
    metadata = {"attachments": [{"id": "file-1", "name": "bill.pdf", "mimeType": "application/pdf"}, {"id": "file-2"}]}
    (read,) = messages([conversation(node("a", None, text="Read this", metadata=metadata), current="a")])
    assert (read["text"], read["caption"]) == ("Read this", "attached: bill.pdf")


def test_a_conversation_without_a_present_end_is_read_to_its_newest() -> None:
    nodes = (
        node("a", None, "b", "c", text="Question"),
        node("b", "a", text="old", role="assistant", create_time=1.0),
        node("c", "a", text="new", role="assistant", create_time=2.0),
    )
    assert [each["text"] for each in messages([conversation(*nodes, current=None)])] == ["Question", "new"]


def test_a_message_without_a_time_has_that_of_its_conversation() -> None:
    (read,) = messages([conversation(node("a", None, text="Hello", create_time=None), current="a")])
    assert read["at"] == "2023-07-22T04:26:40+00:00"


@pytest.mark.parametrize(
    "broken",
    [
        [{"mapping": {"a": {"parent": "a", "message": None}}, "current_node": "a"}],
        [{"mapping": {"a": {"parent": "b"}, "b": {"parent": "a"}}, "current_node": "a"}],
        [{"mapping": [], "current_node": 3}], [{}], [None], [], {}, None,
    ],
)  # fmt: skip
def test_a_broken_tree_ends_and_says_nothing(broken: Any) -> None:
    assert list(messages(broken)) == []


def test_a_memory_takes_every_message_and_none_twice(memory: Memory) -> None:
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://1"}
    data = [
        conversation(
            node("a", None, "b", text="Which train?"),
            node("b", "a", content={"content_type": "multimodal_text", "parts": [picture]}),
            current="b",
        )
    ]
    assert [receipt.fate for receipt in memory.add(list(messages(data)))] == ["stored", "stored"]
    assert [receipt.fate for receipt in memory.add(list(messages(data)))] == ["duplicate", "duplicate"]


def said(number: int) -> list[dict[str, Any]]:
    made = conversation(node("a", None, text=f"Train {number}"), current="a")
    return [made | {"conversation_id": f"c{number}", "id": f"c{number}"}]


@pytest.mark.parametrize("packed", [False, True])
def test_an_export_in_parts_is_read_as_one(tmp_path: Path, packed: bool) -> None:
    place = tmp_path / "chatgpt"
    place.mkdir()
    for number in range(3):
        (place / f"conversations-{number:03}.json").write_text(json.dumps(said(number)))
    (place / "export_manifest.json").write_text('{"export_files": []}')
    (place / "user.json").write_text('{"id": "user-1", "email": "ana@example.com"}')
    (place / "chat.html").write_text("<html>")
    if packed:
        place = Path(shutil.make_archive(str(tmp_path / "export"), "zip", place))
    tree = open_tree(place)
    assert recognise(tree).name == "chatgpt"
    assert [item.message["text"] for item in read(tree)] == ["Train 0", "Train 1", "Train 2"]
    alone = open_tree(tmp_path / "chatgpt" / "conversations-001.json")
    assert recognise(alone).name == "chatgpt"
    assert [item.message["text"] for item in read(alone)] == ["Train 1"]


def test_a_part_that_is_broken_is_told_of_and_the_others_are_read(tmp_path: Path) -> None:
    (tmp_path / "conversations-000.json").write_text("[{")
    (tmp_path / "conversations-001.json").write_text(json.dumps(said(1)))
    tree = open_tree(tmp_path)
    assert recognise(tree).name == "chatgpt"
    broken, good = read(tree)
    assert "conversations-000.json is not JSON" in str(broken.error)
    assert good.message["text"] == "Train 1"


def test_what_is_in_branches_that_are_not_shown_is_counted(tmp_path: Path) -> None:
    data = [
        conversation(
            node("root", None, "a", "a2"),
            node("a", "root", "b", text="Which train to Lisbon?"),
            node("b", "a", text="None today.", role="assistant"),
            node("a2", "root", "c", "c2", text="Which train to Porto?"),
            node("c", "a2", text="None.", role="assistant"),
            node("c2", "a2", text="The 9:14.", role="assistant"),
            current="c2",
        )
    ]
    (tmp_path / "conversations.json").write_text(json.dumps(data))
    tree = open_tree(tmp_path / "conversations.json")
    assert [item.message["text"] for item in read(tree)] == ["Which train to Porto?", "The 9:14."]
    (remark,) = tree.remarks
    assert remark.startswith("3 messages left out, 1 by the user: in branches")
