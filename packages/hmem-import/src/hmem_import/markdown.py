"""Notes in Markdown: ``MEMORY.md``, days such as ``2026-03-01.md``, folders; a turn for each paragraph or list item."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import Final, NamedTuple

from hmem_import.opening import ImportFile
from hmem_import.reading import digest, given, without
from hmem_import.tree import NOTES, ImportTree, Item

NAME: Final = "markdown"
_SPEAKER: Final = "user"
_DAY: Final = re.compile(r"(?<!\d)(\d{4})[-_.](\d{2})[-_.](\d{2})(?!\d)")
_HEADING: Final = re.compile(r"(#{1,6})(?:\s(.*))?")
_ITEM: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s+(?:\[([ xX/-])\]\s+)?")
_CREATED: Final = re.compile(
    r"(?:created|created_at|date)\s*:\s*[\"']?(\d{4}-\d{2}-\d{2}[^\s\"']*)[\"']?\s*", re.IGNORECASE
)
_FENCE: Final = re.compile(r"\s*(```|~~~)")
_RULE: Final = re.compile(r"\s*(?:[-*_]\s*){3,}$")


class MarkdownSection(NamedTuple):
    """Paragraph or list item, with the headings above it and its first line, from 1.

    ``task`` is "open" or "done" for a list item with a box; ``embedded`` are names of files that stand in it.
    """

    text: str
    headings: tuple[str, ...]
    line: int
    task: str | None = None
    embedded: tuple[str, ...] = ()


def messages(tree: ImportTree) -> Iterator[Item]:
    """Yield each piece of the notes, with its line, as ``Memory.add`` takes it.

    Its date is that of the nearest heading with one, else of the file's name, else of the file's last change. In the
    place of a file of a folder that cannot be read there is its error.

    Raises:
        InvalidFile: a single file cannot be read, or is not UTF-8.
    """
    return tree.items(_pieces_of, None if tree.alone else lambda name: name.lower().endswith(NOTES))


def _pieces_of(name: str, file: ImportFile) -> Iterator[Item]:
    """Yield the pieces of a file of a name.

    Raises:
        InvalidFile: it cannot be read, or is not UTF-8.
    """
    return note(file.text(), name or "notes.md", file.changed)


def note(
    content: str,
    name: str,
    changed: str | None,
    format: str = NAME,
    title: str = "",
    clean: Callable[[MarkdownSection], MarkdownSection | None] = lambda piece: piece,
) -> Iterator[Item]:
    """Yield the pieces of a note, as cleaned; a ``title`` that is no day stands before their headings."""
    seen: Counter[str] = Counter()
    created = _created(content) or changed
    for piece in filter(None, map(clean, pieces(content))):
        titles = [each for each in (title, *piece.headings) if each and day_in(each) is None]
        above = dict.fromkeys((*titles[:1], titles[-1]) if title and titles else titles[-1:])
        said = f"{', '.join(above)}: {piece.text}" if above and piece.text else piece.text
        seen[said] += 1
        days = [day for each in (name, *piece.headings) if (day := day_in(each)) is not None]
        yield Item(
            piece.line,
            given(
                text=said,
                speaker=_SPEAKER,
                at=days[-1] if days else created,
                caption=", ".join(piece.embedded),
                attachments=list(piece.embedded),
                session=f"{format}:{name}",
                message_id=f"{format}:{digest(name, said, str(seen[said]), *piece.embedded)}",
                metadata=given(file=name, heading=" / ".join(piece.headings), task=piece.task),
            ),
        )


def _created(content: str) -> str | None:
    """Return when a note was written, as its front matter tells."""
    lines = content.splitlines()
    found = (_CREATED.fullmatch(line) for line in lines[: _front_matter(lines)])
    written = next((each[1] for each in found if each), "")
    try:
        return datetime.fromisoformat(written).isoformat() if written else None
    except ValueError:
        return day_in(written)


def pieces(content: str) -> Iterator[MarkdownSection]:
    """Yield the paragraphs and list items of a text, in order; lines indented below an item belong to it."""
    headings: list[tuple[int, str]] = []
    held: list[str] = []
    start, fence, task = 1, "", ""

    def done() -> Iterator[MarkdownSection]:
        said = "\n".join(held).strip()
        held.clear()
        if said:
            state = None if not task else "done" if task in "xX-" else "open"
            yield MarkdownSection(said, tuple(title for _, title in headings), start, state)

    for number, line in enumerate(_without_front_matter(without(content, "<!--", "-->", lines=True)), 1):
        mark = _FENCE.match(line)
        if fence:
            held.append(line)
            fence = "" if mark and mark[1] == fence else fence
            continue
        heading = _HEADING.fullmatch(line.rstrip())
        item = _ITEM.match(line)
        if heading or item or not line.strip() or _RULE.match(line):
            # A blank line ends a piece.
            yield from done()
            start, task = number, ""
        if heading:
            level = len(heading[1])
            title = (heading[2] or "").strip().rstrip("#").rstrip()
            headings = [each for each in headings if each[0] < level] + ([(level, title)] if title else [])
        elif item:
            held.append(line[item.end() :])
            task = item[1] or ""
        elif line.strip() and not _RULE.match(line):
            if not held:
                start = number
            fence = mark[1] if mark else ""
            held.append(line.rstrip())
    yield from done()


def _without_front_matter(content: str) -> list[str]:
    """Return the lines, with those of a leading ``---`` block emptied."""
    lines = content.splitlines()
    end = _front_matter(lines)
    return [""] * end + lines[end:]


def _front_matter(lines: Sequence[str]) -> int:
    """Return the number of lines of a leading ``---`` block."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((place + 1 for place, line in enumerate(lines) if place and line.rstrip() in ("---", "...")), 0)


def day_in(name: str) -> str | None:
    """Return the day in a name or a heading, in ISO 8601; None without one."""
    found = _DAY.search(name)
    if found is None:
        return None
    try:
        return date(*map(int, found.groups())).isoformat()
    except ValueError:
        return None
