"""ChatGPT's export: a tree of messages for each conversation, of which the current branch is read.

Large exports are in parts: ``conversations-000.json``, ``conversations-001.json`` and so on.
"""

import re
from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any

from hmem.util.amounts import amount
from hmem_import.opening import ImportFile
from hmem_import.reading import Fields, digest, fields, items, moment, nonempty, objects, text
from hmem_import.tree import ImportTree, Item, holds

NAME = "chatgpt"
_ROLES = ("user", "assistant")
_CONVERSATION_FILES = re.compile(r"(?:conversations(?:-\d+)?|memories)\.json(?:\.gz)?")
_PICTURE = "a picture"
_PROJECT = "g-p-"
# "\ue200cite\ue202turn0search3\ue201", and "【12†L1-L3】" of earlier models.
_CITATION = re.compile(r"[ \t]?\ue200[^\ue200\ue201]*\ue201|[\ue200-\ue206]|[ \t]?【\d+(?::\d+)?†[^【】]*】")


def looks_like(data: Any) -> bool:
    """Tell if data is ChatGPT's export, or its memories."""
    if is_memories(data):
        return True
    first = fields(next(iter(items(data)), None))
    return "mapping" in first and ("current_node" in first or "create_time" in first)


def claims(tree: ImportTree) -> bool:
    """Tell if a folder or an archive is ChatGPT's export."""
    return holds(tree, _CONVERSATION_FILES, looks_like)


def read(tree: ImportTree) -> Iterator[Item]:
    """Yield the messages of an export, or of one of its parts; its remarks tell how many are in other branches."""
    hidden_counts: Counter[str] = Counter()

    def of_file(_: str, file: ImportFile) -> Iterator[Item]:
        return (Item(number, message) for number, message in enumerate(messages(file.load_json(), hidden_counts), 1))

    yield from tree.items(of_file, tree.name_filter(_CONVERSATION_FILES))
    if hidden_counts:
        tree.remarks.append(
            f"{amount(hidden_counts.total(), 'message')} left out, {hidden_counts['user']:,} by the user: in "
            "branches that ChatGPT no longer shows, since a question was edited or an answer made anew"
        )


def messages(data: Any, hidden_counts: Counter[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the messages of all conversations, one after the other, as ``Memory.add`` takes them.

    ``hidden_counts`` counts, by role, those of branches that are not shown: what was edited away is no fact.
    """
    if is_memories(data):
        yield from _memories(data)
        return
    seen = set[str]()
    for conversation in objects(data):
        name = text(conversation.get("conversation_id")) or text(conversation.get("id"))
        branch = list(_branch(conversation))
        if hidden_counts is not None:
            hidden_counts.update(_hidden_roles(conversation, {node for node, _ in branch}))
        for node, message in branch:
            turn = _message(message, conversation, name, node)
            # A chat that branched off another begins with the messages of that one.
            mark = text(message.get("id"))
            if turn is not None and not (mark and mark in seen):
                seen.add(mark)
                yield turn


def is_memories(data: Any) -> bool:
    """Tell if data is what ChatGPT remembers of its user: a list in ``memories``, each with ``content``."""
    first = next(objects(fields(data).get("memories")), fields(None))
    return isinstance(first.get("content"), str) and "id" in first


def _memories(data: Any) -> Iterator[dict[str, Any]]:
    for memory in objects(fields(data).get("memories")):
        times = (moment(memory.get(name)) for name in ("updated_at", "created_timestamp", "created_at"))
        if body := text(memory.get("content")):
            mark = f"{NAME}:memory:{text(memory.get('id'))}:{digest(body)}"
            yield nonempty(
                role="assistant", speaker=NAME, text=body, at=next(filter(None, times), None),
                session=f"{NAME}:memories", message_id=mark, agent=NAME,
            )  # fmt: skip


def _branch(conversation: Fields) -> Iterator[tuple[str, Fields]]:
    """Yield the messages from the root to the current node, each with the id of its node."""
    mapping = fields(conversation.get("mapping"))
    node = text(conversation.get("current_node")) or _newest_leaf(mapping)
    path: list[str] = []
    visited: set[str] = set()
    while node in mapping and node not in visited:
        visited.add(node)
        path.append(node)
        node = text(fields(mapping[node]).get("parent"))
    for node_id in reversed(path):
        message = fields(fields(mapping[node_id]).get("message"))
        if message:
            yield node_id, message


def _hidden_roles(conversation: Fields, shown_nodes: AbstractSet[str]) -> Iterator[str]:
    """Yield the role of each message that is in no shown node."""
    for node, entry in fields(conversation.get("mapping")).items():
        message = fields(fields(entry).get("message"))
        if node not in shown_nodes and message and (turn := _message(message, conversation, "", node)) is not None:
            yield turn["role"]


def _newest_leaf(mapping: Fields) -> str:
    leaves = [name for name, node in mapping.items() if not items(fields(node).get("children"))]
    return max(leaves, key=lambda name: _time(fields(fields(mapping[name]).get("message"))), default="")


def _time(message: Fields) -> float:
    seconds = message.get("create_time")
    return float(seconds) if isinstance(seconds, int | float) else 0.0


def _message(message: Fields, conversation: Fields, name: str, node: str) -> dict[str, Any] | None:
    role = text(fields(message.get("author")).get("role"))
    is_hidden = fields(message.get("metadata")).get("is_visually_hidden_from_conversation")
    # Messages to tools are no part of the conversation.
    if role not in _ROLES or is_hidden or message.get("weight") == 0 or message.get("recipient", "all") != "all":
        return None
    body, captions, pictures = _content(fields(message.get("content")))
    attachments = objects(fields(message.get("metadata")).get("attachments"))
    if files := [file for attachment in attachments if (file := text(attachment.get("name")))]:
        captions.append(f"attached: {', '.join(files)}")
    if not body and not captions:
        return None
    project = text(conversation.get("gizmo_id")) if text(conversation.get("gizmo_id")).startswith(_PROJECT) else ""
    return nonempty(
        role=role,
        text=body,
        caption="; ".join(captions),
        attachments=pictures,
        at=moment(message.get("create_time")) or moment(conversation.get("create_time")),
        session=f"{NAME}:{name}" if name else None,
        message_id=f"{NAME}:{name}:{text(message.get('id')) or node}",
        agent=NAME,
        metadata=nonempty(title=text(conversation.get("title")), project=project),
    )


def _content(content: Fields) -> tuple[str, list[str], list[str]]:
    """Return the text, the captions of pictures, and their addresses."""
    kind = content.get("content_type")
    if kind not in ("text", "multimodal_text", "code"):
        return "", [], []
    texts, captions, pictures = [text(content.get("text"))], list[str](), list[str]()
    for element in items(content.get("parts")):
        if isinstance(element, str):
            texts.append(element.strip())
            continue
        asset = fields(element)
        if asset.get("content_type") == "audio_transcription":
            texts.append(text(asset.get("text")))
        elif asset.get("content_type") == "image_asset_pointer":
            drawing = fields(fields(asset.get("metadata")).get("dalle"))
            captions.append(text(drawing.get("prompt")) or _PICTURE)
            pictures.append(text(asset.get("asset_pointer")))
    body = _CITATION.sub("", "\n\n".join(filter(None, texts))).strip()
    return body, captions, [address for address in pictures if address]
