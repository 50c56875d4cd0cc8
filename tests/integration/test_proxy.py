"""Several servers behind a real nginx: each memory meets one of them, and another when that is away."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from shutil import which
from time import monotonic, sleep

import httpx
import pytest
from benchmarks.cluster import NGINX, free_port
from tests.serving import SECONDS, Site, serving

import hmem

pytestmark = pytest.mark.skipif(which("nginx") is None, reason="nginx is not installed")


@pytest.fixture
def sites(tmp_path: Path) -> Iterator[list[Site]]:
    """Three servers of the same folder."""
    with ExitStack() as ending:
        yield [ending.enter_context(serving(tmp_path / "root")) for _ in range(3)]


@pytest.fixture
def proxy(sites: list[Site], tmp_path: Path) -> Iterator[str]:
    """The address of an nginx before the servers, as docs/postgres.md tells to configure it."""
    listed = " ".join(f"server 127.0.0.1:{site.port} max_fails=1 fail_timeout=1s;" for site in sites)
    port, file = free_port(), tmp_path / "nginx.conf"
    file.write_text(NGINX.format(folder=tmp_path, servers=listed, port=port), "utf-8")
    command = [which("nginx") or "", "-c", str(file), "-p", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        until = monotonic() + SECONDS
        while monotonic() < until:
            try:
                httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=5)
                break
            except httpx.TransportError:
                sleep(0.05)
        yield f"http://127.0.0.1:{port}"
        process.terminate()


def loads(site: Site) -> int:
    lines = site.http.get("/metrics").text.splitlines()
    return int(float(next(line for line in lines if line.startswith("hmem_memory_loads_total ")).split()[1]))


def test_each_memory_meets_one_server_and_not_all_the_same(sites: list[Site], proxy: str) -> None:
    names = [f"memory-{number}" for number in range(12)]
    for name in names:
        sites[0].create(name)
    before = loads(sites[0])
    for again in range(3):
        for name in names:
            with hmem.connect(f"{proxy}/{name}") as memory:
                memory.add(f"Turn {again} of {name}")
                assert len(memory.search(f"Turn of {name}")) == again + 1
    loaded = [loads(site) for site in sites]
    assert loaded[0] == before
    assert any(loaded[1:])
    assert before + sum(loaded[1:]) <= before + len(names)


def test_a_memory_meets_another_server_while_its_own_is_away(tmp_path: Path) -> None:
    with serving(tmp_path / "root") as stays:
        stays.create("a")
        gone = free_port()
        listed = f"server 127.0.0.1:{gone} max_fails=1 fail_timeout=1s; server 127.0.0.1:{stays.port};"
        port, file = free_port(), tmp_path / "nginx.conf"
        file.write_text(NGINX.format(folder=tmp_path, servers=listed, port=port), "utf-8")
        with subprocess.Popen([which("nginx") or "", "-c", str(file), "-p", str(tmp_path)]) as process:
            for name in ("a", "b", "c", "d"):
                with hmem.connect(f"http://127.0.0.1:{port}/{name}", create=True, retries=8) as memory:
                    assert memory.add("I am here").fate == "stored"
            process.terminate()
