"""Client of a server: a remote memory with the interface of ``Memory``."""

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
    """Return a memory at a server, with the methods, values and errors of ``Memory``.

    Args:
        url: the server, such as ``http://localhost:8765``, or a memory at it, such as ``http://localhost:8765/alice``.
        memory: its name, if the address does not contain it.
        key: a key of the server; a server on this machine without keys needs none.
        create: True makes the memory if it does not exist, which needs a key with the scope ``admin``.
        recipe: how a memory that is made forms its turns, and recalls.
        zone: the IANA time zone of a memory that is made; UTC by default.
        timeout: seconds to wait for an answer.
        retries: how often a request is sent again when the server could not be reached; a write is still done only
            once.

    Raises: InvalidRequest, InvalidName: the address, or the name, is not valid. ServerUnavailable, KeyRefused,
    NotAllowed: with ``create``, the server cannot be reached or does not let you. ExtraMissing: httpx is not installed.
    """
    server, name = _split_address(url, memory)
    transport = HttpTransport(server, key, timeout, retries)
    if create:
        options = {"recipe": recipe, "zone": zone}
        # A memory that somebody made meanwhile is as good.
        with suppress(MemoryExists):
            transport.write("POST", "memories", {"name": name} | {k: v for k, v in options.items() if v is not None})
    return RemoteMemory(transport, f"memories/{quote(name, safe='')}")


def _split_address(url: str, memory: str | None) -> tuple[str, str]:
    """Return the server's address and the memory's name."""
    address = urlsplit(url)
    if address.scheme not in ("http", "https") or not address.netloc:
        raise InvalidRequest(f"{url!r} is no address of a server - write it as 'http://localhost:8765'")
    path = address.path.strip("/")
    name = memory if memory is not None else unquote(path.removeprefix(_PATH))
    if not name or "/" in name:
        raise InvalidName("no memory is named - write it as 'http://localhost:8765/alice', or give memory='alice'")
    base = "" if memory is None else f"/{path}" if path else ""
    return f"{address.scheme}://{address.netloc}{base}", name
