"""The server listens where it may, begins and ends, and waits for nobody too long."""

import asyncio
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import httpx
import pytest
from tests.processes import SECONDS, running
from tests.serving import Site, serving

from hmem import Memory, connect
from hmem.errors import InvalidFile, ServerUnavailable, StorageError, Unprotected
from hmem.interfaces.rest import server
from hmem.interfaces.rest.keys import Keys
from hmem.interfaces.rest.settings import Settings, is_loopback


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.1", "example.org", ""])  # noqa: S104
def test_a_server_without_a_key_does_not_listen_to_others(root: Path, host: str) -> None:
    with pytest.raises(Unprotected, match="hmem keys create"):
        server.make(Settings(root, host=host))


def test_a_key_that_was_revoked_is_none(root: Path) -> None:
    root.mkdir()
    keys = Keys(root / ".keys.json")
    _, key = keys.create("ann", ["read"], ["*"])
    server.check(Settings(root, host="0.0.0.0"))  # noqa: S104
    keys.revoke(key.id)
    with pytest.raises(Unprotected):
        server.check(Settings(root, host="0.0.0.0"))  # noqa: S104


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "::1", "[::1]", "localhost"])
def test_the_machine_itself_is_loopback(host: str) -> None:
    assert is_loopback(host)


def test_an_address_that_is_taken_is_a_named_error(root: Path) -> None:
    with serving(root) as site, pytest.raises(ServerUnavailable, match="--port"):
        server.listen(Settings(root, port=site.port))


def test_what_is_written_is_sent_at_once(root: Path) -> None:
    async def delayed() -> bool:
        """Tell if the system holds back what is written until the client has acknowledged what came before."""
        connected = asyncio.get_running_loop().create_future()

        class Accepting(asyncio.Protocol):
            def connection_made(self, transport: asyncio.BaseTransport) -> None:
                connected.set_result(transport.get_extra_info("socket"))

        listening = server.listen(Settings(root, port=0))
        async with await asyncio.get_running_loop().create_server(Accepting, sock=listening):
            with socket.create_connection(listening.getsockname()):
                return not (await connected).getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

    assert not asyncio.run(delayed())


def test_a_root_that_is_no_folder_is_a_named_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError):
        server.check(Settings(tmp_path / "file"))


def test_the_root_is_for_its_owner_only(root: Path) -> None:
    server.check(Settings(root))
    assert os.name != "posix" or root.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.name != "posix", reason="Windows has other signals")
