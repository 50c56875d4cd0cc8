"""Files to import, members of ZIP archives, and stdin: opened as the bytes in them, unpacked, within limits."""

import gzip
import io
import json
import sys
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final, cast

from hmem.errors import InvalidFile
from hmem.util.files import IrregularFileError, open_regular
from hmem.util.nesting import deeper_than

STDIN: Final = Path("-")
_GZIP: Final = b"\x1f\x8b"
ZIP: Final = b"PK\x03\x04"
# What tells a format is looked for in so many bytes.
HEAD: Final = 1 << 16
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_NO_DATA: Final = object()
_CHUNK_BYTES: Final = 1 << 20
_STEP: Final = 1 << 9


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Bounds of an import.

    ``bytes`` bounds what is read at once: a file that is no JSONL, what is unpacked of an archive, the files of a
    folder. ``line`` bounds a line of JSONL and a message of a mailbox, ``files`` the files of a folder or an archive;
    ``depth`` bounds how deeply folders, lists and objects stand in each other.
    """

    bytes: int = 512_000_000
    line: int = 64_000_000
    files: int = 10_000
    depth: int = 100


@dataclass(slots=True)
class ImportFile:
    """File to import, a ``member`` of the ZIP archive at the path, or stdin for the path ``-``.

    ``name`` is how errors call it. stdin is read once: what is read before ``last`` is kept, and read again.
    """

    path: Path
    limits: ImportLimits = field(default_factory=ImportLimits)
    last: bool = False
    replay: bytearray = field(default_factory=bytearray)
    member: str | None = None
    changed: str | None = None
    _data: Any = _NO_DATA

    @property
    def name(self) -> str:
        name = "stdin" if self.is_stdin else str(self.path)
        return name if self.member is None else f"{name}/{self.member}"

    @property
    def title(self) -> str:
        """Name of the file without its folders; empty for stdin."""
        return "" if self.is_stdin and self.member is None else (self.member or str(self.path)).rpartition("/")[2]

    @property
    def is_stdin(self) -> bool:
        return self.path == STDIN

    @property
    def modified(self) -> str | None:
        """Time of the last change of the file, or of the member, in ISO 8601; None for stdin."""
        if self.changed is not None:
            return self.changed
        if self.is_stdin:
            return None
        try:
            return datetime.fromtimestamp(int(self.path.stat().st_mtime), UTC).isoformat()
        except (OSError, OverflowError, ValueError):
            return None

    @contextmanager
    def open_bytes(self) -> Generator[IO[bytes]]:
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
        if self.member is not None:
            with self._archive(raw) as archive, self._opened_member(archive) as inner:
                yield cast("IO[bytes]", _Bounded(inner, self))
        elif cast("io.BufferedReader", raw).peek(len(_GZIP)).startswith(_GZIP):
            yield cast("IO[bytes]", _Bounded(cast("IO[bytes]", gzip.GzipFile(fileobj=raw)), self))
        else:
            yield raw

    def _archive(self, raw: IO[bytes]) -> zipfile.ZipFile:
        try:
            # An archive is read from its end.
            return zipfile.ZipFile(io.BytesIO(self.read(raw)) if self.is_stdin else raw)
        except NotImplementedError as error:
            # A version that Python does not know.
            raise self._not_unpacked(error) from error

    def _not_unpacked(self, error: Exception) -> InvalidFile:
        return InvalidFile(f"{self.name} cannot be unpacked ({error}) - unpack it yourself")

    def _opened_member(self, archive: zipfile.ZipFile) -> IO[bytes]:
        try:
            return archive.open(self.member or "")
        except (RuntimeError, NotImplementedError, KeyError) as error:
            # A password, or a compression that Python does not know.
            raise self._not_unpacked(error) from error

    def members(self) -> list[zipfile.ZipInfo]:
        """Return the files in a ZIP archive.

        Raises:
            InvalidFile: as ``open_bytes``.
        """
        with replace(self, member=None).open_bytes() as raw, self._archive(raw) as archive:
            # One whose name begins with a null byte has no name for Python.
            return [entry for entry in archive.infolist() if entry.filename and not entry.is_dir()]

    # Reading.

    def head(self) -> bytes:
        """Return the beginning of the file without a byte order mark, or all of it if it breaks off before.

        Raises:
            InvalidFile: as ``open_bytes``.
        """
        limit, data = min(HEAD, self.limits.bytes), b""
        with self.open_bytes() as file:
            try:
                while len(data) < limit and (chunk := file.read(min(_STEP, limit - len(data)))):
                    data += chunk
            except (gzip.BadGzipFile, EOFError, zlib.error):
                if not data:
                    raise
        return data.removeprefix(_BYTE_ORDER_MARK)

    def content(self) -> bytes:
        """Return all that is in the file.

        Raises:
            InvalidFile: as ``open_bytes`` and ``read``.
        """
        with self.open_bytes() as file:
            return self.read(file)

    def text(self) -> str:
        """Return the text of the file.

        Raises:
            InvalidFile: as ``content``; and it is not UTF-8.
        """
        try:
            return self.content().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InvalidFile(f"{self.name} is not UTF-8 - save it as UTF-8") from error

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
            InvalidFile: as ``open_bytes``; and what is unpacked is more than ``limits.bytes``.
        """
        number = 0
        with self.open_bytes() as file:
            while line := file.readline(self.limits.line + 1):
                number += 1
                if len(line) <= self.limits.line:
                    yield number, line
                    continue
                while line and not line.endswith(b"\n"):
                    line = file.readline(_CHUNK_BYTES)
                yield number, None

    def load_json(self, *, keep: bool = False) -> Any:
        """Return the JSON that the file holds; what was kept is returned once more without reading it again.

        Raises:
            InvalidFile: as ``open_bytes`` and ``read``; and it is no JSON, or nested too deeply.
        """
        read = self._data
        if read is _NO_DATA:
            read = self._parsed()
        self._data = read if keep else _NO_DATA
        return read

    def _parsed(self) -> Any:
        try:
            read = json.loads(self.content())
        except (ValueError, RecursionError) as error:
            raise InvalidFile(f"{self.name} is not JSON ({error}) - one turn a line is --format jsonl") from error
        if deeper_than(read, self.limits.depth):
            raise InvalidFile(f"{self.name} is nested more than {self.limits.depth} deep - raise --max-depth")
        return read


class _Bounded(io.RawIOBase):
    """Unpacked bytes, up to the limit."""

    def __init__(self, inner: IO[bytes], file: ImportFile) -> None:
        self._inner = inner
        self._file = file
        self._remaining = file.limits.bytes

    def read(self, size: int = -1) -> bytes:
        return self._count(self._inner.read(self._clamp(size)))

    def readline(self, size: int | None = -1) -> bytes:
        return self._count(self._inner.readline(self._clamp(size)))

    def _clamp(self, size: int | None) -> int:
        return self._remaining + 1 if size is None or size < 0 else min(size, self._remaining + 1)

    def _count(self, data: bytes) -> bytes:
        self._remaining -= len(data)
        if self._remaining < 0:
            raise self._file.too_large()
        return data


class _Replayed(io.RawIOBase):
    """Stdin: what was read of it before, then the rest."""

    def __init__(self, file: ImportFile, stream: IO[bytes]) -> None:
        self._file = file
        self._stream = stream
        self._position = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        replay = self._file.replay
        data = bytes(replay[self._position : self._position + len(buffer)])
        if not data:
            data = cast("io.BufferedReader", self._stream).read1(len(buffer))
            if not self._file.last:
                replay += data
        self._position += len(data)
        buffer[: len(data)] = data
        return len(data)
