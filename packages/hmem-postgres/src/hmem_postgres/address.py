"""Address of a memory in a database: how to connect, and the memory's name."""

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hmem.errors import InputError
from hmem.storage.location import Location

_MEMORY: Final = "memory"
_SCHEME: Final = "postgresql"


@dataclass(frozen=True, slots=True)
class Address:
    """Address of a memory: ``conninfo`` for connecting, which may hold a password, and the ``memory``'s name, if any.

    ``printed`` is the location without a password, for messages.
    """

    memory: str | None
    printed: str
    conninfo: str = field(repr=False)

    @classmethod
    def parse(cls, location: Location) -> "Address":
        """Return the address of ``postgresql://user@host/database?memory=NAME``; the rest is as libpq understands it.

        Raises:
            InputError: the URL cannot be read. The message does not repeat it, since it may hold a password.
        """
        try:
            url_fields = urlsplit(location.url)
            fields = parse_qsl(url_fields.query, keep_blank_values=True)
            names = [value for name, value in fields if name == _MEMORY]
            query = urlencode([pair for pair in fields if pair[0] != _MEMORY], quote_via=quote)
            url = urlunsplit((_SCHEME, url_fields.netloc, url_fields.path, query, ""))
            # Three slashes stand for no host, as in libpq; ``urlunsplit`` takes two of them away.
            url = url if url.startswith(f"{_SCHEME}://") else url.replace(":", "://", 1)
            # Twice the same database is one pool, whatever the order of the fields.
            conninfo = make_conninfo("", **dict(sorted(conninfo_to_dict(url).items())))
        except (ValueError, psycopg.ProgrammingError) as error:
            # Not chained: the text of the cause may repeat the password.
            problem = type(error).__name__
        else:
            return cls(_memory_name(names), str(location), conninfo)
        raise InputError(f"the URL of a database cannot be read ({problem}) - write postgresql://user@host/database")

    def require_memory(self) -> str:
        """Return the memory's name.

        Raises:
            InputError: the location names none.
        """
        if self.memory is None:
            raise InputError(f"{self.printed} names no memory - add ?memory=NAME to it")
        return self.memory


def locate(database: Location, memory: str) -> Location:
    """Return the location of a memory in a database."""
    url_fields = urlsplit(database.url)
    fields = [pair for pair in parse_qsl(url_fields.query, keep_blank_values=True) if pair[0] != _MEMORY]
    head, _, _ = database.url.partition("?")
    return Location.parse(f"{head}?{urlencode([*fields, (_MEMORY, memory)], quote_via=quote)}")


def _memory_name(names: list[str]) -> str | None:
    """Return the name of the memory that a location gives, None if it gives none.

    Raises:
        InputError: it is empty, given twice, or holds a NUL.
    """
    if not names:
        return None
    if len(names) > 1 or not names[0] or "\0" in names[0]:
        raise InputError("a location names one memory, with at least one character - write ?memory=NAME once")
    return names[0]
