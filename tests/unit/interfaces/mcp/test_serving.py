"""The server over stdio, and over HTTP with its guards."""

import json
import os
import socket
import subprocess
import sys
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
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from tests.processes import SECONDS
from tests.unit.evolution.test_consolidate_background import wait_until

from hmem.errors import InvalidQuery, ServerUnavailable, Unprotected
from hmem.interfaces.mcp.greeting import VERSIONS, answer_of, are_pipes
from hmem.interfaces.mcp.memories import Locations, Memories
from hmem.interfaces.mcp.server import server_of
from hmem.interfaces.mcp.serving import guarded, is_loopback, serve_http
from hmem.interfaces.mcp.tools import CORE

EVERYWHERE = "0.0.0.0"  # noqa: S104 - it is refused
KEY = "0123456789abcdef0123456789abcdef"
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture
def url(filled: Path, request: pytest.FixtureRequest) -> Generator[str]:
    """Where a server over the filled memory listens; with the key that the test's parameter names."""
    memories = Memories(Locations(project=filled))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        app = guarded(server_of(memories, structured=True), "127.0.0.1", port, key=getattr(request, "param", None))
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

    assert anyio.run(talk) == len(CORE)


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


PARAMETERS = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": PARAMETERS,
}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


def started(tmp_path: Path, **streams: int) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "hmem", "mcp", "--memory", str(tmp_path / "me.hmem")]
    return subprocess.Popen(command, **({"stdin": subprocess.PIPE, "stdout": subprocess.PIPE} | streams))


def line(message: dict[str, object]) -> bytes:
    return json.dumps(message).encode() + b"\n"


def test_pipes_and_sockets_of_their_own_are_told_from_the_rest(tmp_path: Path) -> None:
    (read, write), (one, other) = os.pipe(), socket.socketpair()
    with os.fdopen(read, "rb") as pipe, os.fdopen(write, "wb"), one, other, (tmp_path / "file").open("w") as file:
        assert are_pipes(pipe.fileno(), one.fileno())
        assert are_pipes(one.fileno(), other.fileno())
        assert not are_pipes(one.fileno(), one.fileno())
        assert not are_pipes(pipe.fileno(), file.fileno())


def test_a_server_answers_over_sockets_as_some_clients_start_it(tmp_path: Path) -> None:
    ours_in, theirs_in = socket.socketpair()
    ours_out, theirs_out = socket.socketpair()
    with ours_in, ours_out:
        with theirs_in, theirs_out:
            server = started(tmp_path, stdin=theirs_in.fileno(), stdout=theirs_out.fileno())
        with server:
            ours_in.sendall(line(INITIALIZE))
            answer = json.loads(ours_out.makefile("rb").readline())
            ours_in.shutdown(socket.SHUT_WR)
            assert server.wait(SECONDS) == 0
    assert answer["result"]["serverInfo"]["name"] == "hmem"


def test_a_server_reads_a_file_and_writes_one_as_before(tmp_path: Path) -> None:
    asked, answered = tmp_path / "asked", tmp_path / "answered"
    asked.write_bytes(line(INITIALIZE) + line(PING))
    with (
        asked.open("rb") as stdin,
        answered.open("wb") as stdout,
        started(tmp_path, stdin=stdin.fileno(), stdout=stdout.fileno()) as server,
    ):
        assert server.wait(SECONDS) == 0
    first = json.loads(answered.read_bytes().splitlines()[0])
    assert first["result"]["serverInfo"]["name"] == "hmem"
    # The library's answer to a greeting is ours.
    assert first == json.loads(answer_of(line(INITIALIZE))[1])
    assert VERSIONS == HANDSHAKE_PROTOCOL_VERSIONS


