"""Files to import by their names: one file, those of a folder, or those in a ZIP archive."""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from hmem.errors import InvalidFile
from hmem.util.amounts import amount
from hmem.util.files import irregular, size_of
from hmem.util.nesting import deeper_than
from hmem_import.opening import STDIN, ZIP, ImportFile, ImportLimits

NOTES: Final = (".md", ".markdown")
MAILBOXES: Final = (".mbox", ".eml", "/mbox")
# Files of folders and archives that may hold something to import; pictures, films and programs are passed over.
_READ: Final = (
    *NOTES, ".json", ".jsonl", ".ndjson", ".txt", ".csv", ".tsv", "chat.db", ".af", ".pdf", ".docx", ".html",
    ".htm",
)  # fmt: skip
_USUAL: Final = ImportLimits()
# Folders, and files, that tell what a vault is of; nothing in the folders is read.
MARKS: Final = (".obsidian", "logseq")
# The first year that ZIP can tell.
_NO_YEAR: Final = 1980
_LOGSEQ: Final = "logseq/config.edn"


class Item(NamedTuple):
    """Message with its line or position, from 1; or the error that replaces it."""

    line: int
    message: Any = None
    error: str | None = None


@dataclass(slots=True)
class ImportTree:
    """Files to import by their names, sorted. ``is_single``: it is one file, not a folder or an archive.

    ``marks`` are the paths of ``MARKS`` in it; ``columns`` the names of a table's columns by the field they hold;
    ``date_order`` is one of ``DATE_ORDERS`` for dates that can be read both ways. Who reads it adds ``remarks``: what a
    user should know of how it was read.
    """

    path: Path
    limits: ImportLimits
    files: dict[str, ImportFile] = field(default_factory=dict[str, ImportFile])
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    is_single: bool = False
    marks: frozenset[str] = frozenset()
    columns: Mapping[str, str] = field(default_factory=dict[str, str])
    date_order: str | None = None
    remarks: list[str] = field(default_factory=list[str])

    @property
    def name(self) -> str:
        return "stdin" if self.path == STDIN else str(self.path)

    @property
    def title(self) -> str:
        """Name of what is imported, without its folders and suffixes; empty for stdin."""
        return "" if self.path == STDIN else Path(self.path.name.removesuffix(".gz")).stem

    @property
    def root(self) -> str:
        """The folder in which all files are, with a slash; empty for none."""
        folders = [name.rpartition("/")[0] for name in self.files]
        common = os.path.commonpath(folders) if folders and all(folders) else ""
        return f"{common}/" if common else ""

    def is_marked(self, mark: str) -> bool:
        """Tell if the files are in a folder with such a mark."""
        return any(
            self.root.startswith(mark_path.removesuffix(mark))
            for mark_path in self.marks
            if f"/{mark_path}".endswith(f"/{mark}")
        )

    def name_filter(self, pattern: re.Pattern[str]) -> Callable[[str], bool] | None:
        """Return what tells the files with such names within the root; None for an only file, which may have any."""
        start = len(self.root)
        return None if self.is_single else lambda name: pattern.fullmatch(name, start) is not None

    def subtrees(self) -> Iterator["ImportTree"]:
        """Yield the files and folders in the root, each with what is left of ``limits.bytes`` by those before it."""
        start, remaining = len(self.root), self.limits.bytes
        groups: dict[str, list[str]] = {}
        for name in self.files:
            groups.setdefault(name[start:].partition("/")[0], []).append(name)
        for names in groups.values():
            limits = replace(self.limits, bytes=remaining)
            files = {name: replace(self.files[name], limits=limits) for name in names}
            sizes = {name: self.sizes.get(name, 0) for name in names}
            is_single = "/" not in names[0][start:]
            path = next(iter(files.values())).path if is_single else self.path
            settings = (self.marks, self.columns, self.date_order, self.remarks)
            yield ImportTree(path, limits, files, sizes, is_single, *settings)
            remaining = max(0, remaining - sum(sizes.values()))

    def file(self) -> ImportFile:
        """Return the only file."""
        return next(iter(self.files.values()))

    def bounded_files(self, accepts: Callable[[str], bool] | None = None) -> Iterator[tuple[str, ImportFile]]:
        """Yield the wanted files, each with what is left of ``limits.bytes`` by those before it."""
        remaining = self.limits.bytes
        for name, file in self.files.items():
            if accepts is None or accepts(name):
                file.limits = replace(self.limits, bytes=remaining)
                yield name, file
                remaining = max(0, remaining - self.sizes.get(name, 0))

    def items(
        self, read: Callable[[str, ImportFile], Iterable[Item]], accepts: Callable[[str], bool] | None = None
    ) -> Iterator[Item]:
        """Yield the items of the wanted files; in the place of a file that cannot be read there is its error.

        Raises:
            InvalidFile: the only file cannot be read.
        """
        for name, file in self.bounded_files(accepts):
            try:
                yield from read(name, file)
            except InvalidFile as error:
                if self.is_single:
                    raise
                yield Item(1, error=str(error))


def open_tree(path: Path, limits: ImportLimits = _USUAL) -> ImportTree:
    """Return the files at a path, or in stdin for ``-``. Links are not followed, and hidden files left out.

    Raises:
        InvalidFile: it cannot be read, is no whole archive, beyond the limits, or has no file that can be imported.
    """
    if path != STDIN and irregular(path) == "a folder":
        return _require_files(_folder(path, limits))
    file = ImportFile(path, limits)
    head = file.head()
    if head.startswith(ZIP) and not is_docx(head):
        return _require_files(_archive(file))
    return ImportTree(path, limits, {file.title: file}, is_single=True)


