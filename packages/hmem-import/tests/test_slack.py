"""Slack's export, in the shape in which it comes."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from hmem_import.formats import recognise
from hmem_import.slack import looks_like, messages
from hmem_import.tree import Item, open_tree

USERS = [
    {"id": "U1", "name": "ana", "real_name": "Ana Reis", "profile": {"display_name": "Ana", "real_name": "Ana Reis"}},
    {"id": "U2", "name": "ben", "profile": {"display_name": "", "real_name": "Ben Costa"}},
]
DAY = [
    {"type": "message", "subtype": "channel_join", "user": "U2", "text": "<@U2> has joined", "ts": "1709280000.000100"},
    {"type": "message", "user": "U1",
     "text": "Hi <@U2>, see <https://x.org|the plan> in <#C2|plans> &amp; more <!here>",
     "ts": "1709287200.000200", "thread_ts": "1709287200.000200", "reply_count": 1},
    {"type": "message", "user": "U2", "text": "Done \U0001f44d\nOlá", "ts": "1709287260.000300",
     "thread_ts": "1709287200.000200", "edited": {"user": "U2", "ts": "1709287300.000000"}},
    {"type": "message", "subtype": "bot_message", "username": "CI", "bot_id": "B1", "text": "",
     "attachments": [{"fallback": "Build 7 failed"}], "ts": "1709287400.000100"},
    {"type": "message", "user": "U9", "text": "", "files": [{"name": "bill.pdf"}], "ts": "1709287500.000100"},
    {"type": "message", "subtype": "tombstone", "user": "USLACKBOT", "text": "This message was deleted.", "ts": "1.0"},
]  # fmt: skip


def export(place: Path) -> Path:
    held = {
        "users.json": USERS, "channels.json": [{"id": "C1", "name": "general", "members": ["U1", "U2"]}],
        "dms.json": [{"id": "D1", "members": ["U1", "U2"]}], "general/2024-03-01.json": DAY,
        "D1/2024-03-02.json": [{"type": "message", "user": "U1", "text": "Lunch?", "ts": "1709373600.000100"}],
    }  # fmt: skip
    for name, data in held.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(json.dumps(data))
    return place


def read(place: Path) -> list[Item]:
    tree = open_tree(place)
    assert recognise(tree).name == "slack"
    return list(recognise(tree).read(tree))


@pytest.mark.parametrize("packed", [False, True])
def test_a_workspace_is_read_with_its_names(tmp_path: Path, packed: bool) -> None:
    place = export(tmp_path / "slack")
    if packed:
        place = Path(shutil.make_archive(str(tmp_path / "export"), "zip", place))
    found = [item.message for item in read(place)]
    assert [(each["speaker"], each["text"]) for each in found] == [
        ("Ana", "Lunch?"),
        ("Ana", "Hi @Ben Costa, see the plan (https://x.org) in #plans & more @here"),
        ("Ben Costa", "Done \U0001f44d\nOlá"),
        ("CI", "Build 7 failed"),
        ("U9", ""),
    ]
    assert found[4]["caption"] == "attached: bill.pdf"
    assert (found[1]["at"], found[1]["message_id"]) == (
        "2024-03-01T10:00:00.000200+00:00", "slack:general:1709287200.000200"
    )  # fmt: skip


def test_a_thread_is_a_session_and_an_edited_message_another_one(tmp_path: Path) -> None:
    _, root, reply, bot, _ = [item.message for item in read(export(tmp_path))]
    assert root["session"] == reply["session"] == "slack:general:1709287200.000200"
    assert bot["session"] == "slack:general:2024-03-01"
    assert reply["message_id"].endswith(":1709287300.000000")
    assert reply["metadata"] == {"channel": "general", "thread": "1709287200.000200"}


def test_a_day_that_is_broken_is_told_of_and_the_others_are_read(tmp_path: Path) -> None:
    place = export(tmp_path)
    (place / "general" / "2024-03-02.json").write_text("[{")
    held = read(place)
    assert [item.error is None for item in held] == [True] * 5 + [False]
    (place / "users.json").write_text("nonsense")
    assert [item.message["speaker"] for item in read(place) if item.message][:2] == ["U1", "U1"]


def test_a_day_alone_is_read_too(tmp_path: Path) -> None:
    assert looks_like(DAY)
    (place := tmp_path / "2024-03-01.json").write_text(json.dumps(DAY))
    assert len(read(place)) == 4


@pytest.mark.parametrize("broken", [None, {}, [], [None], [{"type": "message"}], [{"text": "x", "ts": "nan"}]])
def test_what_is_broken_breaks_nothing(broken: Any) -> None:
    assert len(list(messages(broken, "c", "2024-03-01", {}, {}))) <= 1