@pytest.mark.parametrize(
    "other",
    [
        PING,
        {**INITIALIZE, "id": None},
        {**INITIALIZE, "id": True},
        {**INITIALIZE, "params": None},
        {**INITIALIZE, "params": {"protocolVersion": "2025-06-18", "capabilities": {}}},
        {**INITIALIZE, "jsonrpc": "1.0"},
        [INITIALIZE],
    ],
)
def test_what_is_no_whole_greeting_is_for_the_library_to_judge(other: object) -> None:
    assert answer_of(json.dumps(other).encode()) == (None, b"")


def test_a_greeting_in_a_version_that_nobody_knows_is_answered_in_the_latest() -> None:
    unknown = {**INITIALIZE, "id": "x", "params": {**PARAMETERS, "protocolVersion": "1999-01-01"}}
    request, answer = answer_of(line(unknown))
    assert (request, json.loads(answer)["result"]["protocolVersion"]) == ("x", VERSIONS[-1])


def test_a_client_is_greeted_once_and_all_it_sent_with_the_greeting_is_answered(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        answers, _ = server.communicate(line(INITIALIZE) + line(PING), timeout=SECONDS)
    assert [json.loads(answer)["id"] for answer in answers.splitlines()] == [1, 2]


def test_lines_that_are_no_messages_do_not_end_the_session(tmp_path: Path) -> None:
    with started(tmp_path) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(b"this is no message\n\xff\xfe{\n\n" + b"[" * 100_000 + b"\n" + line(INITIALIZE))
        server.stdin.flush()
        answers: list[dict[str, object]] = []
        while not answers or "result" not in answers[-1]:
            answers.append(json.loads(server.stdout.readline()))
        server.stdin.close()
        assert server.wait(SECONDS) == 0
    assert answers[-1]["id"] == 1


def test_the_pipes_are_as_they_were_when_the_server_ends(tmp_path: Path) -> None:
    code = f"""
import os
from pathlib import Path
import anyio
from hmem.interfaces.mcp.memories import Memories, Locations
from hmem.interfaces.mcp.server import server_of
from hmem.interfaces.mcp.serving import streams
memories = Memories(Locations(project=Path({str(tmp_path / "me.hmem")!r})))
anyio.run(server_of(memories).serve, streams)
memories.close()
print("after", os.get_blocking(0), os.get_blocking(1))
"""
    done = subprocess.run([sys.executable, "-c", code], input=line(INITIALIZE), capture_output=True, check=True)
    assert done.stdout.splitlines()[-1] == b"after True True"


def test_a_client_is_greeted_before_its_memory_is_opened_and_finds_it_open(tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from hmem.interfaces.mcp.memories import Memories, Locations
from hmem.interfaces.mcp.server import server_of
from hmem.interfaces.mcp.serving import serve_stdio
memories = Memories(Locations(project=Path({str(tmp_path / "me.hmem")!r})))
serve_stdio(server_of(memories), lambda: print("greeted", len(memories._opened)))
print("ended")
"""
    arguments = [sys.executable, "-c", code]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(line(INITIALIZE))
        server.stdin.flush()
        # A client that hangs up before it is greeted may get no answer.
        assert server.stdout.readline()
        # Meanwhile what is printed goes to stderr.
        assert server.communicate(timeout=60)[1].splitlines() == [b"greeted 0"]
    silent = subprocess.run(arguments, input=b"", capture_output=True, check=True)
    assert (silent.stdout.splitlines(), silent.stderr) == ([b"ended"], b"")

    with started(tmp_path) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(line(INITIALIZE))
        server.stdin.flush()
        assert server.stdout.readline()
        wait_until((tmp_path / "me.hmem").exists)
        server.stdin.close()
        assert server.wait(SECONDS) == 0


def test_a_client_that_reads_no_more_does_not_make_the_server_fail(tmp_path: Path) -> None:
    with started(tmp_path, stderr=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(line(INITIALIZE))
        server.stdin.flush()
        server.stdout.readline()
        server.stdout.close()
        for number in range(5):
            server.stdin.write(line({**PING, "id": 10 + number}))
        server.stdin.close()
        said = server.stderr.read().decode()
        assert server.wait(SECONDS) == 0
    assert "Traceback" not in said
