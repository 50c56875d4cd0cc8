"""Telegram's export: ``result.json`` of one chat or of all chats of an account, or pages of one chat."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, Final

from hmem_import import telegram_page
from hmem_import.opening import ImportFile
from hmem_import.reading import Fields, fields, items, moment, nonempty, objects, text
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
    if not tree.is_single and f"{tree.root}result.json" not in tree.files:
        return tree.items(_of_file, _pages(tree).__contains__)
    return tree.items(_of_file, tree.name_filter(_DATA))


def _pages(tree: ImportTree) -> list[str]:
    is_page = tree.name_filter(telegram_page.NAMES)
    return [] if is_page is None else list(filter(is_page, tree.files))


def _of_file(_: str, file: ImportFile) -> Iterator[Item]:
    page = telegram_page.looks_like(file.head())
    turns = telegram_page.messages(file.text(), NAME) if page else messages(file.load_json())
    return (Item(number, message) for number, message in enumerate(turns, 1))


def messages(data: Any) -> Iterator[dict[str, Any]]:
    """Yield what was said in all chats, as ``Memory.add`` takes it; a system's messages are left out."""
    user_id = fields(fields(data).get("personal_information")).get("user_id")
    for chat in _chats(data):
        for message in objects(chat.get("messages")):
            turn = _message(message, chat, f"user{user_id}" if user_id else None)
            if turn is not None:
                yield turn


def _chats(data: Any) -> Iterator[Fields]:
    document = fields(data)
    chats = [chat for name in ("chats", "left_chats") for chat in objects(fields(document.get(name)).get("list"))]
    for chat in chats or [document]:
        first = fields(next(iter(items(chat.get("messages"))), None))
        if {"id", "type"} <= chat.keys() and ("date" in first or not first) and isinstance(chat.get("messages"), list):
            yield chat


def _message(message: Fields, chat: Fields, user_id: str | None) -> dict[str, Any] | None:
    body, captions, files = _text(message), *_media(message)
    if message.get("type") != "message" or not (body or captions):
        return None
    time = _send_time(message)
    name, number, edit_time = text(chat.get("name")), str(chat.get("id")), text(message.get("edited_unixtime"))
    sender = text(message.get("from")) or text(message.get("from_id")) or name or NAME
    forwarded = "forwarded_from" in message
    author = text(message.get("forwarded_from"))
    if forwarded and not author:
        # Nobody is named who said it, and the sender did not.
        body = "\n".join(f"> {line}" for line in body.splitlines())
    return nonempty(
        text=body,
        speaker=author or sender,
        role="user" if user_id is not None and message.get("from_id") == user_id and not forwarded else None,
        at=time,
        caption="; ".join(captions),
        attachments=files,
        session=f"{NAME}:{number}:{time[:10]}" if time else f"{NAME}:{number}",
        # An edited message is another one, and the later one holds.
        message_id=f"{NAME}:{number}:{message.get('id')}" + (f":{edit_time}" if edit_time else ""),
        metadata=nonempty(
            chat=name,
            reply_to=message.get("reply_to_message_id"),
            forwarded_by=sender if forwarded else None,
            edited=moment(text(message.get("edited"))) if edit_time else None,
        ),
    )


def _send_time(message: Fields) -> str | None:
    """Return when a message was sent: the local time that is written, with its distance to the seconds of UTC."""
    timestamp, seconds = text(message.get("date")), text(message.get("date_unixtime"))
    if not seconds.isdecimal():
        return timestamp or None
    try:
        utc_time = datetime.fromtimestamp(int(seconds), UTC)
        offset = datetime.fromisoformat(timestamp).replace(tzinfo=UTC) - utc_time
        return utc_time.astimezone(timezone(timedelta(minutes=round(offset.total_seconds() / _MINUTE)))).isoformat()
    except (OverflowError, OSError, ValueError):
        return timestamp or None


def _text(message: Fields) -> str:
    """Return the text, which is one, or parts of text and marked parts."""
    content = message.get("text")
    fragments = items(content) or [content]
    return "".join(
        fragment if isinstance(fragment, str) else str(fields(fragment).get("text") or "") for fragment in fragments
    ).strip()


def _media(message: Fields) -> tuple[list[str], list[str]]:
    """Return captions, and names of files."""
    captions: list[str] = []
    files: list[str] = []
    for name, label in _MEDIA:
        media = message.get(name)
        if not media:
            continue
        kind = _KINDS.get(text(message.get("media_type"))) if name == "file" else None
        file = text(message.get("file_name")) or text(media).rpartition("/")[2]
        if name in ("photo", "file") and not text(media).startswith("("):
            files.append(text(media))
        if name == "file" and message.get("media_type") == "sticker":
            continue
        captions.append(_caption(name, label, media, kind, file))
    return captions, files


def _caption(name: str, label: str, media: Any, kind: str | None, file: str) -> str:
    match name:
        case "file":
            return kind or f"{label}: {file}"
        case "sticker_emoji":
            return f"{label} {text(media)}"
        case "poll":
            answers = ", ".join(text(answer.get("text")) for answer in objects(fields(media).get("answers")))
            return f"{label}: {text(fields(media).get('question'))} ({answers})"
        case "contact_information":
            names = (text(fields(media).get(key)) for key in ("first_name", "last_name"))
            return f"{label}: {' '.join(filter(None, names))}"
        case "location_information":
            return f"{label}: {fields(media).get('latitude')}, {fields(media).get('longitude')}"
        case _:
            return label
