"""Requests as they reach a server, and what becomes of its answers: tried again, or raised as errors by their names."""

import json
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import pytest

from hmem import errors
from hmem.errors import InvalidQuery, ServerFault, ServerUnavailable
from hmem.interfaces.client import transport
from hmem.interfaces.client.transport import HttpTransport

# An answer is a status and a body; a body of None drops the connection in the middle of the answer.
Scripted = tuple[int, bytes | None]
OK = (200, b'{"done": true}')


class Request(NamedTuple):
    """A request as it came over the wire."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses before requests that were tried again, which take no time here."""
    waited: list[float] = []
    monkeypatch.setattr("tenacity.nap.time.sleep", waited.append)
    monkeypatch.setattr(transport, "_JITTER", 0.0)
    return waited


@contextmanager
def answering(*answers: Scripted) -> Iterator[tuple[str, list[Request]]]:
    """Serve scripted answers, one a request; yield the address and the requests."""
    came, left = list[Request](), list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            came.append(Request(self.command, self.path, dict(self.headers), self.rfile.read(length)))
            status, body = left.pop(0)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body or b"") + (body is None) * 99))
            self.end_headers()
            self.wfile.write(body if body is not None else b'event: piece\ndata: "a"\n\n')
            self.close_connection = True

        do_GET = do_POST  # noqa: N815 - the name that the server calls

        def log_message(self, format: str, *args: Any) -> None:
            """Stay silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", came
        finally:
            server.shutdown()
            thread.join()


def problem(name: str, status: int = 400) -> Scripted:
    return status, json.dumps({"name": name, "detail": "it is so - mend it"}).encode()


def test_a_write_has_one_key_however_often_it_is_tried(pauses: list[float]) -> None:
    with answering((503, b""), (502, b""), OK, OK) as (address, came), closing(HttpTransport(address, "k", 9, 2)) as to:
        assert to.write("POST", "memories/a/turns", {"text": "x"}) == {"done": True}
        to.write("POST", "memories/a/turns", {"text": "x"})
    keys = [request.headers["Idempotency-Key"] for request in came]
    assert keys[0] == keys[1] == keys[2] != keys[3]
    assert pauses == [0.2, 0.4]
    assert {request.headers["Content-Type"] for request in came} == {"application/json"}
    assert {request.headers["Authorization"] for request in came} == {"Bearer k"}
    assert {request.body for request in came} == {b'{"text": "x"}'}


def test_a_server_that_stays_away_is_tried_so_often_and_no_more(pauses: list[float]) -> None:
    with answering(*[(503, b"")] * 4) as (address, came), closing(HttpTransport(address, None, 9, 3)) as to:
        with pytest.raises(ServerUnavailable, match=r"behind the proxy \(503\) - try again"):
            to.read("GET", "memories", None, {"limit": 3, "cursor": None})
        assert [request.path for request in came] == ["/v1/memories?limit=3"] * 4
    assert pauses == [0.2, 0.4, 0.8]
    assert not {"Content-Type", "Idempotency-Key"} & came[0].headers.keys()
    with closing(HttpTransport(address, None, 9, 2)) as to, pytest.raises(ServerUnavailable, match="does not answer"):
        to.read("GET", "memories")
    assert len(pauses) == 5


@pytest.mark.parametrize("name", ["StorageUnavailable", "MemoryBusy", "ServerUnavailable"])
def test_what_may_pass_is_tried_again_and_named_if_it_does_not(name: str, pauses: list[float]) -> None:
    away = problem(name, 503)
    with answering(away, OK, away, away) as (address, _), closing(HttpTransport(address, None, 9, 1)) as to:
        assert to.write("POST", "memories/a/turns", {"text": "x"}) == {"done": True}
        with pytest.raises(getattr(errors, name), match="it is so"):
            to.read("GET", "memories")
    assert pauses == [0.2, 0.2]


def test_what_the_server_refuses_is_not_tried_again(pauses: list[float]) -> None:
    refused = pytest.raises(InvalidQuery, match=r"^it is so - mend it$")
    with (
        answering(problem("InvalidQuery")) as (address, came),
        closing(HttpTransport(address, None, 9, 3)) as to,
        refused,
    ):
        to.read("POST", "memories/a/search", {})
    assert (len(came), pauses) == (1, [])


@pytest.mark.parametrize("name", ["NoSuchError", "__doc__", "Any"])
def test_a_name_that_is_no_error_of_ours_is_a_fault_of_the_server(name: str, pauses: list[float]) -> None:
    fault = pytest.raises(ServerFault, match=r"^it is so - mend it$")
    with answering(problem(name)) as (address, _), closing(HttpTransport(address, None, 9, 0)) as to, fault:
        to.read("GET", "memories")
    assert pauses == []


def test_a_stream_is_asked_again_before_it_began_and_not_after(pauses: list[float]) -> None:
    said = (200, b'data: 0\n\nevent: piece\ndata: "b"\n\n')
    with answering(said, (200, None)) as (address, came), closing(HttpTransport(address, None, 9, 2)) as to:
        assert [*to.events("a/stream", {"k": 1}, {"as_of": "now", "valid_at": None})] == [("", 0), ("piece", "b")]
        pieces = to.events("a/stream", {}, {})
        assert next(pieces) == ("piece", "a")
        with pytest.raises(ServerUnavailable):
            next(pieces)
    assert [request.path for request in came] == ["/v1/a/stream?as_of=now", "/v1/a/stream"]
    assert came[0].headers["Content-Type"] == "application/json"
    assert (came[0].body, pauses) == (b'{"k": 1}', [])
    with closing(HttpTransport(address, None, 9, 2)) as to, pytest.raises(ServerUnavailable):
        next(to.events("a/stream", {}, {}))
    assert pauses == [0.2, 0.4]
