"""Settings of the server, fixed when it starts."""

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from hmem.model.key import MemoryKey
from hmem.storage.location import Location


@dataclass(frozen=True, slots=True)
class Settings:
    """Folder or database of the memories, address and limits of the server.

    The memories are in the folder ``root``, or in the ``database``; keys and the answers to repeats are in the root.
    ``workers`` processes hold the memories; with 0 the server's own does. Each has at most ``threads`` calls at work
    and ``memories`` loaded, within ``memory_bytes`` for all that the process holds, and closes them after
    ``idle_seconds`` without a call.
    ``body_bytes`` and ``batch`` bound a request, which must arrive within ``head_seconds`` and ``body_seconds``. A key
    may make ``rate`` requests a second, and ``burst`` at once; ``at_work_by_client`` of them may be at work, of
    ``at_work`` in all. An address may have ``connections_by_client`` open, of ``connections`` in all, where idle ones
    make room, and try ``refusals`` wrong keys a second, ten times as many at once. ``certificate`` and ``private_key``
    are files for TLS. Pages of ``origins`` may call it. ``audit`` is the file that tells who read and wrote what.
    ``recipe`` is how memories recall, None for as they were made. ``otel`` reports requests to OpenTelemetry. ``key``
    encrypts every memory and the server's own file. ``only`` is the one memory that is served, wherever it lies.
    """

    root: Path
    host: str = "127.0.0.1"
    port: int = 8765
    workers: int = 0
    threads: int = 8
    memories: int = 128
    memory_bytes: int = 512_000_000
    idle_seconds: float = 300.0
    body_bytes: int = 4_000_000
    head_bytes: int = 32_768
    batch: int = 1_000
    rate: float = 2_000.0
    burst: int = 4_000
    at_work: int = 512
    at_work_by_client: int = 256
    connections: int = 4_096
    connections_by_client: int = 512
    refusals: float = 100.0
    head_seconds: float = 10.0
    body_seconds: float = 20.0
    stop_seconds: float = 30.0
    certificate: Path | None = None
    private_key: Path | None = None
    origins: tuple[str, ...] = ()
    audit: Path | None = None
    recipe: str | None = None
    otel: bool = False
    key: MemoryKey | None = None
    database: Location | None = None
    only: Location | None = None

    @property
    def location(self) -> Location:
        """Location of the memories."""
        return self.only or self.database or Location.parse(self.root)

    @property
    def loopback(self) -> bool:
        """True if only this machine can reach the server."""
        return is_loopback(self.host)

    @property
    def server_folder(self) -> Path:
        """The server's own folder, under the root."""
        return self.root / ".server"

    @property
    def keys(self) -> Path:
        """Path of the key file."""
        return self.root / ".keys.json"


def is_loopback(host: str) -> bool:
    """Tell if a host name or address is the machine's own."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
