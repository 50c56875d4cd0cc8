"""Mailboxes (mbox) and messages (``.eml``): threads are sessions, and of a reply only its own words are kept."""

import re
from collections.abc import Iterator, Sequence
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import getaddresses, parsedate_to_datetime
from html.parser import HTMLParser
from typing import Any, Final

from hmem_import.opening import ImportFile
from hmem_import.reading import digest, nonempty
from hmem_import.tree import MAILBOXES, ImportTree, Item

NAME: Final = "mail"
_HEADS: Final = re.compile(rb"(?:[\w-]+:[^\n]*\r?\n(?:[ \t][^\n]*\r?\n)*){2,}", re.IGNORECASE)
_ID: Final = re.compile(r"<[^<>\s]+>")
_QUOTE_LINE: Final = re.compile(r"\s*>")
# "-----Original Message-----", "________": what follows under it, with heads, is the message that is answered.
_DASHES: Final = "---"
_RULE: Final = "_" * 8
_HEAD: Final = re.compile(r"\s*\*?[^\W\d_][\w -]{0,20}\*?\s?:\*?\s+\S")
_SIGNED: Final = ("--", "-- ")
_TO: Final = 20
# What the parser raises at messages that keep no rule.
_BROKEN: Final = (ValueError, LookupError, TypeError, AttributeError, AssertionError, OverflowError, RecursionError)


def looks_like(title: str, head: bytes) -> bool:
    """Tell if a file is a mailbox or a message, by its name and its beginning."""
    if title.lower().removesuffix(".gz").endswith(".eml"):
        return True
    line = head.partition(b"\n")[0]
    return line.startswith(b"From ") and _HEADS.match(head[len(line) + 1 :]) is not None


def read(tree: ImportTree) -> Iterator[Item]:
    """Yield the messages of mailboxes; in the place of one that cannot be read there is its error."""
    threads: dict[str, str] = {}

    def of_file(name: str, file: ImportFile) -> Iterator[Item]:
        for line, data in _messages(file):
            if data is None:
                yield Item(line, error=f"the message is longer than {file.limits.line:,} bytes - raise --max-line")
                continue
            try:
                message = _message(message_from_bytes(data, policy=policy.default), threads)
            except _BROKEN as error:
                yield Item(line, error=f"a message of {name or file.name} cannot be read ({type(error).__name__})")
                continue
            if message is not None:
                yield Item(line, message)

    return tree.items(
        of_file, None if tree.is_single else lambda name: name.lower().removesuffix(".gz").endswith(MAILBOXES)
    )


def _messages(file: ImportFile) -> Iterator[tuple[int, bytes | None]]:
    """Yield the messages of a mailbox with their first lines; None for one that is longer than ``limits.line``."""
    message_lines: list[bytes] = []
    start, size, blank = 1, 0, True
    for number, line in file.lines():
        if line is not None and blank and line.startswith(b"From "):
            if message_lines or size:
                yield start, b"".join(message_lines) if size <= file.limits.line else None
            message_lines, start, size, blank = [], number, 0, False
            continue
        size += file.limits.line + 1 if line is None else len(line)
        if size <= file.limits.line and line is not None:
            message_lines.append(line[1:] if re.match(rb">+From ", line) else line)
        blank = line is not None and not line.strip()
    if message_lines or size:
        yield start, b"".join(message_lines) if size <= file.limits.line else None


def _message(message: EmailMessage, threads: dict[str, str]) -> dict[str, Any] | None:
    subject = _head(message, "Subject")
    before = _ID.findall(f"{_head(message, 'References')} {_head(message, 'In-Reply-To')}")
    body = _body(message, quotes=not before)
    content = own_words(body, reply=bool(before)).strip()
    names = [name for section in message.walk() if (name := section.get_filename())]
    if not content and not names:
        return None
    ids = _ID.findall(_head(message, "Message-ID"))
    message_id = ids[0] if ids else f"<{digest(_head(message, 'Date'), _head(message, 'From'), subject, content)}>"
    root = _head(message, "X-GM-THRID") or next(
        (threads[reference] for reference in before if reference in threads), None
    )
    root = root or (before[0] if before else message_id)
    threads[message_id] = root
    if subject and not before:
        content = f"{subject}\n\n{content}".strip()
    (name, address), *_ = [*_people(message, "From"), ("", "")]
    return nonempty(
        text=content,
        speaker=name or address or NAME,
        at=_date(message),
        caption=f"attached: {', '.join(names)}" if names else None,
        attachments=names,
        session=f"{NAME}:{root.strip('<>')}",
        message_id=f"{NAME}:{message_id.strip('<>')}",
        metadata=nonempty(
            subject=subject, **{"from": address}, to=[recipient for _, recipient in _people(message, "To", "Cc")][:_TO]
        ),
    )


