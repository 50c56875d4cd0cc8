"""Gemini: sessions of the Gemini CLI, and the activity in Google Takeout, as JSON or as a page."""

import re
from collections.abc import Iterator
from typing import Any, Final

from hmem_import.dates import learned
from hmem_import.mail import words
from hmem_import.opening import ImportFile
from hmem_import.reading import Fields, digest, fields, items, moment, nonempty, objects, text
from hmem_import.transcripts import is_gemini, transcript_message
from hmem_import.tree import ImportTree, Item, json_lines

TAKEOUT: Final = "gemini"
_PAGE: Final = b"content-cell"
_PRODUCT: Final = "Gemini"
_PROMPTED: Final = re.compile(r"(?:Prompted|Asked|Said|Eingegebener Prompt:|送信したメッセージ:|Vous avez dit :)\s+")
_ENTRY: Final = re.compile(r'<div class="outer-cell.*?(?=<div class="outer-cell|\Z)', re.DOTALL)
_CELL: Final = re.compile(r'<div class="content-cell[^"]*body-1">(.*?)</div>', re.DOTALL)
_TITLE: Final = re.compile(r'<p class="mdl-typography--title">(.*?)</p>', re.DOTALL)


# The CLI.


def is_session(data: Any) -> bool:
    """Tell if data is a session of the CLI, or its first line; or the prompts in its ``logs.json``."""
    first = next(objects(data), fields(data))
    is_log = {"sessionId", "messageId", "message", "timestamp"} <= first.keys()
    return is_gemini(first) or is_log


def read_sessions(tree: ImportTree) -> Iterator[Item]:
    """Yield what was said in sessions, which are one JSON value or a record a line, without tools and thoughts."""

    def of_file(_: str, file: ImportFile) -> Iterator[Item]:
        if file.title.lower().removesuffix(".gz").endswith(".jsonl"):
            records = [fields(item.message) for item in json_lines(file)]
            data: Any = {**next(iter(records), fields(None)), "messages": _latest(records[1:])}
        else:
            data = file.load_json()
        entries = [*objects(data)] or [*objects(fields(data).get("messages"))]
        turns = (_message(entry, text(fields(data).get("sessionId"))) for entry in entries)
        return (Item(number, turn) for number, turn in enumerate(turns, 1) if turn is not None)

    return tree.items(of_file, None if tree.is_single else lambda name: name.lower().endswith((".json", ".jsonl")))


def _latest(records: list[Fields]) -> list[Fields]:
    """Return the records of a session as they were last; what was rewound is left out."""
    latest: dict[str, Fields] = {}
    for record in records:
        if back := text(record.get("$rewindTo")):
            names = [*latest]
            latest = {name: latest[name] for name in names[: names.index(back) if back in names else len(names)]}
        elif name := text(record.get("id")):
            latest[name] = record
    return [*latest.values()]


def _message(entry: Fields, session: str) -> dict[str, Any] | None:
    """Return a record under the id under which the hooks capture it; of ``logs.json``, under a number."""
    session = session or text(entry.get("sessionId"))
    if "messageId" in entry:
        mark = f"{session}:{entry['messageId']}"
        entry = {**entry, "id": mark, "content": entry.get("message")}
    message = transcript_message(entry)
    return None if message is None or message["content"].startswith("/") else {**message, "session": session}


# Takeout.


def is_activity(data: Any) -> bool:
    """Tell if data is the activity of Gemini."""
    first = next(objects(data), fields(None))
    return {"header", "title", "time"} <= first.keys() and _PRODUCT in f"{first['header']} {first.get('products')}"


def is_page(head: bytes) -> bool:
    """Tell if a page is the activity of Gemini, by its beginning."""
    return _PAGE in head and f"{_PRODUCT} Apps".encode() in head


def read_activity(tree: ImportTree) -> Iterator[Item]:
    """Yield prompts and answers, the oldest first, in sessions of a day: Takeout knows no conversations."""

    def of_file(_: str, file: ImportFile) -> Iterator[Item]:
        is_json = file.head().lstrip().startswith((b"[", b"{"))
        entries = _of_data(file.load_json()) if is_json else _of_page(file.text())
        turns = (turn for entry in reversed([*entries]) for turn in _turns(*entry))
        return (Item(number, turn) for number, turn in enumerate(turns, 1))

    return tree.items(of_file, None if tree.is_single else lambda name: name.lower().endswith((".json", ".html")))


Activity = tuple[str, str, str | None, list[str]]


def _of_data(data: Any) -> Iterator[Activity]:
    for entry in objects(data):
        answer = "\n".join(words(text(part.get("html"))) for part in objects(entry.get("safeHtmlItem")))
        files = [file for file in items(entry.get("attachedFiles")) if isinstance(file, str)]
        yield text(entry.get("title")), answer, moment(entry.get("time")), files


def _of_page(content: str) -> Iterator[Activity]:
    entries: list[tuple[str, str, str]] = []
    for block in _ENTRY.findall(content):
        title, cell = _TITLE.search(block), _CELL.search(block)
        if title is None or cell is None or _PRODUCT not in title[1]:
            continue
        # The prompt, the time on a line of its own, and the answer.
        lines = words(cell[1]).split("\n")
        place = next((number for number, time in enumerate(learned(lines)) if number and time), 0)
        entries.append(("\n".join(lines[:place]), "\n".join(lines[place + 1 :]), lines[place]))
    for (prompt, answer, _), time in zip(entries, learned([entry[2] for entry in entries]), strict=True):
        yield prompt, answer, time, []


def _turns(prompt: str, answer: str, time: str | None, files: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a prompt and its answer; other activity, such as feedback, has neither."""
    said = _PROMPTED.sub("", prompt, count=1)
    if said == prompt and not answer:
        return
    mark = digest(time or "", prompt)
    day = (time or "")[:10]
    for role, body in (("user", said), ("assistant", answer)):
        if body.strip():
            yield nonempty(
                text=body.strip(), role=role, at=time, session=f"{TAKEOUT}:{day}",
                message_id=f"{TAKEOUT}:{mark}:{role}", agent=TAKEOUT, attachments=files if role == "user" else [],
            )  # fmt: skip
