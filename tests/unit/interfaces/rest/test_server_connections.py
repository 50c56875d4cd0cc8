"""Idle connections keep nobody out."""

import socket
from contextlib import ExitStack
from pathlib import Path
from time import sleep

import pytest
from tests.serving import SECONDS, Site, problem, serving

from hmem.interfaces.rest.keys import Keys
from hmem.interfaces.rest.server import Connections


class Line:
    """A connection that can be closed."""

    closed = False

    def close(self) -> None:
        self.closed = True


def test_the_connection_that_is_idle_for_longest_makes_room() -> None:
    held = Connections(4, 3)
    lines = [Line() for _ in range(6)]
    assert all(held.open(line, "ann") for line in lines[:3])
    held.at_work(lines[0])
    assert held.open(lines[3], "ann")
    assert [line.closed for line in lines[:4]] == [False, True, False, False]
    held.idle(lines[0], "ann")
    assert held.open(lines[4], "bob")
    assert held.open(lines[5], "bob")
    assert [line.closed for line in lines] == [False, True, True, False, False, False]
    assert len(held) == 4


def test_there_is_no_room_when_all_are_at_work() -> None:
    held = Connections(10, 2)
    lines = [Line() for _ in range(3)]
    for line in lines[:2]:
        assert held.open(line, "ann")
        held.at_work(line)
    assert not held.open(lines[2], "ann")
    assert held.open(lines[2], "bob")
    held.close(lines[0], "ann")
    assert held.open(Line(), "ann")


def test_one_that_has_ended_is_not_idle() -> None:
    held = Connections(10, 2)
    line = Line()
    held.open(line, "ann")
    held.close(line, "ann")
    held.idle(line, "ann")
    held.close(line, "ann")
    assert len(held) == 0


@pytest.mark.parametrize("first", [b"", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_many_idle_connections_do_not_keep_others_out(tmp_path: Path, first: bytes) -> None:
    with serving(tmp_path / "root", connections_by_client=50) as site, ExitStack() as stack:
        lines = [stack.enter_context(socket.create_connection(("127.0.0.1", site.port), SECONDS)) for _ in range(140)]
        for line in lines:
            line.sendall(first)
        for _ in range(3):
            assert site.http.get("/healthz").status_code == 200
            site.http.close()
            site.__post_init__()
        site.create("ann")


def held_at_work(site: Site, key: str, stack: ExitStack) -> None:
    """Begin a request whose body does not end."""
    line = stack.enter_context(socket.create_connection(("127.0.0.1", site.port), SECONDS))
    line.sendall(
        f"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{".encode()
    )


@pytest.mark.parametrize(
    ("limits", "ann", "bob"),
    [({"at_work_by_client": 2}, (429, "TooManyRequests"), 200), ({"at_work": 2}, (503, "ServerUnavailable"), 503)],
)
def test_requests_at_work_are_limited_by_client(
    root: Path, limits: dict[str, int], ann: tuple[int, str], bob: int
) -> None:
    root.mkdir()
    keys = {name: Keys(root / ".keys.json").create(name, ["admin"], ["*"])[0] for name in ("ann", "bob")}
    head = {name: {"Authorization": f"Bearer {key}"} for name, key in keys.items()}
    with serving(root, **limits) as site, ExitStack() as stack:
        for _ in range(2):
            held_at_work(site, keys["ann"], stack)
        while (said := site.get("memories", headers=head["ann"])).status_code == 200:
            sleep(0.01)
        assert problem(said) == ann
        assert said.headers["retry-after"] == "1"
        assert site.get("memories", headers=head["bob"]).status_code == bob
        assert site.http.get("/healthz").status_code == 200
        stack.close()
        while site.get("memories", headers=head["ann"]).status_code != 200:
            sleep(0.01)
