"""Telegram's export as pages: ``messages.html``, ``messages2.html`` and so on, of one chat."""

import re
from collections.abc import Iterator
from datetime import datetime
from html.parser import HTMLParser
from typing import Any, Final

from hmem_import.reading import given

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
    for each in reader.found:
        # Somebody's further messages have no name.
        sender = each.get("from_name") or sender
        author, said = each.get("author"), each.get("text", "").strip()
        captions = [" ".join(each[part].split()) for part in ("media", "status") if each.get(part, "").strip()]
        if not sender or not (said or captions):
            continue
        at = _when(each.get("date", ""))
        yield given(
            text=said,
            speaker=author or sender,
            at=at,
            caption=": ".join(captions),
            attachments=[each["file"]] if "file" in each else None,
            session=f"{name}:{chat}:{at[:10]}" if at else f"{name}:{chat}",
            message_id=f"{name}:{chat}:{each['id']}",
            metadata=given(chat=chat, forwarded_by=sender if author else None),
        )


def _when(written: str) -> str | None:
    """Return a time such as "01.03.2024 11:00:00 UTC+01:00"; older pages name no zone, and have that of the memory."""
    try:
        zoned = re.search(r"[+-]\d\d:?\d\d$", written) is not None
        at = datetime.strptime(f"{written.replace('UTC', '')}{'' if zoned else ' +0000'}", "%d.%m.%Y %H:%M:%S %z")
        return (at if zoned else at.replace(tzinfo=None)).isoformat()
    except ValueError:
        return None


class _Reader(HTMLParser):
    """Messages of a page, as parts by the class of the element that holds them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.found: list[dict[str, str]] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = {name: value or "" for name, value in attrs}
        kinds = held.get("class", "").split()
        message = self.found[-1] if self.found else {}
        if tag == "br" and self._part() == "text":
            message["text"] = message.get("text", "") + "\n"
        if tag in _EMPTY:
            return
        if "message" in kinds:
            self.found.append({"id": held.get("id", ""), **({"service": "1"} if "service" in kinds else {})})
        elif "date" in kinds and held.get("title") and "forwarded" not in self._open:
            message["date"] = held["title"]
        elif tag == "a" and "media_wrap" in self._open and "href" in held:
            message.setdefault("file", held["href"])
        self._open.append(next((kind for kind in kinds if kind in _PARTS), tag))

    def handle_endtag(self, tag: str) -> None:
        if tag not in _EMPTY and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        part = self._part()
        if part == "header":
            self.title += data
        elif part and self.found and "service" not in self.found[-1]:
            message = self.found[-1]
            message[part] = (message.get(part, "") + (data if part == "text" else f" {data.strip()}")).lstrip()

    def _part(self) -> str:
        """Return the part of a message in which the reader is, or an empty text."""
        within = self._open
        if "page_header" in within and "text" in within:
            return "header"
        if "details" in within or "userpic_wrap" in within or not within:
            return ""
        if "from_name" in within:
            return "author" if "forwarded" in within else "from_name"
        if "media_wrap" in within:
            return "media" if "title" in within else "status" if "description" in within else ""
        return "text" if "text" in within else ""


_PARTS: Final = (
    "page_header", "message", "forwarded", "media_wrap", "from_name", "details", "userpic_wrap", "title", "description",
    "text",
)  # fmt: skip
