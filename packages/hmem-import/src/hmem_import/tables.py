"""Tables of messages: CSV and TSV, by columns that are named or recognised; iMazing's among them."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hmem.errors import InvalidFile
from hmem.util.amounts import amount
from hmem_import.dates import learned
from hmem_import.opening import ImportFile
from hmem_import.reading import digest, moment, nonempty
from hmem_import.tree import ImportTree, Item

NAME: Final = "table"
ENDS: Final = (".csv", ".tsv")
# Names of columns, in the order in which they are looked for.
_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "text": ("text", "message", "content", "body", "message text", "message body", "msg", "contents", "value"),
    "at": (
        "at",
        "timestamp",
        "datetime",
        "date/time",
        "message date",
        "sent at",
        "created at",
        "sent",
        "date",
        "time",
        "when",
    ),
    "speaker": (
        "speaker",
        "sender name",
        "sender",
        "author",
        "from",
        "user name",
        "username",
        "name",
        "user",
        "sender id",
        "who",
    ),
    "session": ("session", "chat session", "conversation", "conversation id", "thread", "chat", "channel", "room"),
    "role": ("role",),
    "message_id": ("id", "message id", "guid", "uuid"),
    "attachments": ("attachment", "attachments", "file"),
    # iMazing's: what the owner of the phone sent has no sender.
    "direction": ("type", "direction"),
}
FIELDS: Final = tuple(_NAMES)
_SENT: Final = ("outgoing", "sent")
_ROLES: Final = ("user", "assistant", "system", "tool")


def looks_like(title: str, head: bytes) -> bool:
    """Tell if a file is a table, by its name."""
    return title.lower().removesuffix(".gz").endswith(ENDS) and bool(head.strip())


def read(tree: ImportTree) -> Iterator[Item]:
    """Yield the rows of tables as messages."""
    return tree.items(
        lambda _, file: _of_file(file, tree),
        None if tree.is_single else lambda name: name.lower().endswith(ENDS),
    )


def _of_file(file: ImportFile, tree: ImportTree) -> Iterator[Item]:
    content = file.text()
    first = content.partition("\n")[0]
    delimiter = max("\t;,|", key=first.count)
    header, *rows = list(csv.reader(io.StringIO(content), delimiter=delimiter)) or [[]]
    columns = _columns(header, tree.columns, file)
    dates = [_cell(row, columns.get("at")) for row in rows]
    if "clock" in columns:
        dates = [f"{date} {_cell(row, columns['clock'])}".strip() for date, row in zip(dates, rows, strict=True)]
    times = [
        time or _of_seconds(date)
        for date, time in zip(dates, learned(dates, tree.date_order, tree.remarks), strict=True)
    ]
    undated = 0
    title = file.title.rpartition(".")[0]
    occurrences: Counter[tuple[str, ...]] = Counter()
    for number, (row, date, time) in enumerate(zip(rows, dates, times, strict=True), 2):
        values = {name: _cell(row, index) for name, index in columns.items()}
        if not values["text"] and not values.get("attachments"):
            continue
        if date and time is None:
            yield Item(
                number, error=f"{date!r} is no date that can be read - write it as 2026-01-31 09:15, or empty it"
            )
            continue
        undated += time is None
        session = f"{NAME}:{values.get('session') or title}"
        key = (session, *row)
        occurrences[key] += 1
        yield Item(number, _message(values, time, session, digest(*key, str(occurrences[key]))))
    if undated:
        rows_text = amount(undated, "row has no date and counts", "rows have no date and count")
        tree.remarks.append(f"{file.title}: {rows_text} as said now - --columns at=NAME names the column")


def _message(values: Mapping[str, str], time: str | None, session: str, mark: str) -> dict[str, Any]:
    sent = values.get("direction", "").lower() in _SENT
    role = values.get("role", "").lower()
    files = [file for file in (values.get("attachments", "").strip(),) if file]
    return nonempty(
        text=values["text"],
        caption=f"attached: {', '.join(files)}" if files else None,
        attachments=files,
        speaker=values.get("speaker") or ("Me" if sent else None),
        role="user" if sent else role if role in _ROLES else None,
        at=time,
        session=session,
        message_id=f"{NAME}:{values.get('message_id') or mark}",
    )


def _of_seconds(text: str) -> str | None:
    """Return the time of seconds or milliseconds since 1970; None of another text."""
    if not re.fullmatch(r"\d{10,13}(\.\d+)?", text):
        return None
    return moment(float(text) if float(text) < 100_000_000_000 else float(text) / 1_000)


def _cell(row: list[str], index: int | None) -> str:
    return row[index].strip() if index is not None and index < len(row) else ""


def _columns(header: list[str], named: Mapping[str, str], file: ImportFile) -> dict[str, int]:
    """Return the columns of fields.

    Raises:
        InvalidFile: a named column is not there, or none holds the text.
    """
    places = {name.strip("\ufeff ").replace("_", " ").lower(): index for index, name in reversed([*enumerate(header)])}
    seen = ", ".join(name.strip() for name in header[:12])
    columns: dict[str, int] = {}
    for field, names in _NAMES.items():
        wanted = named.get(field)
        if wanted is not None and wanted.replace("_", " ").lower() not in places:
            raise InvalidFile(f"{file.name} has no column {wanted!r}; it has {seen} - name one of them")
        known = [wanted.replace("_", " ").lower()] if wanted is not None else [name for name in names if name in places]
        if known:
            columns[field] = places[known[0]]
    if "text" not in columns:
        raise InvalidFile(
            f"{file.name} has the columns {seen}, and none of them is known to hold what was said - name it: --columns "
            "text=NAME,speaker=NAME,at=NAME"
        )
    if columns.get("at") == places.get("date") and "time" in places and "at" not in named:
        columns["clock"] = places["time"]
    return columns
