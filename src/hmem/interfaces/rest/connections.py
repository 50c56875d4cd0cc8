"""Open connections by client, so that nobody keeps others out: an idle one makes room for a new one."""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Iterator
from typing import Final

# Share of the files that a process may open that connections may take; the rest is for memories.
_SHARE: Final = 0.5


class Connections:
    """Connections of a server by the client's address: at most ``most``, and ``by_client`` of one address.

    Idle ones do not count: when there are too many, the one that has been idle for longest is closed. For one thread.
    """

    def __init__(self, limit: int, by_client: int) -> None:
        self._most = min(limit, _files())
        self._by_client = by_client
        self._open: dict[str, set[asyncio.Transport]] = {}
        self._idle: OrderedDict[asyncio.Transport, str] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._open.values()))

    def open(self, transport: asyncio.Transport, client: str) -> bool:
        """Take in a new connection, which is idle; False if every other one is at work and there is no room."""
        if len(self._open.get(client, ())) >= self._by_client and not self._close_idle(self._idle_of(client)):
            return False
        if len(self) >= self._most and not self._close_idle(iter(self._idle)):
            return False
        self._open.setdefault(client, set()).add(transport)
        self._idle[transport] = client
        return True

    def at_work(self, transport: asyncio.Transport) -> None:
        """Note that a connection has a request."""
        self._idle.pop(transport, None)

    def idle(self, transport: asyncio.Transport, client: str) -> None:
        """Note that a connection waits for its next request."""
        if transport in self._open.get(client, ()):
            self._idle[transport] = client

    def close(self, transport: asyncio.Transport, client: str) -> None:
        """Note that a connection has ended."""
        self._idle.pop(transport, None)
        transports = self._open.get(client, set())
        transports.discard(transport)
        if not transports:
            self._open.pop(client, None)

    def _idle_of(self, client: str) -> Iterator[asyncio.Transport]:
        return (transport for transport, owner in self._idle.items() if owner == client)

    def _close_idle(self, idle: Iterator[asyncio.Transport]) -> bool:
        """Close the first of some idle connections; False if there is none."""
        if (oldest := next(idle, None)) is None:
            return False
        oldest.close()
        self.close(oldest, self._idle[oldest])
        return True


def _files() -> int:
    """Return how many files of this process connections may take."""
    if os.name != "posix":
        return 1 << 30
    import resource  # noqa: PLC0415 - Windows has none

    soft_limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 1 << 30 if soft_limit == resource.RLIM_INFINITY else max(1, int(soft_limit * _SHARE))
