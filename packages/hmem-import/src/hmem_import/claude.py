"""Claude's export: conversations with their attachments, what Claude remembers, and projects with their documents."""

import re
from collections.abc import Iterator
from typing import Any

from hmem_import.documents import sections
from hmem_import.markdown import pieces
from hmem_import.opening import ImportFile
from hmem_import.reading import Fields, digest, fields, given, items, moment, objects, text
from hmem_import.tree import ImportTree, Item, holds

NAME = "claude"
_CONVERSATIONS = re.compile(r"conversations(?:-\d+)?\.json(?:\.gz)?")
_READ = re.compile(rf"{_CONVERSATIONS.pattern}|(?:memories|projects)(?:/[^/]+|-\d+)?\.json(?:\.gz)?")
_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}


def looks_like(data: Any) -> bool:
    """Tell if data is a part of Claude's export."""
    first = fields(next(iter(items(data)), None)) or fields(data)
    return "chat_messages" in first or "conversations_memory" in first or {"prompt_template", "docs"} <= first.keys()


def claims(tree: ImportTree) -> bool:
    """Tell if a folder or an archive is Claude's export."""
    return holds(tree, _CONVERSATIONS, looks_like) or holds(tree, _READ, looks_like)


def read(tree: ImportTree) -> Iterator[Item]:
    """Yield the messages of an export, or of one of its files."""
    return tree.items(_of_file, tree.named(_READ))


def _of_file(_: str, file: ImportFile) -> Iterator[Item]:
    found = messages(file.whole(), file.changed)
    return (Item(place, message) for place, message in enumerate(found, 1))


def messages(data: Any, at: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the messages of a file, one after the other, as ``Memory.add`` takes them.

    ``at`` is the time of what Claude remembers, which has none.
    """
    for held in objects(data) if isinstance(data, list) else [fields(data)]:
        if "chat_messages" in held:
            yield from _conversation(held)
        elif "conversations_memory" in held:
            yield from _memories(held, at)
        elif "docs" in held:
            yield from _project(held)


def _conversation(conversation: Fields) -> Iterator[dict[str, Any]]:
    name = text(conversation.get("uuid"))
    title = text(conversation.get("name"))
    for place, message in enumerate(objects(conversation.get("chat_messages"))):
        role, said, files = _ROLES.get(text(message.get("sender"))), _text(message), list(_files(message))
        at = moment(message.get("created_at")) or moment(conversation.get("created_at"))
        own = f"{NAME}:{name}:{text(message.get('uuid')) or place}"
        if role is not None and (said or files):
            yield given(
                role=role,
                text=said,
                caption=f"attached: {', '.join(files)}" if files else None,
                attachments=files,
                at=at,
                session=f"{NAME}:{name}" if name else None,
                message_id=own,
                agent=NAME,
                metadata={"title": title} if title else None,
            )
        for number, attached in enumerate(objects(message.get("attachments"))):
            file = text(attached.get("file_name")) or "pasted text"
            yield from sections(text(attached.get("extracted_content")), file, f"{own}:{number}", at)


def _memories(held: Fields, at: str | None) -> Iterator[dict[str, Any]]:
    """Yield what Claude remembers of the user, and of each project, by paragraph, as said by Claude."""
    told = {"": held.get("conversations_memory"), **fields(held.get("project_memories"))}
    for project, memory in told.items():
        for piece in pieces(text(memory)):
            said = f"{piece.headings[-1]}: {piece.text}" if piece.headings else piece.text
            yield given(
                role="assistant",
                speaker=NAME,
                text=said,
                at=at,
                session=f"{NAME}:memories",
                message_id=f"{NAME}:memory:{digest(project, said)}",
                agent=NAME,
                metadata={"project": project} if project else None,
            )


def _project(project: Fields) -> Iterator[dict[str, Any]]:
    """Yield a project's description and instructions, and its documents."""
    name, at = text(project.get("name")) or "project", moment(project.get("created_at"))
    own = f"{NAME}:{text(project.get('uuid'))}"
    for part in ("description", "prompt_template"):
        yield from sections(
            text(project.get(part)), name, f"{own}:{part}", at, part.replace("prompt_template", "instructions")
        )
    for number, document in enumerate(objects(project.get("docs"))):
        title = text(document.get("filename")) or name
        document_id = text(document.get("uuid")) or str(number)
        yield from sections(
            text(document.get("content")), title, f"{own}:{document_id}", moment(document.get("created_at")) or at
        )


def _text(message: Fields) -> str:
    """Return the text parts of the content, without thoughts and uses of tools; else the message's own text."""
    parts = [text(part.get("text")) for part in objects(message.get("content")) if part.get("type") == "text"]
    return "\n\n".join(filter(None, parts)) or text(message.get("text"))


def _files(message: Fields) -> Iterator[str]:
    for held in (*objects(message.get("attachments")), *objects(message.get("files"))):
        if name := text(held.get("file_name")):
            yield name
