"""Notes in Markdown: ``MEMORY.md``, days such as ``2026-03-01.md``, folders; a turn for each paragraph or list item."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final, NamedTuple

from hmem.errors import InvalidFile
from hmem.interfaces.formats.opening import ImportFile, ImportLimits
from hmem.interfaces.formats.reading import digest, given
from hmem.util.files import irregular, size_of

NAME: Final = "markdown"
SUFFIXES: Final = (".md", ".markdown")
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


def files(path: Path, limits: ImportLimits) -> list[Path]:
    """Return the notes of a folder and its subfolders, sorted, without hidden ones. Links are not followed.

    Raises:
        InvalidFile: there are none, more than ``limits.files``, or folders more than ``limits.depth`` deep.
    """
    found: list[Path] = []
    for place, folders, names in os.walk(path):
        folders[:] = [each for each in folders if not each.startswith(".")]
        here = Path(place)
        if folders and len(here.relative_to(path).parts) >= limits.depth:
            raise InvalidFile(f"{path} has folders more than {limits.depth} deep - raise --max-depth")
        notes = (here / name for name in names if not name.startswith("."))
        found += [each for each in notes if each.suffix.lower() in SUFFIXES and irregular(each) is None]
        if len(found) > limits.files:
            raise InvalidFile(f"{path} has more than {limits.files:,} notes - import its folders, or raise --max-files")
    if not found:
        raise InvalidFile(f"{path} is a folder without Markdown notes - check the path, or name a file")
    return sorted(found)


def messages(source: ImportFile) -> Iterator[tuple[int, dict[str, Any] | InvalidFile]]:
    """Yield each piece of a file, or of the files of a folder, with its line, as ``Memory.add`` takes it.

    Its date is that of the nearest heading with one, else of the file's name, else of the file's last change. In the
    place of a file of a folder that cannot be read there is its error.

    Raises:
        InvalidFile: a single file cannot be read, or is not UTF-8; the folder is beyond the limits.
    """
    path = source.path
    if source.is_stdin or irregular(path) != "a folder":
        yield from _pieces_of(source, "notes.md" if source.is_stdin else path.name)
        return
    left = source.limits.bytes
    for place in files(path, source.limits):
        file = ImportFile(place, replace(source.limits, bytes=left))
        try:
            yield from _pieces_of(file, place.relative_to(path).as_posix())
        except InvalidFile as error:
            yield 1, error
        left = max(0, left - size_of([place]))


def _pieces_of(file: ImportFile, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the pieces of a file of a name.

    Raises:
        InvalidFile: it cannot be read, or is not UTF-8.
    """
    with file.opened() as opened:
        data = file.read(opened)
    try:
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidFile(f"{file.name} is not UTF-8 - save it as UTF-8") from error
    seen: Counter[str] = Counter()
    for piece in pieces(content):
        titles = [each for each in piece.headings if _day(each) is None]
        said = f"{titles[-1]}: {piece.text}" if titles else piece.text
        seen[said] += 1
        days = [day for each in (name, *piece.headings) if (day := _day(each)) is not None]
        yield (
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


def _day(name: str) -> str | None:
    """Return the day in a name or a heading, in ISO 8601; None without one."""
    found = _DAY.search(name)
    if found is None:
        return None
    try:
        return date(*map(int, found.groups())).isoformat()
    except ValueError:
        return None
