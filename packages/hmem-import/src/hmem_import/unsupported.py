"""Files of formats that are not read: named for what they look like, with what to do."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, cast

from hmem.errors import InvalidFile
from hmem_import.dates import DATE, MARKS, ascii_digits
from hmem_import.reading import fields, items

# Beginnings of files, with what such a file is and how to get what it holds.
_HEADS: Final = (
    (b"SQLite format 3\x00", "a database", "export the program's conversations, and import that"),
    (b"!BDN", "a mailbox of Outlook", "export it as mbox or as .eml files"),
    (b"\xd0\xcf\x11\xe0", "an old document or message of Microsoft Office", "save it as .docx or .eml"),
    (b"{\\rtf", "a text in RTF", "save it as .docx"),
    (b"Rar!", "a RAR archive", "unpack it"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it"),
    (b"BZh", "a bzip2 archive", "unpack it"),
    (b"\xfd7zXZ", "an xz archive", "unpack it"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", "unpack it"),
    (b"PK\x03\x04", "a workbook or a presentation", "save it as PDF"),
    (b"\x89PNG", "a picture", "tell what it shows in a caption"),
    (b"\xff\xd8\xff", "a picture", "tell what it shows in a caption"),
    (b"GIF8", "a picture", "tell what it shows in a caption"),
    (b"OggS", "a recording", "import what was said as text"),
    (b"ID3", "a recording", "import what was said as text"),
    (b"<?xml", "XML", "convert it to JSONL"),
)  # fmt: skip
# Ends of names.
_NAMES: Final = (
    (".backup", "a backup of Signal", "it is encrypted: export the conversation as text, and convert it to JSONL"),
    (".crypt12", "an encrypted backup of WhatsApp", "use Export chat in WhatsApp"),
    (".crypt14", "an encrypted backup of WhatsApp", "use Export chat in WhatsApp"),
    (".crypt15", "an encrypted backup of WhatsApp", "use Export chat in WhatsApp"),
    (".tar", "a tar archive", "unpack it"),
    (".enex", "an export of Evernote", "export it as HTML"),
    (".org", "notes in Org mode", "export them as Markdown"),
)
# Fields of JSON.
_DATA: Final = (
    ({"conversations", "exportDate"}, "an export of Skype"),
    ({"header", "titleUrl", "products"}, "an export of Google's My Activity"),
    ({"header", "products", "time"}, "an export of Google's My Activity"),
    ({"room_name", "exported_by"}, "an export of Element"),
    ({"creator", "created_date"}, "an export of Google Chat"),
    ({"nodes", "edges"}, "a canvas of Obsidian"),
)


def data_error(name: str, data: Any, formats: Iterable[str]) -> InvalidFile:
    """Return the error for JSON of no known format."""
    for keys, description in _DATA:
        if any(keys <= sample.keys() for sample in _samples(data)):
            return InvalidFile(
                f"{name} looks like {description}; not supported - convert it to a turn a line (--format jsonl)"
            )
    names = ", ".join(list(next(_samples(data)))[:6])
    content = f"objects with {names}" if names else f"a JSON {type(data).__name__}"
    return InvalidFile(
        f"{name} holds {content}, no list of messages and no export that hmem knows - convert it to a turn a line, or "
        f"name its format: --format {' | '.join(formats)}"
    )


def _samples(data: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the object, or the first of a list, and the first of each list in it."""
    first = fields(next(iter(items(data)), None)) or fields(data)
    yield first
    for value in first.values():
        yield fields(next(iter(items(value)), None))


# What is in pages that other programs write of whole accounts, and how to get the form that is read.
_PAGES: Final = (
    (b"var jsonData = [{", "ChatGPT's export as a page", "import conversations.json, or the archive"),
    (b"content-cell", "a page of Google's My Activity", "of Gemini it is read; other activity is none that was said"),
    (b"_a6-g", "a page of Facebook or Instagram", "export again, and choose JSON"),
    (b'<div class="message">', "a page of imessage-exporter", "export again with -f txt"),
    (b"chatlog__message-group", "a page of DiscordChatExporter", "export again as JSON"),
)
# Beginnings of lines in a chat or a log: a time, or a date; or a name, with a time at the end.
_LOGGED: Final = re.compile(
    rf"[\[(<]?\s*(?:{DATE}|\d{{1,2}}:\d{{2}}|[A-Z][a-z]{{2}} \d{{1,2}}, \d{{4}})"
    r"|.{1,60}[\s(\[]\d{1,2}:\d{2}(?:\s?[AaPp]\.?[Mm]\.?)?[)\]]?$"
)
_LINES: Final = 2


def unasked_document(name: str, title: str, head: bytes) -> InvalidFile | None:
    """Return the error for a chat that would be kept as a document, since its form is not known; None for none."""
    mend = "keep it as a document all the same with --format document"
    if title.lower().endswith((".html", ".htm")):
        page = next((page for page in _PAGES if page[0] in head), None)
        if page is not None:
            return InvalidFile(f"{name} looks like {page[1]} - {page[2]}; or {mend}")
    if not title.lower().endswith(".txt"):
        return None
    lines = [line for line in head.decode("utf-8", "ignore").splitlines() if line.strip(f"{MARKS} ")][:20]
    logged = [line for line in lines if _LOGGED.match(ascii_digits(line).strip(f"{MARKS} "))]
    if len(logged) < _LINES or len(logged) * 2 < len(lines):
        return None
    return InvalidFile(
        f"{name} looks like a chat or a log of a form that is not known; its lines begin like {logged[0][:60]!r} - "
        f"export it in a form that `hmem import --help` lists, or as CSV; or {mend}"
    )


def content_error(name: str, title: str, head: bytes) -> InvalidFile:
    """Return the error for a file that is neither text nor JSON."""
    entry = next((known_entry for known_entry in _NAMES if title.lower().endswith(known_entry[0])), None)
    entry = entry or next((known_entry for known_entry in _HEADS if head.startswith(known_entry[0])), None)
    if entry is None:
        return InvalidFile(f"{name} is not JSON, and neither a text nor a document - name the file that you mean")
    _, description, mend = cast("tuple[Any, str, str]", entry)
    return InvalidFile(f"{name} looks like {description}; not supported - {mend}")