def test_the_command_serves_and_ends_with_what_is_at_work_done(root: Path) -> None:
    command = [sys.executable, "-m", "hmem", "serve", "--root", str(root), "--port", "0", "--workers", "0"]
    with running(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = process.stderr.readline().rpartition(" on ")[2].strip()
        lines = [process.stderr.readline() for _ in range(3)]
        site = Site(Settings(root), address, int(address.rpartition(":")[2]))
        while '"ready"' not in lines[-1]:
            lines.append(process.stderr.readline())
            assert lines[-1], lines
        site.create("a")
        batch = {"messages": [f"I saw the number {number} bus" for number in range(100)]}
        answers: list[int] = []
        asking = Thread(target=lambda: answers.append(site.post("memories/a/turns/batch", batch).status_code))
        asking.start()
        while not (root / "a.hmem-wal").exists():
            pass
        process.send_signal(signal.SIGTERM)
        rest = process.stderr.read()
        asking.join(SECONDS)
        code = process.wait(SECONDS)
        site.http.close()
    assert (answers, code) == ([200], 0)
    assert '"ended"' in rest
    assert all(json.loads(line) for line in rest.splitlines())
    with Memory(root / "a.hmem") as memory:
        assert memory.stats().turns == 100


@pytest.mark.skipif(os.name != "posix", reason="Windows has other rights")
def test_a_root_that_is_gone_is_told(root: Path) -> None:
    with serving(root) as site:
        assert site.http.get("/readyz").json() == {"status": "ready"}
        root.rename(root.with_name("away"))
        end = monotonic() + SECONDS
        while (answer := site.http.get("/readyz")).status_code == 200 and monotonic() < end:
            sleep(0.05)
        assert (answer.status_code, answer.json()) == (503, {"status": "not ready", "part": "root"})
        root.with_name("away").rename(root)


START = b"POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with serving(tmp_path_factory.mktemp("root"), head_seconds=1.0, body_seconds=1.0, head_bytes=4_096) as site:
        yield site


def slowly(site: Site, data: bytes, first: int, pause: float = 0.1) -> tuple[bytes, float]:
    """What comes back when only some bytes are sent at once, and the rest one by one; and after how long."""
    began = monotonic()
    with socket.create_connection(("127.0.0.1", site.port), timeout=SECONDS) as line:
        line.sendall(data[:first])
        line.settimeout(pause)
        for at in range(first, len(data)):
            try:
                if said := line.recv(65_536):
                    return said, monotonic() - began
                break
            except TimeoutError:
                line.sendall(data[at : at + 1])
        line.settimeout(SECONDS)
        return line.recv(65_536), monotonic() - began


def test_a_head_that_comes_slowly_is_refused(hasty: Site) -> None:
    said, seconds = slowly(hasty, START + b"X-Slow: " + b"x" * 500, 20)
    assert said.startswith(b"HTTP/1.1 408")
    assert b'"name": "RequestTooSlow"' in said
    assert seconds < 30


def test_a_connection_that_says_nothing_is_ended(hasty: Site) -> None:
    assert hasty.raw(b"", SECONDS).startswith(b"HTTP/1.1 408")


def test_a_body_that_comes_slowly_is_refused(hasty: Site) -> None:
    data = START + b"Content-Length: 400\r\n\r\n" + b" " * 400
    said, seconds = slowly(hasty, data, len(data) - 350)
    assert said.startswith(b"HTTP/1.1 408")
    assert b'"name": "RequestTooSlow"' in said
    assert b"connection: close" in said.lower()
    assert seconds < 30


def test_the_second_request_of_a_connection_has_the_same_limits(hasty: Site) -> None:
    whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", hasty.port), timeout=SECONDS) as line:
        line.sendall(whole)
        assert line.recv(65_536).startswith(b"HTTP/1.1 200")
        line.sendall(whole[:10])
        assert line.recv(65_536).startswith(b"HTTP/1.1 408")


def test_a_connection_that_waits_for_its_next_request_is_kept(hasty: Site) -> None:
    whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", hasty.port), timeout=SECONDS) as line:
        for _ in range(2):
            line.sendall(whole)
            assert line.recv(65_536).startswith(b"HTTP/1.1 200")
            sleep(1.3)


def test_a_head_that_is_too_large_is_refused(hasty: Site) -> None:
    said = hasty.raw(START + b"X-Long: " + b"x" * 10_000 + b"\r\n\r\n", SECONDS)
    assert said.startswith(b"HTTP/1.1 431")
    assert b'"name": "RequestTooLarge"' in said


def test_a_body_behind_a_short_head_is_no_long_head(hasty: Site) -> None:
    body = b'{"name": "ann"' + b" " * 8_000 + b"}"
    said = hasty.raw(START + f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body, SECONDS)
    assert said.startswith(b"HTTP/1.1 201")


@pytest.mark.parametrize("data", [b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\nHost localhost\r\n\r\n"])
def test_what_is_no_http_is_refused(hasty: Site, data: bytes) -> None:
    said = hasty.raw(data, SECONDS)
    assert said.startswith(b"HTTP/1.1 400")
    assert b'"name": "InvalidRequest"' in said
    assert b"x-request-id: " in said


def test_many_slow_ones_do_not_keep_others_out(tmp_path: Path) -> None:
    with serving(tmp_path / "root", head_seconds=5.0) as site:
        lines = [socket.create_connection(("127.0.0.1", site.port), timeout=SECONDS) for _ in range(100)]
        for line in lines:
            line.sendall(b"GET /healthz HT")
        assert site.http.get("/healthz").status_code == 200
        for line in lines:
            line.close()


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of this machine for itself, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
               "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
               "-keyout", str(key), "-out", str(certificate)]  # fmt: skip
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate")
    subprocess.run(command, check=True, capture_output=True)
    return certificate, key


def test_a_server_with_a_certificate_speaks_tls_only(
    root: Path, certified: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate, key = certified
    with serving(root, certificate=certificate, private_key=key) as site:
        trusting = ssl.create_default_context(cafile=str(certificate))
        with httpx.Client(base_url=f"https://127.0.0.1:{site.port}", verify=trusting, trust_env=False) as http:
            assert http.get("/healthz").json() == {"status": "ok"}
        with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            httpx.get(f"https://127.0.0.1:{site.port}/healthz", trust_env=False)
        assert b"HTTP/1.1 200" not in site.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", 5)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with connect(f"https://127.0.0.1:{site.port}/ann", create=True) as memory:
            memory.add("The oven is hot")
            assert memory.search("oven")[0].text == "The oven is hot"


def test_a_certificate_that_is_none_is_a_named_error(root: Path, tmp_path: Path) -> None:
    (tmp_path / "none.pem").write_text("none")
    with pytest.raises(InvalidFile, match="PEM"):
        server.make(Settings(root, certificate=tmp_path / "none.pem", private_key=tmp_path / "none.pem"))
