"""The guards of the server over HTTP, on a real socket."""

import socket
import threading
import time
from collections.abc import Generator
from pathlib import Path

import anyio
import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from hmem.errors import InvalidQuery, ServerUnavailable, Unprotected
from hmem.interfaces.mcp.memories import Memories, Places
from hmem.interfaces.mcp.server import server_of
from hmem.interfaces.mcp.serving import guarded, is_loopback, serve_http

EVERYWHERE = "0.0.0.0"  # noqa: S104 - it is refused
KEY = "0123456789abcdef0123456789abcdef"
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture
def url(filled: Path, request: pytest.FixtureRequest) -> Generator[str]:
    """Where a server over the filled memory listens; with the key that the test's parameter names."""
    memories = Memories(Places(project=filled))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        app = guarded(server_of(memories), "127.0.0.1", port, key=getattr(request, "param", None))
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", ws="none", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [taken]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{port}/mcp"
        server.should_exit = True
        thread.join()
    memories.close()


def post(url: str, **headers: str) -> int:
    with httpx2.Client() as client:
        return client.post(url, json=PING, headers=ACCEPT | headers).status_code


def test_a_client_recalls_over_http(url: str) -> None:
    async def talk() -> list[str]:
        async with Client(url) as client:
            found = (await client.call_tool("recall", {"question": "puppy"})).structured_content
        return [each["text"] for each in found["evidence"]] if found else []

    assert "I adopted a puppy named Coco" in anyio.run(talk)


def test_a_page_of_another_site_is_refused(url: str) -> None:
    assert post(url, Origin="https://evil.example") == 403
    assert post(url, Host="evil.example") == 421
    assert post(url, Host="localhost.evil.example") == 421
    assert post(url, Origin="http://127.0.0.1.evil.example") == 403


def test_a_body_that_is_too_large_is_refused(url: str) -> None:
    with httpx2.Client() as client:
        answer = client.post(url, content=b" " * (5 * 1024 * 1024), headers=ACCEPT)
    assert answer.status_code == 413


@pytest.mark.parametrize("url", [KEY], indirect=True)
def test_only_the_key_opens(url: str) -> None:
    assert post(url) == 401
    with httpx2.Client() as client:
        assert client.post(url, json=PING, headers=ACCEPT).text.startswith("KeyRefused: ")
    assert post(url, Authorization=f"Bearer {KEY[:-1]}") == 401
    assert post(url, Authorization=f"Bearer {KEY}0") == 401
    assert post(url, Authorization=KEY) == 401
    assert post(url, Authorization=f"Basic {KEY}") == 401

    async def talk() -> int:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {KEY}"}) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            return len((await client.list_tools()).tools)

    assert anyio.run(talk) == 11


def test_it_does_not_listen_beyond_this_machine_without_a_key(memories: Memories) -> None:
    server = server_of(memories)
    with pytest.raises(Unprotected, match="HMEM_MCP_KEY"):
        serve_http(server, EVERYWHERE, 0)
    with pytest.raises(InvalidQuery, match="--allow-host"):
        serve_http(server, EVERYWHERE, 0, key=KEY)
    with pytest.raises(Unprotected, match="shorter"):
        serve_http(server, "127.0.0.1", 0, key="short")


def test_a_port_that_is_taken_is_a_named_error(memories: Memories) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(ServerUnavailable, match="cannot listen"):
        serve_http(server_of(memories), "127.0.0.1", taken.getsockname()[1])


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("127.1.2.3", True), (EVERYWHERE, False), ("::", False),
     ("192.168.1.4", False), ("localhost.evil.example", False)],
)  # fmt: skip
def test_loopback_is_this_machine_alone(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
