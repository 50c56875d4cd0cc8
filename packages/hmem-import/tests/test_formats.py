"""Reading files of turns, and telling their formats apart."""

import gzip
import io
import json
import os
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hmem.errors import InvalidFile
from hmem_import.formats import Item, read
from hmem_import.opening import ImportLimits


def write(path: Path, data: Any) -> Path:
    path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return path


def items(path: Path, format: str | None = None) -> list[Item]:
    source = read(path, format)
    made = list(source.items)
    assert source.count() == len(made)
    return made


def test_a_line_is_a_turn_and_blank_lines_are_passed_over(tmp_path: Path) -> None:
    file = write(tmp_path / "turns.jsonl", '{"text": "one"}\n\n  \n{"text": "two", "speaker": "Ben"}')
    assert items(file) == [Item(1, {"text": "one"}), Item(4, {"text": "two", "speaker": "Ben"})]


def test_a_line_that_is_not_json_is_told_of_and_the_rest_is_read(tmp_path: Path) -> None:
    first, second, third = items(write(tmp_path / "turns.jsonl", '{"text": "one"}\n{"text": \n{"text": "three"}\n'))
    assert (first.message, third.message) == ({"text": "one"}, {"text": "three"})
    assert second.line == 2
    assert second.error is not None
    assert second.error.startswith("not JSON")


def test_lines_that_are_not_utf8_or_nested_too_deeply_are_told_of(tmp_path: Path) -> None:
    file = tmp_path / "turns.jsonl"
    file.write_bytes(b'{"text": "caf\xe9"}\n' + b"[" * 200_000 + b'\n{"text": "three"}\n')
    first, second, third = items(file)
    assert first.error is not None
    assert second.error is not None
    assert third.message == {"text": "three"}


def test_an_id_is_the_message_id_unless_there_is_one(tmp_path: Path) -> None:
    lines = '{"text": "a", "id": "m1"}\n{"text": "b", "id": 7, "message_id": "m2"}\n{"text": "c", "id": null}\n'
    made = [item.message.get("message_id") for item in items(write(tmp_path / "turns.jsonl", lines))]
    assert made == ["m1", "m2", None]


def test_an_empty_name_is_none_in_a_file(tmp_path: Path) -> None:
    line = {"text": "a", "caption": "", "id": "", "speaker": "", "session": "", "user": "", "agent": ""}
    made = items(write(tmp_path / "turns.jsonl", json.dumps(line)))
    assert [item.message for item in made] == [{"text": "a", "caption": ""}]


@pytest.mark.parametrize("name", ["turns.jsonl", "turns.ndjson", "turns.json", "turns.txt", "turns"])
def test_lines_are_known_by_their_first_line_whatever_the_file_is_called(tmp_path: Path, name: str) -> None:
    made = items(write(tmp_path / name, '\ufeff{"text": "one"}\n{"text": "two"}\n'))
    assert [item.message for item in made] == [{"text": "one"}, {"text": "two"}]


@pytest.mark.parametrize("name", ["turns.jsonl.gz", "turns.json"])
def test_a_compressed_file_is_known_by_its_contents(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(gzip.compress(b'{"text": "one"}\n{"text": "two"}\n'))
    assert len(items(tmp_path / name)) == 2


@pytest.mark.parametrize("whole", [True, False])
def test_a_list_of_messages_is_read_bare_or_in_an_object(tmp_path: Path, whole: bool) -> None:
    messages = [{"role": "user", "content": "Which train?"}, {"role": "assistant", "content": "The 9:14"}]
    file = write(tmp_path / "chat.json", messages if whole else json.dumps({"messages": messages}, indent=2))
    assert items(file) == [Item(1, messages[0]), Item(2, messages[1])]


def test_an_empty_file_and_an_empty_list_have_no_turns(tmp_path: Path) -> None:
    assert items(write(tmp_path / "none.jsonl", "")) == []
    assert items(write(tmp_path / "empty", "")) == []
    assert items(write(tmp_path / "none.json", [])) == []


def test_a_file_that_breaks_off_gives_what_came_before(tmp_path: Path) -> None:
    file = tmp_path / "turns.jsonl.gz"
    lines = "".join(json.dumps({"text": f"turn {number} {number * 7919 % 1000}"}) + "\n" for number in range(5_000))
    packed = gzip.compress(lines.encode())
    file.write_bytes(packed[: len(packed) // 2])
    made = list(read(file).items)
    assert len(made) > 100
    assert [item.error is None for item in made[:-1]] == [True] * (len(made) - 1)
    assert "not a whole archive" in str(made[-1].error)


@pytest.mark.parametrize(
    ("name", "data", "format"),
    [
        ("broken.json", '[{"role": "user"', None),
        ("object.json", '{\n"text": "one"}', None),
        ("number.json", "42", None),
        ("lines.jsonl", '{"text": "one"}\n{"text": "two"}\n', "messages"),
    ],
)
def test_a_file_of_another_format_is_refused_with_its_name(
    tmp_path: Path, name: str, data: str, format: str | None
) -> None:
    file = write(tmp_path / name, data)
    with pytest.raises(InvalidFile, match=name):
        items(file, format)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    for place, named in ((tmp_path / "missing", None), (tmp_path / "missing.jsonl", "jsonl"), (tmp_path, None)):
        with pytest.raises(InvalidFile, match=" - check the path"):
            items(place, named)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200))
@example(data=b"\xff")
@example(data=b'{"text": "one"}\n[\n\n{"text": "two"}')
@example(data=b'[{"text": "one"}, 3]')
def test_any_bytes_give_items_or_a_named_error(tmp_path: Path, data: bytes) -> None:
    for name in ("x.json", "x.jsonl"):
        file = tmp_path / name
        file.write_bytes(data)
        try:
            source = read(file)
            made = list(source.items)
        except InvalidFile:
            continue
        assert len(made) == source.count()
        assert [item.line for item in made] == sorted({item.line for item in made})
        assert all((item.message is None) == bool(item.error) for item in made)


# What other programs export.


CHATGPT = [{"id": "c", "create_time": 1.0, "current_node": "a", "mapping": {"a": {
    "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Hello"]}}}}}]  # fmt: skip
