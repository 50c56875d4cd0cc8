"""Telling formats apart: in files, folders, archives; and what is none of them."""

import gzip
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from hmem.errors import InvalidFile
from hmem_import.formats import FORMATS, recognise
from hmem_import.opening import ImportLimits
from hmem_import.tree import open_tree


def told(place: Path) -> str:
    with pytest.raises(InvalidFile) as caught:
        recognise(open_tree(place))
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("signal-2026-03-01.backup", b"\x00\x01", "a backup of Signal"),
        ("msgstore.db.crypt15", b"\x00\x01", "an encrypted backup of WhatsApp"),
        ("ChatStorage.sqlite", b"SQLite format 3\x00", "a database"),
        ("mail.pst", b"!BDN", "a mailbox of Outlook"),
        ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1", "an old document or message of Microsoft Office"),
        ("photo.jpg", b"\xff\xd8\xff\xe0", "a picture"),
        ("notes.enex", b"<?xml version", "an export of Evernote"),
        ("feed.xml", b"<?xml version", "XML"),
        ("all.tar", b"ustar", "a tar archive"),
    ],
)
def test_an_unknown_file_is_named_for_what_it_looks_like(tmp_path: Path, name: str, data: bytes, what: str) -> None:
    (tmp_path / name).write_bytes(data)
    assert f"{name} looks like {what}; not supported - " in told(tmp_path / name)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ({"userId": "8:a", "exportDate": "x", "conversations": []}, "looks like an export of Skype"),
        ([{"header": "Maps", "title": "Viewed", "titleUrl": "x", "time": "y", "products": ["Maps"]}],
         "looks like an export of Google's My Activity"),
        ({"dependencies": {}, "name": "x"}, "holds objects with dependencies, name"),
        ([1, 2], "holds a JSON list"),
    ],
)  # fmt: skip
def test_unknown_json_is_named_for_what_it_holds(tmp_path: Path, data: Any, what: str) -> None:
    (tmp_path / "data.json").write_text(json.dumps(data, indent=1))
    assert what in told(tmp_path / "data.json")


def test_bytes_that_look_like_nothing_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\x07\x08\x09")
    assert "neither a text nor a document" in told(tmp_path / "a.bin")


@pytest.mark.parametrize("packed", [False, True])
def test_each_file_of_a_folder_has_its_own_format(tmp_path: Path, packed: bool) -> None:
    telegram = {
        "name": "Ben",
        "type": "personal_chat",
        "id": 1,
        "messages": [
            {"id": 1, "type": "message", "date": "2024-03-01T10:00:00", "from": "Ana", "from_id": "user1", "text": "Hi"}
        ],
    }
    held = {
        "chats/result.json": json.dumps(telegram).encode(), "broken.json": b"[{", "notes/a.md": b"- tea\n",
        "Ana.txt": "31/12/2023, 21:41 - Ana: Olá\n".encode(), "turns.jsonl": b'{"text": "one"}\n',
        "package.json": b'{"name": "x"}', "photo.png": b"\x89PNG", ".hidden/b.md": b"no", "me.hmem": b"SQLite",
        "export.jsonl": b'{"type": "hmem-export", "version": 1}\n',
    }  # fmt: skip
    place = tmp_path / "all"
    for name, data in held.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(data)
    if packed:
        place = tmp_path / "all.zip"
        with zipfile.ZipFile(place, "w") as archive:
            for name, data in held.items():
                archive.writestr(name, data)
    tree = open_tree(place)
    found = recognise(tree)
    assert found.name == "files"
    items = list(found.read(tree))
    assert sorted(item.message["text"] for item in items if item.message) == ["Hi", "Olá", "one", "tea"]
    errors = " ".join(str(item.error) for item in items if item.error)
    assert len([item for item in items if item.error]) == 3
    assert "broken.json is not JSON" in errors
    assert "package.json holds objects with name" in errors
    assert "export.jsonl is an export of hmem - import it by itself" in errors


@pytest.mark.parametrize("packed", [False, True])
def test_exports_side_by_side_are_each_read_whole(tmp_path: Path, packed: bool) -> None:
    node = {"message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hello"]}}}
    gpt = [{"id": "c", "create_time": 1.0, "current_node": "a", "mapping": {"a": node}}]
    day = [{"type": "message", "user": "U1", "text": "Lunch?", "ts": "1709373600.000100"}]
    held = {
        "all/gpt/conversations-000.json": gpt, "all/gpt/user.json": {"id": "u"}, "all/slack/users.json": [],
        "all/slack/general/2024-03-02.json": day, "all/vault/.obsidian/app.json": {},
        "all/vault/in/a.md": "[[Tea|tea]]", "all/notes/b.md": "bread", "all/notes/deep/c.md": "milk",
    }  # fmt: skip
    for name, data in held.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(data if isinstance(data, str) else json.dumps(data))
    place = Path(shutil.make_archive(str(tmp_path / "all"), "zip", tmp_path, "all")) if packed else tmp_path / "all"
    items = list(recognise(open_tree(place)).read(open_tree(place)))
    assert [item.error for item in items if item.error] == []
    assert sorted(item.message["text"] for item in items) == ["Hello", "Lunch?", "a: tea", "bread", "milk"]
    assert {item.message["session"].partition(":")[0] for item in items} == {"chatgpt", "slack", "obsidian", "markdown"}


def test_archives_and_folders_are_read_within_limits(tmp_path: Path) -> None:
    place = tmp_path / "bomb.zip"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(5):
            archive.writestr(f"{number}.json", json.dumps([{"content": "x" * 400_000}]))
    with pytest.raises(InvalidFile, match=r"more than 4 files - .*--max-files"):
        open_tree(place, ImportLimits(files=4))
    tree = open_tree(place, ImportLimits(bytes=1_000_000))
    assert [item.error is None for item in recognise(tree).read(tree)] == [True, True, False, False, False]


def test_names_in_an_archive_lead_nowhere(tmp_path: Path) -> None:
    place = tmp_path / "a.zip"
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("../../evil.md", "- tea")
        archive.writestr("/root/b.md", "- bread")
        archive.writestr("notes/c.md", "- milk")
    tree = open_tree(place)
    assert [item.message["text"] for item in FORMATS["markdown"].read(tree)] == ["milk", "bread"]
    assert [each.name for each in tmp_path.iterdir()] == ["a.zip"]


def test_a_long_object_on_one_line_is_no_line_of_jsonl(tmp_path: Path) -> None:
    held = {"agents": [], "blocks": [], "x": "y" * 100_000}
    (tmp_path / "a.af.gz").write_bytes(gzip.compress(json.dumps(held).encode()))
    assert recognise(open_tree(tmp_path / "a.af.gz")).name == "letta"


def test_every_format_has_a_name_of_its_own_and_says_what_it_is() -> None:
    assert all(name == each.name and each.description for name, each in FORMATS.items())
