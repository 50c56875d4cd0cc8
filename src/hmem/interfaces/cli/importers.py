"""Files of turns, read into messages for ``Memory.add``, each with its position in the file.

``hmem.interfaces.formats.recognition`` has the formats. A file may be compressed with gzip; of a folder and a ZIP
archive all files are read. The path ``-`` is stdin.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hmem.interfaces.formats import recognition
from hmem.interfaces.formats.lines import json_lines
from hmem.interfaces.formats.opening import ImportFile, ImportLimits
from hmem.interfaces.formats.reading import fields
from hmem.interfaces.formats.tree import Item, open_tree

FORMATS: Final = tuple(recognition.FORMATS)


@dataclass(frozen=True, slots=True)
class Source:
    """File to import. ``count`` returns the number of items, None if that is not known; it may read the file once."""

    format: str
    items: Iterable[Item]
    count: Callable[[], int | None]


def read(path: Path, format: str | None = None, limits: ImportLimits | None = None, me: str | None = None) -> Source:
    """Return the items of a file, of stdin for ``-``, or of the files of a folder or an archive.

    They are in one of ``FORMATS`` or, for None, in the detected one. ``me`` is the name or address of the user: what is
    said under it has the role of the user.

    Raises:
        InvalidFile: it cannot be read, is not in this format, or is beyond the limits.
    """
    tree = open_tree(path, limits or ImportLimits())
    found = recognition.recognise(tree) if format is None else recognition.FORMATS[format]
    streamed = found.streams or not tree.alone
    if tree.alone:
        tree.file().last = True
    items = found.read(tree)
    if me is not None:
        items = (_of_user(item, me) for item in items)
    if not streamed:
        held = list(items)
        return Source(found.name, held, lambda: len(held))
    counted = tree.alone and found.counts and not tree.file().is_stdin
    return Source(found.name, items, lambda: _lines_of(tree.file()) if counted else None)


def _lines_of(file: ImportFile) -> int:
    return sum(1 for _ in json_lines(file))


def _of_user(item: Item, me: str) -> Item:
    """Return an item with the role of the user, if the user said it."""
    message = fields(item.message)
    names = (message.get("speaker"), fields(message.get("metadata")).get("from"))
    if message.get("role") is not None or me.casefold() not in (str(name).casefold() for name in names if name):
        return item
    return item._replace(message={**message, "role": "user"})