CLAUDE = [{"uuid": "c", "chat_messages": [{"uuid": "m", "sender": "human", "text": "Hello"}]}]
MEM0 = {"results": [{"id": "1", "memory": "Hello", "created_at": "2026-01-01"}]}


@pytest.mark.parametrize(("data", "format"), [(CHATGPT, "chatgpt"), (CLAUDE, "claude"), (MEM0, "mem0")])
def test_an_export_of_another_program_is_told_by_its_content(tmp_path: Path, data: object, format: str) -> None:
    place = tmp_path / "conversations.json"
    place.write_text(json.dumps(data))
    source = read(place)
    assert source.format == format
    assert [item.message["text"] for item in source.items] == ["Hello"]
    assert source.count() == 1
    assert [item.message["text"] for item in read(place, format).items] == ["Hello"]


def test_an_export_is_read_from_the_archive_that_was_downloaded(tmp_path: Path) -> None:
    place = tmp_path / "export.zip"
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("data/chat.html", "<html>")
        archive.writestr("data/conversations.json", json.dumps(CHATGPT))
    assert read(place).format == "chatgpt"
    with zipfile.ZipFile(place, "w") as archive:
        archive.writestr("photo.jpg", "x")
    with pytest.raises(InvalidFile, match="no file that can be imported"):
        read(place)
    place.write_bytes(b"PK\x03\x04 broken")
    with pytest.raises(InvalidFile, match="not a whole archive"):
        read(place)


def test_a_knowledge_graph_is_told_by_its_first_line(tmp_path: Path) -> None:
    place = tmp_path / "memory.jsonl"
    entity = {"type": "entity", "name": "Ana", "entityType": "person", "observations": ["likes tea"]}
    place.write_text(json.dumps(entity) + "\nnonsense\n")
    source = read(place)
    items = list(source.items)
    assert source.format == "mcp-memory"
    assert [item.message["text"] for item in items if item.error is None] == ["Ana is a person.", "Ana: likes tea"]
    assert [item.line for item in items if item.error is not None] == [2]


def test_a_folder_of_notes_is_markdown(tmp_path: Path) -> None:
    (tmp_path / "2026-03-01.md").write_text("- one\n- two\n")
    for place in (tmp_path, tmp_path / "2026-03-01.md"):
        source = read(place)
        assert source.format == "markdown"
        assert [(item.line, item.message["text"]) for item in source.items] == [(1, "one"), (2, "two")]
    with pytest.raises(InvalidFile, match="no file"):
        read(tmp_path / "gone.md")


def test_what_the_user_said_has_the_role_of_the_user(tmp_path: Path) -> None:
    chat = write(tmp_path / "a.txt", "31/12/2023, 21:41 - Ana: Hi\n31/12/2023, 21:42 - Ben: Hello\n")
    assert [item.message.get("role") for item in read(chat, me="ana").items] == ["user", None]
    mail = write(tmp_path / "a.eml", "From: Ana Reis <ana@example.com>\nSubject: Hi\n\nHello\n")
    assert [item.message.get("role") for item in read(mail, me="ANA@example.com").items] == ["user"]


# Limits, and what is no file.


