"""Where a server may listen, and how it ends."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest
from tests.processes import SECONDS, running
from tests.serving import Site, serving

from hmem import Memory
from hmem.errors import ServerUnavailable, StorageError, Unprotected
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


def test_a_root_that_is_no_folder_is_a_named_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError):
        server.check(Settings(tmp_path / "file"))


def test_the_root_is_for_its_owner_only(root: Path) -> None:
    server.check(Settings(root))
    assert os.name != "posix" or root.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(os.name != "posix", reason="Windows has other signals")
def test_the_command_serves_and_ends_with_what_is_at_work_done(root: Path) -> None:
    command = [sys.executable, "-m", "hmem", "serve", "--root", str(root), "--port", "0"]
    with running(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = process.stderr.readline().rpartition(" on ")[2].strip()
        lines = [process.stderr.readline() for _ in range(3)]
        site = Site(Settings(root), address, int(address.rpartition(":")[2]))
        while '"ready"' not in lines[-1]:
            lines.append(process.stderr.readline())
            assert lines[-1], lines
        site.create("a")
        batch = {"messages": [f"I saw the number {number} bus" for number in range(400)]}
        answers: list[int] = []
        asking = Thread(target=lambda: answers.append(site.post("memories/a/turns/batch", batch).status_code))
        asking.start()
        while not (root / "a.hmem-wal").exists():
            pass
        process.send_signal(signal.SIGTERM)
        rest = process.stderr.read()
        asking.join(SECONDS)
        process.wait(SECONDS)
        site.http.close()
    assert answers == [200]
    assert '"ended"' in rest
    assert all(json.loads(line) for line in rest.splitlines())
    with Memory(root / "a.hmem") as memory:
        assert memory.stats().turns == 400
