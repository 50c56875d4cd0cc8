"""ChatGPT's export: a tree of messages for each conversation, of which the current branch is read.

Large exports are in parts: ``conversations-000.json``, ``conversations-001.json`` and so on.
"""

import re
from collections.abc import Iterator
from typing import Any

from hmem_import.opening import ImportFile
from hmem_import.reading import Fields, fields, given, items, moment, objects, text
from hmem_import.tree import ImportTree, Item, holds

NAME = "chatgpt"
_ROLES = ("user", "assistant")
_PARTS = re.compile(r"conversations(?:-\d+)?\.json(?:\.gz)?")
_PICTURE = "a picture"


def looks_like(data: Any) -> bool:
    """Tell if data is ChatGPT's export."""
    first = fields(next(iter(items(data)), None))
    return "mapping" in first and ("current_node" in first or "create_time" in first)


def claims(tree: ImportTree) -> bool:
    """Tell if a folder or an archive is ChatGPT's export."""
    return holds(tree, _PARTS, looks_like)


def read(tree: ImportTree) -> Iterator[Item]:
    """Yield the messages of an export, or of one of its parts."""
    return tree.items(_of_file, tree.named(_PARTS))


def _of_file(_: str, file: ImportFile) -> Iterator[Item]:
    return (Item(place, message) for place, message in enumerate(messages(file.whole()), 1))


def messages(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the messages of all conversations, one after the other, as ``Memory.add`` takes them."""
    for conversation in objects(data):
        name = text(conversation.get("conversation_id")) or text(conversation.get("id"))
        for node, message in _branch(conversation):
            made = _message(message, conversation, name, node)
            if made is not None:
                yield made


def _branch(conversation: Fields) -> Iterator[tuple[str, Fields]]:
    """Yield the messages from the root to the current node, each with the id of its node."""
    mapping = fields(conversation.get("mapping"))
    node = text(conversation.get("current_node")) or _newest_leaf(mapping)
    path: list[str] = []
    seen: set[str] = set()
    while node in mapping and node not in seen:
        seen.add(node)
        path.append(node)
        node = text(fields(mapping[node]).get("parent"))
    for each in reversed(path):
        message = fields(fields(mapping[each]).get("message"))
        if message:
            yield each, message


def _newest_leaf(mapping: Fields) -> str:
    leaves = [name for name, node in mapping.items() if not items(fields(node).get("children"))]
    return max(leaves, key=lambda name: _time(fields(fields(mapping[name]).get("message"))), default="")


def _time(message: Fields) -> float:
    at = message.get("create_time")
    return float(at) if isinstance(at, int | float) else 0.0


def _message(message: Fields, conversation: Fields, name: str, node: str) -> dict[str, Any] | None:
    role = text(fields(message.get("author")).get("role"))
    hidden = fields(message.get("metadata")).get("is_visually_hidden_from_conversation")
    # Messages to tools are no part of the conversation.
    if role not in _ROLES or hidden or message.get("weight") == 0 or message.get("recipient", "all") != "all":
        return None
    said, captions, pictures = _content(fields(message.get("content")))
    held = objects(fields(message.get("metadata")).get("attachments"))
    if files := [name for each in held if (name := text(each.get("name")))]:
        captions.append(f"attached: {', '.join(files)}")
    if not said and not captions:
        return None
    title = text(conversation.get("title"))
    return given(
        role=role,
        text=said,
        caption="; ".join(captions),
        attachments=pictures,
        at=moment(message.get("create_time")) or moment(conversation.get("create_time")),
        session=f"{NAME}:{name}" if name else None,
        message_id=f"{NAME}:{name}:{text(message.get('id')) or node}",
        agent=NAME,
        metadata={"title": title} if title else None,
    )


def _content(content: Fields) -> tuple[str, list[str], list[str]]:
    """Return the text, the captions of pictures, and their addresses."""
    kind = content.get("content_type")
    if kind not in ("text", "multimodal_text", "code"):
        return "", [], []
    texts, captions, pictures = [text(content.get("text"))], list[str](), list[str]()
    for part in items(content.get("parts")):
        if isinstance(part, str):
            texts.append(part.strip())
            continue
        held = fields(part)
        if held.get("content_type") == "audio_transcription":
            texts.append(text(held.get("text")))
        elif held.get("content_type") == "image_asset_pointer":
            drawn = fields(fields(held.get("metadata")).get("dalle"))
            captions.append(text(drawn.get("prompt")) or _PICTURE)
            pictures.append(text(held.get("asset_pointer")))
    return "\n\n".join(filter(None, texts)), captions, [each for each in pictures if each]
