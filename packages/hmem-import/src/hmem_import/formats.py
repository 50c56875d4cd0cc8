"""Formats of imports, which of them a file, a folder or an archive has, and reading it.

A file may be compressed with gzip; of a folder and a ZIP archive all files are read. The path ``-`` is stdin.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hmem.errors import InvalidFile
from hmem.interfaces import bundle
from hmem_import import (
    chatgpt,
    claude,
    discord,
    documents,
    gemini,
    imessage,
    knowledge_graph,
    letta,
    mail,
    markdown,
    mem0,
    messenger,
    openai_messages,
    slack,
    tables,
    telegram,
    telegram_page,
    transcripts,
    unsupported,
    vaults,
    whatsapp,
    zep,
)
from hmem_import.opening import ImportFile, ImportLimits
from hmem_import.reading import fields
from hmem_import.tree import NOTES, ImportTree, Item, json_lines, open_tree

LINES: Final = (".jsonl", ".ndjson")
Recognise = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its name, what it is, how it is read, and what tells it.

    ``data`` tells it by the JSON that a file holds, ``line`` by the first of many lines of JSON, ``head`` by the name
    and the beginning of a file that is no JSON, ``names`` by the names in a folder or an archive.
    What is not read at once ``streams``; of what ``counts``, each line is an item.
    """

    name: str
    description: str
    read: Callable[[ImportTree], Iterator[Item]]
    data: Recognise | None = None
    line: Recognise | None = None
    head: Callable[[str, bytes], bool] | None = None
    names: Callable[[ImportTree], bool] | None = None
    streams: bool = False
    counts: bool = False


# Readers of formats that have one kind of file.


def _by_data(messages: Callable[[Any], Iterable[Any]]) -> Callable[[ImportTree], Iterator[Item]]:
    def read(tree: ImportTree) -> Iterator[Item]:
        return tree.items(of_file, None if tree.is_single else _is_json)

    def of_file(_: str, file: ImportFile) -> Iterator[Item]:
        return (Item(number, message) for number, message in enumerate(messages(file.load_json()), 1))

    return read


def _by_line(messages: Callable[[Any, ImportFile], Iterable[Any]]) -> Callable[[ImportTree], Iterator[Item]]:
    def read(tree: ImportTree) -> Iterator[Item]:
        return tree.items(of_file, None if tree.is_single else _is_lines)

    def of_file(_: str, file: ImportFile) -> Iterator[Item]:
        for item in json_lines(file):
            if item.error is not None:
                yield item
            else:
                yield from (Item(item.line, message) for message in messages(item.message, file))

    return read


def _by_data_or_line(tree: ImportTree) -> Iterator[Item]:
    if tree.is_single and _first_line(tree.file()) is not None:
        return _by_line(lambda line, _: openai_messages.conversation(line))(tree)
    return _by_data(openai_messages.messages)(tree)


def _first_line(file: ImportFile) -> Any:
    """Return the first of lines of JSON, if it is a conversation."""
    first = next(json_lines(file), Item(1)).message
    return first if openai_messages.is_conversation(first) else None


