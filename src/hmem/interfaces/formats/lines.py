"""Files with a JSON value on each line."""

import json
from collections.abc import Iterator
from typing import Any

from hmem.errors import InvalidFile
from hmem.interfaces.formats.opening import ImportFile, ImportLimits
from hmem.interfaces.formats.tree import Item
from hmem.util.nesting import deeper_than


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
