"""Citus for the tests: a coordinator and two workers of a build of ``tests/build_citus``, or a database that is there.

``HMEM_CITUS`` is the folder of a build or the URL of a database; by default the build of `make citus`, if there is one.
"""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from hmem.storage.location import Location
from hmem_postgres.address import Address
from hmem_postgres.schema import migrate

BUILD = Path(__file__).parent.parent / "out" / "citus"
HOST, DATABASE, WORKERS = "127.0.0.1", "hmem", 2
_CONFIGURATION = "shared_preload_libraries = 'citus'\nfsync = off\njit = off\nshared_buffers = 64MB\n"
_NODE_OF = """SELECT nodeport FROM pg_dist_node JOIN pg_dist_placement USING (groupid)
    WHERE shardid = get_shard_id_for_distribution_column('hmem.memory', %s)"""


class Citus:
    """A database with Citus and hmem's tables; its ``workers`` by port, if the tests started them."""

    def __init__(self, url: str, workers: "dict[int, Node] | None" = None) -> None:
        self.url = url
        self._workers = workers or {}
        migrate(Address.parse(Location.parse(url)), citus=True)

    def location(self, name: str) -> str:
        """Return the URL of a memory."""
        return f"{self.url}{'&' if '?' in self.url else '?'}memory={quote(name, safe='')}"

    @contextmanager
    def machine_away(self, name: str) -> Iterator[None]:
        """Stop the worker that has a memory's rows, as if its machine had failed, until the block ends."""
        with psycopg.connect(self.url) as connection:
            ((port,),) = connection.execute(_NODE_OF, (name,)).fetchall()
        if port not in self._workers:
            pytest.skip("this database's machines are not the tests' own")
        self._workers[port].control("-m", "immediate", "stop")
        try:
            yield
        finally:
            self._workers[port].start()


class Node:
    """A server of a build. Postgres never runs as root."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.folder = folder
        self._programs = programs
        with socket.socket() as free:
            free.bind((HOST, 0))
            self.port: int = free.getsockname()[1]
        folder.mkdir(parents=True)
        if os.geteuid() == 0:
            shutil.chown(folder, "nobody")
        self._run("initdb", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        with (folder / "postgresql.conf").open("a") as file:
            file.write(
                f"{_CONFIGURATION}port = {self.port}\nunix_socket_directories = ''\nlisten_addresses = '{HOST}'\n"
            )
        self.start()
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {DATABASE}")  # type: ignore[arg-type]
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION citus")

    def url(self, database: str = DATABASE) -> str:
        """Return the URL of a database of the server, for a superuser."""
        return f"postgresql://postgres@{HOST}:{self.port}/{database}"

    def start(self) -> None:
        """Start the server."""
        self.control("-l", str(self.folder / "log"), "start")

    def control(self, *words: str) -> None:
        """Do something with the server, as ``pg_ctl`` does."""
        self._run("pg_ctl", "-w", *words)

    def _run(self, program: str, *words: str) -> None:
        command = [str(self._programs / program), "-D", str(self.folder), *words]
        user = "nobody" if os.geteuid() == 0 else None
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, user=user, cwd=self.folder)


def build_or_url() -> str | None:
    """Return where Citus is: the folder of a build, or a database's URL; None if there is none."""
    return os.environ.get("HMEM_CITUS") or (str(BUILD) if BUILD.exists() else None)


@contextmanager
def started(place: str, folder: Path) -> Iterator[Citus]:
    """Yield the Citus of a place; servers of a build are started below a folder."""
    if "://" in place:
        yield Citus(place)
        return
    (programs,) = Path(place).glob("usr/lib/postgresql/*/bin")
    for parent in (folder, *folder.parents[:3]):
        parent.chmod(parent.stat().st_mode | 0o011)
    nodes: list[Node] = []
    try:
        nodes.extend(Node(programs, folder / f"node{number}") for number in range(WORKERS + 1))
        first, *workers = nodes
        with psycopg.connect(first.url(), autocommit=True) as connection:
            connection.execute("SELECT citus_set_coordinator_host(%s, %s)", (HOST, first.port))
            for worker in workers:
                connection.execute("SELECT citus_add_node(%s, %s)", (HOST, worker.port))
        yield Citus(first.url(), {worker.port: worker for worker in workers})
    finally:
        for node in nodes:
            node.control("-m", "immediate", "stop")
