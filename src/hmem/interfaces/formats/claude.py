"""Claude's export ``conversations.json``: a list of conversations with their messages in order."""

from collections.abc import Iterator
from typing import Any

from hmem.interfaces.formats.reading import Fields, fields, given, items, moment, objects, text

NAME = "claude"
_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}


def looks_like(data: Any) -> bool:
    """Tell if data is Claude's export."""
    return any("chat_messages" in fields(each) for each in items(data)[:1])


def messages(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the messages of all conversations, one after the other, as ``Memory.add`` takes them."""
    for conversation in objects(data):
        name = text(conversation.get("uuid"))
        title = text(conversation.get("name"))
        for place, message in enumerate(objects(conversation.get("chat_messages"))):
            role, said, files = _ROLES.get(text(message.get("sender"))), _text(message), list(_files(message))
            if role is None or not (said or files):
                continue
            yield given(
                role=role,
                text=said,
                caption=f"attached: {', '.join(files)}" if files else None,
                attachments=files,
                at=moment(message.get("created_at")) or moment(conversation.get("created_at")),
                session=f"{NAME}:{name}" if name else None,
                message_id=f"{NAME}:{name}:{text(message.get('uuid')) or place}",
                agent=NAME,
                metadata={"title": title} if title else None,
            )


def _text(message: Fields) -> str:
    """Return the text parts of the content, without thoughts and uses of tools; else the message's own text."""
    parts = [text(part.get("text")) for part in objects(message.get("content")) if part.get("type") == "text"]
    return "\n\n".join(filter(None, parts)) or text(message.get("text"))


def _files(message: Fields) -> Iterator[str]:
    for held in (*objects(message.get("attachments")), *objects(message.get("files"))):
        if name := text(held.get("file_name")):
            yield name