def zipped(path: Path, data: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", data)
    return path


@pytest.mark.parametrize("name", ["bomb.json", "bomb.jsonl", "bomb.zip"])
def test_what_unpacks_to_more_than_the_limit_is_refused(tmp_path: Path, name: str) -> None:
    data = b'{"text": "Hello"}\n' * 500_000
    if name.endswith(".zip"):
        path = zipped(tmp_path / name, data)
    else:
        path = tmp_path / name
        path.write_bytes(gzip.compress(data))
    assert path.stat().st_size < 100_000
    limits = ImportLimits(bytes=1_000_000)
    try:
        found = list(read(path, limits=limits).items)
    except InvalidFile as error:
        told = str(error)
    else:
        # Of lines, what came before the limit is kept.
        assert 50_000 < len(found) < 56_000
        told = str(found[-1].error)
    told = told.replace("/conversations.json", "")
    assert f"{name} holds more than 1,000,000 bytes - split it, or raise --max-bytes" in told


def test_a_line_is_read_up_to_a_limit_and_the_next_one_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "turns.jsonl", '{"text": "' + "x" * 3_000_000 + '"}\n{"text": "one"}\n')
    long, one = read(path, limits=ImportLimits(line=1_000_000)).items
    assert "longer than 1,000,000 bytes" in str(long.error)
    assert (one.line, one.message) == (2, {"text": "one"})


def test_what_is_nested_too_deeply_is_told_of(tmp_path: Path) -> None:
    deep = "[" * 150 + "]" * 150
    line, one = items(write(tmp_path / "a.jsonl", f'{{"text": "x", "metadata": {{"a": {deep}}}}}\n{{"text": "one"}}\n'))
    assert "nested more than 100 deep" in str(line.error)
    assert one.message == {"text": "one"}
    with pytest.raises(InvalidFile, match="nested more than 100 deep - raise --max-depth"):
        read(write(tmp_path / "b.json", f'[{{"role": "user", "content": {deep}}}]'))


@pytest.mark.parametrize("format", [None, "jsonl", "messages", "markdown"])
def test_pipes_devices_and_links_are_refused_at_once(tmp_path: Path, format: str | None) -> None:
    write(tmp_path / "real.jsonl", '{"text": "the wifi code is 0000"}\n')
    (link := tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    os.mkfifo(pipe := tmp_path / "pipe.jsonl")
    for path, kind in ((link, "a symbolic link"), (pipe, "a pipe"), (Path("/dev/zero"), "a device")):
        with pytest.raises(InvalidFile, match=f"it is {kind}"):
            list(read(path, format).items)


def test_an_archive_with_a_password_is_a_named_error(tmp_path: Path) -> None:
    path = zipped(tmp_path / "export.zip", b"[]")
    data = bytearray(path.read_bytes())
    # The flag of encryption, in the entry's own head and in the directory's.
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + flags] |= 1
    path.write_bytes(data)
    with pytest.raises(InvalidFile, match="password"):
        read(path)


@pytest.mark.parametrize("format", [None, "chatgpt"])
def test_an_archive_of_an_unknown_version_is_a_named_error(tmp_path: Path, format: str | None) -> None:
    path = zipped(tmp_path / "export.zip", b"[]")
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 6] = 84  # the version needed to unpack it: 8.4
    path.write_bytes(data)
    with pytest.raises(InvalidFile, match=r"export\.zip cannot be unpacked .* - unpack it yourself"):
        read(path, format)


@pytest.mark.parametrize("format", [None, "chatgpt"])
def test_a_file_without_a_name_in_an_archive_is_no_file(tmp_path: Path, format: str | None) -> None:
    path = zipped(tmp_path / "export.zip", b"[]")
    path.write_bytes(path.read_bytes().replace(b"conversations.json", b"\0onversations.json"))
    with pytest.raises(InvalidFile):
        read(path, format)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("format", [None, "jsonl"])
def test_stdin_is_read_as_a_file_is(monkeypatch: pytest.MonkeyPatch, packed: bool, format: str | None) -> None:
    data = b"".join(b'{"text": "turn %d"}\n' % number for number in range(20_000))
    given = io.BytesIO(gzip.compress(data) if packed else data)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(given)))  # type: ignore[arg-type]
    source = read(Path("-"), format)
    assert (source.format, source.count()) == ("jsonl", None)
    assert [item.message["text"] for item in source.items] == [f"turn {number}" for number in range(20_000)]


def test_stdin_may_hold_any_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = zipped(tmp_path / "a.zip", json.dumps(CLAUDE).encode())
    for data, known in (
        (json.dumps(MEM0).encode(), "mem0"),
        (archive.read_bytes(), "claude"),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))  # type: ignore[arg-type]
        assert read(Path("-")).format == known
