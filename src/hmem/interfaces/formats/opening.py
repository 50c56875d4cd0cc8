"""Files to import, and stdin: opened as the bytes in them, unpacked, within limits."""

import gzip
import io
import json
import sys
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, cast

from hmem.errors import InvalidFile
from hmem.util.files import IrregularFileError, open_regular
from hmem.util.nesting import deeper_than

STDIN: Final = Path("-")
_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = b"PK\x03\x04"
_CONVERSATIONS: Final = "conversations.json"
_PIECE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Bounds of an import.

    ``bytes`` bounds what is read at once: a file that is no JSONL, what is unpacked of an archive, the notes of a
    folder. ``line`` bounds a line of JSONL, ``files`` the notes of a folder; ``depth`` bounds how deeply folders, lists
    and objects stand in each other.
    """

    bytes: int = 512_000_000
    line: int = 64_000_000
    files: int = 10_000
    depth: int = 100


@dataclass(slots=True)
class ImportFile:
    """File to import, or stdin for the path ``-``. ``name`` is how errors call it.

    stdin is read once: what is read before ``last`` is kept, and read again.
    """

    path: Path
    limits: ImportLimits = field(default_factory=ImportLimits)
    last: bool = False
    kept: bytearray = field(default_factory=bytearray)

    @property
    def name(self) -> str:
        return "stdin" if self.is_stdin else str(self.path)

    @property
    def is_stdin(self) -> bool:
        return self.path == STDIN

    @property
    def changed(self) -> str | None:
        """Time of the last change of the file, in ISO 8601; None for stdin."""
        if self.is_stdin:
            return None
        try:
            return datetime.fromtimestamp(int(self.path.stat().st_mtime), UTC).isoformat()
        except (OSError, OverflowError, ValueError):
            return None

    @contextmanager
    def opened(self) -> Generator[IO[bytes]]:
        """Open the bytes in the file: of gzip and ZIP, what they hold.

        Raises:
            InvalidFile: it cannot be read, is no regular file, or no whole archive.
        """
        try:
            with self._raw() as raw:
                yield from self._unpacked(raw)
        except FileNotFoundError as error:
            raise InvalidFile(f"there is no file {self.name} - check the path") from error
        except IrregularFileError as error:
            raise InvalidFile(
                f"{self.name} cannot be read ({error.strerror}, not a file) - name a file, or check the path; "
                "`hmem import -` reads stdin"
            ) from error
        except (gzip.BadGzipFile, zipfile.BadZipFile, EOFError, zlib.error) as error:
            raise InvalidFile(f"{self.name} is not a whole archive ({error}) - fetch it again") from error
        except OSError as error:
            raise InvalidFile(
                f"{self.name} cannot be read ({error.strerror}) - check the path and its rights"
            ) from error

    def _raw(self) -> IO[bytes]:
        if self.is_stdin:
            return cast("IO[bytes]", io.BufferedReader(_Replayed(self, sys.stdin.buffer)))
        return open_regular(self.path)

    def _unpacked(self, raw: IO[bytes]) -> Iterator[IO[bytes]]:
        start = cast("io.BufferedReader", raw).peek(len(_ZIP))
        if start.startswith(_ZIP):
            # An archive is read from its end.
            whole = io.BytesIO(self.read(raw)) if self.is_stdin else raw
            with zipfile.ZipFile(whole) as archive, self._member(archive) as inner:
                yield cast("IO[bytes]", _Bounded(inner, self))
        elif start.startswith(_GZIP):
            yield cast("IO[bytes]", _Bounded(cast("IO[bytes]", gzip.GzipFile(fileobj=raw)), self))
        else:
            yield raw

    def _member(self, archive: zipfile.ZipFile) -> IO[bytes]:
        """Open the conversations in a downloaded archive."""
        for name in archive.namelist():
            if name.rpartition("/")[2] == _CONVERSATIONS:
                try:
                    return archive.open(name)
                except (RuntimeError, NotImplementedError) as error:
                    # A password, or a compression that Python does not know.
                    raise InvalidFile(f"{self.name} cannot be unpacked ({error}) - unpack it yourself") from error
        raise InvalidFile(f"{self.name} has no {_CONVERSATIONS} in it - unpack it, and name the file that you mean")

    # Reading.

    def read(self, file: IO[bytes]) -> bytes:
        """Return all that an opened file still has.

        Raises:
            InvalidFile: it is more than ``limits.bytes``.
        """
        data = file.read(self.limits.bytes + 1)
        if len(data) > self.limits.bytes:
            raise self.too_large()
        return data

    def too_large(self) -> InvalidFile:
        """Return the error for a file that holds more than ``limits.bytes``."""
        return InvalidFile(f"{self.name} holds more than {self.limits.bytes:,} bytes - split it, or raise --max-bytes")

    def lines(self) -> Iterator[tuple[int, bytes | None]]:
        """Yield the lines with their numbers, from 1; None for one that is longer than ``limits.line``.

        Raises:
            InvalidFile: as ``opened``; and what is unpacked is more than ``limits.bytes``.
        """
        number = 0
        with self.opened() as file:
            while line := file.readline(self.limits.line + 1):
                number += 1
                if len(line) <= self.limits.line:
                    yield number, line
                    continue
                while line and not line.endswith(b"\n"):
                    line = file.readline(_PIECE)
                yield number, None

    def whole(self) -> Any:
        """Return the JSON that the file holds.

        Raises:
            InvalidFile: as ``opened`` and ``read``; and it is no JSON, or nested too deeply.
        """
        with self.opened() as file:
            data = self.read(file)
        try:
            read = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise InvalidFile(f"{self.name} is not JSON ({error}) - one turn a line is --format jsonl") from error
        if deeper_than(read, self.limits.depth):
            raise InvalidFile(f"{self.name} is nested more than {self.limits.depth} deep - raise --max-depth")
        return read


class _Bounded(io.RawIOBase):
    """Unpacked bytes, up to the limit."""

    def __init__(self, inner: IO[bytes], of: ImportFile) -> None:
        self._inner = inner
        self._of = of
        self._left = of.limits.bytes

    def read(self, size: int = -1) -> bytes:
        return self._counted(self._inner.read(self._most(size)))

    def readline(self, size: int | None = -1) -> bytes:
        return self._counted(self._inner.readline(self._most(size)))

    def _most(self, size: int | None) -> int:
        return self._left + 1 if size is None or size < 0 else min(size, self._left + 1)

    def _counted(self, data: bytes) -> bytes:
        self._left -= len(data)
        if self._left < 0:
            raise self._of.too_large()
        return data


class _Replayed(io.RawIOBase):
    """Stdin: what was read of it before, then the rest."""

    def __init__(self, of: ImportFile, rest: IO[bytes]) -> None:
        self._of = of
        self._rest = rest
        self._at = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        kept = self._of.kept
        data = bytes(kept[self._at : self._at + len(buffer)])
        if not data:
            data = cast("io.BufferedReader", self._rest).read1(len(buffer))
            if not self._of.last:
                kept += data
        self._at += len(data)
        buffer[: len(data)] = data
        return len(data)
