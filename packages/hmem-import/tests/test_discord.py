"""Discord: channels of DiscordChatExporter, and the data package."""

import json
from pathlib import Path
from typing import Any

import pytest

from hmem import Memory
from hmem_import.discord import looks_like, messages
from hmem_import.formats import recognise
from hmem_import.tree import open_tree


def message(number: int, content: str = "", **more: Any) -> dict[str, Any]:
    return {
        "id": str(number), "type": "Default", "timestamp": "2024-03-01T10:00:00.123+00:00", "timestampEdited": None,
        "isPinned": False, "content": content, "author": {"id": "1", "name": "ana", "nickname": "Ana", "isBot": False},
        "attachments": [], "embeds": [], "stickers": [], "reactions": [], "mentions": [],
    } | more  # fmt: skip


def channel(*said: dict[str, Any]) -> dict[str, Any]:
    return {
        "guild": {"id": "9", "name": "Bakers"}, "channel": {"id": "5", "type": "GuildTextChat", "name": "bread"},
        "dateRange": {"after": None, "before": None}, "messages": list(said), "messageCount": len(said),
    }  # fmt: skip


def test_a_channel_is_read_with_its_names() -> None:
    data = channel(message(1, "Hello مرحبا \U0001f35e"), message(2, "Yes", type="Reply", reference={"messageId": "1"}))
    assert looks_like(data)
    first, reply = messages(data)
    assert first == {
        "text": "Hello مرحبا \U0001f35e", "speaker": "Ana", "at": "2024-03-01T10:00:00.123+00:00",
        "session": "discord:5:2024-03-01", "message_id": "discord:1",
        "metadata": {"channel": "bread", "server": "Bakers"},
    }  # fmt: skip
    assert reply["metadata"]["reply_to"] == "1"


def test_files_stickers_and_embeds_are_captions() -> None:
    held = message(
        1, attachments=[{"url": "https://cdn/a.png", "fileName": "a.png"}], stickers=[{"name": "wave"}],
        embeds=[{"title": "Bread", "description": "A recipe"}],
    )  # fmt: skip
    (read,) = messages(channel(held))
    assert read["caption"] == "attached: a.png; sticker wave; Bread: A recipe"
    assert read["attachments"] == ["https://cdn/a.png"]


def test_what_is_forwarded_is_a_quotation() -> None:
    (read,) = messages(channel(message(1, "Look", forwardedMessage={"content": "I moved\nto Porto"})))
    assert read["text"] == "Look\n\n> I moved\n> to Porto"


def test_joins_pins_and_calls_are_left_out_and_an_edited_message_is_another_one() -> None:
    kinds = ("GuildMemberJoin", "ChannelPinnedMessage", "Call", "RecipientAdd")
    edited = message(7, "At 10", timestampEdited="2024-03-01T11:00:00+00:00")
    (read,) = messages(channel(*(message(n, "x", type=kind) for n, kind in enumerate(kinds)), edited))
    assert read["message_id"] == "discord:7:2024-03-01T11:00:00+00:00"


def package(place: Path, folder: str = "Messages", kind: str = "json") -> Path:
    rows = [
        {"ID": 12, "Timestamp": "2024-03-02 09:00:00", "Contents": "Later", "Attachments": ""},
        {"ID": 11, "Timestamp": "2024-03-01 09:00:00", "Contents": "First", "Attachments": "https://cdn/a.png?ex=1"},
        {"ID": 10, "Timestamp": "2024-03-01 08:00:00", "Contents": "", "Attachments": ""},
    ]
    (place / folder / "c5").mkdir(parents=True)
    (place / "Account").mkdir()
    (place / "README.txt").write_text("Welcome to your Discord Data Package!")
    (place / "Account" / "user.json").write_text(json.dumps({"id": "1", "username": "ana", "global_name": "Ana"}))
    (place / folder / "index.json").write_text(json.dumps({"5": "Direct Message with ben#0"}))
    (place / folder / "c5" / "channel.json").write_text(json.dumps({"id": "5", "type": "DM", "recipients": ["1", "2"]}))
    if kind == "json":
        (place / folder / "c5" / "messages.json").write_text(json.dumps(rows))
    else:
        lines = "".join(f'{r["ID"]},{r["Timestamp"]}+00:00,"{r["Contents"]}",{r["Attachments"]}\n' for r in rows)
        (place / folder / "c5" / "messages.csv").write_text("ID,Timestamp,Contents,Attachments\n" + lines)
    return place


@pytest.mark.parametrize(("folder", "kind"), [("Messages", "json"), ("messages", "csv")])
def test_a_data_package_has_ones_own_messages_in_order(tmp_path: Path, folder: str, kind: str) -> None:
    tree = open_tree(package(tmp_path / "package", folder, kind))
    assert recognise(tree).name == "discord-package"
    first, later = [item.message for item in recognise(tree).read(tree)]
    assert (first["text"], first["caption"], first["at"]) == ("First", "attached: a.png", "2024-03-01 09:00:00+00:00")
    assert (later["speaker"], later["role"], later["session"]) == ("Ana", "user", "discord:5:2024-03-02")


@pytest.mark.parametrize("broken", [None, {}, [], {"messages": [None]}, channel({}), {"channel": 3, "messages": 3}])
def test_what_is_broken_says_nothing(broken: Any) -> None:
    assert list(messages(broken)) == []


def test_a_memory_takes_every_message_and_none_twice(memory: Memory) -> None:
    data = channel(message(1, "Hello"), message(2, stickers=[{"name": "wave"}]))
    for fate in ("stored", "duplicate"):
        assert {receipt.fate for receipt in memory.add(list(messages(data)))} == {fate}