def _require_files(tree: ImportTree) -> ImportTree:
    if not tree.files:
        raise InvalidFile(f"{tree.name} has no file that can be imported - check the path, or name a file")
    return tree


def holds(tree: ImportTree, pattern: re.Pattern[str], looks_like: Callable[[Any], bool]) -> bool:
    """Tell if one of the files of such names in the root, the first that is JSON, holds what looks like a format.

    Raises:
        InvalidFile: none of them is JSON within the limits.
    """
    failure: InvalidFile | None = None
    accepts = tree.name_filter(pattern)
    for name, file in tree.files.items():
        if accepts is not None and not accepts(name):
            continue
        try:
            return looks_like(file.load_json(keep=True))
        except InvalidFile as error:
            failure = failure or error
    if failure is not None:
        raise failure
    return False


def is_docx(head: bytes) -> bool:
    """Tell if a ZIP archive is a document of Word, by its beginning."""
    return head.startswith(ZIP) and (b"word/" in head or head[30:49] == b"[Content_Types].xml")


def _folder(path: Path, limits: ImportLimits) -> ImportTree:
    paths: list[Path] = []
    marks: set[str] = set()
    for directory, folders, names in os.walk(path):
        folder = Path(directory)
        found_marks = [name for name in folders if name in MARKS and _is_mark(folder / name)]
        marks |= {(folder / name).relative_to(path).as_posix() for name in found_marks}
        folders[:] = [name for name in folders if not name.startswith(".") and name not in found_marks]
        if folders and len(folder.relative_to(path).parts) >= limits.depth:
            raise InvalidFile(f"{path} has folders more than {limits.depth} deep - raise --max-depth")
        paths += [folder / name for name in names if _is_read(name) and irregular(folder / name) is None]
        if len(paths) > limits.files:
            raise _too_many(path, limits)
    by_name = {file_path.relative_to(path).as_posix(): file_path for file_path in paths}
    return ImportTree(
        path,
        limits,
        {name: ImportFile(by_name[name], limits) for name in sorted(by_name)},
        {name: size_of([file_path]) for name, file_path in by_name.items()},
        marks=frozenset(marks),
    )


def _is_mark(folder: Path) -> bool:
    return folder.name == MARKS[0] or (folder / "config.edn").is_file()


def _archive(file: ImportFile) -> ImportTree:
    members = file.members()
    marks = set[str]()
    for entry in members:
        before, separator, _ = f"/{entry.filename}".partition(f"/{MARKS[0]}/")
        if separator:
            marks.add(f"{before}/{MARKS[0]}".lstrip("/"))
        if f"/{entry.filename}".endswith(f"/{_LOGSEQ}"):
            marks.add(entry.filename.rpartition("/")[0])
    entries = {entry.filename.lstrip("/"): entry for entry in members if _is_member_read(entry.filename, marks)}
    if len(entries) > file.limits.files:
        raise _too_many(file.path, file.limits)
    return ImportTree(
        file.path,
        file.limits,
        {
            name: replace(file, member=entries[name].filename, changed=_changed(entries[name].date_time))
            for name in sorted(entries)
        },
        {name: entry.file_size for name, entry in entries.items()},
        marks=frozenset(marks),
    )


def _changed(time: tuple[int, int, int, int, int, int]) -> str | None:
    """Return the time of a member; None for that of archives without times."""
    try:
        return None if time[0] <= _NO_YEAR else datetime(*time).isoformat()  # noqa: DTZ001 - it has no zone
    except ValueError:
        return None


def _is_member_read(name: str, marks: Iterable[str]) -> bool:
    is_hidden = any(folder.startswith(".") or folder == "__MACOSX" for folder in name.split("/"))
    return _is_read(name) and not is_hidden and not any(name.startswith(f"{mark}/") for mark in marks)


def _is_read(name: str) -> bool:
    return not name.startswith(".") and f"/{name.lower().removesuffix('.gz')}".endswith((*_READ, *MAILBOXES))


def _too_many(path: Path, limits: ImportLimits) -> InvalidFile:
    return InvalidFile(
        f"{path} has more than {amount(limits.files, 'file')} - import its folders, or raise --max-files"
    )


# Files with a JSON value on each line.


def json_lines(file: ImportFile) -> Iterator[Item]:
    """Yield the values of a file with one on each line; an invalid line becomes an error.

    Raises:
        InvalidFile: it cannot be read from its beginning on.
    """
    number = 0
    try:
        for number, line in file.lines():
            if line is None:
                yield Item(number, error=f"the line is longer than {file.limits.line:,} bytes - split what it holds")
            elif line.strip():
                yield _line(number, line, file.limits)
    except InvalidFile as error:
        # The file is truncated: keep what was read before.
        if number == 0:
            raise
        yield Item(number + 1, error=str(error))


def _line(number: int, line: bytes, limits: ImportLimits) -> Item:
    try:
        read: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        return Item(number, error=f'not JSON ({error}) - each line is one turn, such as {{"text": "Hello"}}')
    if deeper_than(read, limits.depth):
        return Item(number, error=f"the line is nested more than {limits.depth} deep - raise --max-depth")
    return Item(number, read)
