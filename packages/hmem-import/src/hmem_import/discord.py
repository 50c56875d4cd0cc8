"""Discord: channels saved by DiscordChatExporter as JSON, and the package of one's own messages that Discord sends."""

import csv
import re
from collections.abc import Iterator
from typing import Any, Final

from hmem.errors import InvalidFile
from hmem_import.opening import ImportFile
from hmem_import.reading import Fields, fields, given, items, objects, text
from hmem_import.tree import ImportTree, Item

NAME: Final = "discord"
PACKAGE: Final = "discord-package"
_SAID: Final = ("Default", "Reply", "ThreadStarterMessage", "0", "19", "21")
_MESSAGES: Final = re.compile(r"messages/c?(\d+)/messages\.(?:json|csv)", re.IGNORECASE)
_USER: Final = re.compile(r"account/user\.json", re.IGNORECASE)
_OFFSET: Final = re.compile(r"(?:Z|[+-]\d{2}:\d{2})$")


def looks_like(data: Any) -> bool:
    """Tell if data is a channel that DiscordChatExporter saved."""
    held = fields(data)
    return {"guild", "channel", "messages"} <= held.keys()


def messages(data: Any) -> Iterator[dict[str, Any]]:
    """Yield what was said in a channel, as ``Memory.add`` takes it; pins, joins and calls are left out."""
    channel, guild = fields(fields(data).get("channel")), fields(fields(data).get("guild"))
    name, number = text(channel.get("name")), text(channel.get("id"))
    for message in objects(fields(data).get("messages")):
        author = fields(message.get("author"))
        said, captions, files = _content(message)
        if str(message.get("type", "Default")) not in _SAID or not (said or captions):
            continue
        at, edited = text(message.get("timestamp")), text(message.get("timestampEdited"))
        yield given(
            text=said,
            speaker=text(author.get("nickname")) or text(author.get("name")) or NAME,
            at=at,
            caption="; ".join(captions),
            attachments=files,
            session=f"{NAME}:{number}:{at[:10]}",
            # An edited message is another one, and the later one holds.
            message_id=f"{NAME}:{message.get('id')}" + (f":{edited}" if edited else ""),
            metadata=given(
                channel=name,
                server=text(guild.get("name")),
                reply_to=text(fields(message.get("reference")).get("messageId")),
            ),
        )


def _content(message: Fields) -> tuple[str, list[str], list[str]]:
    """Return the text, with what is forwarded as a quotation, captions, and addresses of files."""
    forwarded = fields(message.get("forwardedMessage"))
    quoted = "\n".join(f"> {line}" for line in text(forwarded.get("content")).splitlines())
    said = "\n\n".join(filter(None, (text(message.get("content")), quoted)))
    held = [*objects(message.get("attachments")), *objects(forwarded.get("attachments"))]
    files = [text(each.get("fileName")) for each in held]
    captions = [f"attached: {', '.join(filter(None, files))}"] if any(files) else []
    captions += [f"sticker {text(each.get('name'))}" for each in objects(message.get("stickers"))]
    for embed in objects(message.get("embeds")):
        shown = ": ".join(filter(None, (text(embed.get("title")), text(embed.get("description")))))
        captions += [shown] if shown else []
    return said, captions, [each for each in (text(each.get("url")) for each in held) if each]


# The data package.


def claims(tree: ImportTree) -> bool:
    """Tell if a folder or an archive is a data package."""
    named = tree.named(_MESSAGES)
    return named is not None and any(map(named, tree.files))


def read_package(tree: ImportTree) -> Iterator[Item]:
    """Yield one's own messages of a data package, channel by channel; those of others are not in it."""
    user, start = _owner(tree), len(tree.root)

    def of_file(name: str, file: ImportFile) -> Iterator[Item]:
        found = _MESSAGES.fullmatch(name, start)
        number = found[1] if found else ""
        beside = tree.files.get(f"{name.rpartition('/')[0]}/channel.json")
        channel = fields(None if beside is None else beside.whole())
        rows = file.whole() if name.endswith(".json") else list(csv.DictReader(file.text().splitlines(keepends=True)))
        said = sorted(objects(rows), key=lambda row: _number(row.get("ID")))
        made = (_own(row, number, channel, user) for row in said)
        return (Item(place, message) for place, message in enumerate(made, 1) if message is not None)

    return tree.items(of_file, tree.named(_MESSAGES))


def _owner(tree: ImportTree) -> str:
    for name, file in tree.files.items():
        if _USER.fullmatch(name, len(tree.root)):
            try:
                held = fields(file.whole())
            except InvalidFile:
                continue
            return text(held.get("global_name")) or text(held.get("username")) or "user"
    return "user"


def _number(value: Any) -> int:
    return int(value) if str(value).isdecimal() else 0


def _own(row: Fields, number: str, channel: Fields, user: str) -> dict[str, Any] | None:
    said, files = text(row.get("Contents")), text(row.get("Attachments")).split()
    if not said and not files:
        return None
    names = [each.rpartition("/")[2].partition("?")[0] for each in files]
    written = text(row.get("Timestamp"))
    # Times of a package are those of UTC.
    at = written if not written or _OFFSET.search(written) else f"{written}+00:00"
    with_whom = [each for each in items(channel.get("recipients")) if isinstance(each, str)]
    return given(
        text=said,
        speaker=user,
        role="user",
        at=at,
        caption=f"attached: {', '.join(names)}" if names else None,
        attachments=files,
        session=f"{NAME}:{number}:{at[:10]}",
        message_id=f"{NAME}:{row.get('ID')}",
        metadata=given(
            channel=text(channel.get("name")),
            server=text(fields(channel.get("guild")).get("name")),
            recipients=with_whom,
        ),
    )
