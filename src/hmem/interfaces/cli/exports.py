"""Exports of other programs that ``hmem explore`` takes in: what one holds, its memory, and storing it in a thread."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import entry_points
from itertools import chain, islice
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final, Protocol, Self, cast

import click

import hmem
from hmem.api.ingestion import without_warnings
from hmem.errors import ExtraMissing, HmemError, InvalidFile, MemoryExists
from hmem.interfaces.cli.options import invocation, open_memory
from hmem.interfaces.cli.output import one_line
from hmem.model.key import MemoryKey
from hmem.storage.sqlite.connection import is_memory
from hmem.util.amounts import amount

GROUP: Final = "hmem.importers"
SUFFIX: Final = ".hmem"
# Setting of a memory that was made of an export: the format of it.
_ORIGIN: Final = "explore.format"
# Export of hmem itself, which restores a memory with its changes.
_OWN_FORMAT: Final = "hmem"
# Messages that are read to tell what an export holds; a longer one is told as "more than".
_LOOK: Final = 20_000
_BATCH: Final = 250
_SHOWN_SPEAKERS: Final = 6
# No addition waits until its turns are formed.
_NO_LIMIT: Final = 1_000_000_000


class ExportItem(Protocol):
    """Message at a line or position of a file, or the error in its place."""

    @property
    def line(self) -> int: ...
    @property
    def message(self) -> Any: ...
    @property
    def error(self) -> str | None: ...


class ExportSource(Protocol):
    """Recognised file, folder or archive: its format in a word, in words, its items, and remarks on them."""

    @property
    def format(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def items(self) -> Iterable[ExportItem]: ...
    @property
    def remarks(self) -> list[str]: ...


def is_export(path: Path) -> bool:
    """Tell if a path has a folder, or a file with something else than a memory."""
    return path.is_dir() or (path.is_file() and path.suffix != SUFFIX and not is_memory(path))


def _is_mapping(item: ExportItem) -> bool:
    return isinstance(item.message, Mapping)


@dataclass(slots=True)
class Export:
    """An export with its first items and, of these, the turns, conversations and speakers."""

    path: Path
    source: ExportSource
    first: list[ExportItem]
    rest: Iterator[ExportItem]
    is_whole: bool = True
    sessions: set[str] = field(default_factory=set[str])
    speakers: Counter[str] = field(default_factory=Counter[str])

    @classmethod
    def read(cls, path: Path) -> "Export":
        """Recognise an export and read its beginning.

        Raises:
            ExtraMissing: imports are not installed.
            InvalidFile: it is in no known format, or cannot be read; or it is an export of hmem.
        """
        importer = next(iter(entry_points(group=GROUP)), None)
        if importer is None:
            raise ExtraMissing(f"{path} is no memory, and exports cannot be read - pip install 'hmem[import]'")
        source: ExportSource = importer.load()(path)
        if source.format == _OWN_FORMAT:
            raise InvalidFile(
                f"{path} is an export of hmem - run `hmem import {path} --memory NEW.hmem`, and explore that"
            )
        items = iter(source.items)
        first = list(islice(items, _LOOK + 1))
        export = cls(path, source, first, items, len(first) <= _LOOK)
        # Items that are no mapping are refused when they are stored.
        for message in cast("list[Mapping[str, Any]]", [item.message for item in first if _is_mapping(item)]):
            export.sessions.add(str(message.get("session")))
            export.speakers[str(message.get("speaker") or message.get("role") or "?")] += 1
        return export

    @property
    def figures(self) -> dict[str, Any]:
        """The format, and what was read of it."""
        return {
            "format": self.source.format,
            "conversations": len(self.sessions),
            "turns": self.speakers.total(),
            "speakers": dict(self.speakers.most_common()),
        }

    def describe(self) -> str:
        """Return what it is and holds, in a line."""
        names = [name for name, _ in self.speakers.most_common(_SHOWN_SPEAKERS)]
        unnamed_count = len(self.speakers) - len(names)
        speakers = ", ".join(names) + (f" and {unnamed_count:,} more" if unnamed_count else "")
        turns, conversations = amount(self.speakers.total(), "turn"), amount(len(self.sessions), "conversation")
        prefix = "" if self.is_whole else "more than "
        return one_line(
            f"{self.path.name}: {self.source.description}; {prefix}{turns} in {conversations}, by {speakers}"
        )

    def memory_path(self) -> Path:
        """Return the path of the memory beside it."""
        path = self.path.absolute()
        stem = path.name if path.is_dir() else Path(path.name.removesuffix(".gz")).stem
        return path.with_name(f"{stem}{SUFFIX}")


def prepare(export: Export, path: str, *, named: bool) -> bool:
    """Make the memory of an export, or open it again; return True if it was made. ``named``: by the user.

    Raises:
        MemoryExists: it is a memory that was not made of such an export.
        NotAMemory, StorageError: it is another file, or cannot be made.
    """
    with open_memory(path, create=True) as memory:
        storage = memory.corpus.storage
        if storage.created:
            storage.put_settings({_ORIGIN: export.source.format})
        elif not named and storage.state().settings.get(_ORIGIN) != export.source.format:
            raise MemoryExists(f"{path} is a memory already, and was not made of such an export - name one by --memory")
        return storage.created


class Storing:
    """Thread that stores the turns of an export in a memory. The server forms them, behind what it is asked.

    It is at work in a block. What is left when the block ends is stored the next time: no turn is stored twice.
    """

    def __init__(self, export: Export, path: str) -> None:
        self._export, self._path = export, path
        self._stopped = Event()
        self._key = invocation().key or MemoryKey.from_environment()
        self._thread = Thread(target=self._run, name="hmem-storing", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            with hmem.Memory(self._path, create=False, key=self._key, form_later=_NO_LIMIT) as memory:
                texts = [self._store(memory), *dict.fromkeys(self._export.source.remarks)]
            for text in texts:
                _report(text)
        except HmemError as error:
            _report(f"not all of {self._export.path.name} is stored: {error}")

    def _store(self, memory: "hmem.Memory") -> str:
        """Store the turns; return how many were."""
        fates: Counter[str] = Counter()
        problem = ""
        items = chain(self._export.first, self._export.rest)
        for batch in iter(partial(lambda: list(islice(items, _BATCH))), []):
            good = [item for item in batch if item.error is None]
            with without_warnings():
                receipts = memory.add([item.message for item in good]) if good else []
            fates.update(receipt.fate for receipt in receipts)
            errors = [(item.line, item.error) for item in batch if item.error is not None]
            errors += [
                (item.line, receipt.error or "") for item, receipt in zip(good, receipts, strict=True) if not receipt
            ]
            fates["refused"] += len(errors)
            problem = problem or next((f" (line {line}: {error})" for line, error in errors), "")
            if self._stopped.is_set():
                break
        duplicates = f", {fates['duplicate']:,} were there" if fates["duplicate"] else ""
        refusals = f", {fates['refused']:,} could not be{problem}" if fates["refused"] else ""
        return f"{amount(fates['stored'], 'turn')} stored{duplicates}{refusals}"


def _report(text: str) -> None:
    click.echo(f"hmem: {one_line(text)}", err=True)
