"""Location of a memory as a value: a path, the process's own memory, or a database's URL."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from hmem.errors import InputError

IN_MEMORY: Final = ":memory:"
SQLITE: Final = "sqlite"
# Schemes of hmem-postgres.
DATABASES: Final = ("postgres", "postgresql")

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
# ``Path`` makes one slash of two.
_COLLAPSED: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
_MASK: Final = "***"
# A password with an unquoted "@", "/" or "?" must not be printed either: all up to the last "@" counts as password.
_PASSWORD: Final = re.compile(r"(://[^:@/?#]*):.*@", re.DOTALL)
# Without "@": text in the place of a port that is no number.
_NO_PORT: Final = re.compile(r"(://[^:@/?#]*):(?!\d*(?:[/?#]|$)).*", re.DOTALL)
_SECRET: Final = re.compile(r"([?&;][^=&;#]*(?:pass|pwd|secret|token|key)[^=&;#]*=)[^&;#]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Location:
    """A parsed location. Its printed form shows no password; ``url``, for connecting, does.

    ``scheme`` names the storage, ``sqlite`` for a path; ``path`` is the file, None if it is no file of this machine.
    """

    scheme: str
    path: Path | None
    url: str = field(repr=False)

    @classmethod
    def parse(cls, location: "str | Path | Location") -> "Location":
        """Return the location that a path, ``:memory:`` or ``scheme://…`` names.

        Raises:
            InputError: a ``Path`` was made of a URL, which it is no more.
        """
        if isinstance(location, Location):
            return location
        text = str(location)
        if isinstance(location, Path) and (collapsed := _COLLAPSED.match(text)):
            raise InputError(f"a path was made of a URL of {collapsed[1]}:// - give the URL as a text")
        match = _SCHEME.match(text)
        if match is None:
            return cls(SQLITE, None if text == IN_MEMORY else Path(text), text)
        scheme = match[1].lower()
        # Three slashes begin an absolute path, as in other programs' URLs of SQLite.
        path = Path(unquote(text[match.end() :])) if scheme == SQLITE and text[match.end() :] else None
        return cls(scheme, path, text)

    @property
    def index_folder(self) -> Path | None:
        """Folder for indices beside the file; None if there is no file."""
        return None if self.path is None else self.path.with_name(f"{self.path.name}-index")

    @property
    def has_password(self) -> bool:
        """True if its printed form leaves something out."""
        return self.path is None and str(self) != self.url

    def __str__(self) -> str:
        if self.path is not None:
            return str(self.path)
        if _SCHEME.match(self.url) is None:
            return self.url
        text = _PASSWORD.sub(rf"\1:{_MASK}@", self.url)
        text = text if text != self.url else _NO_PORT.sub(rf"\1:{_MASK}", text)
        return _SECRET.sub(rf"\1{_MASK}", text)

    def __repr__(self) -> str:
        return f"Location({str(self)!r})"
