"""Documents: PDF, Word, HTML and plain text, by section, each with its page or the headings above it.

What a document says nobody said: its sections have the role ``document``, and are found, but no facts are made of them.
"""

import io
import re
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from hmem.errors import ExtraMissing, InvalidFile
from hmem_import.markdown import split_markdown
from hmem_import.opening import ZIP, ImportFile
from hmem_import.reading import digest, nonempty
from hmem_import.tree import ImportTree, Item

NAME: Final = "document"
ROLE: Final = "document"
_PRINTED: Final = (".pdf", ".docx", ".html", ".htm")
# Characters of a section: paragraphs under the same headings are joined up to so many.
_LONGEST: Final = 1_200


class Section(NamedTuple):
    """Part of a document, with its page, from 1, if it has pages, and the headings above it."""

    text: str
    page: int | None = None
    headings: tuple[str, ...] = ()


def looks_like(title: str, head: bytes) -> bool:
    """Tell if a file is a document, by its name and its beginning."""
    name = title.lower()
    return (
        name.endswith(_PRINTED)
        or (name.endswith(".txt") and head.lstrip()[:1] not in (b"{", b"["))
        or head.startswith(b"%PDF-")
        or (head.startswith(ZIP) and b"word/" in head)
        or head.lstrip()[:14].lower().startswith((b"<!doctype html", b"<html"))
    )


def read(tree: ImportTree) -> Iterator[Item]:
    """Yield the sections of documents; in the place of one that cannot be read there is its error."""
    return tree.items(_of_file, None if tree.is_single else lambda name: name.lower().endswith((*_PRINTED, ".txt")))


def _of_file(name: str, file: ImportFile) -> Iterator[Item]:
    title = name or "document"
    data = file.content()
    suffix = title.lower().rpartition(".")[2]
    if data.startswith(b"%PDF-"):
        contents = _pdf(file, data)
    elif data.startswith(ZIP):
        _check_unpacked(file, data)
        contents = _converted(file, data, "docx")
    elif suffix in ("html", "htm") or data.lstrip()[:1] == b"<":
        contents = _converted(file, data, "html")
    else:
        contents = _sections(file.text())
    number = 0
    for number, message in enumerate(_messages(contents, title, NAME, file.modified), 1):
        yield Item(number, message)
    if number == 0:
        if not data.strip():
            raise InvalidFile(f"{file.name} is empty - name a file with something in it")
        raise InvalidFile(f"{file.name} has no text - if its pages are pictures, recognise their text first")


def sections(
    content: str, title: str, id: str, time: str | None, top_heading: str | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the sections of a document that another format holds, for ``Memory.add``.

    Its message ids begin with ``id``; ``top_heading`` stands above all its headings.
    """
    return _messages(_sections(content, (top_heading,) if top_heading else ()), title, id, time)


def _messages(contents: Iterator[Section], title: str, id: str, time: str | None) -> Iterator[dict[str, Any]]:
    occurrences: Counter[Section] = Counter()
    for section in contents:
        occurrences[section] += 1
        heading = " / ".join(section.headings)
        mark = digest(title, str(section.page), heading, section.text, str(occurrences[section]))
        yield nonempty(
            role=ROLE,
            text=section.text,
            speaker=title,
            at=time,
            session=f"{NAME}:{title}",
            message_id=f"{id}:{mark}",
            metadata=nonempty(document=title, page=section.page, heading=heading),
        )


def _sections(content: str, outer_headings: tuple[str, ...] = ()) -> Iterator[Section]:
    """Yield the paragraphs of a text in Markdown, those under the same headings joined."""
    return _merge(
        Section(section.text, None, (*outer_headings, *section.headings)) for section in split_markdown(content)
    )


def _merge(paragraphs: Iterable[Section]) -> Iterator[Section]:
    merged: Section | None = None
    for paragraph in paragraphs:
        together = (
            merged is not None and merged[1:] == paragraph[1:] and len(merged.text) + len(paragraph.text) < _LONGEST
        )
        if merged is not None and together:
            merged = merged._replace(text=f"{merged.text}\n\n{paragraph.text}")
            continue
        if merged is not None:
            yield merged
        merged = paragraph
    if merged is not None:
        yield merged


# Programs that read documents.

# What parsers of foreign files raise at broken ones, whatever they promise.
_BROKEN: Final = (
    ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError, OverflowError, RecursionError,
    NotImplementedError, EOFError, OSError, struct.error, zlib.error, zipfile.BadZipFile,
)  # fmt: skip


def _pdf(file: ImportFile, data: bytes) -> Iterator[Section]:
    """Yield the paragraphs of a PDF by page.

    Raises:
        ExtraMissing: the extra ``documents`` is not installed.
        InvalidFile: it has a password, is broken, or has more pages than ``limits.files``.
    """
    try:
        from pdfminer.high_level import extract_pages  # noqa: PLC0415 - an extra
        from pdfminer.layout import LTTextContainer  # noqa: PLC0415 - an extra
        from pdfminer.pdfexceptions import PDFException  # noqa: PLC0415 - an extra
        from pdfminer.psexceptions import PSException  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise _missing(file) from error
    try:
        for number, page in enumerate(extract_pages(io.BytesIO(data)), 1):
            if number > file.limits.files:
                raise InvalidFile(f"{file.name} has more than {file.limits.files:,} pages - raise --max-files")
            boxes = (box.get_text() for box in page if isinstance(box, LTTextContainer))
            yield from _merge(Section(text, number) for box in boxes if (text := _paragraph(box)))
    except (PDFException, PSException, *_BROKEN) as error:
        raise InvalidFile(
            f"{file.name} cannot be read ({type(error).__name__}) - if it has a password, save it without"
        ) from error


def _paragraph(box: str) -> str:
    """Return the lines of a paragraph as one, with the words whole that were parted at the ends of lines."""
    return " ".join(re.sub(r"(?<=[^\W\d_])-\n(?=[^\W\d_])", "", box).split())


def _converted(file: ImportFile, data: bytes, kind: str) -> Iterator[Section]:
    """Yield the sections of a Word document or of a page of HTML.

    Raises:
        ExtraMissing: the extra ``documents`` is not installed.
        InvalidFile: it is broken.
    """
    try:
        from markitdown import MarkItDownException, StreamInfo  # noqa: PLC0415 - an extra
        from markitdown.converters import DocxConverter, HtmlConverter  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise _missing(file) from error
    converter = DocxConverter() if kind == "docx" else HtmlConverter()
    try:
        markdown = converter.convert(io.BytesIO(data), StreamInfo(extension=f".{kind}")).markdown
    except (MarkItDownException, *_BROKEN) as error:
        raise InvalidFile(f"{file.name} cannot be read ({type(error).__name__}) - save it anew, or as PDF") from error
    return _sections(markdown)


def _missing(file: ImportFile) -> ExtraMissing:
    return ExtraMissing(f"{file.name} is a document - pip install 'hmem[documents]'")


def _check_unpacked(file: ImportFile, data: bytes) -> None:
    """Refuse a Word document that unpacks to more than the limit.

    Raises:
        InvalidFile: it does, or is no whole archive.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
    except (zipfile.BadZipFile, NotImplementedError) as error:
        raise InvalidFile(f"{file.name} is not a whole document ({error}) - fetch it again") from error
    if size > file.limits.bytes:
        raise file.too_large()
