"""The client of a server: a memory that is elsewhere, with the interface of ``Memory``."""

from contextlib import suppress
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from hmem.errors import InvalidName, InvalidRequest, MemoryExists
from hmem.interfaces.client.remote import RemoteMemory
from hmem.interfaces.client.transport import HttpTransport

_PATH: Final = "v1/memories/"


def connect(
    url: str,
    memory: str | None = None,
    *,
    key: str | None = None,
    create: bool = False,
    recipe: str | None = None,
    zone: str | None = None,
    timeout: float = 60.0,
    retries: int = 2,
) -> RemoteMemory:
    """A memory of a server, as if it were here: the methods, values and errors of ``Memory``.

    Args:
        url: the server, such as ``http://localhost:8765``, or the memory at it, such as ``http://localhost:8765/alice``.
        memory: its name, when the address does not say it.
        key: a key of the server; none is needed for one that listens to its own machine and has no keys.
        create: whether to make the memory when it is not there, which needs a key with the scope ``admin``.
        recipe: how a memory that is made forms its turns, and recalls.
        zone: the IANA time zone of a memory that is made; UTC by default.
        timeout: for how many seconds an answer is waited for.
        retries: how often a request is sent again when the server could not be reached; a write is done once all
            the same.

    Raises:
        InvalidRequest, InvalidName: the address, or the name, is none.
        ServerUnavailable, KeyRefused, NotAllowed: with ``create``, the server cannot be reached or does not let you.
        ExtraMissing: httpx is not installed.
    """
    server, name = _parts(url, memory)
    line = HttpTransport(server, key, timeout, retries)
    if create:
        options = {"recipe": recipe, "zone": zone}
        # One that somebody made before is as good.
        with suppress(MemoryExists):
            line.write("POST", "memories", {"name": name} | {k: v for k, v in options.items() if v is not None})
    return RemoteMemory(line, f"memories/{quote(name, safe='')}")


def _parts(url: str, memory: str | None) -> tuple[str, str]:
    """The server's address, and the memory's name."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise InvalidRequest(f"{url!r} is no address of a server - write it as 'http://localhost:8765'")
    path = parts.path.strip("/")
    name = memory if memory is not None else unquote(path.removeprefix(_PATH))
    if not name or "/" in name:
        raise InvalidName("no memory is named - write it as 'http://localhost:8765/alice', or give memory='alice'")
    base = "" if memory is None else f"/{path}" if path else ""
    return f"{parts.scheme}://{parts.netloc}{base}", name
