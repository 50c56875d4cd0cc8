"""What a server is told when it starts."""

from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """Where the memories lie, where the server listens, and its limits.

    ``workers`` processes hold the memories; with 0 the server's own does. Each has ``threads`` calls at work at most,
    and ``memories`` open, of which those not asked for ``idle_seconds`` are closed. ``body_bytes`` and ``batch`` bound
    a request, which is to be there in ``head_seconds`` and ``body_seconds``. ``rate`` are requests a second by one key,
    ``burst`` how many of them may come at once. ``recipe`` is how memories are recalled, None for as made;
    ``otel`` is whether OpenTelemetry is told of requests.
    """

    root: Path
    host: str = "127.0.0.1"
    port: int = 8765
    workers: int = 0
    threads: int = 8
    memories: int = 64
    idle_seconds: float = 300.0
    body_bytes: int = 4_000_000
    head_bytes: int = 32_768
    batch: int = 1_000
    rate: float = 2_000.0
    burst: int = 4_000
    head_seconds: float = 10.0
    body_seconds: float = 20.0
    stop_seconds: float = 30.0
    recipe: str | None = None
    otel: bool = False

    @property
    def loopback(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback(self.host)

    @property
    def own(self) -> Path:
        """The folder under the root that is the server's own."""
        return self.root / ".server"

    @property
    def keys(self) -> Path:
        """The file of keys."""
        return self.root / ".keys.json"


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is the machine's own."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
