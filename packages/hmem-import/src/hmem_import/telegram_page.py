"""Telegram's export as pages: ``messages.html``, ``messages2.html`` and so on, of one chat."""

import re
from collections.abc import Iterator
from datetime import datetime
from html.parser import HTMLParser
from typing import Any, Final

from hmem_import.reading import nonempty

NAMES: Final = re.compile(r"messages\d*\.html")
_EMPTY: Final = ("br", "img", "meta", "link", "input", "hr", "video", "source")


def looks_like(head: bytes) -> bool:
    """Tell if a page is one of an export, by its beginning."""
    return b"page_wrap" in head and b"<title>Exported Data</title>" in head


def messages(page: str, name: str) -> Iterator[dict[str, Any]]:
    """Yield what was said on a page, as ``Memory.add`` takes it; a system's messages are left out.

    ``name`` is the format's, with which sessions and ids begin.
    """
    reader = _Reader()
    reader.feed(page)
    reader.close()
    chat, sender = " ".join(reader.title.split()), ""
    for message in reader.messages:
        # Somebody's further messages have no name.
        sender = message.get("from_name") or sender
        author, body = message.get("author"), message.get("text", "").strip()
        captions = [" ".join(message[field].split()) for field in ("media", "status") if message.get(field, "").strip()]
        if not sender or not (body or captions):
            continue
        time = _parse_time(message.get("date", ""))
        yield nonempty(
            text=body,
            speaker=author or sender,
            at=time,
            caption=": ".join(captions),
            attachments=[message["file"]] if "file" in message else None,
            session=f"{name}:{chat}:{time[:10]}" if time else f"{name}:{chat}",
            message_id=f"{name}:{chat}:{message['id']}",
            metadata=nonempty(chat=chat, forwarded_by=sender if author else None),
        )


def _parse_time(timestamp: str) -> str | None:
    """Return a time such as "01.03.2024 11:00:00 UTC+01:00"; older pages name no zone, and have that of the memory."""
    try:
        zoned = re.search(r"[+-]\d\d:?\d\d$", timestamp) is not None
        time = datetime.strptime(f"{timestamp.replace('UTC', '')}{'' if zoned else ' +0000'}", "%d.%m.%Y %H:%M:%S %z")
        return (time if zoned else time.replace(tzinfo=None)).isoformat()
    except ValueError:
        return None


class _Reader(HTMLParser):
    """Messages of a page, as parts by the class of the element that holds them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.messages: list[dict[str, str]] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        kinds = attributes.get("class", "").split()
        message = self.messages[-1] if self.messages else {}
        if tag == "br" and self._current_field() == "text":
            message["text"] = message.get("text", "") + "\n"
        if tag in _EMPTY:
            return
        if "message" in kinds:
            self.messages.append({"id": attributes.get("id", ""), **({"service": "1"} if "service" in kinds else {})})
        elif "date" in kinds and attributes.get("title") and "forwarded" not in self._open:
            message["date"] = attributes["title"]
        elif tag == "a" and "media_wrap" in self._open and "href" in attributes:
            message.setdefault("file", attributes["href"])
        self._open.append(next((kind for kind in kinds if kind in _CLASSES), tag))

    def handle_endtag(self, tag: str) -> None:
        if tag not in _EMPTY and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        field = self._current_field()
        if field == "header":
            self.title += data
        elif field and self.messages and "service" not in self.messages[-1]:
            message = self.messages[-1]
            message[field] = (message.get(field, "") + (data if field == "text" else f" {data.strip()}")).lstrip()

    def _current_field(self) -> str:
        """Return the part of a message in which the reader is, or an empty text."""
        open_classes = self._open
        if "page_header" in open_classes and "text" in open_classes:
            return "header"
        if "details" in open_classes or "userpic_wrap" in open_classes or not open_classes:
            return ""
        if "from_name" in open_classes:
            return "author" if "forwarded" in open_classes else "from_name"
        if "media_wrap" in open_classes:
            return "media" if "title" in open_classes else "status" if "description" in open_classes else ""
        return "text" if "text" in open_classes else ""


_CLASSES: Final = (
    "page_header", "message", "forwarded", "media_wrap", "from_name", "details", "userpic_wrap", "title", "description",
    "text",
)  # fmt: skip
