"""iMessage: ``chat.db`` of a Mac, and the texts that imessage-exporter writes."""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from hmem.errors import InvalidFile
from hmem_import.dates import learned
from hmem_import.opening import ImportFile
from hmem_import.reading import digest, moment, nonempty
from hmem_import.tree import ImportTree, Item

NAME: Final = "imessage"
SQLITE: Final = b"SQLite format 3\x00"
_TITLES: Final = ("chat.db", "sms.db")
_QUERY: Final = """
    SELECT m.ROWID, m.guid, m.text, m.attributedBody, m.date, m.is_from_me, h.id,
           coalesce(nullif(c.display_name, ''), c.chat_identifier),
           (SELECT group_concat(coalesce(a.transfer_name, a.filename), char(10)) FROM attachment a
            JOIN message_attachment_join k ON k.attachment_id = a.ROWID WHERE k.message_id = m.ROWID)
    FROM message m LEFT JOIN handle h ON h.ROWID = m.handle_id
    LEFT JOIN chat_message_join j ON j.message_id = m.ROWID LEFT JOIN chat c ON c.ROWID = j.chat_id
    WHERE coalesce(m.associated_message_type, 0) = 0 AND coalesce(m.item_type, 0) = 0
    GROUP BY m.ROWID ORDER BY m.date, m.ROWID
"""
# Apple counts from 2001, in nanoseconds since macOS 10.13.
_EPOCH: Final = 978_307_200
_NANOSECONDS: Final = 1_000_000_000
_ME: Final = "Me"
_TAPBACKS: Final = "Tapbacks:"
_OBJECT: Final = "\ufffc"
_HEAD: Final = re.compile(
    r"(?P<time>[A-Z][a-z]{2} \d{2}, \d{4} {1,2}\d{1,2}:\d{2}:\d{2}[ \u202f][AP]M)(?: \((?:Read|Delivered)[^\n]*\))?"
)
_FILE: Final = re.compile(
    r"(?:[^\n]*/)?(?P<file>[^\n/]+\.(?:heic|jpe?g|png|gif|mov|mp4|m4a|caf|pdf|pluginpayloadattachment))", re.IGNORECASE
)


def looks_like(title: str, head: bytes) -> bool:
    """Tell if a file is a database of iMessage, or a text of imessage-exporter, by its name and beginning."""
    if head.startswith(SQLITE):
        return title.lower() in _TITLES or b"chat_message_join" in head
    lines = head.decode("utf-8", "ignore").splitlines()
    return len(lines) > 1 and _HEAD.fullmatch(lines[0]) is not None


def read(tree: ImportTree) -> Iterator[Item]:
    """Yield the messages of databases and of texts."""

    def of_file(name: str, file: ImportFile) -> Iterator[Item]:
        if file.head().startswith(SQLITE):
            return _of_database(file)
        return _of_text(file.text(), name.rpartition("/")[2].removesuffix(".txt") or NAME)

    return tree.items(of_file, None if tree.is_single else lambda name: name.lower().endswith((".txt", *_TITLES)))


def _of_database(file: ImportFile) -> Iterator[Item]:
    data = bytearray(file.content())
    # Not in the mode of a log beside it, which is not here.
    data[18:20] = b"\x01\x01"
    try:
        with sqlite3.connect(":memory:") as database:
            database.deserialize(bytes(data))
            rows = database.execute(_QUERY).fetchall()
    except sqlite3.Error as error:
        raise InvalidFile(
            f"{file.name} is a database, but not one of iMessage that can be read ({error}) - copy chat.db with its "
            "-wal file, and run `sqlite3 chat.db 'PRAGMA wal_checkpoint'` on the copy"
        ) from error
    for row_id, guid, text, body, date, from_me, handle, chat, attached in rows:
        files: list[str] = str(attached).split("\n") if attached else []
        words = (text or _attributed(body)).replace(_OBJECT, "").strip()
        seconds = date / _NANOSECONDS if date > _NANOSECONDS * 100 else date
        time = moment(seconds + _EPOCH) if date else None
        if words or files:
            yield Item(row_id, _message(words, files, _ME if from_me else handle, time, str(chat or handle), str(guid)))


def _attributed(body: Any) -> str:
    """Return the text in an archived string: behind its class, with its length in one, two or four bytes."""
    data = body if isinstance(body, bytes) else b""
    start = data.find(b"+", data.find(b"NSString")) + 1
    if b"NSString" not in data or start == 0:
        return ""
    width = {0x81: 2, 0x82: 4}.get(data[start], 0)
    length = int.from_bytes(data[start + 1 : start + 1 + width], "little") if width else data[start]
    start += 1 + width
    return data[start : start + length].decode("utf-8", "replace")


def _of_text(content: str, chat: str) -> Iterator[Item]:
    """Yield the messages of a text: a line with the time, one with the sender, then what was said."""
    blocks: list[tuple[int, str, list[str]]] = []
    for number, line in enumerate(content.splitlines(), 1):
        if (match := _HEAD.fullmatch(line)) is not None:
            blocks.append((number, match["time"], []))
        elif blocks:
            blocks[-1][2].append(line)
    occurrences: Counter[tuple[str, ...]] = Counter()
    for (number, written, (*lines,)), time in zip(blocks, learned([block[1] for block in blocks]), strict=True):
        # Replies stand once more in their own place, and here indented.
        own_lines = lines[1 : lines.index(_TAPBACKS) if _TAPBACKS in lines else None]
        said = [line for line in own_lines if not line.startswith("    ")]
        files = [match["file"] for line in said if (match := _FILE.fullmatch(line.strip())) is not None]
        words = "\n".join(line for line in said if _FILE.fullmatch(line.strip()) is None).strip()
        if not lines or not (words or files):
            continue
        key = (written, lines[0], words, *files)
        occurrences[key] += 1
        mark = digest(chat, *key, str(occurrences[key]))
        yield Item(number, _message(words, files, lines[0].strip(), time, chat, mark))


def _message(words: str, files: list[str], speaker: str, time: str | None, chat: str, mark: str) -> dict[str, Any]:
    return nonempty(
        text=words,
        speaker=speaker,
        role="user" if speaker == _ME else None,
        at=time,
        caption=f"attached: {', '.join(files)}" if files else None,
        attachments=files,
        session=f"{NAME}:{chat}:{time[:10]}" if time else f"{NAME}:{chat}",
        message_id=f"{NAME}:{mark}",
        metadata={"chat": chat},
    )
