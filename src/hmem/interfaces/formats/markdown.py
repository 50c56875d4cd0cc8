"""Notes in Markdown: ``MEMORY.md``, days such as ``2026-03-01.md``, folders; a turn for each paragraph or list item."""

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from hmem.errors import InvalidFile
from hmem.interfaces.formats.reading import digest, given

NAME: Final = "markdown"
SUFFIXES: Final = (".md", ".markdown")
_SPEAKER: Final = "user"
_DAY: Final = re.compile(r"(?<!\d)(\d{4})[-_.](\d{2})[-_.](\d{2})(?!\d)")
_HEADING: Final = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_ITEM: Final = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_FENCE: Final = re.compile(r"\s*(```|~~~)")
_RULE: Final = re.compile(r"\s*(?:[-*_]\s*){3,}$")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)


class MarkdownSection(NamedTuple):
    """Paragraph or list item, with the headings above it and its first line, from 1."""

    text: str
    headings: tuple[str, ...]
    line: int


def files(path: Path) -> list[Path]:
    """Return the notes of a folder and its subfolders, sorted, without hidden ones; or the file itself."""
    if not path.is_dir():
        return [path]
    found = [each for each in path.rglob("*") if each.suffix.lower() in SUFFIXES and each.is_file()]
    return sorted(each for each in found if not any(part.startswith(".") for part in each.relative_to(path).parts))


def messages(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each piece of a file, or of the files of a folder, with its line, as ``Memory.add`` takes it.

    Its date is that of the nearest heading with one, else of the file's name, else of the file's last change.

    Raises:
        InvalidFile: a file cannot be read, or is not UTF-8.
    """
    for file in files(path):
        name = file.relative_to(path).as_posix() if path.is_dir() else file.name
        try:
            content = file.read_text("utf-8-sig")
            changed = datetime.fromtimestamp(int(file.stat().st_mtime), UTC).isoformat()
        except UnicodeDecodeError as error:
            raise InvalidFile(f"{file} is not UTF-8 - save it as UTF-8") from error
        except OSError as error:
            raise InvalidFile(f"{file} cannot be read ({error.strerror}) - check the path and its rights") from error
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
                    at=days[-1] if days else changed,
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

    # Comments keep their line breaks, so that lines keep their numbers.
    shown = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), content)
    for number, line in enumerate(_without_front_matter(shown), 1):
        mark = _FENCE.match(line)
        if fence:
            held.append(line)
            fence = "" if mark and mark[1] == fence else fence
            continue
        heading = _HEADING.match(line)
        item = _ITEM.match(line)
        if heading or item or not line.strip() or _RULE.match(line):
            # A blank line ends a piece.
            yield from done()
            start = number
        if heading:
            level = len(heading[1])
            headings = [each for each in headings if each[0] < level] + ([(level, heading[2])] if heading[2] else [])
        elif item:
            held.append(line[item.end() :])
        elif line.strip() and not _RULE.match(line):
            if not held:
                start = number
            fence = mark[1] if mark else ""
            held.append(line.rstrip())
    yield from done()


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
