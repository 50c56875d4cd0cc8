"""Discord: channels saved by DiscordChatExporter as JSON, and the package of one's own messages that Discord sends."""

import csv
import re
from collections.abc import Iterator
from typing import Any, Final

from hmem.errors import InvalidFile
from hmem_import.opening import ImportFile
from hmem_import.reading import Fields, fields, items, nonempty, objects, text
from hmem_import.tree import ImportTree, Item

NAME: Final = "discord"
PACKAGE: Final = "discord-package"
_MESSAGE_TYPES: Final = ("Default", "Reply", "ThreadStarterMessage", "0", "19", "21")
_MESSAGES: Final = re.compile(r"messages/c?(\d+)/messages\.(?:json|csv)", re.IGNORECASE)
_USER: Final = re.compile(r"account/user\.json", re.IGNORECASE)
_OFFSET: Final = re.compile(r"(?:Z|[+-]\d{2}:\d{2})$")


def looks_like(data: Any) -> bool:
    """Tell if data is a channel that DiscordChatExporter saved."""
    document = fields(data)
    return {"guild", "channel", "messages"} <= document.keys()


def messages(data: Any) -> Iterator[dict[str, Any]]:
    """Yield what was said in a channel, as ``Memory.add`` takes it; pins, joins and calls are left out."""
    channel, guild = fields(fields(data).get("channel")), fields(fields(data).get("guild"))
    name, number = text(channel.get("name")), text(channel.get("id"))
    for message in objects(fields(data).get("messages")):
        author = fields(message.get("author"))
        body, captions, files = _content(message)
        if str(message.get("type", "Default")) not in _MESSAGE_TYPES or not (body or captions):
            continue
        time, edit_time = text(message.get("timestamp")), text(message.get("timestampEdited"))
        yield nonempty(
            text=body,
            speaker=text(author.get("nickname")) or text(author.get("name")) or NAME,
            at=time,
            caption="; ".join(captions),
            attachments=files,
            session=f"{NAME}:{number}:{time[:10]}",
            # An edited message is another one, and the later one holds.
            message_id=f"{NAME}:{message.get('id')}" + (f":{edit_time}" if edit_time else ""),
            metadata=nonempty(
                channel=name,
                server=text(guild.get("name")),
                reply_to=text(fields(message.get("reference")).get("messageId")),
            ),
        )


def _content(message: Fields) -> tuple[str, list[str], list[str]]:
    """Return the text, with what is forwarded as a quotation, captions, and addresses of files."""
    forwarded = fields(message.get("forwardedMessage"))
    quotation = "\n".join(f"> {line}" for line in text(forwarded.get("content")).splitlines())
    body = "\n\n".join(filter(None, (text(message.get("content")), quotation)))
    attachments = [*objects(message.get("attachments")), *objects(forwarded.get("attachments"))]
    files = [text(attachment.get("fileName")) for attachment in attachments]
    captions = [f"attached: {', '.join(filter(None, files))}"] if any(files) else []
    captions += [f"sticker {text(sticker.get('name'))}" for sticker in objects(message.get("stickers"))]
    for embed in objects(message.get("embeds")):
        embed_text = ": ".join(filter(None, (text(embed.get("title")), text(embed.get("description")))))
        captions += [embed_text] if embed_text else []
    return body, captions, [url for url in (text(attachment.get("url")) for attachment in attachments) if url]


# The data package.


def claims(tree: ImportTree) -> bool:
    """Tell if a folder or an archive is a data package."""
    is_message_file = tree.name_filter(_MESSAGES)
    return is_message_file is not None and any(map(is_message_file, tree.files))


def read_package(tree: ImportTree) -> Iterator[Item]:
    """Yield one's own messages of a data package, channel by channel; those of others are not in it."""
    user, start = _owner(tree), len(tree.root)

    def of_file(name: str, file: ImportFile) -> Iterator[Item]:
        match = _MESSAGES.fullmatch(name, start)
        number = match[1] if match else ""
        channel_file = tree.files.get(f"{name.rpartition('/')[0]}/channel.json")
        channel = fields(None if channel_file is None else channel_file.load_json())
        rows = (
            file.load_json() if name.endswith(".json") else list(csv.DictReader(file.text().splitlines(keepends=True)))
        )
        ordered_rows = sorted(objects(rows), key=lambda row: _number(row.get("ID")))
        turns = (_own_message(row, number, channel, user) for row in ordered_rows)
        return (Item(position, message) for position, message in enumerate(turns, 1) if message is not None)

    return tree.items(of_file, tree.name_filter(_MESSAGES))


def _owner(tree: ImportTree) -> str:
    for name, file in tree.files.items():
        if _USER.fullmatch(name, len(tree.root)):
            try:
                profile = fields(file.load_json())
            except InvalidFile:
                continue
            return text(profile.get("global_name")) or text(profile.get("username")) or "user"
    return "user"


def _number(value: Any) -> int:
    return int(value) if str(value).isdecimal() else 0


def _own_message(row: Fields, number: str, channel: Fields, user: str) -> dict[str, Any] | None:
    body, files = text(row.get("Contents")), text(row.get("Attachments")).split()
    if not body and not files:
        return None
    names = [url.rpartition("/")[2].partition("?")[0] for url in files]
    timestamp = text(row.get("Timestamp"))
    # Times of a package are those of UTC.
    time = timestamp if not timestamp or _OFFSET.search(timestamp) else f"{timestamp}+00:00"
    with_whom = [recipient for recipient in items(channel.get("recipients")) if isinstance(recipient, str)]
    return nonempty(
        text=body,
        speaker=user,
        role="user",
        at=time,
        caption=f"attached: {', '.join(names)}" if names else None,
        attachments=files,
        session=f"{NAME}:{number}:{time[:10]}",
        message_id=f"{NAME}:{row.get('ID')}",
        metadata=nonempty(
            channel=text(channel.get("name")),
            server=text(fields(channel.get("guild")).get("name")),
            recipients=with_whom,
        ),
    )
