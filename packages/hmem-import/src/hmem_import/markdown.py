"""Notes in Markdown: ``MEMORY.md``, days such as ``2026-03-01.md``, folders; a turn for each paragraph or list item."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from typing import Final, NamedTuple

from hmem_import.opening import ImportFile
from hmem_import.reading import cut_between, digest, nonempty
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
    """Yield each section of the notes, with its line, as ``Memory.add`` takes it.

    Its date is that of the nearest heading with one, else of the file's name, else of the file's last change. In the
    place of a file of a folder that cannot be read there is its error.

    Raises:
        InvalidFile: a single file cannot be read, or is not UTF-8.
    """
    return tree.items(_of_file, None if tree.is_single else lambda name: name.lower().endswith(NOTES))


def _of_file(name: str, file: ImportFile) -> Iterator[Item]:
    """Yield the sections of a file.

    Raises:
        InvalidFile: it cannot be read, or is not UTF-8.
    """
    return note(file.text(), name or "notes.md", file.modified)


def note(
    content: str,
    name: str,
    modified: str | None,
    format: str = NAME,
    title: str = "",
    clean: Callable[[MarkdownSection], MarkdownSection | None] = lambda section: section,
) -> Iterator[Item]:
    """Yield the sections of a note, after ``clean``; a ``title`` that is no day stands before their headings."""
    occurrences: Counter[str] = Counter()
    created = _created(content) or modified
    for section in filter(None, map(clean, split_markdown(content))):
        titles = [heading for heading in (title, *section.headings) if heading and day_in(heading) is None]
        prefixes = dict.fromkeys((*titles[:1], titles[-1]) if title and titles else titles[-1:])
        body = f"{', '.join(prefixes)}: {section.text}" if prefixes and section.text else section.text
        occurrences[body] += 1
        days = [day for heading in (name, *section.headings) if (day := day_in(heading)) is not None]
        yield Item(
            section.line,
            nonempty(
                text=body,
                speaker=_SPEAKER,
                at=days[-1] if days else created,
                caption=", ".join(section.embedded),
                attachments=list(section.embedded),
                session=f"{format}:{name}",
                message_id=f"{format}:{digest(name, body, str(occurrences[body]), *section.embedded)}",
                metadata=nonempty(file=name, heading=" / ".join(section.headings), task=section.task),
            ),
        )


def _created(content: str) -> str | None:
    """Return when a note was written, as its front matter tells."""
    lines = content.splitlines()
    matches = (_CREATED.fullmatch(line) for line in lines[: _front_matter(lines)])
    timestamp = next((match[1] for match in matches if match), "")
    try:
        return datetime.fromisoformat(timestamp).isoformat() if timestamp else None
    except ValueError:
        return day_in(timestamp)


def split_markdown(content: str) -> Iterator[MarkdownSection]:
    """Yield the paragraphs and list items of a text, in order; lines indented below an item belong to it."""
    headings: list[tuple[int, str]] = []
    section_lines: list[str] = []
    start, fence, task = 1, "", ""

    def flush() -> Iterator[MarkdownSection]:
        body = "\n".join(section_lines).strip()
        section_lines.clear()
        if body:
            state = None if not task else "done" if task in "xX-" else "open"
            yield MarkdownSection(body, tuple(title for _, title in headings), start, state)

    for number, line in enumerate(_without_front_matter(cut_between(content, "<!--", "-->", lines=True)), 1):
        mark = _FENCE.match(line)
        if fence:
            section_lines.append(line)
            fence = "" if mark and mark[1] == fence else fence
            continue
        heading = _HEADING.fullmatch(line.rstrip())
        item = _ITEM.match(line)
        if heading or item or not line.strip() or _RULE.match(line):
            # A blank line ends a section.
            yield from flush()
            start, task = number, ""
        if heading:
            level = len(heading[1])
            title = (heading[2] or "").strip().rstrip("#").rstrip()
            headings = [ancestor for ancestor in headings if ancestor[0] < level] + ([(level, title)] if title else [])
        elif item:
            section_lines.append(line[item.end() :])
            task = item[1] or ""
        elif line.strip() and not _RULE.match(line):
            if not section_lines:
                start = number
            fence = mark[1] if mark else ""
            section_lines.append(line.rstrip())
    yield from flush()


def _without_front_matter(content: str) -> list[str]:
    """Return the lines, with those of a leading ``---`` block emptied."""
    lines = content.splitlines()
    end = _front_matter(lines)
    return [""] * end + lines[end:]


def _front_matter(lines: Sequence[str]) -> int:
    """Return the number of lines of a leading ``---`` block."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((number + 1 for number, line in enumerate(lines) if number and line.rstrip() in ("---", "...")), 0)


def day_in(name: str) -> str | None:
    """Return the day in a name or a heading, in ISO 8601; None without one."""
    match = _DAY.search(name)
    if match is None:
        return None
    try:
        return date(*map(int, match.groups())).isoformat()
    except ValueError:
        return None
