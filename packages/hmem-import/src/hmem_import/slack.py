"""Slack's export: a folder for each channel with a file for each day, and lists of users and channels."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any, Final

from hmem.errors import InvalidFile
from hmem_import.opening import ImportFile
from hmem_import.reading import Fields, fields, items, moment, nonempty, objects, text
from hmem_import.tree import ImportTree, Item

NAME: Final = "slack"
_DAY: Final = re.compile(r"([^/]+)/(\d{4}-\d{2}-\d{2})\.json(?:\.gz)?")
_LISTS: Final = ("channels.json", "groups.json", "dms.json", "mpims.json")
# Messages of people and bots; the others tell who joined, left, or renamed a channel.
_SUBTYPES: Final = ("", "me_message", "thread_broadcast", "bot_message", "file_share", "file_comment")
_MARKED: Final = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")


def looks_like(data: Any) -> bool:
    """Tell if data is a day of a channel."""
    first = fields(next(iter(items(data)), None))
    return first.get("type") == "message" and "ts" in first


def claims(tree: ImportTree) -> bool:
    """Tell if a folder or an archive is the export of a workspace."""
    is_day_file = tree.name_filter(_DAY)
    return f"{tree.root}users.json" in tree.files and is_day_file is not None and any(map(is_day_file, tree.files))


def read(tree: ImportTree) -> Iterator[Item]:
    """Yield what was said in all channels, by day; threads are sessions of their own."""
    people = {text(user.get("id")): _person(user) for user in _entries(tree, "users.json")}
    channels = {
        text(channel.get("id")): text(channel.get("name")) for name in _LISTS for channel in _entries(tree, name)
    }

    start = len(tree.root)

    def of_file(name: str, file: ImportFile) -> Iterator[Item]:
        match = _DAY.fullmatch(name, start)
        channel = match[1] if match else ""
        day = match[2] if match else ""
        turns = messages(file.load_json(), channel or file.title.partition(".")[0], day, people, channels)
        return (Item(number, message) for number, message in enumerate(turns, 1))

    return tree.items(of_file, tree.name_filter(_DAY))


def _entries(tree: ImportTree, file_name: str) -> Iterator[Fields]:
    file = tree.files.get(f"{tree.root}{file_name}")
    if file is not None and not tree.is_single:
        try:
            yield from objects(file.load_json())
        except InvalidFile:
            # Without the list, people and channels are called by their ids.
            return


def messages(
    data: Any, channel: str, day: str, people: dict[str, str], channels: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield what was said in a channel on a day, as ``Memory.add`` takes it."""
    for message in objects(data):
        files = [
            text(file_entry.get("name")) or text(file_entry.get("title"))
            for file_entry in objects(message.get("files"))
        ]
        body = _plain(_text(message), people, channels)
        captions = [f"attached: {', '.join(filter(None, files))}"] if any(files) else []
        if text(message.get("subtype")) not in _SUBTYPES or not (body or captions):
            continue
        stamp, thread = text(message.get("ts")), text(message.get("thread_ts"))
        edit_time = text(fields(message.get("edited")).get("ts"))
        yield nonempty(
            text=body,
            speaker=_speaker(message, people),
            at=moment(float(stamp)) if re.fullmatch(r"\d{1,12}(\.\d+)?", stamp) else day or None,
            caption="; ".join(captions),
            attachments=[name for name in files if name],
            session=f"{NAME}:{channel}:{thread or day}",
            # An edited message is another one, and the later one holds.
            message_id=f"{NAME}:{channel}:{stamp}" + (f":{edit_time}" if edit_time else ""),
            metadata=nonempty(channel=channel, thread=thread if thread != stamp else None),
        )


def _person(user: Fields) -> str:
    profile = fields(user.get("profile"))
    names = (profile.get("display_name"), profile.get("real_name"), user.get("real_name"), user.get("name"))
    return next((text(name) for name in names if text(name)), text(user.get("id")))


def _speaker(message: Fields, people: dict[str, str]) -> str:
    user = text(message.get("user"))
    display_name = text(message.get("username")) or text(fields(message.get("user_profile")).get("real_name"))
    return people.get(user) or display_name or user or text(message.get("bot_id")) or NAME


def _text(message: Fields) -> str:
    """Return the text, or that of attachments by which bots write."""
    body = text(message.get("text"))
    if body:
        return body
    texts = (
        text(attachment.get("text")) or text(attachment.get("fallback"))
        for attachment in objects(message.get("attachments"))
    )
    return "\n".join(filter(None, texts))


def _plain(markup: str, people: dict[str, str], channels: dict[str, str]) -> str:
    """Return a text with the names of people and channels, and addresses as they are read."""

    def replace_mark(mention: re.Match[str]) -> str:
        mark, target, label = mention.groups()
        match mark:
            case "@":
                return f"@{people.get(target) or label or target}"
            case "#":
                return f"#{label or channels.get(target) or target}"
            case "!":
                return f"@{label or target.partition('^')[0]}".replace("@@", "@")
            case _:
                return f"{label} ({target})" if label and label not in target else label or target

    return unescape(_MARKED.sub(replace_mark, markup)).strip()