def _is_json(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith((".json", ".af"))


def _is_lines(name: str) -> bool:
    return name.lower().removesuffix(".gz").endswith(LINES)


# The table. A file has the first format that tells it, so those with particular names stand before general ones.
_FORMATS: Final = (
    Format(
        "jsonl",
        "a turn a line",
        _by_line(lambda line, _: [openai_messages.with_message_id(line)]),
        streams=True,
        counts=True,
    ),
    Format(
        bundle.NAME,
        "what `hmem export` wrote",
        _by_line(lambda line, _: [line]),
        line=bundle.looks_like,
        streams=True,
        counts=True,
    ),
    Format(chatgpt.NAME, "ChatGPT's export", chatgpt.read, data=chatgpt.looks_like, names=chatgpt.claims),
    Format(claude.NAME, "Claude's export", claude.read, data=claude.looks_like, names=claude.claims),
    Format(mem0.NAME, "mem0's memories", _by_data(mem0.messages), data=mem0.looks_like),
    Format(
        knowledge_graph.NAME,
        "the JSONL of MCP's reference memory server",
        _by_line(lambda line, file: knowledge_graph.messages(line, file.modified)),
        line=knowledge_graph.looks_like,
    ),
    Format(letta.NAME, "Letta's agent files", _by_data(letta.messages), data=letta.looks_like),
    Format(zep.NAME, "threads and facts of Zep", _by_data(zep.messages), data=zep.looks_like),
    *(
        Format(name, f"transcripts of {program}", transcripts.read_transcripts, line=looks_like, streams=True)
        for name, program, looks_like in (
            (transcripts.CLAUDE_CODE, "Claude Code", transcripts.is_claude_code),
            (transcripts.CODEX, "Codex CLI", transcripts.is_codex),
            (transcripts.COPILOT, "GitHub Copilot", transcripts.is_copilot),
        )
    ),
    Format(
        transcripts.OPENCLAW,
        "transcripts of OpenClaw",
        transcripts.read_openclaw,
        line=transcripts.is_openclaw,
        streams=True,
    ),
    Format(
        transcripts.GEMINI,
        "sessions of the Gemini CLI",
        gemini.read_sessions,
        data=gemini.is_session,
        line=transcripts.is_gemini,
    ),
    Format(
        gemini.TAKEOUT,
        "Gemini in Google Takeout, as JSON or HTML",
        gemini.read_activity,
        data=gemini.is_activity,
        head=lambda _, head: gemini.is_page(head),
    ),
    Format(
        imessage.NAME,
        "iMessage: chat.db, or texts of imessage-exporter",
        imessage.read,
        head=imessage.looks_like,
    ),
    Format(whatsapp.NAME, "WhatsApp's exported chats", whatsapp.read, head=whatsapp.looks_like, names=whatsapp.claims),
    Format(
        telegram.NAME,
        "Telegram's export, as JSON or HTML",
        telegram.read,
        data=telegram.looks_like,
        head=lambda _, head: telegram_page.looks_like(head),
        names=telegram.claims,
    ),
    Format(
        messenger.NAME,
        "Messenger's and Instagram's exports as JSON",
        messenger.read,
        data=messenger.looks_like,
        names=messenger.claims,
    ),
    Format(slack.NAME, "Slack's export", slack.read, data=slack.looks_like, names=slack.claims),
    Format(discord.NAME, "channels saved by DiscordChatExporter", _by_data(discord.messages), data=discord.looks_like),
    Format(discord.PACKAGE, "Discord's data package", discord.read_package, names=discord.claims),
    Format(tables.NAME, "CSV and TSV by their columns; iMazing's", tables.read, head=tables.looks_like),
    Format(mail.NAME, "mailboxes (mbox) and messages (.eml)", mail.read, head=mail.looks_like, streams=True),
    Format(
        vaults.OBSIDIAN,
        "a vault of Obsidian",
        lambda tree: vaults.read(tree, vaults.OBSIDIAN),
        names=lambda tree: tree.is_marked(".obsidian"),
    ),
    Format(
        vaults.LOGSEQ,
        "a graph of Logseq",
        lambda tree: vaults.read(tree, vaults.LOGSEQ),
        names=lambda tree: tree.is_marked("logseq"),
    ),
    Format(documents.NAME, "documents: PDF, Word, HTML, text", documents.read, head=documents.looks_like),
    Format(
        markdown.NAME,
        "Markdown notes",
        markdown.messages,
        head=lambda name, _: name.lower().endswith(NOTES),
        names=lambda tree: all(name.lower().endswith(NOTES) for name in tree.files),
    ),
    Format(
        openai_messages.NAME,
        "messages of SDKs, conversations of ShareGPT; also one a line",
        _by_data_or_line,
        data=openai_messages.looks_like,
        line=openai_messages.is_conversation,
    ),
)
FORMATS: Final[Mapping[str, Format]] = {entry.name: entry for entry in _FORMATS}


def recognise(tree: ImportTree) -> Format:
    """Return the format of what is imported.

    Raises:
        InvalidFile: it is in none of the formats; what it looks like is named. Or it cannot be read.
    """
    if tree.is_single:
        return _of_file(tree.file())
    tree_format = next(
        (candidate for candidate in _FORMATS if candidate.names is not None and candidate.names(tree)), None
    )
    return tree_format or Format("files", "files of several formats", _read_mixed)


def _read_mixed(tree: ImportTree) -> Iterator[Item]:
    for subtree in tree.subtrees():
        try:
            part_format = recognise(subtree)
            if part_format.name == bundle.NAME:
                yield Item(1, error=f"{subtree.file().name} is an export of hmem - import it by itself")
            else:
                yield from part_format.read(subtree)
        except InvalidFile as error:
            yield Item(1, error=str(error))


def _of_file(file: ImportFile) -> Format:
    """Return the format of one file.

    Raises:
        InvalidFile: as ``recognise``.
    """
    head = file.head()
    if not gemini.is_page(head) and (error := unsupported.unasked_document(file.name, file.title, head)) is not None:
        known = (entry for entry in _FORMATS if entry.head is not None and entry.name != documents.NAME)
        if not any(entry.head is not None and entry.head(file.title, head) for entry in known):
            raise error
    head_format = next(
        (candidate for candidate in _FORMATS if candidate.head is not None and candidate.head(file.title, head)), None
    )
    if head_format is not None:
        return head_format
    start = head.lstrip()
    if _is_lines(file.title) or not start:
        return _of_lines(file)
    if start[:1] not in (b"{", b"["):
        raise unsupported.content_error(file.name, file.title, head)
    return (_of_first_line(file) if start.startswith(b"{") else None) or _of_data(file)


def _of_lines(file: ImportFile) -> Format:
    first = next((item.message for item in json_lines(file) if item.error is None), None)
    return _by_first(first) or FORMATS["jsonl"]


def _by_first(line: Any) -> Format | None:
    return next((candidate for candidate in _FORMATS if candidate.line is not None and candidate.line(line)), None)


def _of_first_line(file: ImportFile) -> Format | None:
    """Return the format of lines of JSON; None for a file that is one JSON value."""
    lines = json_lines(file)
    first = next(lines, Item(1)).message
    if not isinstance(first, Mapping) or _by_data_of(first) is not None:
        return None
    lined = "text" in first or "content" in first or next(lines, None) is not None
    return _by_first(first) or (FORMATS["jsonl"] if lined else None)


def _of_data(file: ImportFile) -> Format:
    data = file.load_json(keep=True)
    if (data_format := _by_data_of(data)) is None:
        raise unsupported.data_error(file.name, data, FORMATS)
    return data_format


def _by_data_of(data: Any) -> Format | None:
    return next((candidate for candidate in _FORMATS if candidate.data is not None and candidate.data(data)), None)


# Import of a path.


@dataclass(frozen=True, slots=True)
class Source:
    """File to import. ``count`` returns the number of items, None if that is not known; it may read the file once.

    ``description`` tells its format in words. ``remarks`` tell, once the items are read, how they were; where
    ``streams``, what it has may be long.
    """

    format: str
    description: str
    items: Iterable[Item]
    count: Callable[[], int | None]
    remarks: list[str]
    streams: bool = False


def read(
    path: Path,
    format: str | None = None,
    limits: ImportLimits | None = None,
    me: str | None = None,
    columns: Mapping[str, str] | None = None,
    date_order: str | None = None,
) -> Source:
    """Return the items of a file, of stdin for ``-``, or of the files of a folder or an archive.

    They are in one of ``FORMATS`` or, for None, in the detected one. ``me`` is the name or address of the user: what is
    said under it has the role of the user. ``columns`` are the names of a table's columns by the field that they hold;
    ``date_order`` is that of dates which can be read both ways.

    Raises:
        InvalidFile: it cannot be read, is not in this format, or is beyond the limits.
    """
    tree = open_tree(path, limits or ImportLimits())
    tree.columns, tree.date_order = columns or {}, date_order
    source_format = recognise(tree) if format is None else FORMATS[format]
    names = source_format.name, source_format.description
    is_streaming = source_format.streams or not tree.is_single
    if tree.is_single:
        tree.file().last = True
    items = source_format.read(tree)
    if me is not None:
        items = (_of_user(item, me) for item in items)
    if not is_streaming:
        loaded_items = list(items)
        return Source(*names, loaded_items, lambda: len(loaded_items), tree.remarks)
    is_countable = tree.is_single and source_format.counts and not tree.file().is_stdin
    count = lambda: _lines_of(tree.file()) if is_countable else None  # noqa: E731
    return Source(*names, items, count, tree.remarks, source_format.streams)


def _lines_of(file: ImportFile) -> int:
    return sum(1 for _ in json_lines(file))


def _of_user(item: Item, me: str) -> Item:
    """Return an item with the role of the user, if the user said it."""
    message = fields(item.message)
    names = (message.get("speaker"), fields(message.get("metadata")).get("from"))
    if message.get("role") is not None or me.casefold() not in (str(name).casefold() for name in names if name):
        return item
    return item._replace(message={**message, "role": "user"})
