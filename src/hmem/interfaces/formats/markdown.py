"""Notes in Markdown: ``MEMORY.md``, days such as ``2026-03-01.md``, folders; a turn for each paragraph or list item."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import date
from typing import Final, NamedTuple

from hmem.interfaces.formats.opening import ImportFile
from hmem.interfaces.formats.reading import digest, given
from hmem.interfaces.formats.tree import NOTES, ImportTree, Item

NAME: Final = "markdown"
_SPEAKER: Final = "user"
_DAY: Final = re.compile(r"(?<!\d)(\d{4})[-_.](\d{2})[-_.](\d{2})(?!\d)")
_HEADING: Final = re.compile(r"(#{1,6})(?:\s(.*))?")
_ITEM: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_FENCE: Final = re.compile(r"\s*(```|~~~)")
_RULE: Final = re.compile(r"\s*(?:[-*_]\s*){3,}$")


class MarkdownSection(NamedTuple):
    """Paragraph or list item, with the headings above it and its first line, from 1."""

    text: str
    headings: tuple[str, ...]
    line: int


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
    name = name or "notes.md"
    seen: Counter[str] = Counter()
    for piece in pieces(file.text()):
        titles = [each for each in piece.headings if day_in(each) is None]
        said = f"{titles[-1]}: {piece.text}" if titles else piece.text
        seen[said] += 1
        days = [day for each in (name, *piece.headings) if (day := day_in(each)) is not None]
        yield Item(
            piece.line,
            given(
                text=said,
                speaker=_SPEAKER,
                at=days[-1] if days else file.changed,
                session=f"{NAME}:{name}",
                message_id=f"{NAME}:{digest(name, said, str(seen[said]))}",
                metadata={"file": name} | ({"heading": " / ".join(piece.headings)} if piece.headings else {}),
            ),
        )


def pieces(content: str) -> Iterator[MarkdownSection]:
    """Yield the paragraphs and list items of a text, in order; lines indented below an item belong to it."""
    headings: list[tuple[int, str]] = []
    held: list[str] = []
    start, fence = 1, ""

    def done() -> Iterator[MarkdownSection]:
        said = "\n".join(held).strip()
        held.clear()
        if said:
            yield MarkdownSection(said, tuple(title for _, title in headings), start)

    for number, line in enumerate(_without_front_matter(_without_comments(content)), 1):
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
            start = number
        if heading:
            level = len(heading[1])
            title = (heading[2] or "").strip().rstrip("#").rstrip()
            headings = [each for each in headings if each[0] < level] + ([(level, title)] if title else [])
        elif item:
            held.append(line[item.end() :])
        elif line.strip() and not _RULE.match(line):
            if not held:
                start = number
            fence = mark[1] if mark else ""
            held.append(line.rstrip())
    yield from done()


def _without_comments(content: str) -> str:
    """Return a text without HTML comments; their line breaks stay, so that lines keep their numbers."""
    kept: list[str] = []
    start = 0
    while (opened := content.find("<!--", start)) >= 0 and (closed := content.find("-->", opened + 4)) >= 0:
        kept += [content[start:opened], "\n" * content.count("\n", opened, closed)]
        start = closed + 3
    return "".join([*kept, content[start:]])


def _without_front_matter(content: str) -> list[str]:
    """Return the lines, with those of a leading ``---`` block emptied."""
    lines = content.splitlines()
    if lines and lines[0].rstrip() == "---":
        end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
        if end is not None:
            return [""] * (end + 1) + lines[end + 1 :]
    return lines


def day_in(name: str) -> str | None:
    """Return the day in a name or a heading, in ISO 8601; None without one."""
    found = _DAY.search(name)
    if found is None:
        return None
    try:
        return date(*map(int, found.groups())).isoformat()
    except ValueError:
        return None
