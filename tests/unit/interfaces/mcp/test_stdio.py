"""The pipes of a server that a client started."""

import json
import os
import socket
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from tests.processes import running

from hmem.interfaces.mcp.stdio import are_pipes

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


def started(tmp_path: Path, **streams: int) -> "AbstractContextManager[subprocess.Popen[Any]]":
    command = [sys.executable, "-m", "hmem", "mcp", "--memory", str(tmp_path / "me.hmem")]
    return running(command, **({"stdin": subprocess.PIPE, "stdout": subprocess.PIPE} | streams))


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
    with ours_in, ours_out, started(tmp_path, stdin=theirs_in.fileno(), stdout=theirs_out.fileno()) as server:
        theirs_in.close()
        theirs_out.close()
        ours_in.sendall(line(INITIALIZE))
        answer = json.loads(ours_out.makefile("rb").readline())
        ours_in.shutdown(socket.SHUT_WR)
        assert server.wait(30) == 0
    assert answer["result"]["serverInfo"]["name"] == "hmem"


def test_a_server_reads_a_file_and_writes_one_as_before(tmp_path: Path) -> None:
    asked, answered = tmp_path / "asked", tmp_path / "answered"
    asked.write_bytes(line(INITIALIZE) + line(PING))
    with (
        asked.open("rb") as stdin,
        answered.open("wb") as stdout,
        started(tmp_path, stdin=stdin.fileno(), stdout=stdout.fileno()) as server,
    ):
        assert server.wait(60) == 0
    first = json.loads(answered.read_bytes().splitlines()[0])
    assert first["result"]["serverInfo"]["name"] == "hmem"


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
        assert server.wait(30) == 0
    assert answers[-1]["id"] == 1


def test_the_pipes_are_as_they_were_when_the_server_ends(tmp_path: Path) -> None:
    code = f"""
import os
from pathlib import Path
import anyio
from hmem.interfaces.mcp.memories import Memories, Places
from hmem.interfaces.mcp.server import server_of
memories = Memories(Places(project=Path({str(tmp_path / "me.hmem")!r})))
anyio.run(server_of(memories).run_stdio_async)
memories.close()
print("after", os.get_blocking(0), os.get_blocking(1))
"""
    done = subprocess.run([sys.executable, "-c", code], input=line(INITIALIZE), capture_output=True, check=True)
    assert done.stdout.splitlines()[-1] == b"after True True"


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
        assert server.wait(30) == 0
    assert "Traceback" not in said
