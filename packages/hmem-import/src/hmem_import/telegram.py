"""Telegram's export: ``result.json`` of one chat or of all chats of an account, or pages of one chat."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

from hmem_import import telegram_page
from hmem_import.opening import ImportFile
from hmem_import.reading import Fields, fields, given, items, moment, objects, text
from hmem_import.tree import ImportTree, Item, holds

NAME: Final = "telegram"
# What a message holds besides text: its field, and what it is called.
_MEDIA: Final = (
    ("photo", "a photo"), ("sticker_emoji", "sticker"), ("location_information", "a location"), ("poll", "poll"),
    ("contact_information", "a contact"), ("file", "attached"),
)  # fmt: skip
_KINDS: Final = {
    "voice_message": "a voice message", "video_message": "a video message", "animation": "an animation",
    "video_file": "a video", "audio_file": "a recording",
}  # fmt: skip
_MINUTE: Final = 60
_DATA: Final = re.compile(r"result\.json")


def looks_like(data: Any) -> bool:
    """Tell if data is an export of Telegram."""
    return any(True for _ in _chats(data))


def claims(tree: ImportTree) -> bool:
    """Tell if a folder or an archive is an export."""
    return holds(tree, _DATA, looks_like) or any(
        telegram_page.looks_like(tree.files[name].head()) for name in _pages(tree)[:1]
    )


def read(tree: ImportTree) -> Iterator[Item]:
    """Yield the messages of an export; its pages are read if it has no data."""
    if not tree.alone and f"{tree.root}result.json" not in tree.files:
        return tree.items(_of_file, _pages(tree).__contains__)
    return tree.items(_of_file, tree.named(_DATA))


def _pages(tree: ImportTree) -> list[str]:
    named = tree.named(telegram_page.NAMES)
    return [] if named is None else list(filter(named, tree.files))


def _of_file(_: str, file: ImportFile) -> Iterator[Item]:
    page = telegram_page.looks_like(file.head())
    found = telegram_page.messages(file.text(), NAME) if page else messages(file.whole())
    return (Item(place, message) for place, message in enumerate(found, 1))


def messages(data: Any) -> Iterator[dict[str, Any]]:
    """Yield what was said in all chats, as ``Memory.add`` takes it; a system's messages are left out."""
    own = fields(fields(data).get("personal_information")).get("user_id")
    for chat in _chats(data):
        for message in objects(chat.get("messages")):
            made = _message(message, chat, f"user{own}" if own else None)
            if made is not None:
                yield made


def _chats(data: Any) -> Iterator[Fields]:
    held = fields(data)
    listed = [each for name in ("chats", "left_chats") for each in objects(fields(held.get(name)).get("list"))]
    for chat in listed or [held]:
        first = fields(next(iter(items(chat.get("messages"))), None))
        if {"id", "type"} <= chat.keys() and ("date" in first or not first) and isinstance(chat.get("messages"), list):
            yield chat


def _message(message: Fields, chat: Fields, own: str | None) -> dict[str, Any] | None:
    said, captions, files = _text(message), *_media(message)
    if message.get("type") != "message" or not (said or captions):
        return None
    at = _at(message)
    name, number, edited = text(chat.get("name")), str(chat.get("id")), text(message.get("edited_unixtime"))
    sender = text(message.get("from")) or text(message.get("from_id")) or name or NAME
    forwarded = "forwarded_from" in message
    author = text(message.get("forwarded_from"))
    if forwarded and not author:
        # Nobody is named who said it, and the sender did not.
        said = "\n".join(f"> {line}" for line in said.splitlines())
    return given(
        text=said,
        speaker=author or sender,
        role="user" if own is not None and message.get("from_id") == own and not forwarded else None,
        at=at,
        caption="; ".join(captions),
        attachments=files,
        session=f"{NAME}:{number}:{at[:10]}" if at else f"{NAME}:{number}",
        # An edited message is another one, and the later one holds.
        message_id=f"{NAME}:{number}:{message.get('id')}" + (f":{edited}" if edited else ""),
        metadata=given(
            chat=name,
            reply_to=message.get("reply_to_message_id"),
            forwarded_by=sender if forwarded else None,
            edited=moment(text(message.get("edited"))) if edited else None,
        ),
    )


def _at(message: Fields) -> str | None:
    """Return when a message was sent: the local time that is written, with its distance to the seconds of UTC."""
    written, seconds = text(message.get("date")), text(message.get("date_unixtime"))
    if not seconds.isdecimal():
        return written or None
    try:
        there = datetime.fromtimestamp(int(seconds), UTC)
        offset = datetime.fromisoformat(written).replace(tzinfo=UTC) - there
        return there.astimezone(timezone(timedelta(minutes=round(offset.total_seconds() / _MINUTE)))).isoformat()
    except (OverflowError, OSError, ValueError):
        return written or None


def _text(message: Fields) -> str:
    """Return the text, which is one, or parts of text and marked parts."""
    written = message.get("text")
    parts = items(written) or [written]
    return "".join(each if isinstance(each, str) else str(fields(each).get("text") or "") for each in parts).strip()


def _media(message: Fields) -> tuple[list[str], list[str]]:
    """Return captions, and names of files."""
    captions: list[str] = []
    files: list[str] = []
    for name, called in _MEDIA:
        held = message.get(name)
        if not held:
            continue
        kind = _KINDS.get(text(message.get("media_type"))) if name == "file" else None
        file = text(message.get("file_name")) or text(held).rpartition("/")[2]
        if name in ("photo", "file") and not text(held).startswith("("):
            files.append(text(held))
        if name == "file" and message.get("media_type") == "sticker":
            continue
        captions.append(_caption(name, called, held, kind, file))
    return captions, files


def _caption(name: str, called: str, held: Any, kind: str | None, file: str) -> str:
    match name:
        case "file":
            return kind or f"{called}: {file}"
        case "sticker_emoji":
            return f"{called} {text(held)}"
        case "poll":
            answers = ", ".join(text(each.get("text")) for each in objects(fields(held).get("answers")))
            return f"{called}: {text(fields(held).get('question'))} ({answers})"
        case "contact_information":
            names = (text(fields(held).get(each)) for each in ("first_name", "last_name"))
            return f"{called}: {' '.join(filter(None, names))}"
        case "location_information":
            return f"{called}: {fields(held).get('latitude')}, {fields(held).get('longitude')}"
        case _:
            return called
