"""Real server on loopback, in a thread of the test's process."""

import json
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import gettempdir
from threading import Thread
from time import monotonic, sleep
from typing import Any

import httpx

from hmem.interfaces.rest import server
from hmem.interfaces.rest.explorer import LocalPage
from hmem.interfaces.rest.settings import Settings

SECONDS = 100


@dataclass
class Site:
    """Running server: its address, and a client for it."""

    settings: Settings
    address: str
    port: int
    stop: Callable[[], None] = lambda: None
    http: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.http = httpx.Client(base_url=self.address, timeout=SECONDS, trust_env=False)

    def post(self, path: str, body: Any = None, **options: Any) -> httpx.Response:
        return self.http.post(f"/v1/{path}", json={} if body is None else body, **options)

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.http.get(f"/v1/{path}", **options)

    def create(self, name: str) -> None:
        assert self.post("memories", {"name": name}).status_code == 201

    def raw(self, data: bytes, seconds: float = SECONDS) -> bytes:
        """Send bytes and return the reply, until the server closes the connection or falls silent."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as line:
            line.sendall(data)
            parts: list[bytes] = []
            try:
                while part := line.recv(65_536):
                    parts.append(part)
            except (TimeoutError, ConnectionError):
                pass
            return b"".join(parts)


@contextmanager
def serving(root: Path, local: LocalPage | None = None, **options: Any) -> Iterator[Site]:
    """Yield a server of the memories under a root, or of a page for this machine alone, until the block ends."""
    settings = Settings(root, **{"port": 0, "stop_seconds": 10.0, **options})
    made = server.make(settings, local)
    listening = server.listen(settings)
    port = listening.getsockname()[1]
    thread = Thread(target=made.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    until = monotonic() + SECONDS
    while not made.started and thread.is_alive() and monotonic() < until:
        sleep(0.01)
    assert made.started

    def stop() -> None:
        made.should_exit = True
        thread.join(SECONDS)
        assert not thread.is_alive()

    site = Site(settings, f"http://127.0.0.1:{port}", port, stop)
    try:
        yield site
    finally:
        site.http.close()
        stop()


def problem(response: httpx.Response) -> tuple[int, str]:
    """Check the form of a problem and return its status and name."""
    assert response.headers["content-type"] == "application/problem+json"
    said: Mapping[str, Any] = json.loads(response.content)
    assert said["status"] == response.status_code
    assert said["type"].startswith("urn:hmem:error:")
    assert said["title"]
    assert said["detail"]
    # The root must not leak.
    assert gettempdir() not in said["detail"]
    return response.status_code, said["name"]
