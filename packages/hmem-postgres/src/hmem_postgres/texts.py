"""Texts in Postgres, which keeps every character but NUL: that one is escaped, and comes back."""

from typing import Final

from psycopg import adapters
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap
from psycopg.types.string import StrBinaryDumper, StrDumperUnknown, TextBinaryLoader, TextLoader

_ESCAPE: Final = "\x1a"
_ESCAPES: Final = str.maketrans({"\0": f"{_ESCAPE}0", _ESCAPE: f"{_ESCAPE}1"})


def escape(text: str) -> str:
    """Return a text without NUL, from which ``unescape`` makes the text again."""
    return text.translate(_ESCAPES) if "\0" in text or _ESCAPE in text else text


def unescape(text: str) -> str:
    """Return the text that ``escape`` was given."""
    return text.replace(f"{_ESCAPE}0", "\0").replace(f"{_ESCAPE}1", _ESCAPE) if _ESCAPE in text else text


class _Dumper(StrDumperUnknown):
    def dump(self, obj: str) -> Buffer | None:
        # What is no Unicode is refused by the server, by a named error.
        return escape(obj).encode("utf-8", "surrogatepass")


class _BinaryDumper(StrBinaryDumper):
    def dump(self, obj: str) -> Buffer | None:
        # What is no Unicode is refused by the server, by a named error.
        return escape(obj).encode("utf-8", "surrogatepass")


class _Loader(TextLoader):
    def load(self, data: Buffer) -> str:
        return unescape(bytes(data).decode())


class _BinaryLoader(TextBinaryLoader):
    def load(self, data: Buffer) -> str:
        return unescape(bytes(data).decode())


def escaping() -> AdaptersMap:
    """Return psycopg's conversions, with texts escaped."""
    adapters_map = AdaptersMap(adapters)
    adapters_map.register_dumper(str, _BinaryDumper)
    # The last one is the default: its type is that of the place where it stands.
    adapters_map.register_dumper(str, _Dumper)
    adapters_map.register_loader("text", _Loader)
    adapters_map.register_loader("text", _BinaryLoader)
    return adapters_map
