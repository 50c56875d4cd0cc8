"""Folder of Markdown that a memory and people both write: its lines, with ids in comments, and its state.

A line is a list item or a paragraph with what is indented below it. Headings, tables, quotes, code and comments between
the lines are kept as they are.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from hmem.errors import InvalidFile
from hmem_import.reading import digest

STATE: Final = ".hmem-sync.json"
PROFILE: Final = "profile.md"
CONFLICTS: Final = "conflicts.md"
NOTES: Final = "notes"
DAYS: Final = "days"

_ID: Final = re.compile(r"[ \t]*<!-- ((?:turn|note|fact)_\w+) -->")
_ITEM: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
_SPEAKER: Final = re.compile(r"\*\*[^*\n]+:\*\* ")
_BREAK: Final = re.compile(r"\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_FENCE: Final = re.compile(r" {0,3}(```|~~~)")
_RAW: Final = re.compile(r" {0,3}(?:#|\||>|<!--|(?:[-*_][ \t]*){3,}$)")
_INDENT: Final = "  "
_COMMENT: Final = "<!--"
_ESCAPED: Final = "&lt;!--"


@dataclass(slots=True)
class Line:
    """Line of a file: with ``id`` what sync wrote, without one what somebody added; ``raw`` is kept as it is.

    A line that is ``dropped`` is not written again.
    """

    text: str
    id: str | None = None
    raw: bool = False
    dropped: bool = False

    def render(self, speaker: str | None) -> str:
        """Return the line as Markdown, with a speaker's name for a turn."""
        if self.raw:
            return self.text
        first, *later_rows = self.text.replace(_COMMENT, _ESCAPED).split("\n")
        name = f"**{' '.join(speaker.replace('*', '').split()) or '?'}:** " if speaker else ""
        mark = f" <!-- {self.id} -->" if self.id else ""
        return "\n".join([f"- {name}{first}{mark}", *(f"{_INDENT}{line}" if line else "" for line in later_rows)])


def canonical(text: str) -> str:
    """Return a text as a file gives it back: without blanks at the ends of lines, and with line feeds only."""
    lines = _BREAK.sub("\n", text.replace(_ESCAPED, _COMMENT).replace("\0", "")).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def parse(content: str) -> list[Line]:
    """Return the lines of a file."""
    lines, rows = list[Line](), content.replace("\r\n", "\n").split("\n")
    row_number = end_of_head = _front_matter(rows)
    lines += [Line(row, raw=True) for row in rows[:end_of_head]]
    while row_number < len(rows):
        row = rows[row_number]
        start = row_number
        row_number += 1
        if fence := _FENCE.match(row):
            while row_number < len(rows) and not rows[row_number].lstrip().startswith(fence[1]):
                row_number += 1
            row_number += 1
        elif _ITEM.match(row) and not _RAW.match(row):
            row_number = _end_of_item(rows, row_number)
            lines.append(_line(rows[start:row_number]))
            continue
        elif _is_paragraph(row):
            while row_number < len(rows) and _is_paragraph(rows[row_number]):
                row_number += 1
            lines.append(_line(rows[start:row_number]))
            continue
        lines += [Line(row, raw=True) for row in rows[start:row_number]]
    return lines


def _is_paragraph(row: str) -> bool:
    return bool(row.strip()) and not (_ITEM.match(row) or _RAW.match(row) or _FENCE.match(row))


def _front_matter(rows: list[str]) -> int:
    if rows[0].rstrip() != "---":
        return 0
    return next((number + 1 for number, row in enumerate(rows) if number and row.rstrip() == "---"), 0)


def _end_of_item(rows: list[str], row_number: int) -> int:
    """Return where an item ends: behind the indented rows below it, up to one that is an item with an id."""
    end = row_number
    while row_number < len(rows):
        row = rows[row_number]
        if row.strip() and (not row.startswith((_INDENT, "\t")) or (_ID.search(row) and _ITEM.match(row))):
            break
        row_number += 1
        end = row_number if row.strip() else end
    return end


def _line(rows: list[str]) -> Line:
    first = _ITEM.sub("", rows[0], count=1)
    later_rows = [row[1:] if row.startswith("\t") else row.removeprefix(_INDENT) for row in rows[1:]]
    item_text = "\n".join([first, *later_rows])
    match = _ID.search(item_text)
    if match is None:
        return Line(canonical(item_text))
    text = _ID.sub("", item_text, count=1)
    if match[1].startswith("turn_"):
        text = _SPEAKER.sub("", text, count=1) if _SPEAKER.match(text) else text
    return Line(canonical(text), match[1])


