"""Claude's export: conversations with their attachments, what Claude remembers, and projects with their documents."""

import re
from collections.abc import Iterator
from typing import Any

from hmem_import.documents import sections
from hmem_import.markdown import split_markdown
from hmem_import.opening import ImportFile
from hmem_import.reading import Fields, digest, fields, items, moment, nonempty, objects, text
from hmem_import.tree import ImportTree, Item, holds

NAME = "claude"
_CONVERSATIONS = re.compile(r"conversations(?:-\d+)?\.json(?:\.gz)?")
_READ = re.compile(rf"{_CONVERSATIONS.pattern}|(?:memories|projects)(?:/[^/]+|-\d+)?\.json(?:\.gz)?")
# Claude writes the headings of what it remembers as paragraphs in bold.
_HEADING = re.compile(r"\*\*([^*\n]+)\*\*:?")
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
    return tree.items(_of_file, tree.name_filter(_READ))


def _of_file(_: str, file: ImportFile) -> Iterator[Item]:
    turns = messages(file.load_json(), file.modified)
    return (Item(number, message) for number, message in enumerate(turns, 1))


def messages(data: Any, time: str | None = None) -> Iterator[dict[str, Any]]:
    """Yield the messages of a file, one after the other, as ``Memory.add`` takes them.

    ``time`` is that of what Claude remembers, unless it has one.
    """
    for document in objects(data) if isinstance(data, list) else [fields(data)]:
        if "chat_messages" in document:
            yield from _conversation(document)
        elif "conversations_memory" in document:
            own_time = moment(document.get("updated_at")) or moment(document.get("created_at"))
            yield from _memories(document, own_time or time)
        elif "docs" in document:
            yield from _project(document)


def _conversation(conversation: Fields) -> Iterator[dict[str, Any]]:
    name = text(conversation.get("uuid"))
    title = text(conversation.get("name"))
    for position, message in enumerate(objects(conversation.get("chat_messages"))):
        role, body, files = _ROLES.get(text(message.get("sender"))), _text(message), list(_files(message))
        time = moment(message.get("created_at")) or moment(conversation.get("created_at"))
        message_id = f"{NAME}:{name}:{text(message.get('uuid')) or position}"
        if role is not None and (body or files):
            yield nonempty(
                role=role,
                text=body,
                caption=f"attached: {', '.join(files)}" if files else None,
                attachments=files,
                at=time,
                session=f"{NAME}:{name}" if name else None,
                message_id=message_id,
                agent=NAME,
                metadata={"title": title} if title else None,
            )
        for number, attached in enumerate(objects(message.get("attachments"))):
            file = text(attached.get("file_name")) or "pasted text"
            yield from sections(text(attached.get("extracted_content")), file, f"{message_id}:{number}", time)


def _memories(document: Fields, time: str | None) -> Iterator[dict[str, Any]]:
    """Yield what Claude remembers of the user, and of each project, by paragraph, as said by Claude."""
    memories = [("", document.get("conversations_memory")), *fields(document.get("project_memories")).items()]
    memories += [(text(file.get("path")), file) for file in objects(document.get("memory_files"))]
    for project, memory in memories:
        # A text, or a file with its own time.
        record = fields(memory)
        file_time = moment(record.get("updated_at")) or moment(record.get("created_at")) or time
        heading = ""
        for section in split_markdown(text(record.get("content")) if record else text(memory)):
            if (bold := _HEADING.fullmatch(section.text)) is not None:
                heading = bold[1]
                continue
            heading = section.headings[-1] if section.headings else heading
            body = f"{heading}: {section.text}" if heading else section.text
            yield nonempty(
                role="assistant",
                speaker=NAME,
                text=body,
                at=file_time,
                session=f"{NAME}:memories",
                message_id=f"{NAME}:memory:{digest(project, body)}",
                agent=NAME,
                metadata={"project": project} if project else None,
            )


def _project(project: Fields) -> Iterator[dict[str, Any]]:
    """Yield a project's description and instructions, and its documents."""
    name, time = text(project.get("name")) or "project", moment(project.get("created_at"))
    id_prefix = f"{NAME}:{text(project.get('uuid'))}"
    for field in ("description", "prompt_template"):
        yield from sections(
            text(project.get(field)),
            name,
            f"{id_prefix}:{field}",
            time,
            field.replace("prompt_template", "instructions"),
        )
    for number, document in enumerate(objects(project.get("docs"))):
        title = text(document.get("filename")) or name
        document_id = text(document.get("uuid")) or str(number)
        yield from sections(
            text(document.get("content")),
            title,
            f"{id_prefix}:{document_id}",
            moment(document.get("created_at")) or time,
        )


def _text(message: Fields) -> str:
    """Return the text parts of the content, without thoughts and uses of tools; else the message's own text."""
    texts = [text(block.get("text")) for block in objects(message.get("content")) if block.get("type") == "text"]
    return "\n\n".join(filter(None, texts)) or text(message.get("text"))


def _files(message: Fields) -> Iterator[str]:
    for attachment in (*objects(message.get("attachments")), *objects(message.get("files"))):
        if name := text(attachment.get("file_name")):
            yield name