def _head(message: EmailMessage, name: str) -> str:
    return " ".join(str(message[name] or "").split())


def _people(message: EmailMessage, *names: str) -> list[tuple[str, str]]:
    return [person for person in getaddresses([_head(message, name) for name in names]) if person[1]]


def _date(message: EmailMessage) -> str | None:
    try:
        return parsedate_to_datetime(_head(message, "Date")).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _body(message: EmailMessage, *, quotes: bool) -> str:
    text_part = message.get_body(("plain", "html"))
    payload = text_part.get_payload(decode=True) if text_part is not None else None
    if text_part is None or not isinstance(payload, bytes):
        return ""
    try:
        decoded = payload.decode(text_part.get_content_charset() or "utf-8", "replace")
    except LookupError:
        decoded = payload.decode("utf-8", "replace")
    return words(decoded, quotes=quotes) if text_part.get_content_type() == "text/html" else decoded


def own_words(content: str, *, reply: bool) -> str:
    """Return a message without its signature and, of a reply, without the messages that it quotes.

    A message that somebody forwards is a quotation: the one who forwards it did not say it.
    """
    lines = content.replace("\r\n", "\n").split("\n")
    signed = next((number for number, line in enumerate(lines) if line in _SIGNED), len(lines))
    quote_start = next((number for number in range(len(lines)) if _begins_message(lines, number)), len(lines))
    own_lines = lines[: min(signed, quote_start)]
    if not reply:
        forwarded = [f"> {line}" for line in lines[quote_start + 1 :] if line.strip()] if quote_start < signed else []
        return "\n".join([*own_lines, *forwarded])
    clean_lines: list[str] = []
    for line in own_lines:
        if not _QUOTE_LINE.match(line):
            clean_lines.append(line)
        else:
            _drop_attribution(clean_lines)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(clean_lines))


def _begins_message(lines: Sequence[str], number: int) -> bool:
    """Tell if a line parts a message from another one, whose heads are below it."""
    line = lines[number].strip()
    dashed = line.startswith(_DASHES) and line.endswith(_DASHES)
    if not (dashed or (line.startswith(_RULE) and not line.strip("_"))):
        return False
    return sum(_HEAD.match(line) is not None for line in lines[number + 1 : number + 6]) > 1


def _drop_attribution(lines: list[str]) -> None:
    """Drop the last lines if they tell who wrote what is quoted next: "On Friday, Ana <ana@example.com> wrote:"."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    start = end
    while start and lines[start - 1].strip() and end - start < 3:
        start -= 1
    attribution = " ".join(lines[start:end])
    if attribution.rstrip().endswith(":") and re.search(r"[\d@]", attribution):
        del lines[start:]


# Words of HTML, without a library.

_UNSEEN: Final = ("script", "style", "head", "title", "template")
_BREAKS: Final = ("p", "br", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "table")
_QUOTES: Final = "blockquote"


class _Words(HTMLParser):
    def __init__(self, *, quotes: bool) -> None:
        super().__init__(convert_charrefs=True)
        self._left_out = (*_UNSEEN, *(() if quotes else (_QUOTES,)))
        self._within = 0
        self.parts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - as it is called
        self._within += tag in self._left_out
        if tag in _BREAKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._left_out:
            self._within = max(0, self._within - 1)
        if tag in _BREAKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._within:
            self.parts.append(re.sub(r"\s+", " ", data))


def words(page: str, *, quotes: bool = True) -> str:
    """Return the words of a page, a line for each paragraph; without its quotations unless ``quotes``."""
    parser = _Words(quotes=quotes)
    parser.feed(page)
    parser.close()
    lines = (" ".join(line.split()) for line in "".join(parser.parts).split("\n"))
    return "\n".join(filter(None, lines))