@dataclass(slots=True)
class SyncState:
    """State that a sync left: of each line its file and the digest of its text, and of each file of others its turns.

    ``run`` is a number in the ids of what is added, so that a sync that broke off adds nothing twice. ``sources`` are
    the turns of notes and of lines of the profile, with the sentence there.
    """

    run: int = 0
    sources: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    lines: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    foreign: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])


class SyncFolder:
    """Markdown files below a folder, as they were when it was opened.

    Raises:
        InvalidFile: it is no folder, or a file or the state cannot be read.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        if root.exists() and not root.is_dir():
            raise InvalidFile(f"{root} is no folder - name one, or a place for a new one")
        self.is_new = not (root / STATE).exists()
        self.state = self._load()
        self._contents = dict(self._read())
        if self.is_new:
            self.state.foreign = {path: {} for path in self._contents}
        if self.is_new and any(map(_ID.search, self._contents.values())):
            raise InvalidFile(f"{root / STATE} is gone - restore it, or sync into a new folder")
        self.files = {path: parse(content) for path, content in self._contents.items() if not self.is_foreign(path)}

    def is_foreign(self, path: str) -> bool:
        """Tell if a file is written by others, so that it is read and never changed."""
        return path in self.state.foreign or not (path == PROFILE or path.startswith((f"{NOTES}/", f"{DAYS}/")))

    def foreign(self) -> Mapping[str, str]:
        """Return the contents of the files of others, by path."""
        return {path: content for path, content in self._contents.items() if self.is_foreign(path)}

    def _load(self) -> SyncState:
        if self.is_new:
            return SyncState()
        try:
            fields = json.loads((self.root / STATE).read_text("utf-8"))
            lines = {name: (path, key) for name, (path, key) in fields["lines"].items()}
            sources = {name: (turn, text) for name, (turn, text) in fields["sources"].items()}
            foreign = {path: dict(turns) for path, turns in fields["foreign"].items()}
            return SyncState(int(fields["run"]), sources, lines, foreign)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InvalidFile(f"{self.root / STATE} cannot be read - restore it, or sync into a new folder") from error

    def _read(self) -> Iterator[tuple[str, str]]:
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                path = Path(folder, name)
                relative = path.relative_to(self.root).as_posix()
                if name.lower().endswith(".md") and not path.is_symlink() and relative != CONFLICTS:
                    yield relative, self._text(path)

    @staticmethod
    def _text(path: Path) -> str:
        try:
            return path.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidFile(f"{path} cannot be read ({error}) - save it as UTF-8, or move it elsewhere") from error

    def write(self, speakers: Mapping[str, str]) -> tuple[list[str], bool]:
        """Write the files that changed, each in one step, then the state; ``speakers`` are those of turns, by id.

        Return the files written, and whether one was edited meanwhile: it is left as it is, for the next sync.
        """
        written, edited, lines = list[str](), False, dict[str, tuple[str, str]]()
        for path, file_lines in self.files.items():
            blocks = [line for line in file_lines if not line.dropped]
            content = "\n".join(block.render(speakers.get(block.id or "")) for block in blocks)
            before = self._contents.get(path)
            if content != before:
                target = self.root / path
                if (self._text(target) if target.exists() else None) != before:
                    edited = True
                    lines |= {name: line for name, line in self.state.lines.items() if line[0] == path}
                    continue
                write_whole(target, content)
                self._contents[path] = content
                written.append(path)
            lines |= {block.id: (path, digest(block.text)) for block in blocks if block.id}
        self.state.lines = lines
        self.state.run += not edited
        sources = {name: source for name, source in self.state.sources.items() if name in lines}
        fields = {"run": self.state.run, "sources": sources, "lines": lines, "foreign": self.state.foreign}
        write_whole(self.root / STATE, json.dumps(fields, indent=0, ensure_ascii=False))
        return written, edited


def write_whole(path: Path, content: str) -> None:
    """Write a file in one step, so that nobody reads half of it.

    Raises:
        InvalidFile: the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(
            "w", encoding="utf-8", newline="", dir=path.parent, prefix=".hmem-", delete=False
        ) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary = Path(file.name)
        temporary.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o600)
        temporary.replace(path)
    except OSError as error:
        mend = "free space, or permit writing there, and sync again: nothing is lost"
        raise InvalidFile(f"{path} cannot be written ({error.strerror}) - {mend}") from error
