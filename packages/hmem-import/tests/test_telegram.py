"""Telegram's export, in the shape in which it comes."""

from typing import Any

import pytest

from hmem import Memory
from hmem_import.telegram import looks_like, messages


def message(number: int, text: Any = "", **more: Any) -> dict[str, Any]:
    return {
        "id": number, "type": "message", "date": "2024-03-01T11:00:00", "date_unixtime": "1709287200", "from": "Ana",
        "from_id": "user7", "text": text, "text_entities": [],
    } | more  # fmt: skip


def chat(*said: dict[str, Any]) -> dict[str, Any]:
    return {"name": "Ben", "type": "personal_chat", "id": 4242, "messages": list(said)}


def test_a_message_has_its_names_time_and_zone() -> None:
    data = chat(message(1, "Hello"))
    assert looks_like(data)
    assert list(messages(data)) == [
        {"text": "Hello", "speaker": "Ana", "at": "2024-03-01T11:00:00+01:00", "session": "telegram:4242:2024-03-01",
         "message_id": "telegram:4242:1", "metadata": {"chat": "Ben"}}
    ]  # fmt: skip


def test_parts_of_a_text_are_joined() -> None:
    parts = [
        "See ",
        {"type": "link", "text": "https://example.com"},
        "\nand ",
        {"type": "bold", "text": "مرحبا \U0001f600"},
    ]
    (read,) = messages(chat(message(1, parts)))
    assert read["text"] == "See https://example.com\nand مرحبا \U0001f600"


@pytest.mark.parametrize(
    ("more", "caption", "files"),
    [
        ({"photo": "photos/a.jpg"}, "a photo", ["photos/a.jpg"]),
        ({"photo": "(File not included. Change data exporting settings to download.)"}, "a photo", None),
        ({"file": "files/bill.pdf", "file_name": "bill.pdf"}, "attached: bill.pdf", ["files/bill.pdf"]),
        ({"file": "v.ogg", "media_type": "voice_message"}, "a voice message", ["v.ogg"]),
        ({"file": "s.webp", "media_type": "sticker", "sticker_emoji": "\U0001f600"}, "sticker \U0001f600", ["s.webp"]),
        ({"poll": {"question": "When?", "answers": [{"text": "Now"}, {"text": "No"}]}}, "poll: When? (Now, No)", None),
        ({"location_information": {"latitude": 41.1, "longitude": -8.6}}, "a location: 41.1, -8.6", None),
        ({"contact_information": {"first_name": "Eva", "last_name": ""}}, "a contact: Eva", None),
    ],
)  # fmt: skip
def test_what_else_it_holds_is_a_caption(more: dict[str, Any], caption: str, files: list[str] | None) -> None:
    (read,) = messages(chat(message(1, **more)))
    assert (read["text"], read["caption"], read.get("attachments")) == ("", caption, files)


def test_what_is_forwarded_was_said_by_its_author() -> None:
    known, unknown = messages(
        chat(message(1, "I moved", forwarded_from="Eva"), message(2, "I moved", forwarded_from=None))
    )
    assert (known["speaker"], known["text"], known["metadata"]["forwarded_by"]) == ("Eva", "I moved", "Ana")
    assert (unknown["speaker"], unknown["text"]) == ("Ana", "> I moved")


def test_an_edited_message_is_another_one() -> None:
    before, after = messages(
        chat(message(1, "At 9"), message(1, "At 10", edited="2024-03-01T11:05:00", edited_unixtime="1709287500"))
    )
    assert before["message_id"] != after["message_id"]
    assert after["metadata"]["edited"] == "2024-03-01T11:05:00"


def test_messages_of_the_system_and_empty_ones_are_left_out() -> None:
    joined = {"id": 1, "type": "service", "date": "2024-03-01T11:00:00", "actor": "Ana", "action": "invite_members"}
    assert list(messages(chat(joined, message(2)))) == []


def test_the_export_of_an_account_knows_its_owner() -> None:
    data = {
        "about": "…", "personal_information": {"user_id": 7, "first_name": "Ana"}, "contacts": {"list": []},
        "chats": {"list": [chat(message(1, "Mine"), message(2, "Yours", **{"from": "Ben", "from_id": "user8"}))]},
    }  # fmt: skip
    assert looks_like(data)
    assert [(each["text"], each.get("role")) for each in messages(data)] == [("Mine", "user"), ("Yours", None)]


def test_a_message_without_seconds_has_the_local_time() -> None:
    (read,) = messages(chat(message(1, "Hello", date_unixtime="", **{"from": None})))
    assert (read["at"], read["speaker"]) == ("2024-03-01T11:00:00", "user7")


@pytest.mark.parametrize(
    "broken", [None, {}, [], chat(), {"chats": {"list": [None, {}]}}, chat({}), chat(message(1, 3))]
)
def test_what_is_broken_says_nothing(broken: Any) -> None:
    assert list(messages(broken)) == []


def test_a_memory_takes_every_message_and_none_twice(memory: Memory) -> None:
    data = chat(message(1, "Hello"), message(2, photo="a.jpg"))
    for fate in ("stored", "duplicate"):
        assert {receipt.fate for receipt in memory.add(list(messages(data)))} == {fate}
